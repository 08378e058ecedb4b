r"""A whole model as a LaTeX document for pdflatex, and single elements as fragments for other documents.

In the document TeX itself breaks the equations, before + and - (`\br` marks these places); in a fragment the lines of
an aligned equation are filled by an estimate of their width.
"""

from collections.abc import Iterable

from emdeg.model.element import Element, Torque
from emdeg.model.printing import facts
from emdeg.model.printing.latex import LATEX, Latex, escape, name, unit
from emdeg.model.printing.outline import Outline, Progress, Section, angles_of, outline
from emdeg.model.printing.pieces import filled, multiple, text_pieces
from emdeg.model.printing.subject import Subject
from emdeg.model.printing.torques import element_pieces
from emdeg.model.printing.values import DIGITS, Rounded, valued
from emdeg.model.zeros import REASONS

LINE = 52
"""Letters in a line of an aligned equation: the width of LaTeX's article."""

_PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,array,longtable}
\setlength{\oddsidemargin}{-5mm}
\setlength{\textwidth}{170mm}
\setlength{\topmargin}{-20mm}
\setlength{\textheight}{250mm}
\setlength{\LTleft}{0pt}
\setlength{\parindent}{0pt}
\raggedright
\newcommand{\br}{\penalty0 } % a line may be broken here,
\newcommand{\ib}{\penalty300 } % here if need be, and nowhere else
\binoppenalty=10000 \relpenalty=10000
\newcommand{\eq}[2]{\par\smallskip\hangindent=3em $#1 = #2$\par}
"""


def document(
    model: Subject, *, numbers: bool = False, whole: bool = True, progress: Progress = lambda step: None
) -> str:
    """The model as a document."""
    content = outline(model, whole=whole, progress=progress)
    notation = Latex(DIGITS) if numbers else LATEX
    blocks = [_PREAMBLE, r"\begin{document}", _head(model), _legend(content), _constants(model, numbers)]
    blocks += [_section(model, section, notation) for section in content.sections]
    blocks += [_torques(model, content, notation), _zeros(content), _counts(model), r"\end{document}"]
    return "\n".join(block for block in blocks if block) + "\n"


def fragment(model: Subject, elements: Iterable[Element | Torque], *, numbers: bool = False) -> str:
    """Elements in an align* of amsmath."""
    rows = aligned(model, elements, numbers=numbers)
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}\n"


def aligned(model: Subject, elements: Iterable[Element | Torque], *, numbers: bool = False) -> list[str]:
    """The lines of aligned equations."""
    rows = []
    for element in elements:
        pieces = _pieces(model, element, Latex(DIGITS) if numbers else LATEX)
        first, *rest = filled(pieces, LATEX, LINE)
        rows += [f"{element_name(element.name)} &= {first}", *(rf"&\quad {line}" for line in rest)]
    return rows


def element_name(text: str) -> str:
    r"""a_{11}, \tau_{1}; the Christoffel symbol (1,23) as it is."""
    return text if text.startswith("(") else name(text)


def value(number: Rounded, of: str) -> str:
    r"""0.372 \pm 0.041, to be set as mathematics."""
    spread = "" if number.tolerance is None else rf" \pm {number.tolerance}"
    power = rf" \cdot 10^{{{number.power}}}" if number.power else ""
    text = f"({number.value}{spread}){power}" if spread and power else f"{number.value}{spread}{power}"
    return f"{text}~{unit(of)}" if of else text


def _pieces(model: Subject, element: Element | Torque, notation: Latex) -> list[str]:
    if notation.digits:
        element = valued(element, facts.values(model))
    return element_pieces(element, notation)


def _equation(left: str, pieces: list[str]) -> str:
    if pieces == [left]:
        return rf"\par\smallskip ${left}$\par"
    return rf"\eq{{{left}}}{{{_breakable(pieces)}}}"


def _breakable(pieces: list[str]) -> str:
    text, depth = "", 0
    for piece in pieces:
        text += ("\n  \\ib " if depth else "\n  \\br ") + piece if text else piece
        depth += piece.count("(") - piece.count(")")
    return text


def _head(model: Subject) -> str:
    sources = " ".join(rf"{escape(text)} [{escape(label)}]." for label, text in model.robot.sources.items())
    lines = [
        rf"\section*{{{escape(model.robot.name)}}}",
        escape(facts.description(model)) + r"\par",
        rf"Joints: {escape(facts.joints(model))}\par",
        rf"Derived {escape(facts.derivation(model))}.\par",
        rf"{sources}\par" if sources else "",
        r"\[ A(q)\,\ddot q + B(q)\,[\dot q\,\dot q] + C(q)\,[\dot q^2] + g(q) = \tau \]",
    ]
    return "\n".join(line for line in lines if line)


def _legend(content: Outline) -> str:
    parts = []
    for atoms in angles_of(content.entries):
        names = ", ".join(f"${LATEX.atom(atom)}$" for atom in atoms)
        parts.append(f"{names} of ${_breakable(text_pieces(atoms[0].argument, LATEX))}$")
    return rf"$S$ and $C$ are the sine and the cosine: {'; '.join(parts)}.\par" if parts else ""


def _constants(model: Subject, numbers: bool) -> str:
    rows = [row for row in facts.worths(model) if not (numbers and row.value)]
    if not rows:
        return ""
    lines = [r"\subsection*{Constants}", r"\begin{longtable}{lll>{\raggedright\arraybackslash}p{95mm}}"]
    for row in rows:
        meaning = escape(row.meaning) if row.meaning else f"${_breakable(text_pieces(row.definition, LATEX))}$"
        worth = f"${value(row.value, '')}$" if row.value else ""
        star = "*" if row.unstated and row.value else ""
        lines.append(rf"${name(row.name)}$ & {worth}{star} & ${unit(row.unit)}$ & {meaning} \\")
    lines.append(r"\end{longtable}")
    if letters := facts.unstated(model):
        lines.append(rf"* No tolerance is stated for these, they enter as exact: {_names(letters)}.\par")
    if letters := facts.missing(model):
        lines.append(rf"No value is known of {_names(letters)}.\par")
    return "\n".join(lines)


def _names(letters: list[str]) -> str:
    return ", ".join(f"${name(letter)}$" for letter in letters)


def _section(model: Subject, section: Section, notation: Latex) -> str:
    lines = [rf"\subsection*{{{escape(section.title[:1].upper() + section.title[1:])}}}"]
    for line in section.lines:
        if line.entry is None:
            lines.append(rf"\eq{{{name(line.name)}}}{{\text{{{line.terms} terms}}}}")
        else:
            lines.append(_equation(name(line.name), _pieces(model, Element(line.name, line.entry), notation)))
    if section.equal:
        equal = (f"${name(e.name)} = {multiple(e.factor, e.other, LATEX)}$" for e in section.equal)
        lines.append(rf"\par\smallskip {', '.join(equal)}.\par")
    if section.empty:
        lines.append(r"Zero.\par")
    if section.lines and section.letter == "g" and facts.shared_names(model) and not notation.digits:
        lines.append(r"(To the right of = stand the gravity constants, not these elements.)\par")
    return "\n".join(lines)


def _torques(model: Subject, content: Outline, notation: Latex) -> str:
    if content.torques is None:
        return ""
    lines = [_equation(name(t.name), _pieces(model, t, notation)) for t in content.torques]
    return "\n".join([r"\subsection*{Torques}", *lines])


def _zeros(content: Outline) -> str:
    if not content.zeros:
        return ""
    lines = [r"\subsection*{Zero elements}", r"\begin{description}"]
    for reason, names in content.zeros.items():
        elements = ", ".join(f"${name(n)}$" for n in names)
        lines.append(rf"\item[{escape(reason)}] {escape(REASONS.get(reason, ''))}: {elements}.")
    return "\n".join([*lines, r"\end{description}"])


def _counts(model: Subject) -> str:
    table = model.christoffel_table
    left = "; ".join(f"{escape(label)}: {count}" for label, count in facts.relations(model))
    lines = [
        r"\subsection*{Christoffel symbols}",
        f"{table.total} in all: {table.zero} zero, {table.nonzero} not zero,",
        f"of these {table.unique} different up to sign.",
        rf"Left after {left}.\par",
        r"\subsection*{Base parameters}",
    ]
    lines += [_equation(name(b.name), text_pieces(b.definition, LATEX)) for b in model.base_parameters]
    return "\n".join(lines)

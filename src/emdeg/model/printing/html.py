"""A model as HTML: self-contained, every text from files escaped, nothing fetched."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from html import escape as _escape
from re import fullmatch

from emdeg.model.element import Element, Torque
from emdeg.model.entry import Atom
from emdeg.model.printing import facts
from emdeg.model.printing.notation import Notation
from emdeg.model.printing.outline import Outline, Progress, Section, angles_of, outline
from emdeg.model.printing.pieces import multiple, text_pieces
from emdeg.model.printing.subject import NamedConstant, Subject
from emdeg.model.printing.torques import element_pieces
from emdeg.model.printing.values import DIGITS, Rounded, rounded, valued
from emdeg.model.zeros import REASONS

_STYLE = """
.emdeg { font-family: "STIX Two Text", "Latin Modern Roman", Cambria, Georgia, serif; }
.emdeg { line-height: 1.5; max-width: 60em; }
.emdeg h2 { font-size: 1.1em; margin: 1.4em 0 0.4em; }
.emdeg p { margin: 0.3em 0; }
.emdeg .eq { margin: 0.25em 0; padding-left: 4em; text-indent: -3em; text-align: left; }
.emdeg .t { white-space: nowrap; }
.emdeg sub, .emdeg sup { font-size: 0.7em; line-height: 0; }
.emdeg sub { vertical-align: -0.3em; }
.emdeg table { border-collapse: collapse; }
.emdeg td, .emdeg th { padding: 0.1em 0.8em 0.1em 0; text-align: left; vertical-align: top; }
""".strip()


_DOTS = {"d": "\u0307", "dd": "\u0308"}


def escape(text: str) -> str:
    """Any text as HTML, without control characters."""
    return _escape("".join(c if c.isprintable() else " " for c in text))


@dataclass(frozen=True)
class Html(Notation):
    """Italic letters with their indices set low."""

    times = "\u2009"
    minus = "\u2212"

    def name(self, text: str) -> str:
        if rate := fullmatch(r"q(d{1,2})(\d+)", text):
            return f"<i>q{_DOTS[rate[1]]}</i><sub>{rate[2]}</sub>"
        if text == "pi":
            return "π"
        if match := fullmatch(r"tau(\d+)", text):
            return f"<i>τ</i><sub>{match[1]}</sub>"
        match = fullmatch(r"([A-Za-z])_?(\w+)", text) or fullmatch(r"(\w+?)()", text)
        if match is None or not text.isascii():
            return f"<span>{escape(text)}</span>"
        return f"<i>{match[1]}</i>" + (f"<sub>{match[2]}</sub>" if match[2] else "")

    def atom(self, atom: Atom) -> str:
        head = {"s": "S", "c": "C", "q": "q"}[atom.kind]
        low = atom.name[1:].replace("_", self.times).replace("m", self.minus)
        return f"<i>{head}</i><sub>{low}</sub>"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}<sup>{exponent}</sup>"

    def fraction(self, value: Fraction) -> str:
        return {"1/2": "½", "1/3": "⅓", "1/4": "¼", "2/3": "⅔", "3/4": "¾"}.get(str(value), f"({value})")

    def multiple(self, factor: Fraction, name: str) -> str:
        return name if factor == 1 else self.product([self.number(factor), name])

    def decimal(self, text: str) -> str:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}·10<sup>{exponent.lstrip('+').replace('-0', '-')}</sup>" if exponent else text

    def function(self, name: str) -> str:
        return escape({"atan": "arctan"}.get(name, name))

    def literal(self, text: str) -> str:
        return escape(text)


HTML = Html()


def page(model: Subject, *, numbers: bool = False, whole: bool = True, progress: Progress = lambda step: None) -> str:
    """The model as a page of its own."""
    body = section(model, numbers=numbers, whole=whole, progress=progress)
    title = escape(model.robot.name)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n</head>\n'
        f'<body style="margin: 2em">\n{body}</body>\n</html>\n'
    )


def section(
    model: Subject, *, numbers: bool = False, whole: bool = False, progress: Progress = lambda step: None
) -> str:
    """The model as a part of a page, as Jupyter shows it."""
    content = outline(model, whole=whole, progress=progress)
    blocks = [f"<style>\n{_STYLE}\n</style>", _head(model), _legend(content), _constants(model, numbers)]
    blocks += [_section(model, part, numbers) for part in content.sections]
    if content.torques is not None:
        blocks.append("<h2>Torques</h2>\n" + _equations(model, content.torques, numbers))
    blocks += [_zeros(content), _counts(model)]
    return '<div class="emdeg">\n' + "\n".join(block for block in blocks if block) + "\n</div>\n"


def fragment(model: Subject, elements: Iterable[Element | Torque], *, numbers: bool = False) -> str:
    """Single elements."""
    return f'<div class="emdeg">\n<style>\n{_STYLE}\n</style>\n{_equations(model, elements, numbers)}\n</div>\n'


def constant(row: NamedConstant) -> str:
    """One constant as Jupyter shows it: name = value = definition."""
    parts = [HTML.name(row.name)]
    if row.value is not None:
        parts.append(f"{_value(rounded(row.value, row.tolerance))} {escape(row.unit)}")
    if row.definition != row.name:
        parts.append(" ".join(text_pieces(row.definition, HTML)))
    return f'<span class="emdeg">{" = ".join(parts)}</span>'


def _equations(model: Subject, elements: Iterable[Element | Torque], numbers: bool) -> str:
    return "\n".join(_equation(HTML.name(e.name), _pieces(model, e, numbers)) for e in elements)


def _pieces(model: Subject, element: Element | Torque, numbers: bool) -> list[str]:
    notation = Html(DIGITS) if numbers else HTML
    if numbers:
        element = valued(element, facts.values(model))
    return element_pieces(element, notation)


def _equation(left: str, pieces: list[str]) -> str:
    if pieces == [left]:
        return f'<p class="eq">{left}</p>'
    return f'<p class="eq">{left} = {_breakable(pieces)}</p>'


def _breakable(pieces: list[str]) -> str:
    return " ".join(f'<span class="t">{piece}</span>' for piece in pieces)


def _value(number: Rounded) -> str:
    spread = "" if number.tolerance is None else f" ± {number.tolerance}"
    power = f"·10<sup>{number.power}</sup>" if number.power else ""
    text = f"({number.value}{spread}){power}" if spread and power else f"{number.value}{spread}{power}"
    return text.replace("-", "\u2212")


def _head(model: Subject) -> str:
    lines = [f"<h1>{escape(model.robot.name)}</h1>"]
    lines += [f"<p>{escape(facts.description(model))}</p>"]
    lines += [f"<p>Joints: {escape(facts.joints(model))}</p>", f"<p>Derived {escape(facts.derivation(model))}</p>"]
    lines += [f"<p>Source: {escape(text)} [{escape(label)}]</p>" for label, text in model.robot.sources.items()]
    lines.append(
        '<p class="eq"><i>A</i>(<i>q</i>) <i>q̈</i> + <i>B</i>(<i>q</i>) [<i>q̇</i> <i>q̇</i>] + '
        "<i>C</i>(<i>q</i>) [<i>q̇</i><sup>2</sup>] + <i>g</i>(<i>q</i>) = <i>τ</i></p>"
    )
    return "\n".join(lines)


def _legend(content: Outline) -> str:
    parts = []
    for atoms in angles_of(content.entries):
        names = ", ".join(HTML.atom(atom) for atom in atoms)
        parts.append(f"{names} of {_breakable(text_pieces(atoms[0].argument, HTML))}")
    return f"<p><i>S</i> and <i>C</i> are the sine and the cosine: {'; '.join(parts)}.</p>" if parts else ""


def _constants(model: Subject, numbers: bool) -> str:
    rows = [row for row in facts.worths(model) if not (numbers and row.value)]
    if not rows:
        return ""
    lines = ["<h2>Constants</h2>", "<table>"]
    for row in rows:
        worth = _value(row.value) + ("*" if row.unstated else "") if row.value else ""
        meaning = escape(row.meaning) or _breakable(text_pieces(row.definition, HTML))
        short = [f'<span class="t">{text}</span>' for text in (HTML.name(row.name), worth, escape(row.unit))]
        cells = [*short, meaning]
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    lines.append("</table>")
    for text, letters in (
        ("* No tolerance is stated for these, they enter as exact:", facts.unstated(model)),
        ("No value is known of", facts.missing(model)),
    ):
        if letters:
            lines.append(f"<p>{text} {', '.join(HTML.name(letter) for letter in letters)}.</p>")
    return "\n".join(lines)


def _section(model: Subject, part: Section, numbers: bool) -> str:
    lines = [f"<h2>{escape(part.title[:1].upper() + part.title[1:])}</h2>"]
    for line in part.lines:
        if line.entry is None:
            lines.append(_equation(HTML.name(line.name), [f"{line.terms} terms"]))
        else:
            lines.append(_equations(model, [Element(line.name, line.entry)], numbers))
    if part.equal:
        equal = (f"{HTML.name(e.name)} = {multiple(e.factor, e.other, HTML)}" for e in part.equal)
        lines.append("<p>" + ", ".join(f'<span class="t">{text}</span>' for text in equal) + ".</p>")
    if part.empty:
        lines.append("<p>Zero.</p>")
    if part.lines and part.letter == "g" and facts.shared_names(model) and not numbers:
        lines.append("<p>(To the right of = stand the gravity constants, not these elements.)</p>")
    return "\n".join(lines)


def _zeros(content: Outline) -> str:
    if not content.zeros:
        return ""
    lines = ["<h2>Zero elements</h2>"]
    for reason, names in content.zeros.items():
        elements = ", ".join(map(HTML.name, names))
        lines.append(f"<p><b>{escape(reason)}</b>: {escape(REASONS.get(reason, ''))}: {elements}.</p>")
    return "\n".join(lines)


def _counts(model: Subject) -> str:
    table = model.christoffel_table
    left = "; ".join(f"{escape(label)}: {count}" for label, count in facts.relations(model))
    lines = [
        "<h2>Christoffel symbols</h2>",
        f"<p>{table.total} in all: {table.zero} zero, {table.nonzero} not zero, of these {table.unique} different "
        f"up to sign. Left after {left}.</p>",
        f"<h2>{len(model.base_parameters)} base parameters</h2>",
    ]
    lines += [_equation(HTML.name(b.name), text_pieces(b.definition, HTML)) for b in model.base_parameters]
    return "\n".join(lines)

"""A model on a terminal: Unicode, or Python syntax in ASCII."""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from textwrap import wrap

from emdeg.model.christoffel import Table
from emdeg.model.element import Element, Torque
from emdeg.model.entry import Atom
from emdeg.model.printing import facts
from emdeg.model.printing.notation import PYTHON, UNICODE, Notation
from emdeg.model.printing.outline import Outline, Progress, Section, angles_of, outline
from emdeg.model.printing.pieces import filled, multiple, text_pieces
from emdeg.model.printing.subject import Subject
from emdeg.model.printing.torques import element_pieces
from emdeg.model.printing.values import DIGITS, Rounded, valued
from emdeg.model.zeros import REASONS

_ASCII = {"·": "*", "²": "^2", "±": "+/-", "³": "^3"}
INDENT = "  "
LEAST = 30
"""Letters of a line that a definition needs to stand beside its constant."""


@dataclass(frozen=True)
class Style:
    """How a text looks: its width, ASCII or Unicode, what is done to headings, values instead of constants."""

    width: int = 100
    ascii: bool = False
    numbers: bool = False
    heading: Callable[[str], str] = str

    @property
    def exact(self) -> Notation:
        """The notation of definitions and references."""
        return PYTHON if self.ascii else UNICODE

    @property
    def notation(self) -> Notation:
        """The notation of elements."""
        return replace(self.exact, digits=DIGITS) if self.numbers else self.exact

    def words(self, text: str) -> str:
        """Free text, without what could steer a terminal."""
        text = "".join(c if unicodedata.category(c)[0] != "C" else "?" for c in " ".join(text.split()))
        for character, plain in _ASCII.items() if self.ascii else ():
            text = text.replace(character, plain)
        return text

    def paragraph(self, text: str, label: str = "", indent: str = INDENT) -> str:
        """A label and words, wrapped with a hanging indent."""
        head = indent + label
        room = max(20, self.width - len(head))
        lines = wrap(self.words(text), room, break_long_words=False, break_on_hyphens=False) or [""]
        return "\n".join([head + lines[0], *(" " * len(head) + line for line in lines[1:])])

    def sum(self, name: str, pieces: list[str], indent: str = INDENT) -> str:
        """name = sum, broken before + and - with a hanging indent."""
        if pieces == [name]:
            return indent + name
        head = f"{indent}{name} = "
        room = max(20, self.width - len(head))
        first, *rest = filled(pieces, self.notation, room)
        return "\n".join([head + first, *(" " * len(head) + line for line in rest)])

    def columns(self, items: Iterable[str], indent: str = INDENT) -> str:
        """Short texts side by side."""
        items = list(items)
        broad = max(map(len, items), default=0) + 2
        count = max(1, (self.width - len(indent) + 2) // broad)
        rows = [items[k : k + count] for k in range(0, len(items), count)]
        return "\n".join((indent + "".join(item.ljust(broad) for item in row)).rstrip() for row in rows)


def text(
    model: Subject, style: Style | None = None, *, whole: bool = False, progress: Progress = lambda step: None
) -> str:
    """The model as text; `whole` also writes what is too long for a screen."""
    style = style or Style()
    content = outline(model, whole=whole, progress=progress)
    progress("constants and counts")
    blocks = [_header(model, style), _constants(model, style), _legend(style, content)]
    blocks += [_section(model, style, section) for section in content.sections]
    blocks += [_torques(model, style, content), _zeros(style, content)]
    blocks += [_counts(model, style, whole), "" if whole else _hints(model, style, content)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def elements_text(model: Subject, elements: Iterable[Element | Torque], style: Style | None = None) -> str:
    """Single elements, each on lines of its own."""
    style = style or Style()
    return "".join(style.sum(e.name, _pieces(model, e, style), indent="") + "\n" for e in elements)


def restyled(python: str, style: Style) -> list[str]:
    """A sum in Python syntax as pieces of this style."""
    return text_pieces(python, style.exact)


def _pieces(model: Subject, element: Element | Torque, style: Style) -> list[str]:
    if style.numbers:
        element = valued(element, facts.values(model))
    return element_pieces(element, style.notation)


def _header(model: Subject, style: Style) -> str:
    title = style.words(model.robot.name)
    about = facts.description(model)
    lines = [style.heading(title) + (f"  {style.words(about)}" if len(title) + len(about) < style.width else "")]
    if about and len(lines[0]) == len(style.heading(title)):
        lines.append(style.paragraph(about))
    equation = "A(q)*qdd + B(q)*[qd qd] + C(q)*[qd²] + g(q) = tau"
    lines += ["", style.paragraph(equation if style.ascii else equation.replace("*", "·")), ""]
    lines.append(style.paragraph(facts.joints(model), "joints   "))
    lines.append(style.paragraph(facts.derivation(model), "derived  "))
    for label, source in model.robot.sources.items():
        lines.append(style.paragraph(f"{source} [{label}]", "source   "))
    return "\n".join(lines)


def _value(value: Rounded, style: Style) -> tuple[str, str]:
    """Value and tolerance; a power of ten where one is needed."""
    power = f"e{value.power}" if value.power else ""
    mark = "+/- " if style.ascii else "± "
    return value.value + power, "" if value.tolerance is None else mark + value.tolerance + power


def _constants(model: Subject, style: Style) -> str:
    rows = [row for row in facts.worths(model) if not (style.numbers and row.value)]
    if not rows:
        return ""
    known = any(row.value for row in rows)
    cells = []
    for row in rows:
        number, spread = _value(row.value, style) if row.value else ("?" if known else "", "")
        whole = number.partition(".")[0]
        cells.append((row, number, len(whole), spread + ("*" if row.unstated and row.value else "")))
    left = max(before for *_, before, _ in cells)
    numbers = [" " * (left - before) + number for _, number, before, _ in cells]
    names = max(len(row.name) for row in rows)
    broad, wide = max(map(len, numbers)), max(len(spread) for *_, spread in cells)
    units = max(len(style.words(row.unit)) for row in rows)
    lines = [style.heading("constants")]
    for (row, *_, spread), number in zip(cells, numbers, strict=True):
        columns = [row.name.ljust(names), number.ljust(broad), spread.ljust(wide), style.words(row.unit).ljust(units)]
        head = INDENT + "  ".join(column for column in columns if column.strip() or column) + "  "
        head = head if known else f"{INDENT}{columns[0]}  {columns[3]}  "
        room = style.width - len(head)
        if room < LEAST:  # the definition goes below
            lines.append(head.rstrip())
            head, room = 3 * INDENT, style.width - 3 * len(INDENT)
        pieces = style.words(row.meaning).split(" ") if row.meaning else restyled(row.definition, style)
        first, *rest = filled(pieces, PYTHON, room)
        lines += [(head + first).rstrip(), *(" " * len(head) + line for line in rest)]
    return "\n".join(lines + _remarks(model, style))


def _remarks(model: Subject, style: Style) -> list[str]:
    lines = []
    if names := facts.unstated(model):
        text = f"no tolerance is stated for these, they enter as exact: {', '.join(names)}"
        lines.append(style.paragraph(text, "* "))
    if (names := facts.missing(model)) and facts.values(model):
        lines.append(style.paragraph(f"no value is known of {', '.join(names)}", "? "))
    elif names:
        lines.append(style.paragraph(f"no values are known of {', '.join(names)}"))
    return lines


def _section(model: Subject, style: Style, section: Section) -> str:
    if section.empty:
        return f"{style.heading(section.title)}\n{INDENT}0"
    lines = [style.heading(section.title)]
    for line in section.lines:
        if line.entry is not None:
            lines.append(style.sum(line.name, _pieces(model, Element(line.name, line.entry), style)))
    if counted := [f"{line.name}: {line.terms} terms" for line in section.lines if line.entry is None]:
        lines += [f"{INDENT}too long for a screen:", style.columns(counted, indent=2 * INDENT)]
    if section.equal:
        equal = (f"{e.name} = {multiple(e.factor, e.other, style.exact)}" for e in section.equal)
        lines += [f"{INDENT}equal to other elements:", style.columns(equal, indent=2 * INDENT)]
    if section.letter == "g" and section.lines and facts.shared_names(model) and not style.numbers:
        lines.append(style.paragraph("(to the right of = stand the gravity constants g1, ..., not these elements)"))
    return "\n".join(lines)


def _torques(model: Subject, style: Style, content: Outline) -> str:
    if content.torques is None:
        return ""
    lines = [style.sum(torque.name, _pieces(model, torque, style)) for torque in content.torques]
    return "\n".join([style.heading("torques"), *lines])


def _zeros(style: Style, content: Outline) -> str:
    count = sum(map(len, content.zeros.values()))
    if not count:
        return ""
    lines = [style.heading(f"zero: {count} of {content.elements} elements")]
    for reason, names in content.zeros.items():
        lines.append(style.paragraph(REASONS.get(reason, ""), f"{reason}: "))
        lines.append(style.columns(names, indent=2 * INDENT))
    return "\n".join(lines)


def _legend(style: Style, content: Outline) -> str:
    angles = angles_of(content.entries)
    if not angles:
        return ""
    return "\n".join([style.heading("sines and cosines"), style.columns(_angle(atoms, style) for atoms in angles)])


def _angle(atoms: tuple[Atom, ...], style: Style) -> str:
    return f"{', '.join(atom.name for atom in atoms)} of {' '.join(restyled(atoms[0].argument, style))}"


def _counts(model: Subject, style: Style, whole: bool) -> str:
    table: Table = model.christoffel_table
    lines = [
        style.heading("Christoffel symbols"),
        style.paragraph(
            f"{table.total} in all: {table.zero} zero, {table.nonzero} not zero, "
            f"of these {table.unique} different up to sign"
        ),
        style.paragraph("; ".join(f"{name}: {n}" for name, n in facts.relations(model)), "left after "),
        "",
        style.heading(f"base parameters: {len(model.base_parameters)}"),
    ]
    if whole:
        lines += [style.sum(style.words(b.name), restyled(b.definition, style)) for b in model.base_parameters]
    else:
        lines.append(style.paragraph(", ".join(b.name for b in model.base_parameters)))
    return "\n".join(lines)


def _hints(model: Subject, style: Style, content: Outline) -> str:
    lines = [style.heading("more")]
    long = [line.name for section in content.sections for line in section.lines if line.entry is None]
    if long:
        lines.append(style.paragraph(f"one element that is too long here: --element {long[0]}; all: --output FILE"))
    if content.torques is None:
        names = "tau1" if len(model.tree) == 1 else f"tau1 ... tau{len(model.tree)}"
        lines.append(style.paragraph(f"the assembled torque equations: --element {names}"))
    if facts.values(model) and not style.numbers:
        lines.append(style.paragraph("numbers in place of constants: --numbers"))
    lines.append(style.paragraph("for papers and programs: --format latex, markdown, html, json, sympy"))
    return "\n".join(lines)

"""A model as Markdown with the mathematics of GitHub: $`...`$ in a line, ```math for equations."""

import re
from collections.abc import Iterable

from emdeg.model.element import Element, Torque
from emdeg.model.printing import facts
from emdeg.model.printing.latex import LATEX, name
from emdeg.model.printing.latex_document import aligned, value
from emdeg.model.printing.outline import Outline, Progress, Section, angles_of, outline
from emdeg.model.printing.pieces import multiple, text_pieces
from emdeg.model.printing.subject import Subject
from emdeg.model.zeros import REASONS


def markdown(
    model: Subject, *, numbers: bool = False, whole: bool = True, progress: Progress = lambda step: None
) -> str:
    """The model as a page."""
    content = outline(model, whole=whole, progress=progress)
    blocks = [_head(model), _legend(content), _constants(model, numbers)]
    blocks += [_section(model, section, numbers) for section in content.sections]
    if content.torques is not None:
        blocks.append("## Torques\n\n" + fragment(model, content.torques, numbers=numbers).rstrip())
    blocks += [_zeros(content), _counts(model)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def fragment(model: Subject, elements: Iterable[Element | Torque], *, numbers: bool = False) -> str:
    """Elements as one block of equations each."""
    return "\n".join(_block(aligned(model, [element], numbers=numbers)) for element in elements)


def escape(text: str) -> str:
    """Any text on one line, so that nothing in it is Markdown, HTML or mathematics."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    plain = plain.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    plain = re.sub(r"([\\`*_\[\]#!|$~])", r"\\\1", plain)
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", plain)


def _math(latex: str) -> str:
    return f"$`{latex.replace('`', ' ')}`$"


def _block(rows: list[str]) -> str:
    body = " \\\\\n".join(rows).replace("```", " ")
    return f"```math\n\\begin{{aligned}}\n{body}\n\\end{{aligned}}\n```\n"


def _head(model: Subject) -> str:
    lines = [
        f"# {escape(model.robot.name)}",
        "",
        escape(facts.description(model)),
        "",
        f"- joints: {escape(facts.joints(model))}",
        f"- derived {escape(facts.derivation(model))}",
        *(f"- source: {escape(text)} \\[{escape(label)}\\]" for label, text in model.robot.sources.items()),
        "",
        "```math",
        r"A(q)\,\ddot q + B(q)\,[\dot q\,\dot q] + C(q)\,[\dot q^2] + g(q) = \tau",
        "```",
    ]
    return "\n".join(lines)


def _legend(content: Outline) -> str:
    parts = []
    for atoms in angles_of(content.entries):
        argument = " ".join(text_pieces(atoms[0].argument, LATEX))
        parts.append(f"{', '.join(_math(LATEX.atom(atom)) for atom in atoms)} of {_math(argument)}")
    return f"{_math('S')} and {_math('C')} are the sine and the cosine: {'; '.join(parts)}." if parts else ""


def _constants(model: Subject, numbers: bool) -> str:
    rows = [row for row in facts.worths(model) if not (numbers and row.value)]
    if not rows:
        return ""
    lines = ["## Constants", "", "| constant | value | unit | definition |", "|---|---|---|---|"]
    for row in rows:
        meaning = escape(row.meaning) or _math(" ".join(text_pieces(row.definition, LATEX)))
        worth = _math(value(row.value, "")) + ("\\*" if row.unstated else "") if row.value else ""
        lines.append(f"| {_math(name(row.name))} | {worth} | {escape(row.unit)} | {meaning} |")
    for text, letters in (
        ("\\* No tolerance is stated for these, they enter as exact:", facts.unstated(model)),
        ("No value is known of", facts.missing(model)),
    ):
        if letters:
            lines += ["", f"{text} {', '.join(_math(name(letter)) for letter in letters)}."]
    return "\n".join(lines)


def _section(model: Subject, section: Section, numbers: bool) -> str:
    title = f"## {section.title[:1].upper() + section.title[1:]}"
    written = [Element(line.name, line.entry) for line in section.lines if line.entry is not None]
    counted = [f"{_math(name(line.name))}: {line.terms} terms" for line in section.lines if line.entry is None]
    blocks = [title, fragment(model, written, numbers=numbers).rstrip() if written else "", ", ".join(counted)]
    blocks.append(", ".join(_math(f"{name(e.name)} = {multiple(e.factor, e.other, LATEX)}") for e in section.equal))
    if section.empty:
        blocks.append("Zero.")
    if section.lines and section.letter == "g" and facts.shared_names(model) and not numbers:
        blocks.append("(To the right of = stand the gravity constants, not these elements.)")
    return "\n\n".join(block for block in blocks if block)


def _zeros(content: Outline) -> str:
    if not content.zeros:
        return ""
    lines = ["## Zero elements", ""]
    for reason, names in content.zeros.items():
        elements = ", ".join(_math(name(n)) for n in names)
        lines.append(f"- {escape(reason)}: {escape(REASONS.get(reason, ''))}: {elements}")
    return "\n".join(lines)


def _counts(model: Subject) -> str:
    table = model.christoffel_table
    left = "; ".join(f"{escape(label)}: {count}" for label, count in facts.relations(model))
    lines = [
        "## Christoffel symbols",
        "",
        f"{table.total} in all: {table.zero} zero, {table.nonzero} not zero, "
        f"of these {table.unique} different up to sign. Left after {left}.",
        "",
        f"## {len(model.base_parameters)} base parameters",
        "",
    ]
    for parameter in model.base_parameters:
        left_side, right = name(parameter.name), " ".join(text_pieces(parameter.definition, LATEX))
        lines.append(f"- {_math(left_side if left_side == right else f'{left_side} = {right}')}")
    return "\n".join(lines)

"""A model after one of the paper's steps, with the operations that it costs."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol

from emdeg.errors import InputError
from emdeg.model.entry import Operations
from emdeg.model.printing.json import HEAD
from emdeg.model.printing.outline import SCREEN
from emdeg.model.printing.subject import Subject
from emdeg.model.printing.text import Style, restyled

_WHAT = {
    "raw": "every parameter with its own coefficient, nothing combined",
    "combined": "A and g over inertia constants; B and C raw",
    "christoffel": "B and C as combinations of the derivatives of A that the relations leave",
    "final": "everything over the constants",
}
_TITLES = {"a": "mass matrix A", "b": "velocity products B", "c": "squared velocities C", "g": "gravity g"}


Convention = Literal["strict", "paper"]
_CONVENTIONS: tuple[Convention, Convention] = ("strict", "paper")


class Staged(Protocol):
    """The elements that are not zero as text, and the operations of A, B, C and g by both conventions."""

    @property
    def name(self) -> str: ...
    @property
    def elements(self) -> Mapping[str, str]: ...
    @property
    def strict(self) -> Mapping[str, Operations]: ...
    @property
    def paper(self) -> Mapping[str, Operations]: ...
    def total(self, convention: Convention = ...) -> Operations: ...


def stage_text(model: Subject, stage: Staged, chosen: Iterable[str], style: Style, *, whole: bool) -> str:
    """The stage on a terminal; elements that are too long are counted unless `whole` or chosen."""
    chosen = tuple(chosen)
    if chosen:
        found = _chosen(model, stage, chosen)
        return "".join(style.sum(name, restyled(text, style), indent="") + "\n" for name, text in found.items())
    title = style.heading(f"{style.words(model.robot.name)}, stage {stage.name}")
    blocks = [f"{title}\n{style.paragraph(_WHAT.get(stage.name, ''))}"]
    for letter, heading in _TITLES.items():
        lines = [style.heading(heading)]
        for name, text in stage.elements.items():
            if name[0] == letter and (whole or len(text) <= SCREEN):
                lines.append(style.sum(name, restyled(text, style)))
        long = {n: t for n, t in stage.elements.items() if n[0] == letter and not whole and len(t) > SCREEN}
        if long:
            lines.append("  too long for a screen (see --element, --output):")
            counted = (f"{name}: {text.count(' + ') + text.count(' - ') + 1} terms" for name, text in long.items())
            lines.append(style.columns(counted, indent="    "))
        if len(lines) > 1:
            blocks.append("\n".join(lines))
    return "\n\n".join([*blocks, _counts(stage, style)]) + "\n"


def stage_json(model: Subject, stage: Staged, chosen: Iterable[str]) -> dict[str, Any]:
    """The stage as an object for JSON."""
    chosen = tuple(chosen)
    return {
        **HEAD,
        "robot": model.robot.name,
        "formulation": model.formulation,
        "stage": stage.name,
        "elements": _chosen(model, stage, chosen) if chosen else dict(stage.elements),
        "operations": {
            label: {name: _operations(count) for name, count in _counted(stage, label)} for label in _CONVENTIONS
        },
    }


def _operations(count: Operations) -> dict[str, int]:
    return {"multiplications": count.multiplications, "additions": count.additions}


def _chosen(model: Subject, stage: Staged, names: Iterable[str]) -> dict[str, str]:
    zeros = {name for name, _ in model.zeros}
    found = {}
    for name in names:
        if name not in stage.elements and name not in zeros:
            advice = (
                f"there are {', '.join(list(stage.elements)[:8])}, ...; no torques at a stage, of A the upper triangle"
            )
            raise InputError(f"stage {stage.name} has no element {name!r}", where=model.robot.name, advice=advice)
        found[name] = stage.elements.get(name, "0")
    return found


def _counted(stage: Staged, convention: Convention) -> list[tuple[str, Operations]]:
    counts = stage.strict if convention == "strict" else stage.paper
    return [*counts.items(), ("total", stage.total(convention))]


def _counts(stage: Staged, style: Style) -> str:
    rows = [["", "multiplications", "additions", "by the paper: multiplications", "additions"]]
    for (name, strict), (_, paper) in zip(*(_counted(stage, label) for label in _CONVENTIONS), strict=True):
        numbers = (strict.multiplications, strict.additions, paper.multiplications, paper.additions)
        rows.append([name, *map(str, numbers)])
    broad = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  "
        + "  ".join(cell.rjust(b) if k else cell.ljust(b) for k, (cell, b) in enumerate(zip(row, broad, strict=True)))
        for row in rows
    ]
    return "\n".join([style.heading("operations"), *lines])

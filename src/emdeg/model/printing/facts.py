"""What a printed model says beside its elements: who derived it how, what its constants are worth, what is equal."""

from dataclasses import dataclass

from emdeg.model.printing.subject import NamedConstant, Subject
from emdeg.model.printing.values import Rounded, rounded

METHODS = {
    "kane": "Kane's equations",
    "lagrange": "Lagrange's equations",
    "newton-euler": "the recursive Newton-Euler equations",
}
_SHORT = {"revolute": "R", "prismatic": "P"}


@dataclass(frozen=True)
class Worth:
    """A constant as a row of a table; `unstated` says that a letter without stated tolerance enters it."""

    name: str
    value: Rounded | None
    unstated: bool
    unit: str
    definition: str
    meaning: str


def description(model: Subject) -> str:
    return " ".join(str(model.robot.document.get("description", "")).split())


def joints(model: Subject) -> str:
    """6 (R R R R R R): waist, shoulder, ..."""
    kinds = [_SHORT["revolute" if segment.revolute else "prismatic"] for segment in model.tree.segments]
    names = ", ".join(segment.name for segment in model.tree.segments)
    return f"{len(kinds)} ({' '.join(kinds)}): {names}"


def derivation(model: Subject) -> str:
    """exact, by Kane's equations, in 28 ms"""
    time = f"{1000 * model.seconds:.0f} ms" if model.seconds < 10 else f"{model.seconds:.1f} s"
    return f"exact, by {METHODS.get(model.formulation, model.formulation)}, in {time}"


def worths(model: Subject) -> list[Worth]:
    """The constants in reading order."""
    return [_worth(model, constant) for constant in model.constants.values()]


def _worth(model: Subject, constant: NamedConstant) -> Worth:
    value = None if constant.value is None else rounded(constant.value, constant.tolerance)
    symbol = model.robot.symbols.get(constant.name) if constant.definition == constant.name else None
    unstated = bool(constant.untoleranced)
    return Worth(constant.name, value, unstated, constant.unit, constant.definition, symbol.what if symbol else "")


def unstated(model: Subject) -> list[str]:
    """Letters with a value but no stated tolerance that enter constants which have a value."""
    found = {name for c in model.constants.values() if c.value is not None for name in c.untoleranced}
    return [name for name in dict.fromkeys([*model.robot.symbols, *sorted(found)]) if name in found]


def missing(model: Subject) -> list[str]:
    """Letters without a value that constants need."""
    return list(dict.fromkeys(name for c in model.constants.values() for name in c.missing))


def values(model: Subject) -> dict[str, float]:
    """The constants that have a value."""
    return {name: c.value for name, c in model.constants.items() if c.value is not None}


def known(model: Subject) -> dict[str, float]:
    """The letters and the constants that have a value."""
    own = {name: float(s.value) for name, s in model.robot.symbols.items() if s.value is not None}
    return own | values(model)


def shared_names(model: Subject) -> bool:
    """Whether a constant is called like an element of g, as in the paper."""
    return any(f"g{i + 1}" in model.constants for i in range(len(model.tree)))


def relations(model: Subject) -> list[tuple[str, int]]:
    """How many different Christoffel symbols are left after each relation."""
    return [(name, count) for name, count in model.christoffel_table.after.items() if name != "none"]

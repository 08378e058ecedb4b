"""What is minimized: operations, or the instructions of a processor that multiplies and adds in one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from emdeg.program import Program

Minimized = Literal["operations", "instructions"]


@dataclass(frozen=True)
class Price:
    """What a multiplication and an addition cost where they are judged one by one, and what a whole program costs."""

    multiplication: float
    addition: float
    total: Callable[[Program], float]
    slack: float
    """The loss that is none: how much dearer an expression may be that is taken for as dear."""


PRICES: dict[Minimized, Price] = {
    "operations": Price(1.001, 1.0, lambda program: program.cost.total + program.cost.multiplications / 1000, 0.003),
    "instructions": Price(1.0, 0.5, lambda program: program.instructions, 0.0),
}
"""Of programs with as many operations, the one with fewer multiplications is cheaper: additions may be fused with
them, as about every other one is."""

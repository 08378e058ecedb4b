"""How a program rounds: its doubles against exact rational values, beside those of a plain program."""

import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from emdeg.compiler import turning
from emdeg.compiler.constants import PARAMETERS
from emdeg.compiler.task import Task
from emdeg.program import Program

STATES = 3
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
}


def amplification(program: Program, plain: Program, wanted: Task) -> float:
    """The program's greatest error at some states, relative to that of a plain program for the same outputs."""
    source = Random(7)
    own, other = 0.0, 1e-300
    for _ in range(STATES):
        state = _state(wanted, source)
        own = max(own, _error(program, wanted, state))
        other = max(other, _error(plain, wanted, state))
    return own / max(other, 1e-17)


def _state(wanted: Task, source: Random) -> dict[str, list[Fraction]]:
    n = len(wanted.robot.tree)
    names = ("tangent", "q", "qd", "qdd", "tau")
    state = {name: [Fraction(source.randrange(-40, 41), 32) for _ in range(n)] for name in names}
    values = [wanted.described.symbols[name].value for name in wanted.options.parameters]
    state[PARAMETERS] = [Fraction(source.randrange(8, 41), 32) if value is None else value for value in values]
    return state


def _error(program: Program, wanted: Task, state: dict[str, list[Fraction]]) -> float:
    """The greatest difference between doubles and exact values, relative to the greatest value of each output."""
    exact = run(program, wanted, state, lambda x: x)
    rounded = run(program, wanted, state, float)
    worst = 0.0
    for name, values in exact.items():
        scale = max((abs(float(value)) for value in values), default=0.0) or 1.0
        differences = [abs(float(Fraction(x) - y)) for x, y in zip(rounded[name], values, strict=True)]
        worst = max(worst, max(differences, default=0.0) / scale)
    return worst


def run(program: Program, wanted: Task, state: dict[str, list[Fraction]], number: Any) -> dict[str, Sequence[Any]]:
    """The program's outputs at a state whose half angles have rational tangents, in the numbers that `number` makes.

    Sines and cosines are taken exactly and then made numbers, so that only the program's own operations round.
    """
    revolute = [segment.revolute for segment in wanted.robot.tree.segments]
    values: list[Any] = []
    turns: list[tuple[Fraction, Fraction] | None] = []
    for entry in program.inputs:
        for k in range(entry.size):
            values.append(number(state[entry.name][k]))
            turned = entry.name == PARAMETERS or (entry.name == "q" and revolute[k])
            turns.append(_turn(state["tangent" if entry.name == "q" else PARAMETERS][k]) if turned else None)
    fixed = turning.turns(wanted.robot, Fraction)
    for constant in program.constants:
        values.append(number(constant))
        c, s = fixed.get(abs(constant), (None, None))
        turns.append(None if c is None else (c, s if constant > 0 else -s))
    for step in program.code:
        one, two = turns[step.a], turns[step.b] if step.b >= 0 else None
        turn = None
        if step.kind in ("sin", "cos"):
            assert one is not None
            value = number(one[step.kind == "sin"])
        elif step.kind == "sign":
            value = number(Fraction((values[step.a] > 0) - (values[step.a] < 0)))
        elif step.kind == "neg":
            value, turn = -values[step.a], None if one is None else (one[0], -one[1])
        else:
            a, b = values[step.a], values[step.b]
            value = OPERATIONS[step.kind](a, b)
            if step.kind in ("add", "sub") and one is not None and two is not None:
                s = two[1] if step.kind == "add" else -two[1]
                turn = (one[0] * two[0] - one[1] * s, one[1] * two[0] + one[0] * s)
        values.append(value)
        turns.append(turn)
    return {output.name: [values[k] for k in output.values] for output in program.outputs}


def _turn(tangent: Fraction) -> tuple[Fraction, Fraction]:
    square = tangent * tangent
    return (1 - square) / (1 + square), 2 * tangent / (1 + square)

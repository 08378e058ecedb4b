"""CasADi as an entrant of a race: textbook Newton-Euler in its symbols, run by its own interpreter."""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from emdeg.cli.casadi_dynamics import FUNCTIONS, casadi_function
from emdeg.cli.contest import Arm, Array, Entrant, States
from emdeg.compiler.numbers import NumericRobot


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """Calls through its buffers, the quickest way from Python; batches by `map`. ImportError without `casadi`."""
    title = f"CasADi {version('casadi')}, Newton-Euler in SX"  # PackageNotFoundError is an ImportError
    if function not in FUNCTIONS:
        return
    known = casadi_function(robot, function)
    yield calls(f"{title}, interpreted", known, states)
    many = len(batch.arguments[0])
    mapped = known.map(many)
    inputs, results, evaluate = _buffered(mapped)
    for target, argument in zip(inputs, batch.arguments, strict=True):
        target[:] = argument.ravel()

    def first() -> Array:
        evaluate()
        return by_rows([x[: x.size // many] for x in results], len(robot.tree))

    yield Entrant(f"{title}, interpreted, map", "batch", "float64", many, evaluate, first)


def calls(title: str, known: Any, states: States) -> Entrant:
    """A CasADi function called for one state after another: the state copied into its buffers, evaluated."""
    rows = states.rows
    inputs, results, evaluate = _buffered(known)

    def run() -> None:
        for row in rows:
            for target, argument in zip(inputs, row, strict=True):
                target[:] = argument
            evaluate()

    def answer() -> Array:
        for target, argument in zip(inputs, rows[0], strict=True):
            target[:] = argument
        evaluate()
        return by_rows(results, rows[0][0].size)

    return Entrant(title, "scalar", "float64", len(rows), run, answer)


def by_rows(results: list[Array], n: int) -> Array:
    """Vectors and matrices of n columns, which CasADi stores column after column."""
    return np.concatenate([x.reshape(-1, n).T.ravel() if x.size == n * n else x for x in results])


def _buffered(function: Any) -> tuple[list[Array], list[Array], Callable[[], None]]:
    """Arrays in and out of a function, column after column, and what evaluates it on them."""
    buffer, evaluate = function.buffer()
    inputs = [np.zeros(function.nnz_in(k)) for k in range(function.n_in())]
    results = [np.zeros(function.nnz_out(k)) for k in range(function.n_out())]
    for k, x in enumerate(inputs):
        buffer.set_arg(k, x.data)
    for k, x in enumerate(results):
        buffer.set_res(k, x.data)
    kept = (buffer, evaluate)
    return inputs, results, lambda: kept[1]()

"""CasADi as an entrant of a race: textbook Newton-Euler in its symbols, common subexpressions joined."""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any

import numpy as np

from emdeg.cli.contest import Arm, Array, Entrant, States
from emdeg.compiler.numbers import NumericRobot
from emdeg.mechanics import composite, newton_euler
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody

FUNCTIONS = ("inverse_dynamics", "bias", "gravity", "mass_matrix", "inverse_dynamics_derivatives")


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """Calls through its buffers, the quickest way from Python; batches by `map`. ImportError without `casadi`."""
    title = f"CasADi {version('casadi')}, Newton-Euler in SX"  # PackageNotFoundError is an ImportError
    if function not in FUNCTIONS:
        return
    known = casadi_function(robot, function)
    rows = states.rows
    n, many = len(arm.links), len(batch.arguments[0])
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
        return _by_rows(results, n)

    yield Entrant(f"{title}, interpreted", "scalar", "float64", len(rows), run, answer)
    mapped = known.map(many)
    inputs_of_map, results_of_map, evaluate_map = _buffered(mapped)
    for target, argument in zip(inputs_of_map, batch.arguments, strict=True):
        target[:] = argument.ravel()

    def first() -> Array:
        evaluate_map()
        return _by_rows([x[: x.size // many] for x in results_of_map], n)

    yield Entrant(f"{title}, interpreted, map", "batch", "float64", many, evaluate_map, first)


def _by_rows(results: list[Array], n: int) -> Array:
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


def casadi_function(robot: NumericRobot, function: str) -> Any:
    """The function of q, qd, qdd as CasADi builds it from the textbook's recursion; zeros and ones fall out."""
    import casadi

    tree = robot.tree
    n = len(tree)
    q, qd, qdd = (casadi.SX.sym(name, n) for name in ("q", "qd", "qdd"))

    def number(value: Any) -> Any:
        return casadi.SX(float(value))

    cosines, sines = [], []
    for angle, offset in zip(tree.angles, robot.offsets, strict=True):
        total = casadi.SX(0)
        for coordinate, sign in angle.coordinates:
            total = total + sign * q[coordinate]
        c, s = offset.cosine_and_sine({}, float)
        cosines.append(casadi.cos(total) * c - casadi.sin(total) * s)
        sines.append(casadi.sin(total) * c + casadi.cos(total) * s)
    letters = {name: number(value) for name, value in robot.letters.items()}
    frames = Frames(tree, State(number, letters, cosines, sines, [q[k] for k in range(n)]))
    bodies = [RigidBody.from_ten([number(x) for x in body.ten]) for body in robot.bodies]
    drives = [number(x) for x in robot.drives]
    speed, change = [qd[k] for k in range(n)], [qdd[k] for k in range(n)]
    still = [casadi.SX(0)] * n
    options = {"cse": True}
    if function == "mass_matrix":
        rows = composite.mass_matrix(frames, bodies, drives)
        matrix = casadi.vertcat(*(casadi.horzcat(*row) for row in rows))
        return casadi.Function(function, [q], [casadi.densify(matrix)], options)
    speed = still if function == "gravity" else speed
    change = still if function in ("gravity", "bias") else change
    torque = casadi.vertcat(*newton_euler.inverse_dynamics(frames, bodies, drives, speed, change))
    arguments = {"gravity": [q], "bias": [q, qd]}.get(function, [q, qd, qdd])
    results = [torque]
    if function == "inverse_dynamics_derivatives":
        results = [casadi.jacobian(torque, q), casadi.jacobian(torque, qd)]
    return casadi.Function(function, arguments, [casadi.densify(x) for x in results], options)

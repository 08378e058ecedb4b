"""Pinocchio's Python package `pin` as an entrant of a race."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from emdeg.cli.contest import Arm, Array, Entrant, Mode, States
from emdeg.compiler.numbers import NumericRobot

CALLS = {
    "inverse_dynamics": "rnea",
    "bias": "nonLinearEffects",
    "gravity": "computeGeneralizedGravity",
    "mass_matrix": "crba",
    "forward_dynamics": "aba",
    "inverse_dynamics_derivatives": "computeRNEADerivatives",
    "kinetic_energy": "computeKineticEnergy",
    "potential_energy": "computePotentialEnergy",
}


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """A call per state, and for batches its own loop in C++ where Python can reach one. ImportError without `pin`."""
    import pinocchio as pin

    if function not in CALLS:
        return
    name, version = CALLS[function], getattr(pin, "__version__", "")
    model = pinocchio_model(arm)
    data = model.createData()
    call: Callable[..., Any] = getattr(pin, name)
    finished = _finish(function, data)

    def loop(title: str, mode: Mode, rows: list[tuple[Array, ...]]) -> Entrant:
        def run() -> None:
            for row in rows:
                call(model, data, *row)

        return Entrant(title, mode, "float64", len(rows), run, lambda: finished(call(model, data, *rows[0])))

    yield loop(f"Pinocchio {version}, pin.{name}", "scalar", states.rows)
    parallel = getattr(pin, f"{name}InParallel", None)
    many = len(batch.arguments[0])
    if parallel is None:
        yield loop(f"Pinocchio {version}, a loop of pin.{name}", "batch", batch.rows)
        return
    pool = pin.ModelPool(model, 1)
    columns = [np.asfortranarray(x.T) for x in batch.arguments]
    result = np.zeros((model.nv, many), order="F")

    def run() -> None:
        parallel(1, pool, *columns, result)

    def first() -> Array:
        run()
        return result[:, 0].copy()

    yield Entrant(f"Pinocchio {version}, pin.{name}InParallel, 1 thread", "batch", "float64", many, run, first)


def _finish(function: str, data: Any) -> Callable[[Any], Array]:
    """From what a call returns to the array that emdeg's function gives, for the comparison only."""
    if function == "mass_matrix":
        return lambda found: np.triu(found) + np.triu(found, 1).T
    if function == "inverse_dynamics_derivatives":
        return lambda _: np.concatenate([np.ravel(data.dtau_dq), np.ravel(data.dtau_dv)])
    return lambda found: np.array(found, float)


def pinocchio_model(arm: Arm) -> Any:
    """The arm as a model of Pinocchio."""
    import pinocchio as pin

    model = pin.Model()
    model.gravity.linear = arm.gravity
    numbers = {-1: 0}
    for k, link in enumerate(arm.links):
        kind = pin.JointModelRZ() if link.revolute else pin.JointModelPZ()
        placement = pin.SE3(link.axes, link.origin)
        numbers[k] = model.addJoint(numbers[link.parent], kind, placement, f"joint{k + 1}")
        inertia = pin.Inertia(link.mass, link.center, link.inertia)
        model.appendBodyToJoint(numbers[k], inertia, pin.SE3.Identity())
    model.armature = np.array([link.armature for link in arm.links])
    return model

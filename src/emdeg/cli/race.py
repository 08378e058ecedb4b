"""A race between emdeg and what else is installed, over one function of a robot."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from emdeg.cli import rival_casadi, rival_casadi_c, rival_dynibo, rival_mujoco, rival_pinocchio
from emdeg.cli.contest import Arm, Entrant, Mode, States, arm, medians
from emdeg.compiler.build import Effort, build
from emdeg.compiler.function import Function
from emdeg.compiler.numbers import NumericRobot, numeric
from emdeg.errors import EmdegError
from emdeg.robot import Robot
from emdeg.version import __version__

SINGLE, MANY = 64, 4096
"""States that are called one by one; states of a batch."""
AGREEMENT = 1e-8
"""How far a result may be from emdeg's, relative to the largest element, to be let into the race."""
RIVALS: dict[str, tuple[Any, str]] = {
    "pinocchio": (rival_pinocchio, "pin"),
    "mujoco": (rival_mujoco, "mujoco"),
    "dynibo": (rival_dynibo, "dynibo"),
    "casadi": (rival_casadi, "casadi"),
    "casadi's C": (rival_casadi_c, "casadi"),
}
"""By name: the file that hands them the robot, and what `pip install` knows them by."""
ANY_ORDER = ("casadi", "casadi's C")
"""Those that take joints in any order."""


def race(
    robot: Robot, function: str, optimize: Effort, step: Callable[[str], None], note: Callable[[str], None]
) -> list[dict[str, Any]]:
    """The rows of one function: emdeg, and all rivals that are installed and agree; `note` hears why one is not."""
    step(f"searching {function}")
    program = build(robot, function, optimize=optimize, progress=step).program
    source = np.random.default_rng(1986)
    states, batch = (
        States(tuple(source.uniform(-1.5, 1.5, (count, entry.size)) for entry in program.inputs))
        for count in (SINGLE, MANY)
    )
    ours = list(_own(program, states, batch))
    entrants = [*ours]
    known = numeric(robot)
    for rival in _rivals(known, arm(known), function, states, batch, note):
        mine = next(entrant for entrant in ours if entrant.mode == rival.mode)
        distance = _distance(rival.answer(), mine.answer())
        if distance <= AGREEMENT:
            entrants.append(rival)
        else:
            note(f"{rival.implementation} left out: it differs by {distance:.1g} of the largest element")
    step(f"timing {function}")
    times = medians(entrants)
    bases = {e.mode: t for e, t in zip(entrants, times, strict=True) if e in ours and e.dtype == "float64"}
    rows = [
        {
            "function": function,
            "implementation": entrant.implementation,
            "mode": entrant.mode,
            "dtype": entrant.dtype,
            "nanoseconds": round(time, 1),
            "ratio": round(time / bases[entrant.mode], 2),
        }
        for entrant, time in zip(entrants, times, strict=True)
    ]
    return sorted(rows, key=lambda row: (row["mode"] != "scalar", row["nanoseconds"]))


def _own(program: Any, states: States, batch: States) -> Iterator[Entrant]:
    """emdeg's own entrants: doubles one by one, doubles and singles in a batch."""
    runs: list[tuple[Mode, str, States]] = [
        ("scalar", "float64", states), ("batch", "float64", batch), ("batch", "float32", batch)
    ]  # fmt: skip
    for mode, dtype, given in runs:
        call = Function(program, "llvm", dtype, threads=1)
        arguments = [x.astype(dtype) for x in given.arguments]
        count = len(arguments[0])
        shapes = [output.shape for output in program.outputs]
        lead = () if mode == "scalar" else (count,)
        results = [np.empty((*lead, *shape), dtype) for shape in shapes]
        out = results[0] if len(results) == 1 else tuple(results)
        rows = given.rows if mode == "scalar" else [tuple(arguments)]
        answer = _first(call, rows[0], mode)
        yield Entrant(f"emdeg {__version__}, llvm", mode, dtype, count, _loop(call, rows, out), answer)


def _loop(call: Any, rows: Sequence[Any], out: Any) -> Callable[[], None]:
    def run() -> None:
        for row in rows:
            call(*row, out=out)

    return run


def _first(call: Any, row: Sequence[Any], mode: str) -> Callable[[], Any]:
    def answer() -> Any:
        found = call(*row)
        parts = found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(x if mode == "scalar" else x[0]) for x in parts])

    return answer


def _rivals(
    robot: NumericRobot, arm: Arm, function: str, states: States, batch: States, note: Callable[[str], None]
) -> Iterator[Entrant]:
    """Those that are installed and can be handed the robot."""
    for name, (rival, package) in RIVALS.items():
        if not arm.depth_first and name not in ANY_ORDER:
            note(f"{name} left out: it orders the joints of this robot's branches otherwise")
            continue
        try:
            yield from rival.entrants(robot, arm, function, states, batch)
        except ImportError:
            note(f"{name} is not installed: pip install {package}")
        except EmdegError:
            raise
        except Exception as error:  # whatever another package raises for a robot that it can't take
            note(f"{name} left out: {str(error).splitlines()[0] if str(error) else type(error).__name__}")


def _distance(found: Any, expected: Any) -> float:
    found, expected = np.ravel(found), np.ravel(expected)
    if found.shape != expected.shape:
        return float("inf")
    return float(np.max(np.abs(found - expected), initial=0.0) / max(np.max(np.abs(expected), initial=0.0), 1e-300))

"""dynibo, a Rust library with a Python package, as an entrant of a race. It is given the robot as URDF."""

from collections.abc import Callable, Iterator
from importlib.metadata import version
from math import atan2, hypot
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from emdeg.cli.contest import Arm, Array, Entrant, Mode, States
from emdeg.compiler.numbers import NumericRobot

CALLS = {
    "inverse_dynamics": "inverse_dynamics",
    "gravity": "gravity",
    "mass_matrix": "mass_matrix",
    "forward_dynamics": "forward_dynamics",
}
STANDARD_GRAVITY = 9.80665
"""What it computes with, m/s², along -z."""


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """A call per state with `out=`, a loop for batches. ImportError without `dynibo`.

    URDF has no place for a drive's inertia, and its gravity is fixed: what these change is put to the result that is
    compared, and is not timed.
    """
    import dynibo

    if function not in CALLS:
        return
    drives = np.array([link.armature for link in arm.links])
    if function == "forward_dynamics" and drives.any():
        raise ValueError("URDF has no place for the inertia of drives, which change all accelerations")
    if arm.gravity[:2].any():
        raise ValueError("its gravity points along -z")
    excess = -arm.gravity[2] / STANDARD_GRAVITY - 1
    with TemporaryDirectory() as folder:
        file = Path(folder, "robot.urdf")
        file.write_text(urdf_text(arm), encoding="utf-8")
        known = dynibo.Robot.from_urdf(str(file))
    n = len(arm.links)
    out = np.zeros(n * n if function == "mass_matrix" else n)
    call: Callable[..., Any] = getattr(known, CALLS[function])

    def entrant(title: str, mode: Mode, rows: list[tuple[Array, ...]]) -> Entrant:
        def run() -> None:
            for row in rows:
                call(*row, out=out)

        def answer() -> Array:
            first = list(rows[0])
            heavier = excess * known.gravity(first[0])
            if function == "forward_dynamics":
                return np.array(call(*first[:2], first[2] - heavier))
            found = np.array(call(*first))
            if function == "mass_matrix":
                return np.asarray(found + np.diag(drives).ravel())
            return np.asarray(found + heavier + (drives * first[2] if function == "inverse_dynamics" else 0))

        return Entrant(title, mode, "float64", len(rows), run, answer)

    without = ", without drives" if drives.any() and function != "gravity" else ""
    title = f"dynibo {version('dynibo')}, {CALLS[function]}{without}"
    yield entrant(title, "scalar", states.rows)
    yield entrant(f"a loop of {title}", "batch", batch.rows)


def urdf_text(arm: Arm) -> str:
    """The arm in URDF: joints that turn without limits or slide far enough."""
    parts = ['<robot name="arm">', '<link name="base"/>']
    for k, link in enumerate(arm.links):
        moments = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), link.inertia[np.triu_indices(3)], strict=True)
        inertia = " ".join(f'{name}="{float(value)!r}"' for name, value in moments)
        parts += [
            f'<link name="link{k + 1}"><inertial><origin xyz="{_words(link.center)}" rpy="0 0 0"/>',
            f'<mass value="{float(link.mass)!r}"/><inertia {inertia}/></inertial></link>',
            f'<joint name="joint{k + 1}" type="{"continuous" if link.revolute else "prismatic"}">',
            f'<parent link="{"base" if link.parent < 0 else f"link{link.parent + 1}"}"/><child link="link{k + 1}"/>',
            f'<origin xyz="{_words(link.origin)}" rpy="{_words(_roll_pitch_yaw(link.axes))}"/><axis xyz="0 0 1"/>',
            '<limit effort="1e9" velocity="1e9" lower="-1e3" upper="1e3"/></joint>',
        ]
    return "\n".join([*parts, "</robot>"])


def _words(values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _roll_pitch_yaw(axes: Array) -> tuple[float, float, float]:
    """The angles of Rz(yaw) Ry(pitch) Rx(roll)."""
    across = hypot(axes[0, 0], axes[1, 0])
    pitch = atan2(-axes[2, 0], across)
    if across < 1e-9:
        return atan2(-axes[1, 2], axes[1, 1]), pitch, 0.0
    return atan2(axes[2, 1], axes[2, 2]), pitch, atan2(axes[1, 0], axes[0, 0])

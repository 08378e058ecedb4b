"""MuJoCo as an entrant of a race: its pipelines, which compute more than the one result."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from emdeg.cli.contest import Arm, Array, Entrant, Mode, States
from emdeg.compiler.numbers import NumericRobot

CALLS = {
    "inverse_dynamics": (("qpos", "qvel", "qacc"), ("mj_inverse",), "qfrc_inverse"),
    "forward_dynamics": (("qpos", "qvel", "qfrc_applied"), ("mj_forward",), "qacc"),
    "bias": (("qpos", "qvel"), ("mj_fwdPosition", "mj_fwdVelocity"), "qfrc_bias"),
}


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """The state copied in, one or two calls, a loop for batches. ImportError without `mujoco`."""
    import mujoco

    if function not in CALLS:
        return
    places, names, result = CALLS[function]
    model, data = _model_and_data(arm)
    targets = [getattr(data, place) for place in places]
    calls = [getattr(mujoco, name) for name in names]

    def compute(rows: list[tuple[Array, ...]]) -> None:
        for row in rows:
            for target, argument in zip(targets, row, strict=True):
                target[:] = argument
            for call in calls:
                call(model, data)

    def entrant(title: str, mode: Mode, rows: list[tuple[Array, ...]]) -> Entrant:
        def answer() -> Array:
            compute(rows[:1])
            return np.array(getattr(data, result))

        return Entrant(title, mode, "float64", len(rows), lambda: compute(rows), answer)

    title = f"MuJoCo {mujoco.__version__}, {' + '.join(names)}"
    yield entrant(title, "scalar", states.rows)
    yield entrant(f"a loop of {title}", "batch", batch.rows)


def _model_and_data(arm: Arm) -> tuple[Any, Any]:
    """The arm compiled, then its inertias put in: what was measured needs not be a body that MuJoCo believes in."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(mujoco_text(arm))
    data = mujoco.MjData(model)
    for k, link in enumerate(arm.links):
        body = model.body(f"link{k + 1}").id
        moments, axes = np.linalg.eigh(link.inertia)
        model.body_mass[body] = link.mass
        model.body_ipos[body] = link.center
        model.body_inertia[body] = moments
        model.body_iquat[body] = _quaternion(axes * np.linalg.det(axes))
    mujoco.mj_setConst(model, data)
    return model, data


def mujoco_text(arm: Arm) -> str:
    """The arm's joints in MJCF, with bodies of one kilogram."""

    def text(entries: Any) -> str:
        return " ".join(repr(float(x)) for x in np.ravel(entries))

    def element(k: int) -> str:
        link = arm.links[k]
        kind = "hinge" if link.revolute else "slide"
        joint = f'<joint name="joint{k + 1}" type="{kind}" axis="0 0 1" armature="{link.armature!r}"/>'
        inertial = '<inertial mass="1" pos="0.1 0.2 0.3" diaginertia="1 1.1 1.2"/>'
        inner = "".join(element(other) for other in range(len(arm.links)) if arm.links[other].parent == k)
        frame = f'pos="{text(link.origin)}" quat="{text(_quaternion(link.axes))}"'
        return f'<body name="link{k + 1}" {frame}>{inertial}{joint}{inner}</body>'

    bodies = "".join(element(k) for k in range(len(arm.links)) if arm.links[k].parent < 0)
    return f"""<mujoco><compiler angle="radian"/><option gravity="{text(arm.gravity)}"/>
    <worldbody>{bodies}</worldbody></mujoco>"""


def _quaternion(turn: Array) -> Array:
    """w, x, y, z of a rotation matrix, from the column of its 4×4 projector with the largest entry."""
    (a, b, c), (d, e, f), (g, h, i) = turn
    table = np.array([
        [1 + a + e + i, h - f, c - g, d - b], [h - f, 1 + a - e - i, b + d, c + g],
        [c - g, b + d, 1 - a + e - i, f + h], [d - b, c + g, f + h, 1 - a - e + i],
    ])  # fmt: skip
    column: Array = table[:, np.argmax(np.diag(table))]
    return np.asarray(column / np.linalg.norm(column))

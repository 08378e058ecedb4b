"""The mass matrix by composite bodies.

Source: Walker and Orin, "Efficient dynamic computer simulation of robotic mechanisms", 1982, method 3: a_jk is the
force that joint j feels when joint k alone accelerates the composite of all that k carries.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.customized import in_carrier
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.inertia import RigidBody, shifted, turned
from emdeg.mechanics.vector import Vector
from emdeg.robot import BASE


def mass_matrix(frames: Frames, bodies: Sequence[RigidBody], drives: Sequence[Any]) -> list[list[Any]]:
    """A, both triangles [kg m², kg m or kg]."""
    composites = _composites(frames, bodies)
    count = len(bodies)
    zero = frames.state.number(Fraction(0))
    mass = [[zero] * count for _ in range(count)]
    for k in range(count):
        force, moment = _felt(frames, k, composites[k])
        j = k
        while True:
            revolute = frames.tree.segments[j].revolute
            mass[j][k] = mass[k][j] = vector.dot(moment if revolute else force, frames.axis(j))
            if j == k:
                mass[k][k] = mass[k][k] + drives[k]
            parent = frames.tree.segments[j].parent
            if parent == BASE:
                break
            moment = vector.add(moment, vector.cross(frames.offset(j), force))
            force, moment = frames.to_parent(j, force), frames.to_parent(j, moment)
            j = parent
    return mass


def _composites(frames: Frames, bodies: Sequence[RigidBody]) -> list[RigidBody]:
    """Per segment the body of all that it carries, in its carrier and about its origin."""
    own = list(bodies)
    shared: list[RigidBody | None] = [None] * len(bodies)
    composites: list[RigidBody] = list(bodies)
    for k in reversed(range(len(bodies))):
        whole = in_carrier(frames, k, own[k])
        extra = shared[k]
        composites[k] = whole if extra is None else whole + extra
        segment = frames.tree.segments[k]
        parent = segment.parent
        if parent == BASE:
            continue
        lever = frames.lever(k)
        if segment.turn is None:
            moved = shifted(composites[k], frames.from_segment(parent, lever))
            before = shared[parent]
            shared[parent] = moved if before is None else before + moved
        else:
            columns = [frames.turn_forward(k, unit) for unit in frames.units]
            turn = vector.transpose((columns[0], columns[1], columns[2]))
            own[parent] = own[parent] + shifted(turned(composites[k], turn), lever)
    return composites


def _felt(frames: Frames, k: int, body: RigidBody) -> tuple[Vector, Vector]:
    """Force and moment about the origin that accelerate a body about or along joint k's axis by one unit."""
    axis = frames.axis(k)
    if frames.tree.segments[k].revolute:
        return vector.cross(axis, body.first), vector.apply(body.second, axis)
    return vector.scale(axis, body.mass), vector.cross(body.first, axis)

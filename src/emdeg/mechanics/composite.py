"""The mass matrix by composite bodies.

Source: Walker and Orin, "Efficient dynamic computer simulation of robotic mechanisms", 1982, method 3: a_jk is the
force that joint j feels when joint k alone accelerates the composite of all that k carries.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.customized import Call, Wrench, direct, in_carrier
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.inertia import RigidBody, shifted, turned
from emdeg.mechanics.vector import Vector
from emdeg.robot import BASE


def mass_matrix(
    frames: Frames, bodies: Sequence[RigidBody], drives: Sequence[Any], call: Call = direct
) -> list[list[Any]]:
    """A, both triangles [kg m², kg m or kg]."""
    composites = _composites(frames, bodies, call)
    count = len(bodies)
    zero = frames.state.number(Fraction(0))
    mass = [[zero] * count for _ in range(count)]
    for k in range(count):
        wrench = call(_felt, frames, k, composites[k])
        j = k
        while True:
            revolute = frames.tree.segments[j].revolute
            felt = vector.dot(wrench.moment if revolute else wrench.force, frames.axis(j))
            mass[j][k] = mass[k][j] = felt + drives[k] if j == k else felt
            if frames.tree.segments[j].parent == BASE:
                break
            wrench = call(_to_parent, frames, j, wrench, frames.offset(j))
            j = frames.tree.segments[j].parent
    return mass


def _to_parent(frames: Frames, k: int, wrench: Wrench, offset: Vector) -> Wrench:
    """A wrench at link k, about the parent's origin and in its carrier."""
    moment = vector.add(wrench.moment, vector.cross(offset, wrench.force))
    return Wrench(frames.to_parent(k, wrench.force), frames.to_parent(k, moment))


def _composites(frames: Frames, bodies: Sequence[RigidBody], call: Call) -> list[RigidBody]:
    """Per segment the body of all that it carries, in its carrier and about its origin."""
    own = list(bodies)
    shared: list[RigidBody | None] = [None] * len(bodies)
    composites: list[RigidBody] = list(bodies)
    for k in reversed(range(len(bodies))):
        composites[k] = call(_composite, frames, k, own[k], shared[k])
        parent = frames.tree.segments[k].parent
        if parent == BASE:
            continue
        lever = frames.lever(k)
        if frames.tree.segments[k].turn is None:
            shared[parent] = call(_with_sharing, frames, parent, composites[k], lever, shared[parent])
        else:
            own[parent] = call(_with_turned, frames, k, composites[k], lever, own[parent])
    return composites


def _composite(frames: Frames, k: int, own: RigidBody, shared: RigidBody | None) -> RigidBody:
    whole = in_carrier(frames, k, own)
    return whole if shared is None else whole + shared


def _with_sharing(frames: Frames, parent: int, body: RigidBody, lever: Vector, before: RigidBody | None) -> RigidBody:
    """What the parent carries in its carrier, with a composite in the same carrier."""
    moved = shifted(body, frames.from_segment(parent, lever))
    return moved if before is None else before + moved


def _with_turned(frames: Frames, k: int, body: RigidBody, lever: Vector, before: RigidBody) -> RigidBody:
    """What the parent carries in its own axes, with the composite of link k in a carrier of its own."""
    columns = [frames.turn_forward(k, unit) for unit in frames.units]
    turn = vector.transpose((columns[0], columns[1], columns[2]))
    return before + shifted(turned(body, turn), lever)


def _felt(frames: Frames, k: int, body: RigidBody) -> Wrench:
    """Force and moment about the origin that accelerate a body about or along joint k's axis by one unit."""
    axis = frames.axis(k)
    if frames.tree.segments[k].revolute:
        return Wrench(vector.cross(axis, body.first), vector.apply(body.second, axis))
    return Wrench(vector.scale(axis, body.mass), vector.cross(body.first, axis))

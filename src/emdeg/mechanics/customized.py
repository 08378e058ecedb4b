"""Newton-Euler customised: each link's products are formed once, and each link may choose how.

Source: Khalil and Kleinfinger, "Minimum operations and minimum parameters of the dynamic models of tree structure
robots", 1987. With U = [wd×] + [w×][w×] of a link, in its own axes,

    a_child = a + U p                      acceleration of the next origin
    F = m a + U h                          force
    N = h × a + moment of inertia forces   either wd and w × (L w) (Euler), or the skew part of U S, where
                                           S = tr(L)/2 1 - L are the second moments of mass ("sigma")

Links in a group of parallel axes hold what they share in the group's carrier, so that their vectors turn by one
cumulative angle. The recursion is made of steps, each a function of what it is passed and of how the frames turn; they
are taken through `call`, so that who runs it for many choices can remember them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.inertia import RigidBody, turned
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.robot import BASE


@dataclass(frozen=True)
class Choice:
    """How one link is computed.

    `axes`: in its own axes, its motion turned into them; or in its group's carrier, its inertia turned there instead,
    which pays where the motion is simple in the carrier, or the link symmetric about its axis. `moment`: Euler's form
    or that of U S. `lever`: in which axes the moment of the force at this link's origin is carried to its parent.
    """

    axes: Literal["own", "carrier"] = "own"
    moment: Literal["euler", "sigma"] = "sigma"
    lever: Literal["own", "carrier"] = "own"


Call = Callable[..., Any]
"""How a step is taken: call(step, *arguments)."""


def direct(step: Callable[..., Any], *arguments: Any) -> Any:
    """The step taken as it is."""
    return step(*arguments)


@dataclass(frozen=True)
class Wrench:
    """A force and a moment."""

    force: Vector
    moment: Vector


@dataclass(frozen=True)
class _Link:
    """A link on the way out: w, wd and the origin's a in the carrier, the three and U in the axes of its choice."""

    w: Vector
    wd: Vector
    a: Vector
    chosen: tuple[Vector, Vector, Vector]
    u: Matrix


def inverse_dynamics(
    frames: Frames,
    bodies: Sequence[RigidBody],
    drives: Sequence[Any],
    qd: Sequence[Any],
    qdd: Sequence[Any],
    choices: Sequence[Choice],
    call: Call = direct,
) -> list[Any]:
    """The torque or force of each joint [N m or N]."""
    links = _outward(frames, qd, qdd, choices, call)
    wrenches = []
    for k, (body, link, choice) in enumerate(zip(bodies, links, choices, strict=True)):
        seen = body if choice.axes == "own" else call(in_carrier, frames, k, body)
        wrenches.append(call(_wrench, seen, link, choice.moment))
    return _inward(frames, wrenches, drives, qdd, choices, call)


def in_carrier(frames: Frames, k: int, body: RigidBody) -> RigidBody:
    """A body with its inertia turned into its carrier; what is symmetric about the joint's axis is left alone."""
    segment = frames.tree.segments[k]
    if segment.angle is None:
        c, s = frames.one, frames.zero
    else:
        c, s = frames.state.cosines[segment.angle], frames.state.sines[segment.angle]
    turn = [segment.within.apply(unit) for unit in frames.units]
    placed = turned(body, vector.transpose((turn[0], turn[1], turn[2])))
    x, y, z = placed.first
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = placed.second
    square, product, difference = s * s, s * c, yy - xx
    shift = difference * square - (xy + xy) * product
    second = (
        xx + shift,
        xy - (xy + xy) * square - difference * product,
        xz * c - yz * s,
        yy - shift,
        xz * s + yz * c,
        zz,
    )
    return RigidBody(placed.mass, (x * c - y * s, x * s + y * c, z), vector.symmetric(second))


def _outward(
    frames: Frames, qd: Sequence[Any], qdd: Sequence[Any], choices: Sequence[Choice], call: Call
) -> list[_Link]:
    nought = frames.nought
    up = vector.negate(frames.gravity)
    base = call(_Link, nought, nought, up, (nought, nought, up), (nought, nought, nought))
    links: list[_Link] = []
    for k, segment in enumerate(frames.tree.segments):
        parent = segment.parent
        before = base if parent == BASE else links[parent]
        own = parent == BASE or choices[parent].axes == "own"
        links.append(call(_next, frames, k, before, own, frames.lever(k), qd[k], qdd[k], choices[k].axes))
    return links


def _next(
    frames: Frames, k: int, before: _Link, own: bool, lever: Vector, qd: Any, qdd: Any, axes: Literal["own", "carrier"]
) -> _Link:
    """The motion of link k; `own` tells whether the link before is seen in its own axes."""
    w, wd = frames.from_parent(k, before.w), frames.from_parent(k, before.wd)
    a = _origin(frames, k, before, own, lever)
    axis = frames.axis(k)
    rate, change = vector.scale(axis, qd), vector.scale(axis, qdd)
    if frames.tree.segments[k].revolute:
        wd = vector.add(wd, vector.add(change, vector.cross(w, rate)))
        w = vector.add(w, rate)
    else:
        a = vector.add(a, vector.add(change, vector.cross(w, vector.add(rate, rate))))
    return _link(frames, k, w, wd, a, axes)


def _origin(frames: Frames, k: int, before: _Link, own: bool, lever: Vector) -> Vector:
    """The acceleration of the point of the parent where segment k begins, in k's carrier."""
    segment = frames.tree.segments[k]
    moved = vector.apply(before.u, lever if own else frames.from_segment(segment.parent, lever))
    if segment.turn is None:
        return vector.add(before.a, frames.from_segment(segment.parent, moved) if own else moved)
    if own:
        return frames.turn_back(k, vector.add(before.chosen[2], moved))
    return frames.turn_back(k, frames.to_segment(segment.parent, vector.add(before.a, moved)))


def _link(frames: Frames, k: int, w: Vector, wd: Vector, a: Vector, axes: str) -> _Link:
    chosen = (w, wd, a)
    if axes == "own":
        chosen = (frames.to_segment(k, w), frames.to_segment(k, wd), frames.to_segment(k, a))
    x, y, z = chosen[0]
    dx, dy, dz = chosen[1]
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    u = ((-(yy + zz), xy - dz, xz + dy), (xy + dz, -(xx + zz), yz - dx), (xz - dy, yz + dx, -(xx + yy)))
    return _Link(w, wd, a, chosen, u)


def _wrench(body: RigidBody, link: _Link, form: Literal["euler", "sigma"]) -> Wrench:
    """F and N of one link, in the axes of its choice."""
    h, a = body.first, link.chosen[2]
    force = vector.add(vector.scale(a, body.mass), vector.apply(link.u, h))
    inertia = _euler(body, link) if form == "euler" else _sigma(body, link)
    return Wrench(force, vector.add(vector.cross(h, a), inertia))


def _euler(body: RigidBody, link: _Link) -> Vector:
    w, wd, _ = link.chosen
    spin = vector.apply(body.second, w)
    return vector.add(vector.apply(body.second, wd), vector.cross(w, spin))


def _sigma(body: RigidBody, link: _Link) -> Vector:
    """The skew part of U S: N_x = (U S)_zy - (U S)_yz and so on, without squares where L is diagonal."""
    L, u = body.second, link.u
    x, y, z = link.chosen[0]
    dx, dy, dz = link.chosen[1]
    diagonal = (
        y * z * (L[2][2] - L[1][1]) + dx * L[0][0],
        x * z * (L[0][0] - L[2][2]) + dy * L[1][1],
        x * y * (L[1][1] - L[0][0]) + dz * L[2][2],
    )
    mixed = (
        u[1][0] * L[0][2] - u[2][0] * L[0][1] + (u[1][1] - u[2][2]) * L[1][2],
        u[2][1] * L[0][1] - u[0][1] * L[1][2] + (u[2][2] - u[0][0]) * L[0][2],
        u[0][2] * L[1][2] - u[1][2] * L[0][2] + (u[0][0] - u[1][1]) * L[0][1],
    )
    return vector.add(diagonal, mixed)


def _inward(
    frames: Frames,
    wrenches: Sequence[Wrench],
    drives: Sequence[Any],
    qdd: Sequence[Any],
    choices: Sequence[Choice],
    call: Call,
) -> list[Any]:
    count = len(wrenches)
    nothing = Wrench(frames.nought, frames.nought)
    own = [wrench if choice.axes == "own" else nothing for wrench, choice in zip(wrenches, choices, strict=True)]
    shared = [nothing if choice.axes == "own" else wrench for wrench, choice in zip(wrenches, choices, strict=True)]
    torques: list[Any] = [None] * count
    for k in reversed(range(count)):
        wrench = call(_whole, frames, k, own[k], shared[k])
        torques[k] = call(_torque, frames, k, wrench, drives[k], qdd[k])
        p = frames.tree.segments[k].parent
        if p != BASE:
            lever = frames.lever(k)
            own[p], shared[p] = call(_carried, frames, k, wrench, own[p], shared[p], lever, choices[k].lever)
    return torques


def _whole(frames: Frames, k: int, own: Wrench, shared: Wrench) -> Wrench:
    """What joint k carries, in k's carrier."""
    return Wrench(
        vector.add(frames.from_segment(k, own.force), shared.force),
        vector.add(frames.from_segment(k, own.moment), shared.moment),
    )


def _torque(frames: Frames, k: int, wrench: Wrench, drive: Any, qdd: Any) -> Any:
    felt = wrench.moment if frames.tree.segments[k].revolute else wrench.force
    return vector.dot(felt, frames.axis(k)) + drive * qdd


def _carried(
    frames: Frames, k: int, wrench: Wrench, own: Wrench, shared: Wrench, lever: Vector, axes: Literal["own", "carrier"]
) -> tuple[Wrench, Wrench]:
    """What the parent carries, in its own axes and in its carrier, with the wrench of link k added."""
    force, moment = wrench.force, wrench.moment
    parent = frames.tree.segments[k].parent
    if frames.tree.segments[k].turn is not None:
        force, moment = frames.turn_forward(k, force), frames.turn_forward(k, moment)
        carried = vector.add(moment, vector.cross(lever, force))
        return Wrench(vector.add(own.force, force), vector.add(own.moment, carried)), shared
    shared = Wrench(vector.add(shared.force, force), vector.add(shared.moment, moment))
    if axes == "own":
        turned_force = frames.to_segment(parent, force)
        return Wrench(own.force, vector.add(own.moment, vector.cross(lever, turned_force))), shared
    lever = frames.from_segment(parent, lever)
    return own, Wrench(shared.force, vector.add(shared.moment, vector.cross(lever, force)))

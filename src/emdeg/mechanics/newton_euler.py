"""Recursive Newton-Euler: outward motions, inward forces.

Source: Luh, Walker and Paul, "On-line computational scheme for mechanical manipulators", 1980, in the linear
parameters m, h = m r, L of each body about its frame's origin, so that

    F = m a + wd × h + w × (w × h)        force on the body
    N = L wd + w × (L w) + h × a          moment on it about its origin

Gravity enters as an upward acceleration of the base.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.inertia import RigidBody
from emdeg.mechanics.vector import Vector
from emdeg.robot import BASE


@dataclass(frozen=True)
class Motion:
    """Angular velocity, angular acceleration, acceleration of the origin, in a segment's carrier."""

    w: Vector
    wd: Vector
    a: Vector


def inverse_dynamics(
    frames: Frames, bodies: Sequence[RigidBody], drives: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]
) -> list[Any]:
    """The torque or force of each joint [N m or N]: A qdd + B [qd qd] + C [qd²] + g."""
    motions = _outward(frames, qd, qdd)
    return _inward(frames, bodies, motions, drives, qdd)


def _reduced(frames: Frames, x: Vector) -> Vector:
    reduce = frames.state.reduce
    return (reduce(x[0]), reduce(x[1]), reduce(x[2]))


def _outward(frames: Frames, qd: Sequence[Any], qdd: Sequence[Any]) -> list[Motion]:
    base = Motion(frames.nought, frames.nought, vector.negate(frames.gravity))
    motions: list[Motion] = []
    for k, segment in enumerate(frames.tree.segments):
        before = base if segment.parent == BASE else motions[segment.parent]
        w, wd, a = (frames.from_parent(k, x) for x in (before.w, before.wd, before.a))
        axis, offset = frames.axis(k), frames.offset(k)
        a = vector.add(a, vector.add(vector.cross(wd, offset), vector.cross(w, vector.cross(w, offset))))
        rate, change = vector.scale(axis, qd[k]), vector.scale(axis, qdd[k])
        if segment.revolute:
            wd = vector.add(wd, vector.add(change, vector.cross(w, rate)))
            w = vector.add(w, rate)
        else:
            coriolis = vector.cross(w, rate)
            a = vector.add(a, vector.add(change, vector.add(coriolis, coriolis)))
        motions.append(Motion(_reduced(frames, w), _reduced(frames, wd), _reduced(frames, a)))
    return motions


def _body_wrench(frames: Frames, k: int, body: RigidBody, motion: Motion) -> tuple[Vector, Vector]:
    """F and N of one body, in its own axes."""
    w, wd, a = (frames.to_segment(k, x) for x in (motion.w, motion.wd, motion.a))
    m, h, L = body.mass, body.first, body.second
    turning = vector.cross(vector.cross(h, w), w)  # w × (w × h)
    force = vector.add((m * a[0], m * a[1], m * a[2]), vector.subtract(turning, vector.cross(h, wd)))
    spin = tuple(vector.dot(row, w) for row in L)
    change = tuple(vector.dot(row, wd) for row in L)
    gyroscopic = vector.negate(vector.cross(spin, w))
    moment = vector.add(change, vector.add(gyroscopic, vector.cross(h, a)))
    return force, moment


def _inward(
    frames: Frames, bodies: Sequence[RigidBody], motions: Sequence[Motion], drives: Sequence[Any], qdd: Sequence[Any]
) -> list[Any]:
    count = len(bodies)
    wrenches = []
    for k in range(count):
        force, moment = _body_wrench(frames, k, bodies[k], motions[k])
        wrenches.append((frames.from_segment(k, force), frames.from_segment(k, moment)))
    torques: list[Any] = [None] * count
    for k in reversed(range(count)):
        segment = frames.tree.segments[k]
        force, moment = wrenches[k]
        felt = moment if segment.revolute else force
        torques[k] = vector.dot(felt, frames.axis(k)) + drives[k] * qdd[k]
        if segment.parent != BASE:
            carried = vector.subtract(moment, vector.cross(force, frames.offset(k)))  # n + offset × f
            before_force, before_moment = wrenches[segment.parent]
            wrenches[segment.parent] = (
                vector.add(before_force, frames.to_parent(k, force)),
                vector.add(before_moment, frames.to_parent(k, carried)),
            )
    return torques

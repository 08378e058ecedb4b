"""Kane's equations, as EMDEG: partial velocities, generalised inertia forces and active forces.

Sources: Kane and Levinson, "The use of Kane's dynamical equations in robotics", 1983; Armstrong, Khatib and Burdick
1986, step 1. The equation of coordinate i is F_i + F*_i + tau_i = 0 with, summed over the bodies l,

    F_i  = v_il · m g + w_il · (h × g)                      generalised active force (gravity)
    F*_i = -(v_il · R*_l + w_il · T*_l)                     generalised inertia force
    R*_l = m v_jl + w_jl × h,  T*_l = L w_jl + h × v_jl     per unit acceleration of coordinate j

where v_il, w_il are the partial velocity of the body's origin and its partial angular velocity. All of it is linear
in the body's parameters m, h, L, and all vectors stand in the body's own axes.
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
class PartialVelocities:
    """Of one segment, in its own axes: per coordinate that moves it, angular and linear; and free fall."""

    angular: dict[int, Vector]
    linear: dict[int, Vector]
    gravity: Vector


def partial_velocities(frames: Frames) -> list[PartialVelocities]:
    """The partial velocities of each segment [1 or m] and the acceleration of free fall [m/s²], in its own axes."""
    tree = frames.tree
    carried: list[PartialVelocities] = []
    emitted: list[PartialVelocities] = []
    base = PartialVelocities({}, {}, frames.gravity)
    for k, segment in enumerate(tree.segments):
        parent = base if segment.parent == BASE else carried[segment.parent]
        offset = frames.offset(k)
        angular = {j: frames.from_parent(k, w) for j, w in parent.angular.items()}
        linear = {
            j: _reduced(frames, vector.add(frames.from_parent(k, v), vector.cross(angular[j], offset)))
            for j, v in parent.linear.items()
        }
        angular[k] = frames.axis(k) if segment.revolute else frames.nought
        linear[k] = frames.nought if segment.revolute else frames.axis(k)
        own = PartialVelocities(angular, linear, frames.from_parent(k, parent.gravity))
        carried.append(own)
        emitted.append(
            PartialVelocities(
                {j: frames.to_segment(k, w) for j, w in angular.items()},
                {j: frames.to_segment(k, v) for j, v in linear.items()},
                frames.to_segment(k, own.gravity),
            )
        )
    return emitted


def _reduced(frames: Frames, x: Vector) -> Vector:
    reduce = frames.state.reduce
    return (reduce(x[0]), reduce(x[1]), reduce(x[2]))


def inertia_forces(bodies: Sequence[RigidBody], motions: Sequence[PartialVelocities]) -> list[list[list[Any]]]:
    """-F*_i per unit acceleration of coordinate j: the summands of A_ij (i <= j), body by body, not reduced."""
    count = len(bodies)
    summands: list[list[list[Any]]] = [[[] for _ in range(count)] for _ in range(count)]
    for body, motion in zip(bodies, motions, strict=True):
        m, h, L = body.mass, body.first, body.second
        for j, w in motion.angular.items():
            v = motion.linear[j]
            momentum_rate = vector.subtract((m * v[0], m * v[1], m * v[2]), vector.cross(h, w))
            moment_rate = vector.add(tuple(vector.dot(row, w) for row in L), vector.cross(h, v))
            for i in motion.angular:
                if i <= j:
                    force = vector.dot(momentum_rate, motion.linear[i])
                    moment = vector.dot(moment_rate, motion.angular[i])
                    summands[i][j].append(force + moment)
    return summands


def active_forces(bodies: Sequence[RigidBody], motions: Sequence[PartialVelocities]) -> list[list[Any]]:
    """-F_i of gravity: the summands of g_i, body by body, not reduced."""
    summands: list[list[Any]] = [[] for _ in bodies]
    for body, motion in zip(bodies, motions, strict=True):
        m, h, fall = body.mass, body.first, motion.gravity
        weight = (m * fall[0], m * fall[1], m * fall[2])
        moment = vector.cross(h, fall)
        for i, v in motion.linear.items():
            summands[i].append(-(vector.dot(weight, v) + vector.dot(moment, motion.angular[i])))
    return summands

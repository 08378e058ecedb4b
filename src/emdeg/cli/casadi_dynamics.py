"""A robot's functions in CasADi's symbols: a textbook's recursion, from which zeros, ones and repetitions fall out.

Of the textbooks' recursions, the cheapest in CasADi of those that were tried: Newton-Euler in parameters about each
frame's origin, where with U = [wd ×] + [w ×][w ×] an acceleration is a + U p and a force m a + U h (Khalil and
Kleinfinger 1987), instead of Luh, Walker and Paul's cross products.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from emdeg.cli.contest import Array, Link, arm
from emdeg.compiler.numbers import NumericRobot
from emdeg.mechanics import composite, vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody
from emdeg.mechanics.vector import Matrix, Vector

FUNCTIONS = ("inverse_dynamics", "bias", "gravity", "mass_matrix", "inverse_dynamics_derivatives")


def casadi_function(robot: NumericRobot, function: str) -> Any:
    """One of FUNCTIONS as a `casadi.Function` of SX, common subexpressions joined."""
    import casadi

    n = len(robot.tree)
    q, qd, qdd = (casadi.SX.sym(name, n) for name in ("q", "qd", "qdd"))
    options = {"cse": True}
    if function == "mass_matrix":
        return casadi.Function(function, [q], [casadi.densify(_mass_matrix(robot, q))], options)
    still = [casadi.SX(0)] * n
    speeds = still if function == "gravity" else [qd[k] for k in range(n)]
    changes = still if function in ("gravity", "bias") else [qdd[k] for k in range(n)]
    torque = casadi.vertcat(*_torques(robot, [q[k] for k in range(n)], speeds, changes))
    arguments = {"gravity": [q], "bias": [q, qd]}.get(function, [q, qd, qdd])
    results = [torque]
    if function == "inverse_dynamics_derivatives":
        results = [casadi.jacobian(torque, q), casadi.jacobian(torque, qd)]
    return casadi.Function(function, arguments, [casadi.densify(x) for x in results], options)


def _number(value: Any) -> Any:
    import casadi

    return casadi.SX(float(value))


def _vector(values: Any) -> Vector:
    x, y, z = (_number(value) for value in values)
    return (x, y, z)


def _matrix(rows: Array) -> Matrix:
    x, y, z = (_vector(row) for row in rows)
    return (x, y, z)


def _pose(link: Link, q: Any) -> tuple[Matrix, Vector]:
    """Where a link stands in its parent's axes."""
    import casadi

    axes, origin = _matrix(link.axes), _vector(link.origin)
    if not link.revolute:
        along: Vector = (axes[0][2], axes[1][2], axes[2][2])
        return axes, vector.add(origin, vector.scale(along, q))
    c, s = casadi.cos(q), casadi.sin(q)
    rows = [(x * c + y * s, y * c - x * s, z) for x, y, z in axes]
    return (rows[0], rows[1], rows[2]), origin


def _turning(w: Vector, wd: Vector) -> Matrix:
    """U = [wd ×] + [w ×][w ×]."""
    (x, y, z), (a, b, c) = w, wd
    return (
        (-(y * y) - z * z, x * y - c, x * z + b),
        (x * y + c, -(x * x) - z * z, y * z - a),
        (x * z - b, y * z + a, -(x * x) - y * y),
    )


def _torques(robot: NumericRobot, q: Sequence[Any], qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
    described = arm(robot)
    base = (_vector(np.zeros(3)), _vector(np.zeros(3)), _vector(-described.gravity))
    motions: list[tuple[Vector, Vector, Vector]] = []
    poses, forces, moments = [], [], []
    for k, link in enumerate(described.links):
        turn, place = _pose(link, q[k])
        w, wd, a = base if link.parent < 0 else motions[link.parent]
        a = vector.add(a, vector.apply(_turning(w, wd), place))
        w, wd, a = (vector.apply(vector.transpose(turn), x) for x in (w, wd, a))
        if link.revolute:
            wd = (wd[0] + w[1] * qd[k], wd[1] - w[0] * qd[k], wd[2] + qdd[k])
            w = (w[0], w[1], w[2] + qd[k])
        else:
            a = (a[0] + 2 * (w[1] * qd[k]), a[1] - 2 * (w[0] * qd[k]), a[2] + qdd[k])
        motions.append((w, wd, a))
        poses.append((turn, place))
        body = RigidBody.from_ten([_number(x) for x in robot.bodies[k].ten])
        m, h, L = body.mass, body.first, body.second
        forces.append(vector.add(vector.scale(a, m), vector.apply(_turning(w, wd), h)))
        spin = vector.cross(w, vector.apply(L, w))
        moments.append(vector.add(vector.add(vector.apply(L, wd), spin), vector.cross(h, a)))
    torques: list[Any] = [None] * len(poses)
    for k in reversed(range(len(poses))):
        link, (turn, place) = described.links[k], poses[k]
        torques[k] = (moments[k][2] if link.revolute else forces[k][2]) + _number(robot.drives[k]) * qdd[k]
        if link.parent >= 0:
            force = vector.apply(turn, forces[k])
            moment = vector.add(vector.apply(turn, moments[k]), vector.cross(place, force))
            forces[link.parent] = vector.add(forces[link.parent], force)
            moments[link.parent] = vector.add(moments[link.parent], moment)
    return torques


def _mass_matrix(robot: NumericRobot, q: Any) -> Any:
    """From the inertias of all that each joint carries."""
    import casadi

    cosines, sines = [], []
    for angle, offset in zip(robot.tree.angles, robot.offsets, strict=True):
        total = casadi.SX(0)
        for coordinate, sign in angle.coordinates:
            total = total + sign * q[coordinate]
        c, s = offset.cosine_and_sine({}, float)
        cosines.append(casadi.cos(total) * c - casadi.sin(total) * s)
        sines.append(casadi.sin(total) * c + casadi.cos(total) * s)
    letters = {name: _number(value) for name, value in robot.letters.items()}
    displacements = [q[k] for k in range(len(robot.tree))]
    frames = Frames(robot.tree, State(_number, letters, cosines, sines, displacements))
    bodies = [RigidBody.from_ten([_number(x) for x in body.ten]) for body in robot.bodies]
    rows = composite.mass_matrix(frames, bodies, [_number(x) for x in robot.drives])
    return casadi.vertcat(*(casadi.horzcat(*row) for row in rows))

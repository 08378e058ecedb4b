"""Lagrange's equations with 4×4 transforms, pseudo-inertia matrices and traces, as Lu and Li for their SCARA robot.

    D_ij  = sum over p of tr(∂T_p/∂q_j J_p (∂T_p/∂q_i)ᵀ)
    D_ijk = sum over p of tr(∂²T_p/∂q_j∂q_k J_p (∂T_p/∂q_i)ᵀ)
    D_i   = - sum over p of m_p gᵀ (∂T_p/∂q_i) r_p

T_p is the transform of body p, J_p its pseudo-inertia matrix, m_p r_p its last column. A derivative is a product with
the joint's 4×4 operator, ∂T_p/∂q_i = S_i T_p and ∂²T_p/∂q_j∂q_k = S_j S_k T_p for j <= k.

A trace does not change when all transforms get the same rotation in front and derivatives, whose last row is zero,
don't feel a translation there; so the transforms are taken from the axes in which the group of the lowest of the
joints i, j, k starts, instead of the base. That keeps them short and changes no D.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.inertia import RigidBody
from emdeg.mechanics.kinematics import poses, turned
from emdeg.mechanics.vector import Vector
from emdeg.robot import BASE

Rows = tuple[tuple[Any, Any, Any, Any], ...]  # the first three rows of a 4×4 matrix


@dataclass(frozen=True)
class Transforms:
    """From one reference: the transform of each segment that moves after it, and the operator of its joint."""

    poses: dict[int, Rows]
    operators: dict[int, Rows]


def pseudo_inertia(body: RigidBody, half: Any) -> tuple[tuple[Any, Any, Any, Any], ...]:
    """J = [[∫ x xᵀ dm, h], [hᵀ, m]] with ∫ x xᵀ dm = tr(L)/2 1 - L."""
    L, h = body.second, body.first
    trace = (L[0][0] + L[1][1] + L[2][2]) * half
    rows = [[-L[i][j] for j in range(3)] for i in range(3)]
    for i in range(3):
        rows[i][i] = trace + rows[i][i]
    return (*((*row, h[i]) for i, row in enumerate(rows)), (*h, body.mass))


def transforms_from(frames: Frames, start: int) -> Transforms:
    """Transforms and operators of segment `start` and all that it carries, in the carrier and origin of `start`."""
    transforms: dict[int, Rows] = {}
    operators: dict[int, Rows] = {}
    for k, pose in poses(frames, start).items():
        transforms[k] = tuple((*pose.axes[r], pose.origin[r]) for r in range(3))
        operators[k] = _operator(frames, k, turned(frames, pose.carrier, frames.axis(k)), pose.origin)
    return Transforms(transforms, operators)


def _operator(frames: Frames, k: int, axis: Vector, origin: Vector) -> Rows:
    """S_k: [axis×, -axis × origin] for a revolute joint, [0, axis] for a prismatic one."""
    zero, reduce = frames.zero, frames.state.reduce
    if not frames.tree.segments[k].revolute:
        return tuple((zero, zero, zero, axis[r]) for r in range(3))
    x, y, z = axis
    last = vector.cross(origin, axis)
    skew = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    return tuple((*skew[r], reduce(last[r])) for r in range(3))


def _times(frames: Frames, s: Rows, t: Rows, one: Any) -> Rows:
    """The product of two 4×4 matrices given by three rows; the last element of t's last row is `one` (1 or 0)."""
    reduce = frames.state.reduce
    rows = []
    for row in s:
        entries = [row[0] * t[0][c] + row[1] * t[1][c] + row[2] * t[2][c] for c in range(4)]
        entries[3] = entries[3] + row[3] * one
        rows.append((reduce(entries[0]), reduce(entries[1]), reduce(entries[2]), reduce(entries[3])))
    return tuple(rows)


@dataclass(frozen=True)
class Summands:
    """The summands of D_ij (i <= j), D_ijk (j <= k) and D_i, body by body, not reduced."""

    mass: dict[tuple[int, int], list[Any]]
    velocity: dict[tuple[int, int, int], list[Any]]
    gravity: list[list[Any]]


def equations(frames: Frames, bodies: Sequence[RigidBody]) -> Summands:
    """All D of the arm (drives apart)."""
    tree = frames.tree
    count = len(bodies)
    half = frames.state.number(Fraction(1, 2))
    inertias = [pseudo_inertia(body, half) for body in bodies]
    sums = Summands({}, {}, [[] for _ in range(count)])
    falls: list[Vector] = []
    starts: list[int] = []
    for k, segment in enumerate(tree.segments):
        before = frames.gravity if segment.parent == BASE else falls[segment.parent]
        falls.append(frames.from_parent(k, before))
        # A joint that continues its parent's group shares its reference; a branch has one of its own.
        shares = segment.turn is None and segment.parent != BASE
        starts.append(starts[segment.parent] if shares else k)
    for start in dict.fromkeys(starts):
        transforms = transforms_from(frames, start)
        lowest = {k for k in range(count) if starts[k] == start}
        for p in transforms.poses:
            path = [i for i in tree.ancestors(p) if i >= start and i in transforms.poses]
            _add_body(frames, transforms, inertias[p], falls[start], p, path, lowest, sums)
    return sums


def _add_body(
    frames: Frames,
    transforms: Transforms,
    inertia: Rows,
    fall: Vector,
    p: int,
    path: list[int],
    lowest: set[int],
    sums: Summands,
) -> None:
    pose, zero, one = transforms.poses[p], frames.zero, frames.one
    first = {i: _times(frames, transforms.operators[i], pose, one) for i in path}
    with_inertia = {i: _inertial(inertia, first[i]) for i in path}
    for a, j in enumerate(path):
        if j in lowest:
            column = [sum_row[3] for sum_row in with_inertia[j]]
            sums.gravity[j].append(-(column[0] * fall[0] + column[1] * fall[1] + column[2] * fall[2]))
        for i in path[: a + 1]:
            if i in lowest:
                sums.mass.setdefault((i, j), []).append(_trace(with_inertia[j], first[i]))
        for k in path[a:]:
            second = _times(frames, transforms.operators[j], first[k], zero)
            loaded = _inertial(inertia, second)
            for i in path:
                if min(i, j) in lowest:
                    sums.velocity.setdefault((i, j, k), []).append(_trace(loaded, first[i]))


def _inertial(inertia: Rows, derivative: Rows) -> list[list[Any]]:
    """derivative × J, three rows; the elements of J stand left, they may be forms."""
    return [[_dot(column, row) for column in inertia] for row in derivative]  # J is symmetric: its rows are its columns


def _dot(forms: Sequence[Any], row: Sequence[Any]) -> Any:
    return forms[0] * row[0] + forms[1] * row[1] + forms[2] * row[2] + forms[3] * row[3]


def _trace(loaded: Sequence[Sequence[Any]], derivative: Rows) -> Any:
    """tr(loaded × derivativeᵀ)."""
    return _dot(loaded[0], derivative[0]) + _dot(loaded[1], derivative[1]) + _dot(loaded[2], derivative[2])

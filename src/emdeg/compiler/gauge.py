"""The gauge of the inertial parameters: torques determine them only up to shifts between neighbouring links.

A revolute joint can't tell three patterns in its link from the same patterns on the link before: a point mass on its
axis, a first moment along it, and Lxx + Lyy (Gautier and Khalil 1990). Each may be moved freely, exactly. A gauge says
per link how much: so that chosen combinations of the link's parameters vanish. A prismatic joint can't tell any second
moments: they all go to the link before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from emdeg.compiler.numbers import NumericRobot, felt_parameters
from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody, shifted, turned
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.quantity import Expression
from emdeg.robot import BASE

MASS = ("none", "kept")
ALONG = ("none", "kept")
MOMENTS = ("yy", "xx", "yy=zz", "xx=zz", "flat", "kept")
"""What the shift of Lxx + Lyy makes vanish: Lyy, Lxx, Lyy - Lzz, Lxx - Lzz, Lxx + Lyy - Lzz, or nothing."""

ZERO = Fraction(0)


@dataclass(frozen=True)
class LinkGauge:
    """What is moved from a link to the one before: its mass, its first moment along the axis, Lxx + Lyy."""

    mass: str = "none"
    along: str = "none"
    moments: str = "yy"


@dataclass(frozen=True)
class Joints:
    """Per segment the joint axis and the joint's place, in the parent's axes, and which parameters are felt at all."""

    axes: tuple[Vector, ...]
    places: tuple[Vector, ...]
    felt: frozenset[int]
    orientations: tuple[Matrix | None, ...]
    """Of a prismatic joint's link, its axes in those of its parent as columns; None where they turn."""


def slid(robot: NumericRobot, where: Joints, slides: Sequence[bool]) -> tuple[NumericRobot, Joints]:
    """The robot with the origins of these links slid along their joint axes, so that none lies off the parent's origin
    along the axis; what was there is handed on to the links behind. No torque changes by it.
    """
    tree = robot.tree
    origins = [list(place) for place in where.places]
    bodies = list(robot.bodies)
    shifts = [ZERO] * len(tree)
    for k, segment in enumerate(tree.segments):
        if not slides[k] or not segment.revolute:
            continue
        x, y, z = origins[k]
        along = vector.dot(where.axes[k], (x, y, z))
        for i in range(3):
            origins[k][i] -= along * where.axes[k][i]
        bodies[k] = shifted(bodies[k], (ZERO, ZERO, along))
        shifts[k] = along
        for child, other in enumerate(tree.segments):
            if other.parent == k:
                origins[child][2] += along
    places = tuple((x, y, z) for x, y, z in origins)
    letters = dict(robot.letters)

    def entry(value: Any, name: str) -> Expression:
        """A length as an expression; one over free letters gets a letter of its own."""
        if isinstance(value, Fraction):
            return Expression.number(value)
        letters[name] = value
        return Expression.letter(name)

    segments = []
    for k, segment in enumerate(tree.segments):
        x, y, z = (entry(value, f"{axis} of origin {k}") for axis, value in zip("xyz", places[k], strict=True))
        segments.append(replace(segment, origin=(x, y, z)))
    carrier, placement = robot.tool
    if carrier != BASE:
        x, y, z = placement.translation
        placement = replace(placement, translation=(x, y, z + entry(shifts[carrier], "shift of the tool")))
    moved = replace(
        robot,
        tree=replace(tree, segments=tuple(segments)),
        bodies=tuple(bodies),
        letters=letters,
        tool=(carrier, placement),
        shifts=tuple(shifts),
    )
    return moved, replace(where, places=places)


def joints(robot: NumericRobot) -> Joints:
    """The axes and places of a robot's joints in exact numbers."""
    tree = robot.tree
    still = [ZERO] * len(tree)
    state = State(Fraction, robot.letters, [Fraction(1)] * len(tree.angles), [ZERO] * len(tree.angles), still)
    frames = Frames(tree, state)
    axes = []
    for k, segment in enumerate(tree.segments):
        axis = frames.axis(k)
        if segment.turn is not None:
            axis = vector.apply(matrix(segment.turn, robot.letters, Fraction), axis)
        elif segment.parent != BASE:
            axis = tree.segments[segment.parent].within.undo(axis)
        axes.append(axis)
    places = tuple(frames.evaluate(segment.origin) for segment in tree.segments)
    orientations = tuple(_orientation(robot, frames, k) for k in range(len(tree)))
    return Joints(tuple(axes), places, frozenset(felt_parameters(tree)), orientations)


def _orientation(robot: NumericRobot, frames: Frames, k: int) -> Matrix | None:
    segment = robot.tree.segments[k]
    parent = None if segment.parent == BASE else robot.tree.segments[segment.parent]
    if segment.revolute or parent is None:
        return None
    if segment.turn is None:
        if segment.angle != parent.angle:
            return None
        columns = [parent.within.undo(segment.within.apply(unit)) for unit in frames.units]
    else:
        if segment.angle is not None:
            return None
        columns = [frames.turn_forward(k, segment.within.apply(unit)) for unit in frames.units]
    return vector.transpose((columns[0], columns[1], columns[2]))


def regauged(
    robot: NumericRobot, where: Joints, gauge: Sequence[LinkGauge]
) -> tuple[tuple[RigidBody, ...], tuple[Fraction, ...]]:
    """Bodies and drives with the same torques in another gauge, what is not felt left out; exact."""
    tree = robot.tree
    bodies, drives = list(robot.bodies), list(robot.drives)
    for k in reversed(range(len(tree))):
        segment = tree.segments[k]
        orientation = where.orientations[k]
        if orientation is not None:
            still = RigidBody(ZERO, (ZERO, ZERO, ZERO), bodies[k].second)
            bodies[segment.parent] = bodies[segment.parent] + turned(still, orientation)
            bodies[k] = RigidBody(bodies[k].mass, bodies[k].first, vector.symmetric([ZERO] * 6))
        if not segment.revolute:
            continue
        mass, along, moment = _amounts(bodies[k], gauge[k])
        bodies[k] = bodies[k] + _pattern(-mass, -along, -moment)
        if segment.parent != BASE:
            moved = _on_parent(where.axes[k], where.places[k], mass, along, moment)
            bodies[segment.parent] = bodies[segment.parent] + moved
    for k in range(len(tree)):
        ten = [x if 10 * k + p in where.felt else ZERO for p, x in enumerate(bodies[k].ten)]
        if tree.segments[k].revolute and _turns_only(k, where.felt):  # Lzz of such a link is felt as its drive is
            drives[k] += ten[9]
            ten[9] = ZERO
        bodies[k] = RigidBody.from_ten(ten)
    return tuple(bodies), tuple(drives)


def _turns_only(k: int, felt: frozenset[int]) -> bool:
    return all(10 * k + p not in felt for p in range(4, 9)) and 10 * k + 9 in felt and k == 0


def _amounts(body: RigidBody, gauge: LinkGauge) -> tuple[Fraction, Fraction, Fraction]:
    (xx, _, _), (_, yy, _), (_, _, zz) = body.second
    moment = {
        "yy": yy,
        "xx": xx,
        "yy=zz": yy - zz,
        "xx=zz": xx - zz,
        "flat": (xx + yy - zz) / 2,
        "kept": ZERO,
    }[gauge.moments]
    return (
        body.mass if gauge.mass == "none" else ZERO,
        body.first[2] if gauge.along == "none" else ZERO,
        moment,
    )


def _pattern(mass: Fraction, along: Fraction, moment: Fraction) -> RigidBody:
    return RigidBody(mass, (ZERO, ZERO, along), vector.symmetric((moment, ZERO, ZERO, moment, ZERO, ZERO)))


def _on_parent(axis: Vector, place: Vector, mass: Fraction, along: Fraction, moment: Fraction) -> RigidBody:
    """The same pattern about `axis` at `place`, in the parent's axes."""
    rows = tuple(tuple(moment * ((1 if i == j else 0) - axis[i] * axis[j]) for j in range(3)) for i in range(3))
    first = (along * axis[0], along * axis[1], along * axis[2])
    return shifted(RigidBody(mass, first, (rows[0], rows[1], rows[2])), place)

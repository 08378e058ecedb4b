"""The gauge of the inertial parameters: torques determine them only up to shifts between neighbouring links.

A revolute joint can't tell three patterns in its link from the same patterns on the link before: a point mass on its
axis, a first moment along it, and Lxx + Lyy (Gautier and Khalil 1990). Each may be moved freely, exactly. A gauge says
per link how much: so that a chosen combination of its parameters vanishes, or one of its parent's. A prismatic joint
can't tell any second moments: they all go to the link before. Where a link turns about its axis by nothing but its own
joint (link 2 of an arm whose first two axes cross at a right angle), its Lzz and the drive can't be told apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from emdeg.compiler.numbers import NumericRobot, felt_parameters, turning_alone
from emdeg.mechanics import vector
from emdeg.mechanics.customized import Call, direct
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody, scaled, shifted, turned
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.quantity import Expression
from emdeg.robot import BASE

PARENTS_FIRST = ("parent x", "parent y", "parent z")
MASS = ("mass", "kept", *PARENTS_FIRST)
"""What vanishes when a point mass on the axis is moved: the link's mass, nothing, a first moment of the parent."""
ALONG = ("z", "kept", *PARENTS_FIRST)
"""What vanishes when a first moment along the axis is moved."""
PARENTS_SECOND = ("parent xx", "parent yy", "parent zz", "parent xx=yy", "parent yy=zz", "parent xx=zz")
MOMENTS = ("yy", "xx", "yy=zz", "xx=zz", "flat", "kept", *PARENTS_SECOND)
"""What vanishes when Lxx + Lyy is moved: Lyy, Lxx, Lyy - Lzz, Lxx - Lzz, Lxx + Lyy - Lzz, nothing, or the parent's."""
SPIN = ("drive", "link", "yy", "xx", "kept")
"""Where Lzz and the drive are felt as one: all in the drive or in the link, Lzz as great as Lyy or Lxx, or as given."""

ZERO, ONE = fmpq(0), fmpq(1)
"""The moving is done in FLINT's rationals, which are ten times as quick as Fraction."""


@dataclass(frozen=True)
class LinkGauge:
    """Per pattern what vanishes when it is moved to the link before; and where the link's Lzz is felt as its drive."""

    mass: str = "mass"
    along: str = "z"
    moments: str = "yy"
    spin: str = "drive"


@dataclass(frozen=True)
class Joints:
    """Per segment the joint axis and the joint's place, in the parent's axes, and which parameters are felt at all."""

    axes: tuple[Vector, ...]
    places: tuple[Vector, ...]
    felt: frozenset[int]
    orientations: tuple[Matrix | None, ...]
    """Of a prismatic joint's link, its axes in those of its parent as columns; None where they turn."""
    alone: tuple[bool, ...]
    """Whether the link turns about its revolute joint's axis by this joint's rate only."""


def slid(robot: NumericRobot, where: Joints, slides: Sequence[bool]) -> tuple[NumericRobot, Joints]:
    """The robot with the origins of these links slid along their joint axes, so that none lies off the parent's origin
    along the axis; what was there is handed on to the links behind. No torque changes by it.
    """
    tree = robot.tree
    origins = [list(place) for place in where.places]
    bodies = list(robot.bodies)
    shifts: list[Any] = [Fraction(0)] * len(tree)
    for k, segment in enumerate(tree.segments):
        if not slides[k] or not segment.revolute:
            continue
        x, y, z = origins[k]
        along = vector.dot(where.axes[k], (x, y, z))
        for i in range(3):
            origins[k][i] -= along * where.axes[k][i]
        bodies[k] = shifted(bodies[k], (Fraction(0), Fraction(0), along))
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
    still = [Fraction(0)] * len(tree)
    state = State(Fraction, robot.letters, [Fraction(1)] * len(tree.angles), [Fraction(0)] * len(tree.angles), still)
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
    return Joints(tuple(axes), places, frozenset(felt_parameters(tree)), orientations, turning_alone(tree))


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
    robot: NumericRobot, where: Joints, gauge: Sequence[LinkGauge], call: Call = direct
) -> tuple[tuple[RigidBody, ...], tuple[Any, ...]]:
    """Bodies and drives with the same torques in another gauge, what is not felt left out; exact.

    They are fractions, or constants where they depend on parameters.
    """
    tree = robot.tree
    bodies = [call(_rational, body) for body in robot.bodies]
    drives = [_fmpq(drive) for drive in robot.drives]
    axes, places = ([call(_triple, x) for x in vectors] for vectors in (where.axes, where.places))
    for k in reversed(range(len(tree))):
        parent = tree.segments[k].parent
        orientation = where.orientations[k]
        if orientation is not None:
            bodies[k], bodies[parent] = call(
                _without_moments, bodies[k], bodies[parent], tuple(map(_triple, orientation))
            )
        if not tree.segments[k].revolute:
            continue
        before = NOTHING if parent == BASE else bodies[parent]
        bodies[k], before = call(_handed_on, bodies[k], before, axes[k], places[k], gauge[k])
        if parent != BASE:
            bodies[parent] = before
        if where.alone[k]:
            bodies[k], drives[k] = call(_spun, bodies[k], drives[k], gauge[k].spin)
    felt = tuple(tuple(10 * k + p in where.felt for p in range(10)) for k in range(len(tree)))
    return tuple(call(_felt, body, mask) for body, mask in zip(bodies, felt, strict=True)), tuple(
        map(_fraction, drives)
    )


def _fmpq(x: Any) -> Any:
    return fmpq(x.numerator, x.denominator) if isinstance(x, Fraction) else x


def _fraction(x: Any) -> Any:
    return Fraction(int(x.p), int(x.q)) if isinstance(x, fmpq) else x


def _triple(x: Vector) -> Vector:
    return (_fmpq(x[0]), _fmpq(x[1]), _fmpq(x[2]))


def _rational(body: RigidBody) -> RigidBody:
    return RigidBody.from_ten([_fmpq(x) for x in body.ten])


def _felt(body: RigidBody, mask: tuple[bool, ...]) -> RigidBody:
    """What the motion feels of a body, in fractions."""
    return RigidBody.from_ten([_fraction(x if felt else ZERO) for x, felt in zip(body.ten, mask, strict=True)])


def _without_moments(body: RigidBody, parent: RigidBody, orientation: Matrix) -> tuple[RigidBody, RigidBody]:
    """A prismatic joint's link, all its second moments handed on to the parent."""
    none = vector.symmetric([ZERO] * 6)
    still = RigidBody(ZERO, NONE, body.second)
    return RigidBody(body.mass, body.first, none), parent + turned(still, orientation)


NONE: Vector = (ZERO, ZERO, ZERO)
NOTHING = RigidBody.from_ten([ZERO] * 10)
POINT = RigidBody.from_ten([ONE] + [ZERO] * 9)
LEVER = RigidBody.from_ten([ZERO] * 3 + [ONE] + [ZERO] * 6)
ROUND = RigidBody.from_ten([ZERO] * 4 + [ONE, ZERO, ZERO, ONE, ZERO, ZERO])
SPINNING = RigidBody.from_ten([ZERO] * 9 + [ONE])
VANISHING: dict[str, Callable[[RigidBody], Any]] = {
    "mass": lambda body: body.mass,
    "x": lambda body: body.first[0],
    "y": lambda body: body.first[1],
    "z": lambda body: body.first[2],
    "xx": lambda body: body.second[0][0],
    "yy": lambda body: body.second[1][1],
    "zz": lambda body: body.second[2][2],
    "xx=yy": lambda body: body.second[0][0] - body.second[1][1],
    "yy=zz": lambda body: body.second[1][1] - body.second[2][2],
    "xx=zz": lambda body: body.second[0][0] - body.second[2][2],
    "flat": lambda body: body.second[0][0] + body.second[1][1] - body.second[2][2],
}


def _handed_on(
    body: RigidBody, parent: RigidBody, axis: Vector, place: Vector, gauge: LinkGauge
) -> tuple[RigidBody, RigidBody]:
    """A link and the one before it after the three patterns were moved, one after the other."""
    for pattern, wanted in ((POINT, gauge.mass), (LEVER, gauge.along), (ROUND, gauge.moments)):
        if wanted != "kept":
            seen = _on_parent(pattern, axis, place)
            amount = _amount(wanted, body, pattern, parent, seen)
            body, parent = body + scaled(pattern, -amount), parent + scaled(seen, amount)
    return body, parent


def _amount(wanted: str, body: RigidBody, pattern: RigidBody, parent: RigidBody, seen: RigidBody) -> Any:
    """How much of a pattern to move, so that what is wanted vanishes.

    Nothing where moving it doesn't change that, or by an amount that depends on parameters: it vanishes for some.
    """
    if wanted.startswith("parent "):
        vanishing = VANISHING[wanted.removeprefix("parent ")]
        change = vanishing(seen)
        return -vanishing(parent) / change if isinstance(change, fmpq) and change else ZERO
    return VANISHING[wanted](body) / VANISHING[wanted](pattern)


def _spun(body: RigidBody, drive: Any, wanted: str) -> tuple[RigidBody, Any]:
    """Lzz and the drive with the same sum."""
    (xx, _, _), (_, yy, _), (_, _, zz) = body.second
    amount = {"drive": zz, "link": -drive, "yy": zz - yy, "xx": zz - xx, "kept": ZERO}[wanted]
    return body + scaled(SPINNING, -amount), drive + amount


def _on_parent(pattern: RigidBody, axis: Vector, place: Vector) -> RigidBody:
    """One of the patterns about `axis` at `place`, in the parent's axes."""
    along, round_ = pattern.first[2], pattern.second[0][0]
    rows = tuple(tuple(round_ * ((1 if i == j else 0) - axis[i] * axis[j]) for j in range(3)) for i in range(3))
    turned_round = RigidBody(pattern.mass, vector.scale(axis, along), (rows[0], rows[1], rows[2]))
    return shifted(turned_round, place)

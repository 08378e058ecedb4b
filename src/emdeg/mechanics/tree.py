"""The tree of moving segments that the mechanics run on, with the angles that they are written in.

Joints whose axes are parallel form a group. The orientation of a segment in its group depends on one cumulative angle
only (q2 + q3 for the forearm of the PUMA), so vectors are kept in the axes in which the group starts, the *carrier*,
and turned by that one angle where a segment's own axes are needed. Fixed joints are folded into the segment that
carries them.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from emdeg.errors import UnsupportedError
from emdeg.mechanics.rotation import IDENTITY, SignedPermutation, about_z, compose, matrix, quarter_turn
from emdeg.quantity import Angle, Expression
from emdeg.robot import BASE, Body, Drive, Joint, Placement, Robot, Rotation, Vector

ORIGIN: Vector = (Expression.number(0), Expression.number(0), Expression.number(0))


@dataclass(frozen=True)
class CumulativeAngle:
    """sum of sign × coordinate, plus a constant of at most 45° and letters; multiples of 90° stand in `within`.

    The angles of a tree are independent of each other (no two of them differ by a constant): normal forms depend on it.
    """

    coordinates: tuple[tuple[int, int], ...]
    constant: Angle

    @property
    def name(self) -> str:
        """The angle in Python syntax, such as q2 + q3, unique within the tree."""
        text = ""
        for coordinate, sign in self.coordinates:
            mark = (" + " if sign > 0 else " - ") if text else ("" if sign > 0 else "-")
            text += f"{mark}q{coordinate + 1}"
        return text if self.constant.is_zero else f"{text} + {self.constant}"


@dataclass(frozen=True)
class Segment:
    """One moving body: the joint that moves it, its frames, the bodies fixed to it.

    `turn` is the constant rotation from the axes of the parent segment to this segment's carrier, or None where the
    carrier is the parent's. A vector x in the segment's own axes is Rz(angle) `within` x in the carrier.
    `origin` stands in the parent segment's axes.
    """

    name: str
    coordinate: int
    parent: int
    revolute: bool
    turn: Rotation | None
    origin: Vector
    angle: int | None
    within: SignedPermutation
    bodies: tuple[tuple[str, Body], ...]
    drive: Drive | None


@dataclass(frozen=True)
class Tree:
    """Segments, parents first; segment k moves with coordinate k.

    `homes` tells of each link of the robot in which segment it is, and where its frame stands in the segment's axes.
    """

    segments: tuple[Segment, ...]
    angles: tuple[CumulativeAngle, ...]
    gravity: Vector
    homes: tuple[tuple[int, Placement], ...] = ()

    def __len__(self) -> int:
        return len(self.segments)

    def ancestors(self, k: int) -> list[int]:
        """The segments from the base to k, k included."""
        path = [k]
        while self.segments[path[-1]].parent != BASE:
            path.append(self.segments[path[-1]].parent)
        return path[::-1]

    def kinematic_letters(self) -> frozenset[str]:
        """The letters in the geometry and in gravity; letters of angles appear as sin(name) and cos(name)."""
        found: set[str] = set()
        for segment in self.segments:
            for entry in segment.origin:
                found |= entry.letters
            for name in _angle_letters(segment.turn):
                found |= {f"sin({name})", f"cos({name})"}
            for _, body in segment.bodies:
                for entry in body.frame.translation:
                    found |= entry.letters
                for name in _angle_letters(body.frame.rotation):
                    found |= {f"sin({name})", f"cos({name})"}
        for entry in self.gravity:
            found |= entry.letters
        return frozenset(found)


def _angle_letters(rotation: Rotation | None) -> set[str]:
    factors = rotation.factors if rotation else ()
    return {name for factor in factors if isinstance(factor[1], Angle) for name, _ in factor[1].letters}


def plant(robot: Robot) -> Tree:
    """The tree of a robot's moving segments."""
    return _Planting(robot).tree()


class _Planting:
    """Walks the joints, parents first, and collects segments and angles."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.segments: list[Segment] = []
        self.angles: list[CumulativeAngle] = []
        self.homes: dict[int, tuple[int, Placement]] = {BASE: (BASE, robot.base)}
        self.bodies: dict[int, list[tuple[str, Body]]] = {}

    def tree(self) -> Tree:
        robot = self.robot
        for index, joint in enumerate(robot.joints):
            if joint.mimic is not None:
                raise UnsupportedError(
                    f"joint {joint.name!r} follows joint {joint.mimic.joint!r}: couplings can't be derived yet",
                    where=robot.name,
                    advice="leave its mimic out to derive it as an independent joint, or make it fixed",
                )
            home, before = self.homes[joint.parent]
            placement = compose(before, joint.placement)
            if joint.type == "fixed":
                turned = Placement(placement.rotation.then(about_z(joint.offset)), placement.translation)
                self.homes[index] = (home, turned)
            else:
                self.homes[index] = self._add_segment(joint, home, placement)
            self._attach(index, robot.links[index])
        for link, body in robot.payloads:
            self._attach(link, body)
        self._refuse_divisions()
        if not self.segments:
            raise UnsupportedError("no joint of the robot moves", where=robot.name, advice="give it a revolute joint")
        whole = [replace(s, bodies=tuple(self.bodies.get(s.coordinate, ()))) for s in self.segments]
        homes = tuple(self.homes[k] for k in range(len(robot.joints)))
        return Tree(tuple(whole), tuple(self.angles), robot.gravity, homes)

    def _refuse_divisions(self) -> None:
        """Polynomials are what is derived, so no expression may divide by a letter."""
        origins = [entry for segment in self.segments for entry in segment.origin]
        drives = [segment.drive.reflected for segment in self.segments if segment.drive is not None]
        held = [(name, body) for bodies in self.bodies.values() for name, body in bodies]
        inertias = [entry for _, body in held for entry in (*body.inertia.entries, *body.frame.translation)]
        for expression in (*self.robot.gravity, *origins, *drives, *inertias):
            if expression.divides_by_a_letter:
                raise UnsupportedError(
                    f"{expression} divides by a letter: only polynomials can be derived",
                    where=self.robot.name,
                    advice="give the quotient a letter of its own under [symbols]",
                )

    def _attach(self, link: int, body: Body) -> None:
        home, placement = self.homes[link]
        if home != BASE:
            moved = replace(body, frame=compose(placement, body.frame))
            self.bodies.setdefault(home, []).append((body.name, moved))

    def _add_segment(self, joint: Joint, parent: int, placement: Placement) -> tuple[int, Placement]:
        """The new segment, and where the frame of the joint's link stands in the segment's own axes."""
        index = len(self.segments)
        before, within = CumulativeAngle((), Angle.zero), IDENTITY
        coordinates: tuple[tuple[int, int], ...] = ()
        if parent != BASE:
            within = self.segments[parent].within
            angle = self.segments[parent].angle
            before = before if angle is None else self.angles[angle]
        kept = _along_z(placement.rotation)
        if kept is None:  # a new group, whose carrier is the joint frame itself
            constant, flipped = joint.offset, False
        else:  # Rz(psi) within Rz(beta) flip Rz(offset + q) = Rz(psi ± beta ± (offset + q)) within flip
            coordinates = before.coordinates
            beta, flip = kept
            flipped = within.flipped != flip
            constant = before.constant + Angle(quarters=within.quarters)
            constant += -beta if within.flipped else beta
            constant += -joint.offset if flipped else joint.offset
        if joint.type == "revolute":
            coordinates = (*coordinates, (index, -1 if flipped else 1))
        rest = Angle(0, constant.tangent, constant.letters)  # the quarters go to `within`
        turned = Angle.zero
        if joint.type == "prismatic":  # an angle of its own would depend on the one before: q1 and q1 + 0.3
            same = Angle.zero if kept is None else before.constant
            turned, rest = (same - rest if flipped else rest - same), same
        self.segments.append(
            Segment(
                name=joint.name,
                coordinate=index,
                parent=parent,
                revolute=joint.type == "revolute",
                turn=placement.rotation if kept is None else None,
                origin=placement.translation,
                angle=self._angle(CumulativeAngle(coordinates, rest)),
                within=SignedPermutation(constant.quarters, flipped),
                bodies=(),
                drive=joint.drive,
            )
        )
        return index, Placement(about_z(turned), ORIGIN)

    def _angle(self, angle: CumulativeAngle) -> int | None:
        if not angle.coordinates and angle.constant.is_zero:
            return None
        if angle not in self.angles:
            self.angles.append(angle)
        return self.angles.index(angle)


def _along_z(rotation: Rotation) -> tuple[Angle, bool] | None:
    """(beta, flip) where the rotation is Rz(beta) or, flipped, Rz(beta) Rx(180°); None where it tilts the z axis."""
    beta, flip = Angle.zero, False
    for factor in rotation.factors:
        step = quarter_turn(factor)
        if step is None:  # tilts that cancel each other, as those of two opposite axes of a file
            known = not _angle_letters(rotation)
            return quarter_turn(matrix(rotation, {}, Fraction)) if known else None
        angle, flips = step
        beta = beta + (-angle if flip else angle)
        flip ^= flips
    return beta, flip

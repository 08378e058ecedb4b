"""A robot in exact numbers: the geometry and the linear inertial parameters with all letters' values put in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Any

from emdeg.algebra import modular
from emdeg.errors import InputError
from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody, linear_parameters, moved
from emdeg.mechanics.rotation import compose
from emdeg.mechanics.tree import Tree, plant
from emdeg.model.dynamics import general_bodies, inertial
from emdeg.quantity import Angle, Expression, Symbol
from emdeg.robot import BASE, Friction, Placement, Robot

_NONE = Expression.number(0)


@dataclass(frozen=True)
class NumericRobot:
    """A tree, the values of its letters (sin(name) and cos(name) for angles), and per segment its body and drive.

    All are fractions, but for letters that stay free and what depends on them: these are what was put for them.
    `tool` is the segment that carries the tool, and where the tool stands in its axes; without a tool, the last link's
    own frame. `offsets` are the constant parts of the cumulative angles, letters put in; `parts` the bodies that the
    segments are made of, in their order, each in the frame of its file. `friction` holds the viscous and the Coulomb
    friction of each joint, where that is wanted. `shifts` tell how far each segment's own axes have been slid back
    along its joint's axis.
    """

    name: str
    tree: Tree
    letters: Mapping[str, Any]
    offsets: tuple[Angle, ...]
    bodies: tuple[RigidBody, ...]
    drives: tuple[Any, ...]
    parts: tuple[RigidBody, ...]
    tool: tuple[int, Placement]
    friction: tuple[tuple[Any, Any], ...] = ()
    shifts: tuple[Any, ...] = ()

    def turn(self, angle: Angle, number: Callable[[Any], Any]) -> tuple[Any, Any]:
        """The cosine and sine of a constant angle in which free letters may stand."""
        pairs = {n: (number(self.letters[f"cos({n})"]), number(self.letters[f"sin({n})"])) for n, _ in angle.letters}
        return angle.cosine_and_sine(pairs, number)


def numeric(
    robot: Robot,
    free: Mapping[str, Any] = MappingProxyType({}),
    *,
    inertial: bool = True,
    friction: bool = False,
    link: int | None = None,
) -> NumericRobot:
    """The robot in exact numbers; InputError names the letters that have no value but are felt.

    Unless the result is to be `inertial`, letters of masses and inertias may lack a value. `free` are letters that stay
    free, with the scalars that stand for them (and for sin(name), cos(name)), which compute with fractions. With `link`
    that link's frame, as its file has it, is the tool's.
    """
    tree = plant(robot)
    angles = _angles(robot, free)
    letters = _letters(robot, angles, Fraction) | dict(free)
    missing = _missing_geometry(tree, letters)
    if inertial and not missing:
        missing = _missing_inertia(tree, letters)
    if friction:
        missing |= {name for entry in _frictions(robot) for x in entry for name in x.letters} - letters.keys()
    if missing:
        names = sorted(missing)
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        advice = "give the values in the robot file, or let these letters stay free: parameters=[...]"
        raise InputError(f"no value is known of {shown}", where=robot.name, advice=advice)
    known = dict.fromkeys(robot.symbols, Fraction(0)) | letters  # the others are only multiplied by zero
    return _filled(robot, tree, known, angles, Fraction, friction=friction, link=link)


def valued(
    robot: Robot, free: Mapping[str, Any], number: Callable[[Any], Any], *, friction: bool, link: int | None
) -> NumericRobot:
    """The robot in scalars of another kind throughout, free letters included; letters without value are zero."""
    angles = _angles(robot, free)
    letters = dict.fromkeys(robot.symbols, number(Fraction(0))) | _letters(robot, angles, number) | dict(free)
    return _filled(robot, plant(robot), letters, angles, number, friction=friction, link=link)


def _filled(
    robot: Robot,
    tree: Tree,
    letters: Mapping[str, Any],
    angles: Mapping[str, Angle],
    number: Callable[[Any], Any],
    *,
    friction: bool,
    link: int | None,
) -> NumericRobot:
    bodies, drives = _inertia(tree, letters, number)
    offsets = tuple(_without_letters(angle.constant, angles) for angle in tree.angles)
    own = [body.inertia for segment in tree.segments for _, body in segment.bodies]
    parts = tuple(linear_parameters(inertia, letters, number) for inertia in own)
    pairs = _frictions(robot) if friction else []
    felt = tuple((viscous.evaluate(letters, number), coulomb.evaluate(letters, number)) for viscous, coulomb in pairs)
    tool = _tool(robot, tree, link)
    shifts = (number(Fraction(0)),) * len(tree)
    return NumericRobot(robot.name, tree, letters, offsets, bodies, drives, parts, tool, felt, shifts)


def _frictions(robot: Robot) -> list[tuple[Expression, Expression]]:
    """Viscous and Coulomb friction of each joint that moves."""
    found = [robot.joints[k].friction or Friction(_NONE, _NONE) for k in robot.moving]
    return [(friction.viscous, friction.coulomb) for friction in found]


def _tool(robot: Robot, tree: Tree, link: int | None) -> tuple[int, Placement]:
    if link is not None:
        segment, home = tree.homes[link]
        return segment, compose(home, robot.links[link].frame)
    segment, home = tree.homes[-1]
    return segment, compose(home, robot.links[-1].frame if robot.tool is None else robot.tool)


def _inertia(
    tree: Tree, letters: Mapping[str, Any], number: Callable[[Any], Any] = Fraction
) -> tuple[tuple[RigidBody, ...], tuple[Any, ...]]:
    """Bodies and drives of the segments."""
    bodies, drives = [], []
    for segment in tree.segments:
        whole = RigidBody.from_ten([number(Fraction(0))] * 10)
        for _, body in segment.bodies:
            whole = whole + moved(linear_parameters(body.inertia, letters, number), body.frame, letters, number)
        bodies.append(whole)
        drives.append(segment.drive.reflected.evaluate(letters, number) if segment.drive else number(Fraction(0)))
    return tuple(bodies), tuple(drives)


def _angles(robot: Robot, free: Mapping[str, Any]) -> dict[str, Angle]:
    """The letters with values as angles."""
    symbols = robot.symbols.items()
    return {name: _angle(symbol) for name, symbol in symbols if symbol.value is not None and name not in free}


def _letters(robot: Robot, angles: Mapping[str, Angle], number: Callable[[Any], Any]) -> dict[str, Any]:
    """The values of these letters, their sines and cosines."""
    letters = {name: number(robot.symbols[name].value) for name in angles}
    for name, angle in angles.items():
        letters[f"cos({name})"], letters[f"sin({name})"] = angle.cosine_and_sine({}, number)
    return letters


def _angle(symbol: Symbol) -> Angle:
    assert symbol.value is not None
    return Angle.from_radians(symbol.value) if symbol.degrees is None else Angle.from_degrees(symbol.degrees)


def _without_letters(angle: Angle, values: Mapping[str, Angle]) -> Angle:
    result = Angle(angle.quarters, angle.tangent, tuple(pair for pair in angle.letters if pair[0] not in values))
    for name, times in angle.letters:
        if name not in values:
            continue
        for _ in range(abs(times)):
            result = result + values[name] if times > 0 else result - values[name]
    return result


def _missing_geometry(tree: Tree, letters: Mapping[str, Fraction]) -> set[str]:
    names = {name[4:-1] if name[3:4] == "(" else name for name in tree.kinematic_letters()}
    return (names | {name for angle in tree.angles for name, _ in angle.constant.letters}) - letters.keys()


def _missing_inertia(tree: Tree, letters: dict[str, Any]) -> set[str]:
    """Letters without a value on which a parameter depends that the motion feels (not m1 where it stands still)."""
    used: set[str] = set()
    for segment in tree.segments:
        entries = [entry for _, body in segment.bodies for entry in body.inertia.entries]
        entries += [segment.drive.reflected] if segment.drive else []
        used |= {name for entry in entries for name in entry.letters}
    unknown = used - letters.keys()
    if not unknown:
        return set()
    felt = felt_parameters(tree)
    zeros = dict.fromkeys(unknown, Fraction(0))
    plain = _inertia(tree, letters | zeros)
    return {
        name
        for name in unknown
        if _differ(plain, _inertia(tree, letters | zeros | {name: Fraction(97, 89)}), felt)
        or _differ(plain, _inertia(tree, letters | dict.fromkeys(unknown, Fraction(89, 97))), felt)
    }


_Inertia = tuple[tuple[RigidBody, ...], tuple[Any, ...]]


def _differ(one: _Inertia, two: _Inertia, felt: set[int]) -> bool:
    pairs = [x != y for a, b in zip(one[0], two[0], strict=True) for x, y in zip(a.ten, b.ten, strict=True)]
    return one[1] != two[1] or any(pairs[key] for key in felt)


def felt_parameters(tree: Tree) -> set[int]:
    """The parameters, 10 k + p, that occur in A or g of a tree, whatever its lengths: found at a random state."""
    point = inertial(_somewhere(tree), general_bodies(tree, modular.number(1)))
    forms = [*point.mass.values(), *point.gravity]
    return {key for form in forms for key, value in form.terms.items() if value != 0}


def turning_alone(tree: Tree) -> tuple[bool, ...]:
    """Per segment whether its joint is revolute and its angular velocity along the axis is the joint's rate alone."""
    frames = _somewhere(tree)
    source = Random(2)
    velocities: list[vector.Vector] = []
    alone = []
    for k, segment in enumerate(tree.segments):
        before = frames.nought if segment.parent == BASE else frames.from_parent(k, velocities[segment.parent])
        axis = frames.axis(k)
        alone.append(segment.revolute and vector.dot(before, axis) == 0)
        rate = vector.scale(axis, modular.random(source))
        velocities.append(vector.add(before, rate) if segment.revolute else before)
    return tuple(alone)


def _somewhere(tree: Tree) -> Frames:
    """The frames of a tree at a random state with random lengths, modulo a prime."""
    source = Random(1)
    letters: dict[str, Any] = {}
    for name in sorted(tree.kinematic_letters()):
        if name[3:4] != "(":
            letters[name] = modular.random(source)
        elif name.startswith("sin("):
            letters[f"cos({name[4:]}"], letters[name] = modular.random_cosine_and_sine(source)
    pairs = [modular.random_cosine_and_sine(source) for _ in tree.angles]
    slides = [modular.random(source) for _ in range(len(tree))]
    return Frames(tree, State(modular.number, letters, [c for c, _ in pairs], [s for _, s in pairs], slides))

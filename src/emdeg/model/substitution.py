"""A robot with letters replaced by numbers or by expressions in other letters."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from emdeg.errors import InputError
from emdeg.quantity import Angle, Expression, parse_expression
from emdeg.robot import Body, Drive, Friction, Inertia, Placement, Robot, Rotation

Change = Callable[[Expression], Expression]


def substituted(robot: Robot, given: Mapping[str, "str | int | float | Fraction | Expression"]) -> Robot:
    """The robot with letters replaced; floats are taken as the decimals that they print.

    A letter of an angle can be replaced by a number [rad] or by another letter. Raises InputError for a letter that
    the robot does not have.
    """
    for name in given:
        if name not in robot.symbols:
            raise InputError(
                f"there is no letter {name!r}", advice=f"the letters are {', '.join(sorted(robot.symbols))}"
            )
    values = {name: _expression(value) for name, value in given.items()}
    turns = {name: _angle(name, value) for name, value in values.items() if _turns(robot, name)}
    letters = {name: Expression.letter(name) for name in _all_letters(robot)} | values
    for name, angle in turns.items():
        pairs = {n: (Expression.letter(f"cos({n})"), Expression.letter(f"sin({n})")) for n, _ in angle.letters}
        letters[f"cos({name})"], letters[f"sin({name})"] = angle.cosine_and_sine(pairs, Expression.number)
    change: Change = lambda e: e.evaluate(letters, Expression.number)  # noqa: E731
    symbols = {name: symbol for name, symbol in robot.symbols.items() if name not in given}
    return replace(
        robot,
        gravity=_vector(robot.gravity, change),
        base=_placement(robot.base, change, turns),
        joints=tuple(
            replace(
                joint,
                placement=_placement(joint.placement, change, turns),
                offset=_turned(joint.offset, turns),
                drive=_drive(joint.drive, change),
                friction=_friction(joint.friction, change),
            )
            for joint in robot.joints
        ),
        links=tuple(_body(body, change, turns) for body in robot.links),
        payloads=tuple((link, _body(body, change, turns)) for link, body in robot.payloads),
        tool=None if robot.tool is None else _placement(robot.tool, change, turns),
        symbols=symbols,
        constants={name: c for name, e in robot.constants.items() if not (c := change(e)).is_number},
    )


def _expression(value: "str | int | float | Fraction | Expression") -> Expression:
    if isinstance(value, Expression):
        return value
    if isinstance(value, str):
        return parse_expression(value)
    try:
        return Expression.number(Fraction(repr(value)) if isinstance(value, float) else Fraction(value))
    except (ValueError, OverflowError):
        raise InputError(
            f"{value!r} can't stand for a letter", advice="give a finite number or an expression"
        ) from None


def _turns(robot: Robot, name: str) -> bool:
    """Whether a letter stands in an angle."""
    placements = [robot.base, *(j.placement for j in robot.joints), *(b.frame for b in robot.links)]
    rotations = [p.rotation for p in placements]
    angles = [f[1] for r in rotations for f in r.factors if isinstance(f[1], Angle)]
    return any(name == letter for a in [*angles, *(j.offset for j in robot.joints)] for letter, _ in a.letters)


def _angle(name: str, value: Expression) -> Angle:
    if value.kind == "letter":
        return Angle.letter(value.name)
    if value.is_number:
        return Angle.from_radians(value.as_fraction()) if value.as_fraction() else Angle.zero
    raise InputError(f"{name} stands for an angle", advice="replace it by a number in radians or by a letter")


def _all_letters(robot: Robot) -> set[str]:
    """Letters and the sines and cosines of letters that a robot's expressions may hold."""
    names = set(robot.symbols)
    for expression in [*robot.gravity, *robot.constants.values()]:
        names |= expression.letters
    return names | {f"{kind}({name})" for name in set(robot.symbols) for kind in ("sin", "cos")}


def _vector(
    entries: tuple[Expression, Expression, Expression], change: Change
) -> tuple[Expression, Expression, Expression]:
    x, y, z = entries
    return (change(x), change(y), change(z))


def _turned(angle: Angle, turns: Mapping[str, Angle]) -> Angle:
    result = Angle(angle.quarters, angle.tangent, tuple((n, k) for n, k in angle.letters if n not in turns))
    for name, times in angle.letters:
        for _ in range(abs(times) if name in turns else 0):
            result = result + turns[name] if times > 0 else result - turns[name]
    return result


def _placement(placement: Placement, change: Change, turns: Mapping[str, Angle]) -> Placement:
    factors = tuple((f[0], _turned(f[1], turns)) if isinstance(f[1], Angle) else f for f in placement.rotation.factors)
    return Placement(Rotation(factors), _vector(placement.translation, change))


def _body(body: Body, change: Change, turns: Mapping[str, Angle]) -> Body:
    old = body.inertia
    second = tuple(change(e) for e in old.second_moments)
    inertia = Inertia(
        mass=change(old.mass),
        second_moments=second,  # type: ignore[arg-type]
        about=old.about,
        center_of_mass=None if old.center_of_mass is None else _vector(old.center_of_mass, change),
        first_moments=None if old.first_moments is None else _vector(old.first_moments, change),
    )
    return replace(body, inertia=inertia, frame=_placement(body.frame, change, turns))


def _friction(friction: Friction | None, change: Change) -> Friction | None:
    return None if friction is None else Friction(change(friction.viscous), change(friction.coulomb))


def _drive(drive: Drive | None, change: Change) -> Drive | None:
    return None if drive is None else replace(drive, reflected=change(drive.reflected))

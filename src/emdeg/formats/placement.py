"""Constant frames: their products and inverses, with exact expressions for the origins."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from emdeg.formats.letters import Letters
from emdeg.formats.place import Place
from emdeg.quantity import Angle, Expression
from emdeg.robot import Factor, Placement, Rotation, Vector

ZERO = Expression.number(0)
ORIGIN: Vector = (ZERO, ZERO, ZERO)
HERE = Placement(Rotation(), ORIGIN)
_AXES = ("x", "y", "z")


def turn(axis: Literal["x", "y", "z"], angle: Angle) -> Placement:
    return HERE if angle.is_zero else Placement(Rotation(((axis, angle),)), ORIGIN)


def shift(x: Expression = ZERO, y: Expression = ZERO, z: Expression = ZERO) -> Placement:
    return Placement(Rotation(), (x, y, z))


def product(*placements: Placement) -> Placement:
    """The frames one after the other, each in the one before."""
    result = HERE
    for placement in placements:
        moved = rotated(result.rotation, placement.translation)
        translation = added(result.translation, moved)
        result = Placement(_joined(result.rotation, placement.rotation), translation)
    return result


def inverse(placement: Placement) -> Placement:
    rotation = Rotation(tuple(_inverse(factor) for factor in reversed(placement.rotation.factors)))
    x, y, z = rotated(rotation, placement.translation)
    return Placement(rotation, (-x, -y, -z))


def rotated(rotation: Rotation, vector: Vector) -> Vector:
    """A vector of the rotated frame in the frame in which it is rotated."""
    for factor in reversed(rotation.factors):
        vector = _turned(factor, vector)
    return vector


def added(a: Vector, b: Vector) -> Vector:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def read_frame(table: Mapping[str, Any], letters: Letters, place: Place) -> Placement:
    """The frame that `xyz` (m) and `rpy` (turns about the fixed x, y, z axes, as in URDF) say; both 0 if left out."""
    xyz = tuple(
        letters.scalar(value, "m", f"{axis} of {place.part or 'the ' + '.'.join(place.keys)}", place.key("xyz"))
        for axis, value in zip(_AXES, table.get("xyz", (0, 0, 0)), strict=True)
    )
    roll, pitch, yaw = (
        letters.angle(value, f"{name} of {place.part or 'the ' + '.'.join(place.keys)}", place.key("rpy"))
        for name, value in zip(("roll", "pitch", "yaw"), table.get("rpy", (0, 0, 0)), strict=True)
    )
    return product(shift(*xyz), turn("z", yaw), turn("y", pitch), turn("x", roll))


def toward(x: Fraction, y: Fraction, z: Fraction) -> Rotation:
    """A rotation that takes the z axis to the direction (x, y, z): exact for the axes, else within 1e-16 rad."""
    if x == 0 and z == 0:
        return Rotation((("x", Angle(-1 if y > 0 else 1)),))
    if y == 0:
        return turn("y", Angle.toward(z, x)).rotation
    azimuth = Angle.toward(x, y)
    cosine, sine = azimuth.cosine_and_sine({}, Fraction)
    polar = Angle.toward(z, x * cosine + y * sine)
    return Rotation((("z", azimuth), ("y", polar)))


def _joined(first: Rotation, second: Rotation) -> Rotation:
    """The product of two rotations; turns about one axis that meet become one."""
    factors = list(first.factors)
    for factor in second.factors:
        last = factors[-1] if factors else None
        if last is not None and isinstance(last[1], Angle) and isinstance(factor[1], Angle) and last[0] == factor[0]:
            factors.pop()
            angle = last[1] + factor[1]
            if not angle.is_zero:
                factors.append((last[0], angle))
        else:
            factors.append(factor)
    return Rotation(tuple(factors))


def _inverse(factor: Factor) -> Factor:
    if isinstance(factor[1], Angle):
        return (factor[0], -factor[1])
    a, b, c = factor
    return tuple(zip(a, b, c, strict=True))


def _turned(factor: Factor, vector: Vector) -> Vector:
    if not isinstance(factor[1], Angle):
        x, y, z = (sum((Expression.number(m) * v for m, v in zip(row, vector, strict=True)), ZERO) for row in factor)
        return (x, y, z)
    pairs = {
        name: (Expression.letter(f"cos({name})"), Expression.letter(f"sin({name})")) for name, _ in factor[1].letters
    }
    c, s = factor[1].cosine_and_sine(pairs, Expression.number)
    x, y, z = vector
    if factor[0] == "x":
        return (x, c * y - s * z, s * y + c * z)
    if factor[0] == "y":
        return (c * x + s * z, y, c * z - s * x)
    return (c * x - s * y, s * x + c * y, z)

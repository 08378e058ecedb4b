"""Constant rotations: their matrices over any scalar, their products, and those that keep the z axis."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any

from emdeg.mechanics import vector
from emdeg.quantity import Angle, Expression
from emdeg.robot import Factor, Placement, Rotation


@dataclass(frozen=True)
class SignedPermutation:
    """Rz(quarters × 90°), then, if flipped, Rx(180°)."""

    quarters: int
    flipped: bool

    def apply(self, x: vector.Vector) -> vector.Vector:
        a, b, c = (x[0], -x[1], -x[2]) if self.flipped else x
        return ((a, b, c), (-b, a, c), (-a, -b, c), (b, -a, c))[self.quarters]

    def undo(self, x: vector.Vector) -> vector.Vector:
        a, b, c = x
        a, b, c = ((a, b, c), (b, -a, c), (-a, -b, c), (-b, a, c))[self.quarters]
        return (a, -b, -c) if self.flipped else (a, b, c)


IDENTITY = SignedPermutation(0, False)


def about_z(angle: Angle) -> Rotation:
    return Rotation() if angle.is_zero else Rotation((("z", angle),))


def matrix(rotation: Rotation, letters: Mapping[str, Any], number: Callable[[Fraction], Any]) -> vector.Matrix:
    """The 3×3 matrix of a rotation; `letters` holds sin(name) and cos(name) of each letter in its angles."""
    factors = [_factor(factor, letters, number) for factor in rotation.factors]
    zero, one = number(Fraction(0)), number(Fraction(1))
    return reduce(vector.product, factors, ((one, zero, zero), (zero, one, zero), (zero, zero, one)))


def _factor(factor: Factor, letters: Mapping[str, Any], number: Callable[[Fraction], Any]) -> vector.Matrix:
    if not isinstance(factor[1], Angle):
        rows = [tuple(number(x) for x in row) for row in factor]
        return (rows[0], rows[1], rows[2])
    axis, angle = factor
    pairs = {name: (letters[f"cos({name})"], letters[f"sin({name})"]) for name, _ in angle.letters}
    c, s = angle.cosine_and_sine(pairs, number)
    zero, one = number(Fraction(0)), number(Fraction(1))
    if axis == "x":
        return ((one, zero, zero), (zero, c, -s), (zero, s, c))
    if axis == "y":
        return ((c, zero, s), (zero, one, zero), (-s, zero, c))
    return ((c, -s, zero), (s, c, zero), (zero, zero, one))


def compose(outer: Placement, inner: Placement) -> Placement:
    """The placement of a frame that stands at `inner` in a frame that stands at `outer`."""
    if not outer.rotation.factors and all(entry.is_zero for entry in outer.translation):
        return inner
    names = [n for f in outer.rotation.factors if isinstance(f[1], Angle) for n, _ in f[1].letters]
    letters = {f"{kind}({name})": Expression.letter(f"{kind}({name})") for name in names for kind in ("sin", "cos")}
    turn = matrix(outer.rotation, letters, Expression.number)
    moved = vector.add(outer.translation, vector.apply(turn, inner.translation))
    return Placement(outer.rotation.then(inner.rotation), moved)


def quarter_turn(factor: Factor) -> tuple[Angle, bool] | None:
    """(beta, flip) where a factor is Rz(beta) or, flipped, Rz(beta) Rx(180°); None where it tilts the z axis."""
    if not isinstance(factor[1], Angle):
        m: Any = factor
        if abs(m[2][2]) != 1:
            return None
        flip = m[2][2] == -1
        return Angle.toward(m[0][0], m[1][0]), flip
    axis, angle = factor
    if axis == "z":
        return angle, False
    if angle.tangent != 0 or angle.letters or angle.quarters % 2:
        return None
    if angle.quarters == 0:
        return Angle.zero, False
    return (Angle.zero, True) if axis == "x" else (Angle(2, Fraction(0), ()), True)  # Ry(180°) = Rz(180°) Rx(180°)

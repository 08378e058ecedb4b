"""Constant angles, exact: quarter turns, a rational tangent of half the rest, and letters."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

T = TypeVar("T")

PI = Fraction(314159265358979323846264338327950288419716939937510582097494459, 10**62)
_PRECISION = 10**45
_TOLERANCE = Fraction(2, 10**17)


@dataclass(frozen=True)
class Angle:
    """The angle quarters·90° + 2·atan(tangent) + the sum of multiplicity·letter.

    Normalized when built: quarters in 0 ... 3, the rest within ±45°, letters sorted, none with multiplicity 0. So two
    equal angles without letters have equal sines and cosines, and the other way round.
    """

    quarters: int = 0
    tangent: Fraction = Fraction(0)
    letters: tuple[tuple[str, int], ...] = ()
    zero: ClassVar["Angle"]

    def __post_init__(self) -> None:
        quarters, tangent = self.quarters, Fraction(self.tangent)
        while (1 + abs(tangent)) ** 2 > 2:
            turn = 1 if tangent > 0 else -1
            tangent = (tangent - turn) / (1 + turn * tangent)
            quarters += turn
        totals: dict[str, int] = {}
        for name, multiplicity in self.letters:
            totals[name] = totals.get(name, 0) + multiplicity
        object.__setattr__(self, "quarters", quarters % 4)
        object.__setattr__(self, "tangent", tangent)
        object.__setattr__(self, "letters", tuple(sorted((n, m) for n, m in totals.items() if m)))

    @staticmethod
    def letter(name: str) -> "Angle":
        return Angle(letters=((name, 1),))

    @staticmethod
    def from_degrees(degrees: Fraction) -> "Angle":
        """Exact for multiples of 90°; any other angle is met within 1e-16 rad."""
        quarters = round(Fraction(degrees) / 90)
        return Angle(quarters, _half_tangent((degrees - 90 * quarters) * PI / 180))

    @staticmethod
    def from_radians(radians: Fraction) -> "Angle":
        """Met within 1e-16 rad; never taken as a quarter turn (see `right_angle`)."""
        quarters = round(radians / (PI / 2))
        return Angle(quarters, _half_tangent(radians - quarters * PI / 2))

    @staticmethod
    def toward(x: Fraction, y: Fraction) -> "Angle":
        """The angle of the direction (x, y) from (1, 0): exact where its half has a rational tangent, else to 1e-16."""
        if x == 0 and y == 0:
            raise ValueError("the direction (0, 0) has no angle")
        quarters = 0
        while not abs(y) <= x:
            x, y, quarters = y, -x, quarters + 1
        return Angle(quarters, _rationalized(y / (x + _root(x * x + y * y))))

    def __add__(self, other: "Angle") -> "Angle":
        tangent = (self.tangent + other.tangent) / (1 - self.tangent * other.tangent)
        return Angle(self.quarters + other.quarters, tangent, self.letters + other.letters)

    def __neg__(self) -> "Angle":
        return Angle(-self.quarters, -self.tangent, tuple((name, -m) for name, m in self.letters))

    def __sub__(self, other: "Angle") -> "Angle":
        return self + -other

    @property
    def is_zero(self) -> bool:
        return self == Angle.zero

    @property
    def is_right(self) -> bool:
        """Whether this is a multiple of 90°."""
        return not self.tangent and not self.letters

    def radians(self, values: Mapping[str, float]) -> float:
        """The angle in radians, in (-π, π] but for the letters."""
        fixed = (self.quarters if self.quarters <= 2 else -1) * math.pi / 2 + 2 * math.atan(self.tangent)
        return fixed + sum(multiplicity * values[name] for name, multiplicity in self.letters)

    def cosine_and_sine(self, pairs: Mapping[str, tuple[T, T]], number: Callable[[Fraction], T]) -> tuple[T, T]:
        """Exact cosine and sine over any scalar with + - *: `pairs` gives those of the letters, `number` rationals."""
        square = self.tangent * self.tangent
        cosine, sine = (1 - square) / (1 + square), 2 * self.tangent / (1 + square)
        for _ in range(self.quarters):
            cosine, sine = -sine, cosine
        result: Any = None
        for name, multiplicity in self.letters:
            c: Any = pairs[name][0]
            s: Any = pairs[name][1] if multiplicity > 0 else number(Fraction(-1)) * pairs[name][1]  # type: ignore[operator]
            for _ in range(abs(multiplicity)):
                result = (c, s) if result is None else (result[0] * c - result[1] * s, result[0] * s + result[1] * c)
        if result is None:
            return number(cosine), number(sine)
        if sine == 0:
            return result if cosine == 1 else (number(cosine) * result[0], number(cosine) * result[1])
        if cosine == 0:
            return number(-sine) * result[1], number(sine) * result[0]
        c, s = number(cosine), number(sine)
        return c * result[0] - s * result[1], s * result[0] + c * result[1]

    def __str__(self) -> str:
        texts = [_letter_text(name, multiplicity) for name, multiplicity in self.letters]
        if self.quarters or self.tangent or not texts:
            texts.append(self._fixed_text())
        return " + ".join(texts).replace("+ -", "- ")

    def _fixed_text(self) -> str:
        if not self.tangent:
            return f"{(self.quarters if self.quarters < 3 else -1) * 90}°"
        fixed = Angle(self.quarters, self.tangent).radians({})
        degrees = f"{math.degrees(fixed):.12g}"
        return f"{degrees}°" if len(degrees) <= 8 else f"{fixed:.12g} rad"


Angle.zero = Angle()


def right_angle(radians: Fraction, decimals: int, snap: Fraction | None = None) -> int | None:
    """The number of quarter turns that a printed angle stands for, None where it is to be kept as it is.

    By rule (`snap` None): where its decimals, at least four, are the correct rounding of a multiple of π/2; `snap` 0:
    never; otherwise within `snap` rad.
    """
    quarters = round(radians / (PI / 2))
    if quarters == 0 or snap == 0:
        return None if radians else 0
    right = quarters * PI / 2
    if snap is not None:
        return quarters if abs(radians - right) <= snap else None
    return quarters if decimals >= 4 and round(right, min(decimals, 50)) == radians else None


def _letter_text(name: str, multiplicity: int) -> str:
    factor = {1: "", -1: "-"}.get(multiplicity, f"{multiplicity}*")
    return f"{factor}{name}"


def _half_tangent(radians: Fraction) -> Fraction:
    """tan(radians/2) of an angle within ±45° as a short fraction, so near that the angle is met within 1e-16."""
    if radians == 0:
        return Fraction(0)
    half = int(radians * _PRECISION) // 2
    sine, cosine, term, order = 0, 0, _PRECISION, 0
    while term:
        sign = -1 if order % 4 >= 2 else 1
        if order % 2:
            sine += sign * term
        else:
            cosine += sign * term
        order += 1
        term = term * half // (_PRECISION * order) if term * half >= 0 else -(-term * half // (_PRECISION * order))
    return _rationalized(Fraction(sine, cosine))


def _rationalized(value: Fraction) -> Fraction:
    limit = 10**8
    short = value.limit_denominator(limit)
    while abs(short - value) > _TOLERANCE:
        limit *= 10
        short = value.limit_denominator(limit)
    return short


def _root(value: Fraction) -> Fraction:
    """The square root: exact where it is rational, else to 40 digits."""
    above, below = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if above * above == value.numerator and below * below == value.denominator:
        return Fraction(above, below)
    return Fraction(math.isqrt(value.numerator * value.denominator * 10**80), value.denominator * 10**40)

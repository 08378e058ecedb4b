"""Constant parts of angles in programs: an angle that is added to coordinates, where they turn together.

sin(q + delta) takes an addition, sin(q) cos(delta) + cos(q) sin(delta) two multiplications and an addition. A program
holds delta as a rational number that meets it within 1e-40 rad; where its sine or cosine is taken exactly, as in
proofs, the exact ones of delta are meant, which are rational.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint

from emdeg.compiler.numbers import NumericRobot
from emdeg.quantity import Angle

BITS = 160


def value(angle: Angle) -> Fraction:
    """2 atan(tangent), the part of an angle that is no multiple of 90° and has no letters [rad]."""
    with flint.ctx.workprec(BITS):
        tangent = flint.arb(flint.fmpq(angle.tangent.numerator, angle.tangent.denominator))
        mantissa, exponent = (2 * tangent.atan()).mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def turns(robot: NumericRobot, number: Callable[[Any], Any]) -> dict[Fraction, tuple[Any, Any]]:
    """The cosine and sine that stand for each constant angle of a robot's programs, by its size."""
    found = {}
    for offset in robot.offsets:
        if offset.tangent:
            own = Angle(0, abs(offset.tangent))
            found[value(own)] = own.cosine_and_sine({}, number)
    return found

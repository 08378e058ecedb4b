"""What the inertia of a real body must satisfy: positive mass, principal moments that obey the triangle inequality.

A body is a distribution of mass exactly if its pseudo-inertia matrix is positive semi-definite: Wensing, Kim and
Slotine, "Linear matrix inequalities for physically consistent inertial parameter identification", 2018. About the
center of mass that is: mass >= 0 and each principal moment at most the sum of the other two.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from emdeg.mechanics.inertia import linear_parameters
from emdeg.quantity import Symbol
from emdeg.robot import Inertia


@dataclass(frozen=True)
class Consistency:
    """Mass [kg], principal moments about the center of mass [kg m²] in rising order, and the margin.

    `margin` is the sum of the two smaller principal moments minus the largest: negative for no real body. `noise` is
    how far rounding alone can move it.
    """

    mass: float
    principal_moments: tuple[float, float, float]
    margin: float
    noise: float

    @property
    def physical(self) -> bool:
        return self.mass >= 0 and self.principal_moments[0] >= -self.noise and self.margin >= -self.noise


def consistency(inertia: Inertia, symbols: Mapping[str, Symbol]) -> Consistency | None:
    """The physical consistency of a body; None where a letter that it needs has no value."""
    values = {name: float(s.value) for name, s in symbols.items() if s.value is not None}
    if not frozenset().union(*(entry.letters for entry in inertia.entries)) <= values.keys():
        return None
    m, hx, hy, hz, *six = (float(x) for x in linear_parameters(inertia, values, _number).ten)
    second = np.array([[six[0], six[1], six[2]], [six[1], six[3], six[4]], [six[2], six[4], six[5]]])
    return principal(m, np.array([hx, hy, hz]), second)


def principal(mass: float, first: NDArray[np.float64], second: NDArray[np.float64]) -> Consistency:
    """The consistency of a body with these linear parameters (second moments about the origin)."""
    central = second
    if mass > 0:
        center = first / mass
        central = second - mass * (center @ center * np.eye(3) - np.outer(center, center))
    low, middle, high = (float(x) for x in np.linalg.eigvalsh(central))
    noise = 1e-12 * max(float(np.abs(second).max()), float(np.abs(central).max()))
    return Consistency(mass, (low, middle, high), low + middle - high, noise)


def _number(value: Fraction) -> float:
    return float(value)

"""Test vectors: states, and what a program gives there to the last digit, by ball arithmetic of 256 bits."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from emdeg.errors import InputError
from emdeg.program import Program

TOLERANCE = 16
"""Self-tests allow an error of this many units of rounding of the sum of absolute terms (`Vector.scales`)."""
GROWTH = 1e5
"""That sum is cut at this multiple of the largest component of an output."""


@dataclass(frozen=True)
class Vector:
    """Inputs, the outputs that belong to them, and of each output the sum of its absolute terms.

    A program's rounding error is judged by that sum: what cancels has cost its digits already.
    """

    inputs: Mapping[str, Sequence[float]]
    outputs: Mapping[str, Sequence[float]]
    scales: Mapping[str, Sequence[float]]


def random_states(program: Program, count: int, seed: int = 0) -> list[dict[str, list[float]]]:
    """Inputs between -3 and 3, exact in single precision and short in decimals."""
    draw = random.Random(seed)
    return [
        {entry.name: [draw.randint(-48, 48) / 16 for _ in range(entry.size)] for entry in program.inputs}
        for _ in range(count)
    ]


def exact_vectors(program: Program, states: Sequence[Mapping[str, Sequence[float]]]) -> list[Vector]:
    """The outputs at these states, correctly rounded to doubles; InputError where one is not finite."""
    return [_vector(program, state) for state in states]


def _vector(program: Program, state: Mapping[str, Sequence[float]]) -> Vector:
    with flint.ctx.workprec(256):
        inputs = {name: [_Terms.of(Fraction(x)) for x in components] for name, components in state.items()}
        found = program.evaluate(inputs, _Terms.of, _FUNCTIONS)
        outputs = {name: [float(x.value.mid()) for x in components] for name, components in found.items()}
        for name, components in found.items():
            if not all(x.value.is_finite() and x.value.rad() < 1e-40 * (1 + abs(x.value)) for x in components):
                raise InputError(f"{name} of {program.name} has no finite value at a state", advice=str(dict(state)))
        scales = {name: _scale(components) for name, components in found.items()}
    return Vector(state, outputs, scales)


def _scale(components: Sequence["_Terms"]) -> list[float]:
    """The sizes, as far as they say anything: through long eliminations a bound grows without end."""
    limit = GROWTH * max((x.magnitude for x in components), default=0.0)
    return [min(x.size, limit) if limit else x.size for x in components]


@dataclass(frozen=True, slots=True)
class _Terms:
    """A value, and to first order the sum of the absolute terms that rounding acts on."""

    value: Any
    size: float

    @classmethod
    def of(cls, number: Fraction) -> "_Terms":
        return cls(flint.arb(flint.fmpq(number.numerator, number.denominator)), abs(float(number)))

    @property
    def magnitude(self) -> float:
        return abs(float(self.value.mid()))

    @property
    def inherited(self) -> float:
        """The part of the size that earlier rounding can have put into the value: none for an exact number."""
        return max(self.size - self.magnitude, 0.0)

    def __add__(self, other: "_Terms") -> "_Terms":
        return _Terms(self.value + other.value, self.size + other.size)

    def __sub__(self, other: "_Terms") -> "_Terms":
        return _Terms(self.value - other.value, self.size + other.size)

    def __mul__(self, other: "_Terms") -> "_Terms":
        inherited = self.inherited * other.magnitude + self.magnitude * other.inherited
        return _Terms(self.value * other.value, self.magnitude * other.magnitude + inherited)

    def __truediv__(self, other: "_Terms") -> "_Terms":
        quotient = _Terms(self.value / other.value, 0.0)
        inherited = (self.inherited + quotient.magnitude * other.inherited) / (other.magnitude or 1.0)
        return _Terms(quotient.value, quotient.magnitude + inherited)

    def __neg__(self) -> "_Terms":
        return _Terms(-self.value, self.size)

    def sin(self) -> "_Terms":
        s, c = self.value.sin(), self.value.cos()
        return _Terms(s, abs(float(s.mid())) + abs(float(c.mid())) * self.inherited)

    def cos(self) -> "_Terms":
        s, c = self.value.sin(), self.value.cos()
        return _Terms(c, abs(float(c.mid())) + abs(float(s.mid())) * self.inherited)

    def sign(self) -> "_Terms":
        """Of a number that is known to its sign."""
        return _Terms.of(Fraction((self.value > 0) - (self.value < 0)))


_FUNCTIONS = {"sin": _Terms.sin, "cos": _Terms.cos, "sign": _Terms.sign}

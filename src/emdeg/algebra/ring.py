"""Polynomials in sines, cosines, displacements and letters modulo s² + c² = 1, over the rationals.

The normal form has every sine to the power zero or one. Two polynomials are equal if their normal forms are; nothing
else is ever used to decide an equality.
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

Polynomial = fmpq_mpoly
Monomial = tuple[int, ...]


class TrigRing:
    """Q[letters, displacements][s_1, c_1, ..., s_m, c_m] / (s_k² + c_k² - 1).

    `pairs` names the angles: each brings the generators `sin(name)` and `cos(name)`. `free` names the generators
    without a relation. Those in `fixed` are constants, which the motion does not change. The order is degrevlex with
    the sines first, so that s² is what the relation eliminates.
    """

    def __init__(self, pairs: Sequence[str], free: Sequence[str], fixed: Collection[str] = ()) -> None:
        self.pairs = tuple(pairs)
        self.free = tuple(free)
        self.names = tuple(f"sin({p})" for p in pairs) + tuple(f"cos({p})" for p in pairs) + self.free
        # Positional names: the context is shared by all rings of one size, whatever their letters are called.
        self.context = fmpq_mpoly_ctx.get([f"x{k}" for k in range(len(self.names))], Ordering.degrevlex)
        self.generators: tuple[Polynomial, ...] = self.context.gens() if self.names else ()
        count = len(self.pairs)
        self.sines = self.generators[:count]
        self.cosines = self.generators[count : 2 * count]
        self.letters: Mapping[str, Polynomial] = dict(zip(self.names, self.generators, strict=True))
        self.zero: Polynomial = self.context.constant(0)
        self.one: Polynomial = self.context.constant(1)
        still = (*(p in fixed for p in self.pairs), *(p in fixed for p in self.pairs), *(p in fixed for p in self.free))
        self.moving = tuple(not fixed for fixed in still)
        self._relations = tuple(s * s + c * c - 1 for s, c in zip(self.sines, self.cosines, strict=True))

    def number(self, value: Fraction | int) -> Polynomial:
        """The constant polynomial."""
        return self.context.constant(fmpq(value.numerator, value.denominator))

    def reduce(self, polynomial: Polynomial) -> Polynomial:
        """The normal form."""
        degrees = polynomial.degrees()
        for k, relation in enumerate(self._relations):
            if degrees[k] < 2:
                continue
            if degrees[k] == 2:  # p = p0 + s p1 + s² p2 with p2 = ½ ∂²p/∂s²
                square = polynomial.derivative(k).derivative(k)
                polynomial = polynomial - square * relation / 2
            else:
                polynomial = divmod(polynomial, relation)[1]
        return polynomial

    def angle_derivative(self, polynomial: Polynomial, k: int) -> Polynomial:
        """The derivative with respect to the angle k, not reduced: c ∂/∂s - s ∂/∂c."""
        sine, cosine = polynomial.derivative(k), polynomial.derivative(k + len(self.pairs))
        return self.cosines[k] * sine - self.sines[k] * cosine

    def free_derivative(self, polynomial: Polynomial, name: str) -> Polynomial:
        """The derivative with respect to a generator without a relation."""
        return polynomial.derivative(self.names.index(name))

    def items(self, polynomial: Polynomial) -> list[tuple[Monomial, Fraction]]:
        """The terms: exponents in the order of `names`, and the coefficient."""
        return [(tuple(map(int, m)), Fraction(int(c.p), int(c.q))) for m, c in polynomial.to_dict().items()]

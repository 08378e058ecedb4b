"""Integers modulo a prime: where ranks are found and zeros are tested before they are proven."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

from flint import nmod, nmod_mat

PRIME = 2**61 - 1
PRIMES = (PRIME, 2**61 - 31, 2**61 - 45)
"""Primes just below 2^61, for proofs at random points."""


def number(value: Fraction | int, prime: int = PRIME) -> nmod:
    """The residue of a rational number."""
    return nmod(value.numerator, prime) / nmod(value.denominator, prime)


def random(source: Random, prime: int = PRIME) -> nmod:
    """A random residue, not zero."""
    return nmod(source.randrange(1, prime), prime)


def random_cosine_and_sine(source: Random, prime: int = PRIME) -> tuple[nmod, nmod]:
    """A random point of c² + s² = 1, from the tangent of the half angle."""
    while True:
        t = random(source, prime)
        one = 1 + t * t
        if one != 0:
            return (1 - t * t) / one, 2 * t / one


def pivots(rows: Sequence[Sequence[nmod]]) -> tuple[list[int], list[list[int]]]:
    """Pivot columns of a matrix, leftmost first, and the non-zero rows of its reduced echelon form."""
    if not rows or not rows[0]:
        return [], []
    reduced, rank = nmod_mat(len(rows), len(rows[0]), [int(x) for row in rows for x in row], PRIME).rref()
    table = [[int(reduced[i, j]) for j in range(len(rows[0]))] for i in range(rank)]
    return [next(j for j, x in enumerate(row) if x) for row in table], table

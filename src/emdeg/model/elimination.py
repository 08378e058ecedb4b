"""Small exact linear systems whose coefficients are polynomials in the letters of a geometry."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from emdeg.algebra import LinearForm, Monomial, Polynomial, TrigRing, modular
from emdeg.errors import ProofError


@dataclass(frozen=True)
class Fractions:
    """A fraction of polynomials in lowest terms."""

    numerator: Polynomial
    denominator: Polynomial

    def times(self, factor: Polynomial) -> "Fractions":
        return lowest(self.numerator * factor, self.denominator)

    def plus(self, other: "Fractions") -> "Fractions":
        if self.denominator == other.denominator:
            return lowest(self.numerator + other.numerator, self.denominator)
        numerator = self.numerator * other.denominator + other.numerator * self.denominator
        return lowest(numerator, self.denominator * other.denominator)


def lowest(numerator: Polynomial, denominator: Polynomial) -> Fractions:
    """The fraction in lowest terms; a constant denominator becomes one."""
    if denominator.is_one():
        return Fractions(numerator, denominator)
    common = numerator.gcd(denominator) if numerator != 0 else denominator
    numerator, denominator = divmod(numerator, common)[0], divmod(denominator, common)[0]
    lead = denominator.leading_coefficient()
    return Fractions(numerator / lead, denominator / lead)


def solve(ring: TrigRing, elements: Sequence[LinearForm], column: int, support: Sequence[int]) -> dict[int, Fractions]:
    """The coefficients x with column = sum of x[s] × column s, over the letters; `support` is where they are not zero.

    The equations are those of the trigonometric monomials of each element. As many as there are unknowns, independent
    modulo a prime, determine the solution; that the others hold too is for the caller to certify.
    """
    if not support:
        return {}
    rows = _equations(ring, elements, [*support, column])
    chosen = _independent(ring, rows, len(support))
    if len(chosen) < len(support):
        raise ProofError(f"parameter {column} is no combination of parameters {', '.join(map(str, support))}")
    return dict(zip(support, _cramer(ring, [rows[i] for i in chosen]), strict=True))


def _equations(ring: TrigRing, elements: Sequence[LinearForm], columns: Sequence[int]) -> list[list[Polynomial]]:
    """Rows of coefficients in the letters, the shortest first: one per element and trigonometric monomial."""
    rows: list[list[Polynomial]] = []
    for element in elements:
        table: dict[Monomial, list[Polynomial]] = {}
        for position, column in enumerate(columns):
            for monomial, part in by_motion(ring, element.terms.get(column, ring.zero)).items():
                table.setdefault(monomial, [ring.zero] * len(columns))[position] = part
        rows += table.values()
    return sorted(rows, key=lambda row: sum(len(entry) for entry in row))


def by_motion(ring: TrigRing, polynomial: Polynomial) -> dict[Monomial, Polynomial]:
    """The coefficients in the letters, per monomial in what moves (sines, cosines, displacements)."""
    moving = ring.moving
    parts: dict[Monomial, dict[Monomial, Any]] = {}
    for monomial, value in polynomial.to_dict().items():
        motion = tuple(e if moves else 0 for e, moves in zip(monomial, moving, strict=True))
        letters = tuple(0 if moves else e for e, moves in zip(monomial, moving, strict=True))
        parts.setdefault(motion, {})[letters] = value
    return {motion: ring.context.from_dict(part) for motion, part in parts.items()}


def _independent(ring: TrigRing, rows: Sequence[Sequence[Polynomial]], count: int) -> list[int]:
    """The first `count` rows that are independent in all but the last column, at a random geometry modulo a prime."""
    value = residues(ring, Random(560))
    values = [[value(entry) for entry in row[:-1]] for row in rows]
    columns = [[row[c] for row in values] for c in range(count)]
    return modular.pivots(columns)[0]


def residues(ring: TrigRing, source: Random) -> Callable[[Polynomial], Any]:
    """A function that evaluates polynomials in the geometry at one random point modulo a prime."""
    point = [modular.random(source) for _ in ring.names]
    for k in range(len(ring.pairs)):
        if not ring.moving[k]:
            point[k + len(ring.pairs)], point[k] = modular.random_cosine_and_sine(source)

    def value(polynomial: Polynomial) -> Any:
        total = modular.number(0)
        for monomial, factor in ring.items(polynomial):
            term = modular.number(factor)
            for x, e in zip(point, monomial, strict=True):
                if e:
                    term = term * x**e
            total = total + term
        return total

    return value


def _cramer(ring: TrigRing, rows: Sequence[Sequence[Polynomial]]) -> list[Fractions]:
    """The solution of a square system with its right side in the last column, by elimination without fractions."""
    table = [list(row) for row in rows]
    count = len(table)
    for k in range(count):
        pivot = min((i for i in range(k, count) if table[i][k] != 0), key=lambda i: len(table[i][k]))
        table[k], table[pivot] = table[pivot], table[k]
        lead = table[k][k].leading_coefficient()
        table[k] = [entry / lead for entry in table[k]]  # or rational numbers would double their length at each step
        for i in range(count):
            if i != k and table[i][k] != 0:
                upper, lower = table[k][k], table[i][k]
                row = [ring.reduce(upper * x - lower * y) for x, y in zip(table[i], table[k], strict=True)]
                table[i] = _without_content(row)
    return [lowest(table[k][count], table[k][k]) for k in range(count)]


def _without_content(row: list[Polynomial]) -> list[Polynomial]:
    """A row divided by what all its entries share."""
    content = None
    for entry in row:
        if entry != 0:
            content = entry if content is None else content.gcd(entry)
    if content is None or content.is_one():
        return row
    return [divmod(entry, content)[0] for entry in row]

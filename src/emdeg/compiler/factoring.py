"""Level-rank factoring: many polynomials in sines, cosines and displacements as one program with few operations.

The polynomials are split by one variable after the other (`levels`): P = sum of monomials of that variable times
polynomials in the variables after it. Before each split, the polynomials of the level are compared as exact vectors:
one that is a multiple of another, or a combination of others at a small cost, becomes that and is not split. What is
left is, level by level, the ranks of the tensor of all coefficients (its "tensor train"). Inertial parameters are
letters here, so that a combination holds because of the robot's structure; their values are put in at the end, and
whatever consists of parameters alone is one number, or one constant where they stay free.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any, Literal, TypeVar

from flint import fmpq, fmpq_mat

from emdeg.algebra import Monomial
from emdeg.program import Scalar

T = TypeVar("T")
Terms = dict[Monomial, Any]
LARGEST = 1000
"""Combinations with a coefficient above this, or below its inverse, are not used: they would amplify rounding."""


@dataclass(frozen=True)
class Level:
    """A variable: the places of its generators in a monomial (sine and cosine of an angle, or a displacement)."""

    places: tuple[int, ...]
    generators: tuple[Scalar, ...]


@dataclass(frozen=True)
class Factoring:
    """The decisions of a factoring.

    `order`: the levels in the order of splitting, as they stand if empty. `absolute`: through absolute angles of
    parallel joints where a function may (see `closed_form`). The others are decided for the last level, the one before
    and so on, the last entry for all that are left. `dearest`: the most operations that a combination may cost.
    `squares`: c² or s² as the basis of second order. `ties`: polynomials are kept by the number of their terms; what
    comes first of equals: 0 as they stand, 1 simple coefficients, else drawn with this seed.
    """

    order: tuple[int, ...] = ()
    dearest: tuple[int, ...] = (6,)
    squares: tuple[Literal["cosine", "sine"], ...] = ("sine",)
    ties: tuple[int, ...] = (1,)
    absolute: bool = False


@dataclass(frozen=True)
class _Combination:
    """constant + sum of coefficient × polynomial number."""

    parts: tuple[tuple[int, fmpq], ...]
    constant: Any

    @property
    def cost(self) -> int:
        return sum(abs(c) != 1 for _, c in self.parts) + len(self.parts) - 1 + bool(self.constant != 0)

    @property
    def balanced(self) -> bool:
        return all(1 <= abs(c) * LARGEST <= LARGEST**2 for _, c in self.parts)


@dataclass(frozen=True)
class Factorer:
    """Factors polynomials, given by their terms, over levels; `values` are those of the parameters by their places."""

    levels: Sequence[Level]
    values: Mapping[int, Any]
    number: Callable[[Any], Scalar]
    how: Factoring
    _known: dict[Monomial, tuple[Monomial, Any]] = field(default_factory=dict, repr=False, compare=False)

    def scalars(self, targets: Sequence[Terms]) -> list[Scalar]:
        """The polynomials as scalars."""
        order = self.how.order or range(len(self.levels))
        return self._scalars(targets, [self.levels[k] for k in order])

    def _scalars(self, targets: Sequence[Terms], levels: Sequence[Level]) -> list[Scalar]:
        moving = {place for level in levels for place in level.places}
        numbers = [self._numbers(terms) for terms in targets]
        constants = [terms.pop((), fmpq(0)) for terms in numbers]
        vectors = [{m: c for m, c in terms.items() if any(m[p] for p in moving)} for terms in targets]
        order = self._sorted(targets, len(levels))
        found = self._multiples(numbers, constants, order)
        found |= self._combinations(vectors, constants, [k for k in order if k not in found], len(levels))
        kept = [k for k in order if k not in found]
        split = dict(zip(kept, self._split([targets[k] for k in kept], levels), strict=True)) if kept else {}
        results: dict[int, Scalar] = dict(split)
        for k in sorted(found, key=lambda k: any(part in found for part, _ in found[k].parts)):
            total = self._number(found[k].constant)
            for part, coefficient in found[k].parts:
                total = total + results[part] * self._number(coefficient)
            results[k] = total
        return [results[k] for k in range(len(targets))]

    def _number(self, value: Any) -> Scalar:
        return self.number(Fraction(int(value.p), int(value.q)) if isinstance(value, fmpq) else value)

    def _numbers(self, terms: Terms) -> Terms:
        """The terms with the parameters' values put in; what does not move under ()."""
        result: defaultdict[Monomial, Any] = defaultdict(fmpq)
        for monomial, coefficient in terms.items():
            if (found := self._known.get(monomial)) is None:
                found = self._known[monomial] = self._value(monomial)
            result[found[0]] += coefficient * found[1]
        return {monomial: value for monomial, value in result.items() if value}

    def _value(self, monomial: Monomial) -> tuple[Monomial, Any]:
        """What moves of a monomial, or (), and the value of the rest."""
        value: Any = fmpq(1)
        moving = list(monomial)
        for place, exponent in enumerate(monomial):
            if exponent and place in self.values:
                value *= _fmpq(self.values[place]) ** exponent
                moving[place] = 0
        return (tuple(moving) if any(moving) else ()), value

    def _multiples(
        self, numbers: Sequence[Terms], constants: Sequence[Any], order: Sequence[int]
    ) -> dict[int, _Combination]:
        """Constants, and those that are a number times an earlier one, up to a constant.

        A quotient of parameters is none: it would divide by what may be zero.
        """
        found: dict[int, _Combination] = {}
        first: dict[frozenset[tuple[Monomial, Any]], int] = {}
        for k in order:
            vector = numbers[k]
            if not vector:
                found[k] = _Combination((), constants[k])
                continue
            lead = vector[min(vector)]
            known = first.setdefault(frozenset((m, _plain(c / lead)) for m, c in vector.items()), k)
            if known != k and isinstance(factor := _plain(lead / numbers[known][min(vector)]), fmpq):
                found[k] = _Combination(((known, factor),), constants[k] - factor * constants[known])
        return found

    def _combinations(
        self, vectors: Sequence[Terms], constants: Sequence[Any], order: Sequence[int], depth: int
    ) -> dict[int, _Combination]:
        """Those that are combinations of independent others at no more than the dearest cost; exact elimination."""
        rows: dict[Monomial, int] = {}
        for k in order:
            for monomial in vectors[k]:
                rows.setdefault(monomial, len(rows))
        if not rows:
            return {}
        matrix = fmpq_mat(len(rows), len(order))
        for column, k in enumerate(order):
            for monomial, c in vectors[k].items():
                matrix[rows[monomial], column] = c
        reduced, rank = matrix.rref()
        pivots: list[int] = []
        found: dict[int, _Combination] = {}
        for column, k in enumerate(order):
            entries = [(row, reduced[row, column]) for row in range(rank) if reduced[row, column] != 0]
            if len(pivots) < rank and reduced[len(pivots), column] != 0:
                pivots.append(k)
                continue
            parts = tuple((pivots[row], x) for row, x in entries)
            constant = constants[k] - sum((c * constants[part] for part, c in parts), fmpq(0))
            combination = _Combination(parts, constant)
            if combination.cost <= _at(self.how.dearest, depth) and combination.balanced:
                found[k] = combination
        return found

    def _sorted(self, targets: Sequence[Terms], depth: int) -> list[int]:
        """The order in which they are kept."""
        order = list(range(len(targets)))
        ties = _at(self.how.ties, depth)
        if ties == 1:
            order.sort(key=lambda k: sum(_size(c) for c in targets[k].values()))
        elif ties > 1:
            Random(100 * ties + depth).shuffle(order)
        return sorted(order, key=lambda k: len(targets[k]))

    def _split(self, targets: Sequence[Terms], levels: Sequence[Level]) -> list[Scalar]:
        """Each as the sum of monomials of the first level's variable times what the other levels make of the rest."""
        level, *others = levels
        parts: list[dict[Monomial, Terms]] = [self._pieces(terms, level, len(levels)) for terms in targets]
        rests = iter(self._scalars([piece for pieces in parts for piece in pieces.values()], others))
        results = []
        for pieces in parts:
            total = self.number(Fraction(0))
            for exponents in pieces:
                total = total + self._monomial(level, exponents) * next(rests)
            results.append(total)
        return results

    def _monomial(self, level: Level, exponents: Monomial) -> Scalar:
        product = self.number(Fraction(1))
        for generator, exponent in zip(level.generators, exponents, strict=True):
            product = product * generator**exponent
        return product

    def _pieces(self, terms: Terms, level: Level, depth: int) -> dict[Monomial, Terms]:
        """Per monomial of the level's variable what it is multiplied by, the plain part first."""
        pieces: defaultdict[Monomial, Terms] = defaultdict(dict)
        for monomial, coefficient in terms.items():
            rest = list(monomial)
            for place in level.places:
                rest[place] = 0
            pieces[tuple(monomial[p] for p in level.places)][tuple(rest)] = coefficient
        if _at(self.how.squares, depth) == "sine" and (0, 2) in pieces:  # c² = 1 - s²
            square = pieces.pop((0, 2))
            plain = pieces[0, 0]
            for rest_, coefficient in square.items():
                plain[rest_] = plain.get(rest_, fmpq(0)) + coefficient
            pieces[0, 0] = {m: c for m, c in plain.items() if c}
            pieces[2, 0] = {m: -c for m, c in square.items()}
        return {exponents: pieces[exponents] for exponents in sorted(pieces) if pieces[exponents]}


def _at(decisions: tuple[T, ...], depth: int) -> T:
    """The decision for a level, counted from the last."""
    return decisions[min(depth, len(decisions)) - 1]


def _size(value: fmpq) -> int:
    return int(abs(value.p)).bit_length() + int(value.q).bit_length()


def _fmpq(value: Any) -> Any:
    return fmpq(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def _plain(value: Any) -> Any:
    """A constant that is 0 or ±1 as that number."""
    return value if isinstance(value, fmpq) else _fmpq(value.plain)

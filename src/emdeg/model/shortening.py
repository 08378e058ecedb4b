"""Trigonometric sums in the form an expert writes: the square that makes the line short, sums of parallel angles.

A sum arrives in the ring's normal form, over sines and cosines of the cumulative angles, with no squared sine. Each
step here is one of the identities s² = 1 - c² and cos a cos b ± sin a sin b = cos(a ∓ b), sin a cos b ± cos a sin b =
sin(a ± b), and is taken only where it leaves fewer terms.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm

from emdeg.algebra import Monomial, TrigRing
from emdeg.mechanics.tree import Tree
from emdeg.model.entry import Atom, Product, TrigSum

Sum = dict[Monomial, int]


@dataclass(frozen=True)
class Shortener:
    """What a ring's generators mean, and which angles may be added."""

    ring: TrigRing
    atoms: tuple[Atom | None, ...]
    parallel: tuple[tuple[int, int], ...]

    @staticmethod
    def of(tree: Tree, ring: TrigRing) -> "Shortener":
        count = len(tree.angles)
        atoms: list[Atom | None] = [None] * len(ring.names)
        for k, angle in enumerate(tree.angles):
            atoms[k] = Atom("s", angle.coordinates, angle.constant)
            atoms[k + len(ring.pairs)] = Atom("c", angle.coordinates, angle.constant)
        for segment in tree.segments:
            if not segment.revolute:
                name = f"q{segment.coordinate + 1}"
                atoms[ring.names.index(name)] = Atom("q", ((segment.coordinate, 1),))
        shared = [
            (k, m)
            for k, m in combinations(range(count), 2)
            if tree.angles[k].coordinates[:1] == tree.angles[m].coordinates[:1]
        ]
        return Shortener(ring, tuple(atoms), tuple(shared))

    def shorten(self, terms: Mapping[Monomial, Fraction]) -> tuple[Fraction, Product, TrigSum]:
        """(common number, common product, sum): the shortest form found, its terms in reading order."""
        number = content(terms.values())  # integers from here on: they are much faster than fractions
        best = self._squares({m: int(factor / number) for m, factor in terms.items()})
        products = {self._product(m): f for m, f in best.items()}
        for k, m in self.parallel:
            products = self._merge(products, k, m)
        own, common, rest = _common(products)
        return number * own, common, rest

    def _squares(self, terms: Sum) -> Sum:
        """Per angle the squared cosine or the squared sine, whichever leaves fewer terms."""
        count = len(self.ring.pairs)
        improved = True
        while improved:
            improved = False
            for k in range(count):
                if any(m[k + count] >= 2 or m[k] >= 2 for m in terms):
                    for given, wanted in ((k + count, k), (k, k + count)):
                        other = _exchanged(terms, given, wanted)
                        if len(other) < len(terms):
                            terms, improved = other, True
        return terms

    def _product(self, monomial: Monomial) -> Product:
        powers = [(self.atoms[k], e) for k, e in enumerate(monomial) if e]
        return tuple(sorted(((a, e) for a, e in powers if a is not None), key=_reading_order))

    def _merge(self, products: dict[Product, int], k: int, m: int) -> dict[Product, int]:
        """Pairs of products of sines and cosines of the angles k and m that are one of a sum or difference."""
        count = len(self.ring.pairs)
        first = {"s": self.atoms[k], "c": self.atoms[k + count]}
        second = {"s": self.atoms[m], "c": self.atoms[m + count]}
        rests: dict[Product, dict[str, int]] = {}
        for product, factor in products.items():
            for kind in ("cc", "ss", "sc", "cs"):
                pair = ((first[kind[0]], 1), (second[kind[1]], 1))
                if all(factor_ in product for factor_ in pair):
                    rest = tuple(f for f in product if f not in pair)
                    rests.setdefault(rest, {})[kind] = factor
        result = dict(products)
        for rest, kinds in rests.items():
            for even, odd, name in (("cc", "ss", "c"), ("sc", "cs", "s")):
                x, y = kinds.get(even), kinds.get(odd)
                if x is None or y is None or abs(x) != abs(y):
                    continue
                for kind in (even, odd):
                    pair = ((first[kind[0]], 1), (second[kind[1]], 1))
                    del result[tuple(sorted((*rest, *pair), key=_reading_order))]  # type: ignore[arg-type]
                # cos k cos m + sin k sin m = cos(m - k); sin k cos m - cos k sin m = -sin(m - k)
                difference = (x == y) == (name == "c")
                atom, sign = self._combined(name, k, m, -1 if difference else 1)
                value = -x * sign if name == "s" and difference else x * sign
                product = _times(rest, atom)
                result[product] = result.get(product, 0) + value
                if not result[product]:
                    del result[product]
        return result

    def _combined(self, kind: str, k: int, m: int, sign: int) -> tuple[Atom, int]:
        """The sine or cosine of angle m + sign × angle k, its first multiple positive, and the sign that this costs."""
        one, two = self.atoms[k], self.atoms[m]
        assert one is not None and two is not None
        multiples = dict(two.angle)
        for coordinate, times in one.angle:
            multiples[coordinate] = multiples.get(coordinate, 0) + sign * times
        angle = tuple(sorted((c, t) for c, t in multiples.items() if t))
        constant = two.constant + (one.constant if sign > 0 else -one.constant)
        if angle and angle[0][1] < 0:
            angle, constant = tuple((c, -t) for c, t in angle), -constant
            return Atom(kind, angle, constant), (-1 if kind == "s" else 1)  # type: ignore[arg-type]
        return Atom(kind, angle, constant), 1  # type: ignore[arg-type]


def _exchanged(terms: Sum, given: int, wanted: int) -> Sum:
    """The sum with x_given² replaced by 1 - x_wanted²."""
    result: Sum = {}
    stack = list(terms.items())
    while stack:
        monomial, factor = stack.pop()
        if monomial[given] >= 2:
            lower = list(monomial)
            lower[given] -= 2
            raised = list(lower)
            raised[wanted] += 2
            stack += [(tuple(lower), factor), (tuple(raised), -factor)]
        else:
            total = result.get(monomial, 0) + factor
            if total:
                result[monomial] = total
            else:
                result.pop(monomial, None)
    return result


def _reading_order(factor: tuple[Atom, int]) -> tuple[int, tuple[tuple[int, int], ...], str]:
    atom, _ = factor
    return (0 if atom.kind == "q" else 1, atom.angle, atom.kind)


def _times(product: Product, atom: Atom) -> Product:
    powers = dict(product)
    powers[atom] = powers.get(atom, 0) + 1
    return tuple(sorted(powers.items(), key=_reading_order))


def _common(products: Mapping[Product, int]) -> tuple[Fraction, Product, TrigSum]:
    """The number and the product that all terms share, and the sum of the rests, the plainest first."""
    shared: dict[Atom, int] | None = None
    for product in products:
        powers = dict(product)
        shared = powers if shared is None else {a: min(e, powers[a]) for a, e in shared.items() if a in powers}
    shared = shared if shared and len(products) > 1 else {}
    number = gcd(*products.values())
    if all(factor < 0 for factor in products.values()):
        number = -number
    rests = []
    for product, factor in products.items():
        rest = tuple((a, e - shared.get(a, 0)) for a, e in product if e > shared.get(a, 0))
        rests.append((Fraction(factor // number), rest))
    rests.sort(key=lambda term: (term[0] < 0, sum(e for _, e in term[1]), [_reading_order(f) for f in term[1]]))
    return Fraction(number), tuple(sorted(shared.items(), key=_reading_order)), tuple(rests)


def content(numbers: Iterable[Fraction]) -> Fraction:
    """The greatest rational of which all the numbers are integer multiples."""
    numerator, denominator = 0, 1
    for number in numbers:
        numerator = gcd(numerator, number.numerator)
        denominator = lcm(denominator, number.denominator)
    return Fraction(numerator, denominator)

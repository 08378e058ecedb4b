"""Which expressions over a circuit's nodes have a given value: found by tables of values modulo a prime.

A table holds all nodes, another all sums, differences and products of two nodes, by keys of their residues that x and
-x share. Whatever identity holds among the values is found so, whatever its reason: s² + c² = 1, factoring, sharing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from emdeg.compiler.circuit import PRIME, Circuit, Values, inverses
from emdeg.compiler.price import Price
from emdeg.program import Reference

Index = NDArray[np.int64]
Keys = NDArray[np.uint64]
KEYED = 2
"""Points of which keys take account."""
FILTER_BITS = 22
FILTER = np.uint64((1 << FILTER_BITS) - 1)
PLUS, MINUS, TIMES = range(3)
SAMPLE = 400
"""Matches of two pairs that are looked at, of one node."""


@dataclass(frozen=True)
class Expression:
    """A way to compute a node: the nodes it uses, what it is.

    `form` is nested: a number of a node, (kind, form, form), or an exact number.
    """

    parts: tuple[int, ...]
    form: Any

    def cost(self, price: Price) -> float:
        """The price of the operations that it adds."""
        return _cost(self.form, price)


def _cost(form: Any, price: Price) -> float:
    if not isinstance(form, tuple):
        return 0.0
    kind, one, two = form
    own = price.multiplication if kind == TIMES else price.addition
    return own + _cost(one, price) + _cost(two, price)


def keys(values: Values) -> Keys:
    """One number per row of values, the same for x and -x."""
    first, second = values[..., 0], values[..., 1]
    flip = first > PRIME // 2
    first = np.where(flip, PRIME - first, first)
    second = np.where(flip, PRIME - second, second) % PRIME
    found: Keys = first | (second << np.uint64(31))
    return found


class Table:
    """Keys that can be looked up."""

    def __init__(self, held: Keys) -> None:
        self.order = np.argsort(held, kind="stable")
        self.sorted = held[self.order]
        self.present = np.zeros(1 << FILTER_BITS, dtype=bool)  # rules most keys out at one look
        self.present[held & FILTER] = True

    def find(self, wanted: Keys) -> tuple[Index, Index]:
        """Positions among the wanted and places among the held, of each match."""
        possible = np.nonzero(self.present[wanted & FILTER])[0]
        looked = wanted[possible]
        start, end = np.searchsorted(self.sorted, looked), np.searchsorted(self.sorted, looked, side="right")
        counts = end - start
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(possible, counts), self.order[np.repeat(start, counts) + within]


class Matcher:
    """The expressions over the nodes that are alive in a circuit now."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.members = list(circuit.order)
        self.rows = np.array([circuit.values[node][:KEYED] for node in self.members])
        self.inverse = inverses(self.rows)
        self.singles = Table(keys(self.rows))
        self.i, self.j = np.triu_indices(len(self.members))

    @cached_property
    def pair_rows(self) -> Values:
        """Values of all sums, then differences, then products of two nodes."""
        a, b = self.rows[self.i], self.rows[self.j]
        return np.concatenate([(a + b) % PRIME, (a + PRIME - b) % PRIME, a * b % PRIME])

    @cached_property
    def pairs(self) -> Table:
        return Table(keys(self.pair_rows))

    @cached_property
    def inverse_sums(self) -> Values:
        return inverses(self.pair_rows[: 2 * len(self.i)])

    @cached_property
    def varying(self) -> list[int]:
        """The positions of what is neither a number nor zero."""
        nodes, exact = self.circuit.nodes, self.circuit.exact
        return [k for k, node in enumerate(self.members) if nodes[node][0] != "number" and exact[node] != 0]

    @cached_property
    def ratios(self) -> Table:
        """By how one value stands to the other: the same for x and k x."""
        return Table(self.rows[self.varying, 0] * self.inverse[self.varying, 1] % PRIME)

    @cached_property
    def differences(self) -> Table:
        """By the difference of the two values: the same for x and x + k."""
        return Table((self.rows[self.varying, 0] + PRIME - self.rows[self.varying, 1]) % PRIME)

    def shallow(self, node: int, usable: NDArray[np.bool_], room: int) -> Iterator[Expression]:
        """Expressions over the usable members of at most two operations more, and no more than there is room for."""
        target = self.circuit.values[node][None, :KEYED]
        members = self.members
        for _, k in self._found(self.singles, keys(target), usable):
            yield Expression((members[k],), members[k])
        if room < 1:
            return
        rests = (
            (PLUS, (target + PRIME - self.rows) % PRIME),
            (MINUS, (target + self.rows) % PRIME),
            (TIMES, target * self.inverse % PRIME),
        )
        yield from self._with_number(node, usable)
        for kind, wanted in rests:
            for one, two in self._found(self.singles, keys(wanted), usable, usable):
                yield Expression((members[one], members[two]), (kind, members[one], members[two]))
        if room < 2:
            return
        yield from self._with_two_and_number(node, rests[0][1], rests[2][1], usable)
        usable_pairs = np.tile(usable[self.i] & usable[self.j], 3)
        for kind, wanted in rests:
            for one, place in self._found(self.pairs, keys(wanted), usable_pairs, usable):
                inner = self._pair(place)
                yield Expression((members[one], *inner[1:]), (kind, members[one], inner))

    def _found(
        self, table: Table, wanted: Keys, held: NDArray[np.bool_], usable: NDArray[np.bool_] | None = None
    ) -> list[tuple[int, int]]:
        """(position, place) of the matches that are usable on both sides."""
        positions, places = table.find(wanted)
        good = held[places] if usable is None else held[places] & usable[positions]
        return list(zip(positions[good].tolist(), places[good].tolist(), strict=True))

    def _pair(self, place: int) -> tuple[int, int, int]:
        """The kind and the two nodes of an entry among the pairs."""
        kind, position = divmod(place, len(self.i))
        return kind, self.members[self.i[position]], self.members[self.j[position]]

    def _with_number(self, node: int, usable: NDArray[np.bool_]) -> Iterator[Expression]:
        """x + k and k x."""
        exact, target = self.circuit.exact, self.circuit.values[node]
        free = usable[self.varying]
        difference = (target[0] + PRIME - target[1]) % PRIME
        for _, place in self._found(self.differences, difference[None], free):
            x = self.members[self.varying[place]]
            yield Expression((x,), (PLUS, x, exact[node] - exact[x]))
        for _, place in self._found(self.ratios, target[:1] * inverses(target[1:2]) % PRIME, free):
            x = self.members[self.varying[place]]
            yield Expression((x,), (TIMES, x, exact[node] / exact[x]))

    def _with_two_and_number(
        self, node: int, rests: Values, quotients: Values, usable: NDArray[np.bool_]
    ) -> Iterator[Expression]:
        """x + k y, k x y, (x + k) y."""
        exact, varying = self.circuit.exact, self.varying
        nodes = [self.members[k] for k in varying]
        free = usable[varying]
        ratio = rests[varying, 0] * inverses(rests[varying, 1]) % PRIME
        for one, two in self._found(self.ratios, ratio, free, free):
            x, y = nodes[one], nodes[two]
            yield Expression((x, y), (PLUS, x, (TIMES, y, (exact[node] - exact[x]) / exact[y])))
        ratio = quotients[varying, 0] * inverses(quotients[varying, 1]) % PRIME
        for one, two in self._found(self.ratios, ratio, free, free):
            if one <= two:
                x, y = nodes[one], nodes[two]
                yield Expression((x, y), (TIMES, (TIMES, x, y), exact[node] / (exact[x] * exact[y])))
        difference = (quotients[varying, 0] + PRIME - quotients[varying, 1]) % PRIME
        for one, two in self._found(self.differences, difference, free, free):
            y, x = nodes[one], nodes[two]
            yield Expression((x, y), (TIMES, y, (PLUS, x, exact[node] / exact[y] - exact[x])))

    def deep(self, node: int, usable: NDArray[np.bool_], source: Random) -> Iterator[Expression]:
        """A product and any pair added, a sum and any pair multiplied: three operations more; some, where many are."""
        target = self.circuit.values[node][None, :KEYED]
        sums = 2 * len(self.i)
        products = self.pair_rows[sums:]
        usable_pairs = np.tile(usable[self.i] & usable[self.j], 3)
        rests = (
            (PLUS, sums, (target + PRIME - products) % PRIME),
            (MINUS, sums, (target + products) % PRIME),
            (TIMES, 0, target * self.inverse_sums % PRIME),
        )
        for kind, offset, wanted in rests:
            found = self._found(self.pairs, keys(wanted), usable_pairs, usable_pairs[offset : offset + len(wanted)])
            for position, place in found if len(found) <= SAMPLE else source.sample(found, SAMPLE):
                one, two = self._pair(offset + position), self._pair(place)
                yield Expression((*one[1:], *two[1:]), (kind, one, two))


def built(circuit: Circuit, form: Any, node: int) -> Reference | None:
    """The reference of an expression for a node, whose signs are settled here; None where values only seemed equal."""
    target = circuit.values[node]
    if isinstance(form, int):
        made = 2 * form
        return _signed(circuit, made, target)
    if any(number == 0 for number in _numbers(form)):
        return None
    kind, one, two = form
    x, y = _part(circuit, one), _part(circuit, two)
    choices = (0,) if isinstance(one, fmpq) or isinstance(two, fmpq) else (0, 1)
    for sign in choices:
        value = _combined(kind, circuit.value(x), circuit.value(y ^ sign))
        if (value == target).all() or ((value + target) % PRIME == 0).all():
            return _signed(circuit, circuit.made("mul" if kind == TIMES else "add", x, y ^ sign), target)
    return None


def _numbers(form: Any) -> Iterator[fmpq]:
    if isinstance(form, fmpq):
        yield form
    elif isinstance(form, tuple):
        yield from _numbers(form[1])
        yield from _numbers(form[2])


def _part(circuit: Circuit, form: Any) -> Reference:
    if isinstance(form, int):
        return 2 * form
    if isinstance(form, fmpq):
        return circuit.number(form)
    kind, one, two = form
    y = _part(circuit, two) ^ int(kind == MINUS)
    return circuit.made("mul" if kind == TIMES else "add", _part(circuit, one), y)


def _combined(kind: int, x: Values, y: Values) -> Values:
    return x * y % PRIME if kind == TIMES else (x + y) % PRIME


def _signed(circuit: Circuit, made: Reference, target: Values) -> Reference | None:
    if (circuit.value(made) == target).all():
        return made
    return made ^ 1 if (circuit.value(made ^ 1) == target).all() else None

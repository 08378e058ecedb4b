"""Algebraic resubstitution: a node computed anew from others that are there, wherever that leaves fewer operations.

Every identity that holds among the values is used, whatever its reason: s² + c² = 1, factoring, sharing. A node t is
written as a ± b, a b, a ± b d, (a ± b) d and so on, up to two products or sums of pairs combined, when at least one
operation fewer is left. Values are compared at random points modulo a prime (see `circuit`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emdeg.compiler.circuit import LEAVES, PRIME, Circuit, Values, inverses
from emdeg.program import Program, Reference

Index = NDArray[np.int64]


def resubstitute(
    program: Program, *, rounds: int, deep: bool, progress: Callable[[str], None], drift: int = 0
) -> Program:
    """The program with fewer operations, or as it was; `deep` also combines two pairs (slower).

    After a round without gain, up to `drift` rounds put in other expressions of the same cost, drawn at random, from
    where there may be gains again; the same each time. What is best so far is kept when interrupted.
    """
    best = current = program
    stalled = 0
    try:
        for step in range(rounds):
            circuit = Circuit.of(current, seed=step)
            _Round(circuit, deep, Random(step) if stalled else None).run()
            current = circuit.to_program()
            if current.cost.total < best.cost.total:
                best, stalled = current, 0
                progress(f"{best.name}: {best.cost.total} operations after resubstitution {step + 1}")
            elif (stalled := stalled + 1) > drift:
                break
    except KeyboardInterrupt:
        progress(f"{best.name}: interrupted, keeping {best.cost.total} operations")
    return best


def _keys(values: Values) -> NDArray[np.uint64]:
    """One number per row of values, the same for x and -x."""
    flip = values[..., 0] > PRIME // 2
    signed = np.where(flip[..., None], (PRIME - values) % PRIME, values)
    keys: NDArray[np.uint64] = signed[..., 0] | (signed[..., 1] << np.uint64(31))
    return keys


@dataclass
class _Table:
    """Expressions by the keys of their values: (operation, first node, second node with sign)."""

    keys: NDArray[np.uint64]
    order: Index
    kind: NDArray[np.int8]
    first: Index
    second: Index

    def find(self, keys: NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
        """(position in `keys`, entry) of each match."""
        sorted_keys = self.keys[self.order]
        places = np.searchsorted(sorted_keys, keys)
        places[places == len(sorted_keys)] = 0
        for position in np.nonzero(sorted_keys[places] == keys)[0]:
            place = int(places[position])
            while place < len(sorted_keys) and sorted_keys[place] == keys[position]:
                yield int(position), int(self.order[place])
                place += 1


SINGLE, PLUS, MINUS, TIMES = range(4)
TRIES = 8
"""Expressions that are put in place of a node until one keeps what it promised."""


class _Round:
    """One pass over the nodes of a circuit."""

    def __init__(self, circuit: Circuit, deep: bool, source: Random | None = None) -> None:
        self.circuit = circuit
        self.deep = deep
        self.source = source
        self.alive = circuit.alive()
        self.members = [node for node in self.alive if circuit.values[node].all()]
        self.rows = np.array([circuit.values[node] for node in self.members])
        self.inverse = inverses(self.rows)
        self.singles = self._table(pairs=False)
        self.pairs = self._table(pairs=True)
        self.pair_rows = self._pair_values()
        self.users: dict[int, int] = {}
        self.known: dict[tuple[str, int, int], int] = {}

    def _table(self, *, pairs: bool) -> _Table:
        count = len(self.members)
        index = np.arange(count)
        if not pairs:
            keys = _keys(self.rows)
            zeros = np.zeros(count, dtype=np.int64)
            return _Table(keys, np.argsort(keys, kind="stable"), np.full(count, SINGLE, np.int8), index, zeros)
        i, j = np.triu_indices(count)
        sums, differences = (self.rows[i] + self.rows[j]) % PRIME, (self.rows[i] + PRIME - self.rows[j]) % PRIME
        products = self.rows[i] * self.rows[j] % PRIME
        keys = np.concatenate([_keys(sums), _keys(differences), _keys(products)])
        kind = np.repeat(np.array([PLUS, MINUS, TIMES], np.int8), len(i))
        return _Table(keys, np.argsort(keys, kind="stable"), kind, np.tile(i, 3), np.tile(j, 3))

    def _pair_values(self) -> Values:
        table = self.pairs
        a, b = self.rows[table.first], self.rows[table.second]
        values = np.where((table.kind == TIMES)[:, None], a * b % PRIME, (a + b) % PRIME)
        chosen: Values = np.where((table.kind == MINUS)[:, None], (a + PRIME - b) % PRIME, values)
        return chosen

    def run(self) -> None:
        sizes = self._cone_sizes()
        order = sorted(sizes, key=lambda n: -sizes[n])
        if self.source is not None:
            self.source.shuffle(order)
        for node in order:
            if node in sizes and self._improve(node, sizes[node]):
                self.alive = self.circuit.alive()
                sizes = self._cone_sizes()

    def _cone_sizes(self) -> dict[int, int]:
        """Per operation that is alive, how many operations would be gone with it (itself included)."""
        alive = self.alive
        users: dict[int, int] = {}
        self.users = users
        self.known = {self._form(*self.circuit.nodes[node]): node for node in alive if self._counts(node)}
        for node in alive:
            for operand in self.circuit.operands(node):
                users[operand >> 1] = users.get(operand >> 1, 0) + 1
        for reference in self.circuit.outputs:
            users[reference >> 1] = users.get(reference >> 1, 0) + 1
        return {node: self._cone(node, {}) for node in alive if self._counts(node)}

    def _counts(self, node: int) -> bool:
        return self.circuit.nodes[node][0] in ("add", "mul", "div")

    def _form(self, kind: str, x: Reference, y: Reference) -> tuple[str, int, int]:
        """An operation up to sign."""
        if x >> 1 > y >> 1:
            x, y = y, x
        return (kind, x & ~1, y & ~1) if kind != "add" else (kind, x & ~1, y ^ x & 1)

    def _cone(self, node: int, more: dict[int, int]) -> int:
        """How many operations would be gone with a node if some had `more` users."""
        left: dict[int, int] = {}
        size, stack = 0, [node]
        while stack:
            gone = stack.pop()
            size += self._counts(gone)
            for operand in self.circuit.operands(gone):
                child = operand >> 1
                left[child] = left.get(child, self.users[child] + more.get(child, 0)) - 1
                if left[child] == 0 and self.circuit.nodes[child][0] not in LEAVES:
                    stack.append(child)
        return size

    def _improve(self, node: int, cone: int) -> bool:
        """Rewrite one node by the expression that leaves the fewest operations; whether it was."""
        banned = self._users_of(node)
        found = [
            (self._gain(node, structure), structure)
            for structure, parts in self._expressions(self.circuit.values[node], cone)
            if not any(self.members[k] in banned for k in parts)
        ]
        if self.source is not None:
            self.source.shuffle(found)
        found.sort(key=lambda entry: -entry[0])
        least = 1 if self.source is None else 0
        return any(self._replace(node, structure, gain) for gain, structure in found[:TRIES] if gain >= least)

    def _users_of(self, node: int) -> set[int]:
        """The node and everything that depends on it, and what is no longer alive."""
        banned = {node}
        for other in self.alive:
            if any(operand >> 1 in banned for operand in self.circuit.operands(other)):
                banned.add(other)
        return banned | (set(self.members) - set(self.alive))

    def _expressions(self, target: Values, cone: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """Ways to compute the target from members, the shortest first: (structure, members used)."""
        for _, entry in self.singles.find(_keys(target[None])):
            yield (entry,), (entry,)
        if cone < 2:
            return
        differences = (target[None] + PRIME - self.rows) % PRIME
        sums = (target[None] + self.rows) % PRIME
        quotients = target[None] * self.inverse % PRIME
        for wanted, outer in ((differences, PLUS), (sums, MINUS), (quotients, TIMES)):
            for position, entry in self.singles.find(_keys(wanted)):
                yield (outer, position, (SINGLE, entry, 0)), (position, entry)
        if cone < 3:
            return
        for wanted, outer in ((differences, PLUS), (sums, MINUS), (quotients, TIMES)):
            for position, entry in self.pairs.find(_keys(wanted)):
                first, second = int(self.pairs.first[entry]), int(self.pairs.second[entry])
                inner = (int(self.pairs.kind[entry]), first, second)
                yield (outer, position, inner), (position, first, second)
        if cone < 4 or not self.deep:
            return
        yield from self._two_pairs(target)

    def _two_pairs(self, target: Values) -> Iterator[tuple[Any, tuple[int, ...]]]:
        table = self.pairs
        products = table.kind == TIMES
        for chosen, outer in ((products, PLUS), (~products, TIMES)):
            rows = self.pair_rows[chosen]
            places = np.nonzero(chosen)[0]
            plus = outer == PLUS
            wanted = ((target[None] + PRIME - rows) if plus else target[None] * inverses(rows)) % PRIME
            for position, entry in table.find(_keys(wanted)):
                one, two = int(places[position]), entry
                parts = [(int(table.kind[e]), int(table.first[e]), int(table.second[e])) for e in (one, two)]
                yield (outer, parts[0], parts[1]), (*parts[0][1:], *parts[1][1:])

    def _gain(self, node: int, structure: Any) -> int:
        """How many operations fewer are left with the expression in place of the node; nothing is rewired."""
        new, more = int(len(structure) > 1), dict[int, int]()
        for part in structure[1:] or structure:
            kind, first, second = (SINGLE, part, 0) if isinstance(part, int) else part
            used = [self.members[first]] if kind == SINGLE else [self.members[first], self.members[second]]
            if kind != SINGLE:
                known = self.known.get(self._node(kind, 2 * used[0], 2 * used[1] ^ int(kind == MINUS)))
                if known is None or known == node:
                    new += 1
                else:
                    used = [known]
            for other in used:
                more[other] = more.get(other, 0) + 1
        return self._cone(node, more) - new

    def _replace(self, node: int, structure: Any, gain: int) -> bool:
        """Put the expression in place of the node if that leaves fewer operations as foretold; undo it otherwise."""
        circuit = self.circuit
        before = sum(self._counts(n) for n in self.alive)
        outputs, count = list(circuit.outputs), len(circuit.nodes)
        made = self._make(structure, circuit.values[node])
        if made is not None and made >> 1 != node and node not in self._below(made >> 1):
            replaced = self._redirect(node, made)
            if sum(self._counts(n) for n in circuit.alive()) <= before - gain:
                return True
            for other, old in replaced:
                circuit.nodes[other] = old
            circuit.outputs = outputs
        del circuit.nodes[count:], circuit.values[count:]
        return False

    def _below(self, top: int) -> set[int]:
        seen, stack = set(), [top]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                stack += [operand >> 1 for operand in self.circuit.operands(node)]
        return seen

    def _make(self, structure: Any, target: Values) -> int | None:
        """The reference of an expression whose value is the target, or None where signs don't fit."""
        if len(structure) == 1:
            same: int = 2 * self.members[structure[0]]
            return same ^ int(not (self.circuit.value(same) == target).all())
        outer, one, two = structure
        x = self._part(one)
        y = self._part(two)
        for sign_x in (0, 1):
            for sign_y in (0, 1):
                node = self._node(outer, x ^ sign_x, y ^ sign_y)
                value = self.circuit.operation(node)
                if (value == target).all():
                    return 2 * self.circuit.add_node(node)
                if ((value + target) % PRIME == 0).all():
                    return 2 * self.circuit.add_node(node) ^ 1
        return None

    def _part(self, part: int | tuple[int, int, int]) -> int:
        kind, first, second = (SINGLE, part, 0) if isinstance(part, int) else part
        x, y = 2 * self.members[first], 2 * self.members[second]
        if kind == SINGLE:
            return x
        return 2 * self.circuit.add_node(self._node(kind, x, y ^ int(kind == MINUS)))

    def _node(self, kind: int, x: int, y: int) -> tuple[str, int, int]:
        return self._form("mul" if kind == TIMES else "add", x, y)

    def _redirect(self, node: int, made: int) -> list[tuple[int, tuple[Any, ...]]]:
        """Every user of the node uses `made` instead; the users as they were."""
        circuit = self.circuit
        replaced: list[tuple[int, tuple[Any, ...]]] = []
        for other in range(len(circuit.nodes)):
            operands = circuit.operands(other)
            if any(operand >> 1 == node for operand in operands):
                replaced.append((other, circuit.nodes[other]))
                kind = circuit.nodes[other][0]
                fresh = [made ^ (operand & 1) if operand >> 1 == node else operand for operand in operands]
                circuit.nodes[other] = (kind, *fresh)
        circuit.outputs = [made ^ (r & 1) if r >> 1 == node else r for r in circuit.outputs]
        return replaced

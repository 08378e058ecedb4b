"""Algebraic resubstitution: a node computed anew from others that are there, wherever that leaves fewer operations.

Every identity that holds among the values is used, whatever its reason: s² + c² = 1, factoring, sharing. A node t is
written as a ± b, a b, a ± b d, (a ± b) d and so on, up to two products or sums of pairs combined, when at least one
operation fewer is left. Values are compared at random points modulo a prime (see `circuit`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emdeg.compiler.circuit import LEAVES, PRIME, Circuit, Values, inverses
from emdeg.program import Program

Index = NDArray[np.int64]


def resubstitute(program: Program, *, rounds: int, deep: bool, progress: Callable[[str], None]) -> Program:
    """The program with fewer operations, or as it was; `deep` also combines two pairs (slower)."""
    best = program
    for step in range(rounds):
        circuit = Circuit.of(best, seed=step)
        _Round(circuit, deep).run()
        found = circuit.to_program()
        if found.cost.total >= best.cost.total:
            break
        best = found
        progress(f"{best.name}: {best.cost.total} operations after resubstitution {step + 1}")
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


class _Round:
    """One pass over the nodes of a circuit."""

    def __init__(self, circuit: Circuit, deep: bool) -> None:
        self.circuit = circuit
        self.deep = deep
        self.members = circuit.alive()
        self.alive = self.members
        self.rows = np.array([circuit.values[node] for node in self.members])
        self.inverse = inverses(self.rows)
        self.singles = self._table(pairs=False)
        self.pairs = self._table(pairs=True)
        self.pair_rows = self._pair_values()

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
        for node in sorted(sizes, key=lambda n: -sizes[n]):
            if sizes.get(node, 0) >= 2 and self._improve(node, sizes[node]):
                sizes = self._cone_sizes()
                self.alive = self.circuit.alive()

    def _cone_sizes(self) -> dict[int, int]:
        """Per operation that is alive, how many operations would be gone with it (itself included)."""
        alive = self.circuit.alive()
        users: dict[int, int] = {}
        for node in alive:
            for operand in self.circuit.operands(node):
                users[operand >> 1] = users.get(operand >> 1, 0) + 1
        for reference in self.circuit.outputs:
            users[reference >> 1] = users.get(reference >> 1, 0) + 1
        return {node: self._cone(node, users) for node in alive if self._counts(node)}

    def _counts(self, node: int) -> bool:
        return self.circuit.nodes[node][0] in ("add", "mul", "div")

    def _cone(self, node: int, users: dict[int, int]) -> int:
        left: dict[int, int] = {}
        size, stack = 0, [node]
        while stack:
            gone = stack.pop()
            size += self._counts(gone)
            for operand in self.circuit.operands(gone):
                child = operand >> 1
                left[child] = left.get(child, users[child]) - 1
                if left[child] == 0 and self.circuit.nodes[child][0] not in LEAVES:
                    stack.append(child)
        return size

    def _improve(self, node: int, cone: int) -> bool:
        """Rewrite one node by the first expression found that leaves fewer operations."""
        target = self.circuit.values[node]
        banned = self._users_of(node)
        for build in self._expressions(target, cone):
            parts = build[1]
            if any(self.members[k] in banned for k in parts):
                continue
            if self._replace(node, build):
                return True
        return False

    def _users_of(self, node: int) -> set[int]:
        """The node and everything that depends on it, and what is no longer alive."""
        banned = {node}
        for other in self.alive:
            if any(operand >> 1 in banned for operand in self.circuit.operands(other)):
                banned.add(other)
        return banned | (set(self.members) - set(self.alive))

    def _expressions(self, target: Values, cone: int) -> Iterator[tuple[Any, tuple[int, ...]]]:
        """Ways to compute the target from members, the shortest first: (structure, members used)."""
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

    def _replace(self, node: int, build: tuple[Any, tuple[int, ...]]) -> bool:
        """Put the expression in place of the node if fewer operations are left; undo it otherwise."""
        circuit = self.circuit
        before = sum(self._counts(n) for n in circuit.alive())
        outputs, count = list(circuit.outputs), len(circuit.nodes)
        made = self._make(build[0], circuit.values[node])
        if made is not None and made >> 1 != node and node not in self._below(made >> 1):
            replaced = self._redirect(node, made)
            if sum(self._counts(n) for n in circuit.alive()) < before:
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
        return ("mul", min(x, y), max(x, y)) if kind == TIMES else ("add", min(x, y), max(x, y))

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

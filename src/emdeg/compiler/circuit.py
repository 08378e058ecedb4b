"""A program as a circuit that can be rewired, with the values of its nodes at random points.

Each node has its residues at some points modulo a prime, by which equal nodes are found, and its exact value at one
point more, from which the factor between two proportional nodes is read. What comes out is proven apart.
"""

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from emdeg.compiler.price import Price
from emdeg.program import Graph, Program, Reference, linearize
from emdeg.program.graph import Node

PRIME = 2**31 - 1
POINTS = 4
Values = NDArray[np.uint64]
LEAVES = ("input", "number")


class Circuit:
    """Nodes with signed operands (twice the node, plus one if negated), rewired in place; outputs likewise.

    Two nodes with equal values are equal but for a chance of about 2^-124 in each comparison.
    """

    def __init__(self, program: Program, price: Price, seed: int = 0) -> None:
        self.price = price
        graph, self.outputs = as_graph(program)
        self.program = program
        self.nodes: list[Node] = []
        self.values: list[Values] = []
        self.exact: list[fmpq] = []
        self.users: list[int] = []
        self._known: dict[Node, int] = {}
        self._residues: dict[Fraction, int] = {}
        source = Random(seed)
        turns: dict[Reference, tuple[tuple[Values, Values], tuple[fmpq, fmpq]]] = {}
        for node in graph.nodes:
            self._enter(node, *_values(self, node, source, turns))
        self.recount()

    def _enter(self, node: Node, values: Values, exact: fmpq) -> int:
        self._known[node] = len(self.nodes)
        self.nodes.append(node)
        self.values.append(values)
        self.exact.append(exact)
        self.users.append(0)
        return len(self.nodes) - 1

    def made(self, kind: str, x: Reference, y: Reference) -> Reference:
        """The reference of a sum or product; a new node unless there is an equal one."""
        if x > y:
            x, y = y, x
        sign = x & 1 if kind == "add" else (x ^ y) & 1
        node = (kind, x ^ sign, y ^ sign) if kind == "add" else (kind, x & ~1, y & ~1)
        found = self._known.get(node)
        if found is None:
            a, b = self.value(node[1]), self.value(node[2])
            p, q = self.exact_value(node[1]), self.exact_value(node[2])
            values, exact = ((a + b) % PRIME, p + q) if kind == "add" else (a * b % PRIME, p * q)
            found = self._enter(node, values, exact)
        return 2 * found ^ sign

    def number(self, value: fmpq) -> Reference:
        """The reference of an exact number."""
        size = Fraction(abs(int(value.p)), int(value.q))
        node = ("number", size)
        found = self._known.get(node)
        if found is None:
            found = self._enter(node, np.full(POINTS, residue(size), dtype=np.uint64), abs(value))
        return 2 * found ^ int(value < 0)

    def value(self, reference: Reference) -> Values:
        value = self.values[reference >> 1]
        return (PRIME - value) % PRIME if reference & 1 else value

    def exact_value(self, reference: Reference) -> fmpq:
        value = self.exact[reference >> 1]
        return -value if reference & 1 else value

    def counts(self, node: int) -> float:
        """What the operation of a node costs."""
        kind = self.nodes[node][0]
        if kind == "add":
            return self.price.addition
        return self.price.multiplication if kind in ("mul", "div") else 0.0

    def operands(self, node: int) -> Sequence[Reference]:
        kind, *rest = self.nodes[node]
        return () if kind in LEAVES else rest

    def alive(self) -> list[int]:
        """The nodes that the outputs need, operands before users."""
        order: list[int] = []
        done: set[int] = set()
        stack = [(reference >> 1, False) for reference in reversed(self.outputs)]
        while stack:
            node, ready = stack.pop()
            if node in done:
                continue
            operands = self.operands(node)
            if ready or not operands:
                done.add(node)
                order.append(node)
            else:
                stack.append((node, True))
                stack += [(operand >> 1, False) for operand in operands if operand >> 1 not in done]
        return order

    def recount(self) -> None:
        """How often the nodes are used, by nodes that are alive and by outputs."""
        self.order = self.alive()
        self.users = [0] * len(self.nodes)
        self.wiring: list[tuple[int, int, int]] = []  # nodes with their first and last operands
        for node in self.order:
            operands = self.operands(node)
            for operand in operands:
                self.users[operand >> 1] += 1
            if operands:
                self.wiring.append((node, operands[0] >> 1, operands[-1] >> 1))
        for reference in self.outputs:
            self.users[reference >> 1] += 1

    def freed(self, node: int, kept: Sequence[int] = ()) -> float:
        """The price of the operations that are gone with a node, itself included, while others are kept."""
        left: dict[int, int] = {}
        size, stack = 0.0, [node]
        while stack:
            gone = stack.pop()
            size += self.counts(gone)
            for operand in self.operands(gone):
                child = operand >> 1
                rest = left.get(child)
                if rest is None:
                    rest = self.users[child] + (child in kept)
                left[child] = rest - 1
                if rest == 1:
                    stack.append(child)
        return size

    def dependent(self, node: int) -> set[int]:
        """The node and everything alive that needs it."""
        found = {node}
        for other, one, two in self.wiring:
            if one in found or two in found:
                found.add(other)
        return found

    def replace(self, node: int, made: Reference) -> None:
        """Every user of the node uses `made` instead."""
        for other in self.order:
            operands = self.operands(other)
            if any(operand >> 1 == node for operand in operands):
                fresh = [made ^ (operand & 1) if operand >> 1 == node else operand for operand in operands]
                self.nodes[other] = (self.nodes[other][0], *fresh)
        self.outputs = [made ^ (r & 1) if r >> 1 == node else r for r in self.outputs]
        self.recount()
        self._known = {self.nodes[k]: k for k in self.order}

    def to_program(self) -> Program:
        """The circuit as a program, folded and ordered afresh."""
        graph = Graph()
        places: dict[int, Reference] = {}
        for node in self.order:
            kind, *rest = self.nodes[node]
            if kind == "input":
                places[node] = graph.input(*rest)
            elif kind == "number":
                places[node] = graph.number(rest[0])
            else:
                signed = [places[r >> 1] if not r & 1 else graph.negated(places[r >> 1]) for r in rest]
                places[node] = getattr(graph, kind)(*signed)
        wanted = iter(self.outputs)
        outputs = {}
        for output in self.program.outputs:
            references = [next(wanted) for _ in output.values]
            signed = [graph.negated(places[r >> 1]) if r & 1 else places[r >> 1] for r in references]
            outputs[output.name] = (output.shape, signed)
        return linearize(graph, self.program.name, self.program.inputs, outputs)


def as_graph(program: Program) -> tuple[Graph, list[Reference]]:
    """The graph of a program, and the references of its outputs, flat."""
    graph = Graph()
    places = [graph.input(entry.name, k) for entry in program.inputs for k in range(entry.size)]
    places += [graph.number(constant) for constant in program.constants]
    for instruction in program.code:
        a = places[instruction.a]
        if instruction.kind in ("sin", "cos", "sign"):
            places.append(getattr(graph, instruction.kind)(a))
        elif instruction.kind == "neg":
            places.append(graph.negated(a))
        else:
            b = places[instruction.b]
            if instruction.kind == "sub":
                places.append(graph.add(a, graph.negated(b)))
            else:
                places.append(getattr(graph, instruction.kind)(a, b))
    return graph, [places[k] for output in program.outputs for k in output.values]


def _values(
    circuit: Circuit,
    node: Node,
    source: Random,
    turns: dict[Reference, tuple[tuple[Values, Values], tuple[fmpq, fmpq]]],
) -> tuple[Values, fmpq]:
    kind, *rest = node
    if kind == "input":
        return _array([source.randrange(1, PRIME) for _ in range(POINTS)]), fmpq(source.randrange(1, 1000), 997)
    if kind == "number":
        value = rest[0]
        return _array([residue(value)] * POINTS), fmpq(value.numerator, value.denominator)
    if kind in ("sin", "cos"):
        if rest[0] not in turns:
            pairs = [_turn(source) for _ in range(POINTS)]
            t = fmpq(source.randrange(1, 1000), 997)
            exact = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
            turns[rest[0]] = (_array([c for c, _ in pairs]), _array([s for _, s in pairs])), exact
        values, exact = turns[rest[0]]
        return values[kind == "sin"], exact[kind == "sin"]
    if kind == "sign":  # which no prime has: a value of its own
        return _array([source.randrange(1, PRIME) for _ in range(POINTS)]), fmpq(source.randrange(1, 1000), 991)
    x, y = (circuit.value(reference) for reference in rest)
    p, q = (circuit.exact_value(reference) for reference in rest)
    if kind == "div":
        return x * inverses(y) % PRIME, p / q
    return ((x + y) % PRIME, p + q) if kind == "add" else (x * y % PRIME, p * q)


def _array(values: list[int]) -> Values:
    return np.array(values, dtype=np.uint64)


def residue(value: Fraction) -> int:
    """A fraction modulo the prime."""
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME


def _turn(source: Random) -> tuple[int, int]:
    """A random point of the unit circle modulo the prime."""
    while True:
        t = source.randrange(2, PRIME)
        if (one := (1 + t * t) % PRIME) != 0:
            inverse = pow(one, -1, PRIME)
            return (1 - t * t) * inverse % PRIME, 2 * t * inverse % PRIME


def inverses(values: Values) -> Values:
    """Elementwise inverses modulo the prime, by Fermat; zero for zero."""
    result = np.ones_like(values)
    base, exponent = values % PRIME, PRIME - 2
    while exponent:
        if exponent & 1:
            result = result * base % PRIME
        base = base * base % PRIME
        exponent >>= 1
    return result

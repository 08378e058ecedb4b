"""A program as a circuit that can be rewired, with the values of its nodes at random points modulo a prime."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
from numpy.typing import NDArray

from emdeg.program import Graph, Program, Reference, linearize
from emdeg.program.graph import Node

PRIME = 2**31 - 1
POINTS = 4
Values = NDArray[np.uint64]
LEAVES = ("input", "number")


@dataclass
class Circuit:
    """Nodes with signed operands (twice the node, plus one if negated), rewired in place; outputs likewise.

    `values` holds each node's residues at the points: two nodes with equal values are equal but for a chance of about
    2^-124 in each comparison. What comes out is proven apart, modulo larger primes.
    """

    program: Program
    nodes: list[Node]
    values: list[Values]
    outputs: list[Reference]

    @staticmethod
    def of(program: Program, seed: int = 0) -> "Circuit":
        graph, outputs = as_graph(program)
        source = Random(seed)
        circuit = Circuit(program, [], [], outputs)
        turns: dict[Reference, tuple[Values, Values]] = {}
        for node in graph.nodes:
            circuit.nodes.append(node)
            circuit.values.append(_value(circuit, node, source, turns))
        return circuit

    def add_node(self, node: Node) -> int:
        """A new node; the number of an equal one if there is one."""
        if node in self.nodes:
            return self.nodes.index(node)
        self.nodes.append(node)
        self.values.append(self.operation(node))
        return len(self.nodes) - 1

    def value(self, reference: Reference) -> Values:
        value = self.values[reference >> 1]
        return (PRIME - value) % PRIME if reference & 1 else value

    def operation(self, node: Node) -> Values:
        kind, a, b = node
        x, y = self.value(a), self.value(b)
        return (x + y) % PRIME if kind == "add" else x * y % PRIME

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

    def operands(self, node: int) -> Sequence[Reference]:
        kind, *rest = self.nodes[node]
        return () if kind in LEAVES else rest

    def to_program(self) -> Program:
        """The circuit as a program, folded and ordered afresh."""
        graph = Graph()
        places: dict[int, Reference] = {}
        for node in self.alive():
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


def _value(
    circuit: Circuit,
    node: Node,
    source: Random,
    turns: dict[Reference, tuple[Values, Values]],
) -> Values:
    kind, *rest = node
    if kind == "input":
        return _array([source.randrange(1, PRIME) for _ in range(POINTS)])
    if kind == "number":
        return _array([residue(rest[0])] * POINTS)
    if kind in ("sin", "cos"):
        if rest[0] not in turns:
            pairs = [_turn(source) for _ in range(POINTS)]
            turns[rest[0]] = (_array([c for c, _ in pairs]), _array([s for _, s in pairs]))
        return turns[rest[0]][kind == "sin"]
    if kind == "sign":  # which no prime has: a value of its own
        return _array([source.randrange(1, PRIME) for _ in range(POINTS)])
    if kind == "div":
        divisor = circuit.value(rest[1])
        return circuit.value(rest[0]) * inverses(divisor) % PRIME
    return circuit.operation(node)


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

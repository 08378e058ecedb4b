"""From a graph to a program: what the outputs need, in order, with signs put where they cost least."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from emdeg.program.graph import Graph, Reference
from emdeg.program.program import Input, Instruction, Output, Program
from emdeg.program.rewriting import needed


def linearize(
    graph: Graph,
    name: str,
    inputs: Sequence[Input],
    outputs: Mapping[str, tuple[tuple[int, ...], Sequence[Reference]]],
) -> Program:
    """The program that computes `outputs`, name -> (shape, references); nothing that they don't need is in it."""
    return _Linearizer(graph, inputs).program(name, outputs)


class _Linearizer:
    def __init__(self, graph: Graph, inputs: Sequence[Input]) -> None:
        self.graph = graph
        self.inputs = tuple(inputs)
        self.constants: dict[Fraction, int] = {}
        self.code: list[Instruction] = []
        self.places: dict[int, int] = {}
        self.negated: dict[int, int] = {}

    def program(self, name: str, outputs: Mapping[str, tuple[tuple[int, ...], Sequence[Reference]]]) -> Program:
        wanted = [reference for _, references in outputs.values() for reference in references]
        nodes = needed(self.graph, wanted)
        self._place_leaves(nodes, wanted)
        for node in nodes:
            if node not in self.places:
                self.places[node] = self._emit(self.graph.nodes[node])
        made = [
            Output(label, shape, tuple(self._signed(reference) for reference in references))
            for label, (shape, references) in outputs.items()
        ]
        return Program(name, self.inputs, tuple(self.constants), tuple(self.code), tuple(made))

    def _place_leaves(self, nodes: Sequence[int], wanted: Sequence[Reference]) -> None:
        """Number the inputs and constants; a constant that is only used negated is stored so."""
        starts: dict[str, int] = {}
        total = 0
        for vector in self.inputs:
            starts[vector.name] = total
            total += vector.size
        for node in nodes:
            entry = self.graph.nodes[node]
            if entry[0] == "input":
                self.places[node] = starts[entry[1]] + entry[2]
            elif entry[0] == "number":
                self.places[node] = total + self.constants.setdefault(entry[1], len(self.constants))
        for reference in wanted:
            entry = self.graph.nodes[reference >> 1]
            if entry[0] == "number" and reference & 1:
                place = self.constants.setdefault(-entry[1], len(self.constants))
                self.negated[reference >> 1] = total + place
        self.start = total + len(self.constants)

    def _emit(self, node: tuple) -> int:  # type: ignore[type-arg]
        kind, *operands = node
        if kind == "add":
            a, b = operands  # a is positive
            return self._push(Instruction("sub" if b & 1 else "add", self.places[a >> 1], self.places[b >> 1]))
        places = [self.places[operand >> 1] for operand in operands]
        return self._push(Instruction(kind, *places))

    def _push(self, instruction: Instruction) -> int:
        self.code.append(instruction)
        return self.start + len(self.code) - 1

    def _signed(self, reference: Reference) -> int:
        """The place of an output, negated by an instruction of its own where needed."""
        node = reference >> 1
        if not reference & 1:
            return self.places[node]
        if node not in self.negated:
            self.negated[node] = self._push(Instruction("neg", self.places[node]))
        return self.negated[node]

"""Friction in programs that were made without it: it adds to torques, and shares nothing with the dynamics."""

from typing import Any

from emdeg.compiler.circuit import as_graph
from emdeg.compiler.constants import Constant
from emdeg.compiler.numbers import NumericRobot
from emdeg.program import Graph, Program, Reference, linearize
from emdeg.program.rewriting import copied

Arrays = dict[str, tuple[tuple[int, ...], list[Reference]]]


def with_friction(program: Program, robot: NumericRobot) -> Program:
    """The program with viscous and Coulomb friction of each joint in its torques, or taken off those that are given."""
    graph, outputs = as_graph(program)
    viscous = [_number(graph, value) for value, _ in robot.friction]
    coulomb = [_number(graph, value) for _, value in robot.friction]
    rates = [graph.input("qd", k) for k in range(len(viscous))]
    felt = [
        graph.add(graph.mul(f, rate), graph.mul(c, graph.sign(rate)))
        for f, c, rate in zip(viscous, coulomb, rates, strict=True)
    ]
    whole = iter(outputs)
    arrays: Arrays = {}
    for output in program.outputs:
        references = [next(whole) for _ in output.values]
        if output.name == "tau":
            references = [graph.add(x, y) for x, y in zip(references, felt, strict=True)]
        elif output.name == "dtau_dqd":
            for k, f in enumerate(viscous):
                references[k * (len(felt) + 1)] = graph.add(references[k * (len(felt) + 1)], f)
        arrays[output.name] = (output.shape, references)
    if any(entry.name == "tau" for entry in program.inputs):
        graph, arrays = _taken_off(graph, felt, arrays)
    return linearize(graph, program.name, program.inputs, arrays)


def _taken_off(graph: Graph, felt: list[Reference], arrays: Arrays) -> tuple[Graph, Arrays]:
    """The same outputs, with the given torques less these."""
    target = Graph()
    given = [graph.input("tau", k) for k in range(len(felt))]
    felt = copied(graph, felt, target, {})
    less = [target.add(target.input("tau", k), target.negated(x)) for k, x in enumerate(felt)]
    put = {reference >> 1: x for reference, x in zip(given, less, strict=True)}
    return target, {name: (shape, copied(graph, x, target, put)) for name, (shape, x) in arrays.items()}


def _number(graph: Graph, value: Any) -> Reference:
    """A fraction, or a constant written out."""
    if isinstance(value, Constant):
        return copied(value.parameters.graph, [value.reference], graph, {})[0]
    return graph.number(value)

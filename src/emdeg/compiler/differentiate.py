"""Derivatives of a graph by forward differentiation, into the same graph, so that all that is equal is shared."""

from emdeg.program import Graph, Reference
from emdeg.program.rewriting import needed


def differentiate(graph: Graph, outputs: list[Reference], variable: Reference) -> list[Reference]:
    """The derivatives of references with respect to an input."""
    known: dict[int, Reference] = {variable >> 1: graph.number(1)}
    for node in needed(graph, outputs):
        if node not in known:
            known[node] = _derivative(graph, node, known)
    return [graph.negated(known[r >> 1]) if r & 1 else known[r >> 1] for r in outputs]


def _derivative(graph: Graph, node: int, known: dict[int, Reference]) -> Reference:
    kind, *operands = graph.nodes[node]
    if kind in ("input", "number", "sign"):  # a sign has no slope but where it jumps
        return graph.zero
    slopes = [graph.negated(known[r >> 1]) if r & 1 else known[r >> 1] for r in operands]
    if kind == "add":
        return graph.add(*slopes)
    x = operands[0]
    if kind == "sin":
        return graph.mul(graph.cos(x), slopes[0])
    if kind == "cos":
        return graph.negated(graph.mul(graph.sin(x), slopes[0]))
    y = operands[1]
    if kind == "mul":
        return graph.add(graph.mul(slopes[0], y), graph.mul(x, slopes[1]))
    quotient = graph.div(x, y)
    return graph.div(graph.add(slopes[0], graph.negated(graph.mul(quotient, slopes[1]))), y)

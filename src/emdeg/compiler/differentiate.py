"""Derivatives of a graph by forward differentiation, into the same graph, so that all that is equal is shared."""

from collections.abc import Mapping

from emdeg.program import Graph, Reference


def slopes(graph: Graph, variable: Reference) -> dict[int, Reference]:
    """What is known at first of the derivatives with respect to an input: its own."""
    return {variable >> 1: graph.number(1)}


def differentiate(graph: Graph, outputs: list[Reference], known: dict[int, Reference]) -> list[Reference]:
    """The derivatives of references; those found on the way are added to the `slopes` that are known."""
    for node in _below(graph, [reference >> 1 for reference in outputs], known):
        known[node] = _derivative(graph, node, known)
    return [graph.negated(known[r >> 1]) if r & 1 else known[r >> 1] for r in outputs]


def _below(graph: Graph, wanted: list[int], known: Mapping[int, Reference]) -> list[int]:
    """The nodes that the wanted ones need and that are not known yet, in order."""
    seen: set[int] = set()
    stack = list(wanted)
    while stack:
        node = stack.pop()
        if node not in seen and node not in known:
            seen.add(node)
            kind, *operands = graph.nodes[node]
            if kind not in ("input", "number"):
                stack += [operand >> 1 for operand in operands]
    return sorted(seen)


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

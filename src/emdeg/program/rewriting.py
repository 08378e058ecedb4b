"""Graphs copied into graphs, with nodes replaced on the way."""

from collections.abc import Iterable, Mapping, Sequence

from emdeg.program.graph import Graph, Reference

LEAVES = ("input", "number")


def needed(graph: Graph, wanted: Iterable[Reference]) -> list[int]:
    """The nodes that references need, operands before their users: a graph's nodes are in order already."""
    marked: set[int] = set()
    stack = [reference >> 1 for reference in wanted]
    while stack:
        node = stack.pop()
        if node not in marked:
            marked.add(node)
            kind, *operands = graph.nodes[node]
            if kind not in LEAVES:
                stack += [operand >> 1 for operand in operands]
    return sorted(marked)


def copied(
    source: Graph, wanted: Sequence[Reference], target: Graph, replaced: Mapping[int, Reference]
) -> list[Reference]:
    """The wanted references in another graph, folded anew; `replaced` gives nodes of the source that stand there."""
    places: dict[int, Reference] = {}

    def placed(reference: Reference) -> Reference:
        place = places[reference >> 1]
        return target.negated(place) if reference & 1 else place

    for node in needed(source, wanted):
        kind, *operands = source.nodes[node]
        if node in replaced:
            places[node] = replaced[node]
        elif kind in LEAVES:
            places[node] = getattr(target, kind)(*operands)
        else:
            places[node] = getattr(target, kind)(*(placed(operand) for operand in operands))
    return [placed(reference) for reference in wanted]

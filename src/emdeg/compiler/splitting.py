"""A program with free parameters as two: what depends on the parameters alone, run once, and what sees the state."""

from emdeg.compiler.circuit import as_graph
from emdeg.compiler.constants import PARAMETERS
from emdeg.program import Cost, Graph, Input, Program, linearize
from emdeg.program.rewriting import LEAVES, copied, needed

CONSTANTS = "constants"
"""The output of the program of parameters, and the input of the state's program that takes it."""


def split(program: Program, names: tuple[str, ...] = ()) -> tuple[Program, Program]:
    """The program `<name>_constants` (parameters -> constants), and the one that takes these constants in their place.

    `names` become the labels of the parameters. Where nothing depends on these there are no constants, and the second
    program takes none.
    """
    graph, outputs = as_graph(program)
    fixed = _fixed(graph)
    found: dict[int, None] = {}
    for node in needed(graph, outputs):
        kind, *operands = graph.nodes[node]
        if node not in fixed and kind not in LEAVES:
            found |= dict.fromkeys(operand >> 1 for operand in operands if operand >> 1 in fixed)
    found |= dict.fromkeys(reference >> 1 for reference in outputs if reference >> 1 in fixed)
    given = [Input(PARAMETERS, entry.size, names) for entry in program.inputs if entry.name == PARAMETERS]
    others = [entry for entry in program.inputs if entry.name != PARAMETERS]
    wanted = {CONSTANTS: ((len(found),), [2 * node for node in found])}
    constants = linearize(graph, f"{program.name}_{CONSTANTS}", given, wanted)
    target = Graph()
    replaced = {node: target.input(CONSTANTS, k) for k, node in enumerate(found)}
    references = iter(copied(graph, outputs, target, replaced))
    arrays = {output.name: (output.shape, [next(references) for _ in output.values]) for output in program.outputs}
    inputs = [*others, Input(CONSTANTS, len(found))] if found else others
    return constants, linearize(target, program.name, inputs, arrays)


def joined(constants: Program | None, state: Program) -> Program:
    """The one program, over parameters, that two make; without constants, the second one as it is."""
    if constants is None:
        return state
    graph, places = as_graph(constants)
    other, outputs = as_graph(state)
    replaced = {other.input(CONSTANTS, k) >> 1: place for k, place in enumerate(places)}
    references = iter(copied(other, outputs, graph, replaced))
    arrays = {output.name: (output.shape, [next(references) for _ in output.values]) for output in state.outputs}
    inputs = [entry for entry in state.inputs if entry.name != CONSTANTS]
    return linearize(graph, state.name, [*inputs, *constants.inputs], arrays)


def running_cost(program: Program) -> Cost:
    """What one state costs: all of a program but what depends on parameters alone."""
    if not any(entry.name == PARAMETERS for entry in program.inputs):
        return program.cost
    free = [entry.name == PARAMETERS for entry in program.inputs for _ in range(entry.size)]
    seen = [not x for x in free] + [False] * len(program.constants)  # whether a value depends on the state
    code = []
    for step in program.code:
        depends = seen[step.a] or (step.b >= 0 and seen[step.b])
        seen.append(depends)
        if depends:
            code.append(step)
    return Cost.of(code)


def _fixed(graph: Graph) -> set[int]:
    """The nodes that depend on parameters and on nothing else but numbers."""
    fixed: set[int] = set()
    numbers: set[int] = set()
    for node, (kind, *operands) in enumerate(graph.nodes):
        if kind == "number":
            numbers.add(node)
        elif kind == "input":
            if operands[0] == PARAMETERS:
                fixed.add(node)
        else:
            below = {operand >> 1 for operand in operands}
            if below <= fixed | numbers:
                fixed.add(node)
    return fixed

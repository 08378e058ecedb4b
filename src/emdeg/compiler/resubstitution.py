"""Algebraic resubstitution: a node computed anew from others that are there, wherever that leaves fewer operations.

A node t is written as another node, x + k, k x, x y, x ± y, x + k y, (x + k) y, x ± y z, (x ± y) z and so on with nodes
x, y, z and any number k, up to two products or sums of pairs combined; the expression that leaves the fewest operations
is taken. What leaves as many is taken now and then, which opens ways that were closed.
"""

from collections.abc import Callable, Iterable
from random import Random

import numpy as np

from emdeg.compiler.circuit import Circuit
from emdeg.compiler.matching import Expression, Matcher, built
from emdeg.compiler.price import PRICES, Price
from emdeg.program import Program

DRIFT = 5
"""How far from the best, in what is no loss, a round sideways may lead."""
SIDEWAYS = 0.15
"""How often an expression that only leaves as many operations is taken, in rounds that allow it."""


def resubstitute(
    program: Program,
    *,
    rounds: int,
    deep: bool,
    progress: Callable[[str], None],
    seed: int = 0,
    patience: int = 0,
    accept: Callable[[Program], bool] = lambda program: True,
    price: Price = PRICES["operations"],
) -> Program:
    """The program with fewer operations, or as it was; the same for the same seed; when interrupted, the best so far.

    `deep` also combines two pairs (slower); `patience` is how many rounds in a row may go sideways without a gain;
    what `accept` refuses, for its rounding errors say, is left.
    """
    source = Random(seed)
    best = current = program
    idle = 0
    try:
        for step in range(rounds):
            circuit = Circuit(current, price, seed=source.randrange(2**30))
            _round(circuit, source, deep=deep, sideways=SIDEWAYS if idle else 0.0)
            found = circuit.to_program()
            if price.total(found) < price.total(best) and accept(found):
                best = current = found
                idle = 0
                progress(f"{best.name}: {best.cost.total} operations after resubstitution {step + 1}")
                continue
            idle += 1
            if idle > patience:
                break
            near = price.total(found) <= price.total(best) + DRIFT * price.slack
            current = found if near and accept(found) else best
    except KeyboardInterrupt:
        progress(f"{best.name}: interrupted, keeping {best.cost.total} operations")
    return best


def _round(circuit: Circuit, source: Random, *, deep: bool, sideways: float) -> None:
    """One pass over the nodes of a circuit, those that free most first, or in any order when going sideways."""
    matcher = Matcher(circuit)
    nodes = [node for node in matcher.members if circuit.counts(node)]
    if sideways:
        source.shuffle(nodes)
    else:
        nodes.sort(key=lambda node: -circuit.freed(node))
    for node in nodes:
        if circuit.users[node]:
            _improve(circuit, matcher, node, source, deep=deep, sideways=sideways)


def _improve(circuit: Circuit, matcher: Matcher, node: int, source: Random, *, deep: bool, sideways: float) -> None:
    """Rewrite one node by the expression that leaves the cheapest circuit."""
    price = circuit.price
    least = -price.slack if source.random() < sideways else price.slack / 100 + 1e-9
    freed = circuit.freed(node)
    room = int((freed - least) / min(price.addition, price.multiplication))
    needing = circuit.dependent(node)
    usable = np.array([circuit.users[other] > 0 and other not in needing for other in matcher.members])

    def gains(expressions: Iterable[Expression]) -> list[tuple[float, Expression]]:
        """The expressions that gain at least so much, with what they do."""
        priced = [(way.cost(price), way) for way in expressions]
        found = [(circuit.freed(node, way.parts) - cost, way) for cost, way in priced if freed - cost >= least]
        return [(gain, way) for gain, way in found if gain >= least]

    ways = gains(matcher.shallow(node, usable, room))
    if deep and room >= 3 and not any(gain > price.slack for gain, _ in ways):
        ways += gains(matcher.deep(node, usable, source))
    if ways:
        most = max(gain for gain, _ in ways) - price.slack
        made = built(circuit, source.choice([way.form for gain, way in ways if gain >= most]), node)
        if made is not None and made >> 1 != node:
            circuit.replace(node, made)

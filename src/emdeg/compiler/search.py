"""The search for the cheapest program: over the decisions of a plan, first downhill, then by annealing."""

import math
from collections.abc import Callable
from random import Random

from emdeg.compiler.plan import MENU, Plan
from emdeg.compiler.splitting import running_cost
from emdeg.program import Program

Build = Callable[[Plan], Program]


def descend(build: Build, plan: Plan, cost: Callable[[Program], float], passes: int = 3) -> tuple[Plan, Program]:
    """From a plan downhill, one decision at a time, from the tip to the base, until nothing helps."""
    best = build(plan)
    for _ in range(passes):
        before = cost(best)
        for k in reversed(range(len(plan.gauge))):
            for what, values in MENU:
                for value in values:
                    other = plan.changed(k, what, value)
                    if other != plan and cost(program := build(other)) < cost(best):
                        plan, best = other, program
        if cost(best) == before:
            break
    return plan, best


def anneal(
    build: Build,
    plan: Plan,
    cost: Callable[[Program], float],
    *,
    steps: int,
    seed: int,
    progress: Callable[[str], None],
) -> tuple[Plan, Program]:
    """Simulated annealing from a plan; deterministic for a seed; what is best so far is kept when interrupted."""
    source = Random(seed)
    current = build(plan)
    best_plan, best = plan, current
    try:
        for step in range(steps):
            other = _moved(plan, source)
            program = build(other)
            worse = cost(program) - cost(current)
            heat = 6 * (1 - step / steps) + 0.2
            if worse <= 0 or source.random() < math.exp(-worse / heat):
                plan, current = other, program
                if cost(current) < cost(best):
                    best_plan, best = plan, current
                    progress(f"{best.name}: {cost(best):g} after {step + 1} of {steps} trials")
    except KeyboardInterrupt:
        progress(f"{best.name}: interrupted, keeping {cost(best):g}")
    return best_plan, best


def _moved(plan: Plan, source: Random) -> Plan:
    for _ in range(source.choice((1, 1, 2))):
        k = source.randrange(len(plan.gauge))
        what, values = MENU[source.randrange(len(MENU))]
        plan = plan.changed(k, what, source.choice(values))
    return plan


def operations(program: Program) -> float:
    """The cost of a state that is minimised: multiplications and additions, then sine-cosine pairs."""
    cost = running_cost(program)
    return cost.total + 0.01 * cost.sincos

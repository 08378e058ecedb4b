"""The search for the cheapest plan: first downhill, then by annealing."""

import math
from collections.abc import Callable
from random import Random

from emdeg.compiler.plan import MENU, Plan

Cost = Callable[[Plan], float]


def descend(cost: Cost, plan: Plan, passes: int = 3) -> Plan:
    """From a plan downhill, one decision at a time, from the tip to the base, until nothing helps."""
    least = cost(plan)
    for _ in range(passes):
        before = least
        for k in reversed(range(len(plan.gauge))):
            for what, values in MENU:
                for value in values:
                    other = plan.changed(k, what, value)
                    if other != plan and (found := cost(other)) < least:
                        plan, least = other, found
        if least == before:
            break
    return plan


def anneal(cost: Cost, plan: Plan, *, steps: int, seed: int, progress: Callable[[str], None]) -> Plan:
    """Simulated annealing from a plan; deterministic for a seed; what is best so far is kept when interrupted."""
    source = Random(seed)
    current = least = cost(plan)
    best = plan
    try:
        for step in range(steps):
            other = _moved(plan, source)
            found = cost(other)
            heat = 6 * (1 - step / steps) + 0.2
            if found <= current or source.random() < math.exp((current - found) / heat):
                plan, current = other, found
                if current < least:
                    best, least = plan, current
                    progress(f"{least:g} operations after {step + 1} of {steps} trials")
    except KeyboardInterrupt:
        progress(f"interrupted, keeping {least:g} operations")
    return best


def _moved(plan: Plan, source: Random) -> Plan:
    for _ in range(source.choice((1, 1, 2))):
        k = source.randrange(len(plan.gauge))
        what, values = MENU[source.randrange(len(MENU))]
        plan = plan.changed(k, what, source.choice(values))
    return plan

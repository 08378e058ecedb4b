"""The search for the cheapest factoring of a closed form: one decision after the other, then at random."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from emdeg.compiler.factoring import Factoring
from emdeg.compiler.plan import Plan
from emdeg.compiler.recorder import Recorder
from emdeg.compiler.task import Task

TORQUES = frozenset({"inverse_dynamics", "bias", "gravity"})
"""Functions that may go through absolute angles."""
MASS = frozenset({"mass_matrix", "forward_dynamics", "kinetic_energy"})
"""Functions that may take A from the closed form and the rest from recursions."""
EXPLICIT = frozenset({"explicit_model", "explicit_model_absolute"})
ELEMENTS = EXPLICIT | {"coriolis_matrix"}
CLOSED = TORQUES | ELEMENTS | {"mass_matrix"}
"""Functions that the closed form gives alone."""
JOINTS = 7
LARGEST = 8_000
"""Joints, and terms of A, above which a closed form is not tried."""
QUICK = 2_000
"""Terms of A up to which a factoring takes a fraction of a second."""
WORK = 60_000
"""Terms of A in all factorings together that are drawn at random."""
HOPELESS = 1.5
"""How much dearer than recursions a first factoring is where no other is tried."""
MENU: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("ties", ((0,), (2,), (3,))),
    ("dearest", ((3,), (10,), (0,))),
    ("squares", (("cosine",),)),
    ("ties", ((0,), (4,), (5,), (6,), (7,))),
)
"""What is tried for all levels alike."""
DRAWN: tuple[tuple[str, Sequence[Any]], ...] = (
    ("ties", range(10**6)),
    ("ties", range(10**6)),
    ("dearest", (0, 2, 3, 4, 5, 6, 8, 10, 15)),
    ("squares", ("sine", "cosine")),
    ("order", ()),
)
"""What is drawn for one level at random."""


def plans(wanted: Task, plan: Plan) -> Iterator[Plan]:
    """The ways in which closed forms may serve the functions of a task, over the decisions of a plan."""
    functions = set(wanted.functions)
    if len(wanted.robot.tree) > JOINTS:
        return
    first = Factoring()
    if functions <= CLOSED:
        yield replace(plan, closed=first)
    if functions & TORQUES and functions <= CLOSED:
        yield replace(plan, closed=replace(first, absolute=True))
    if functions & MASS and functions <= TORQUES | MASS and functions != {"mass_matrix"}:
        yield replace(plan, closed=first, hybrid=True)


def factored(wanted: Task, plan: Plan, *, trials: int, seed: int, progress: Callable[[str], None]) -> Iterator[Plan]:
    """Plans by closed forms over the decisions of a plan, each kind's best; `trials`: how many are drawn at random.

    The same for the same seed; what is best so far is kept when interrupted.
    """
    recorder = wanted.recorder()
    elements = set(wanted.functions) <= ELEMENTS
    most = LARGEST if trials or elements or wanted.functions == ("gravity",) else QUICK
    for start in plans(wanted, plan):
        if recorder.form.size > most:
            return
        hopeless = not elements and recorder.cost(start) > HOPELESS * recorder.cost(plan)
        if hopeless or (recorder.form.size > QUICK and not trials):
            yield start
        else:
            yield _best(recorder, start, min(trials, WORK // recorder.form.size), Random(seed), progress)


def alone(wanted: Task) -> bool:
    """Whether closed forms are by far the cheapest, so that recursions need no search."""
    few = len(wanted.robot.tree) <= JOINTS
    return few and set(wanted.functions) <= ELEMENTS and wanted.recorder().form.size <= LARGEST


def _best(recorder: Recorder, plan: Plan, trials: int, source: Random, progress: Callable[[str], None]) -> Plan:
    least = recorder.cost(plan)
    try:
        for what, values in MENU:
            for value in values:
                other = changed(plan, what, value)
                if (cost := recorder.cost(other)) < least:
                    plan, least = other, cost
        for _ in range(trials):
            other = drawn(plan, recorder.form.levels, source)
            if (cost := recorder.cost(other)) <= least:
                if cost < least:
                    progress(f"{cost:g} operations by a closed form")
                plan, least = other, cost
    except KeyboardInterrupt:
        progress(f"interrupted, keeping {least:g} operations")
    return plan


def changed(plan: Plan, what: str, value: Any) -> Plan:
    assert plan.closed is not None
    changes: dict[str, Any] = {what: value}
    return replace(plan, closed=replace(plan.closed, **changes))


def drawn(plan: Plan, levels: int, source: Random) -> Plan:
    """A plan with one decision of a factoring made otherwise, at one level."""
    assert plan.closed is not None
    what, values = DRAWN[source.randrange(len(DRAWN))]
    k = source.randrange(levels)
    if what == "order":
        order = list(plan.closed.order or range(levels))
        other = source.randrange(levels)
        order[k], order[other] = order[other], order[k]
        return changed(plan, "order", tuple(order))
    decisions = getattr(plan.closed, what)
    row = [decisions[min(depth, len(decisions) - 1)] for depth in range(levels)]
    row[k] = source.choice(values)
    return changed(plan, what, tuple(row))

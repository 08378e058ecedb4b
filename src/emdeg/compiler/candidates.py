"""The search for the cheapest program of a task: plans, closed forms, resubstitution, each proven before it counts."""

from collections.abc import Callable, Iterator
from itertools import chain

from emdeg.compiler.built import Built
from emdeg.compiler.factorings import EXPLICIT, HOPELESS, alone, factored
from emdeg.compiler.plan import Plan
from emdeg.compiler.proof import prove
from emdeg.compiler.recorder import Memory
from emdeg.compiler.resubstitution import resubstitute
from emdeg.compiler.rounding import amplification
from emdeg.compiler.search import anneal, descend
from emdeg.compiler.splitting import joined, running_cost, split
from emdeg.compiler.task import Task
from emdeg.errors import ProofError
from emdeg.program import Program

Progress = Callable[[str], None]
SMALL = 150
"""Operations up to which resubstitution is quick enough for `fast`; MEDIUM where nothing else takes time."""
MEDIUM = 400
TRIALS = 4000
ROUNDS = 120
"""Rounds of resubstitution of a program of 300 operations when thorough; a round takes time as its square."""
FACTORINGS = 300
AMPLIFICATION = 10.0
"""How much worse than plain Newton-Euler a program may round."""


def cheapest(wanted: Task, known: list[Program], optimize: str, *, seed: int, progress: Progress) -> Built:
    """The cheapest of programs that are known and of those that are found; without a search as it is recorded."""
    plain = Plan.plain(len(wanted.robot.tree))
    reference = wanted.program(plain)
    best = Built(reference, prove(reference, wanted), "recorded")
    if optimize == "none":
        return best
    for program in chain(known, _candidates(wanted, plain, optimize == "thorough", seed, progress)):
        cheaper = _price(program, wanted) < _price(best.program, wanted)
        if cheaper and amplification(program, reference, wanted) <= AMPLIFICATION:
            try:
                best = Built(program, prove(program, wanted), "searched")
            except ProofError as error:  # resubstitution is checked modulo a small prime only: here it would show
                progress(f"rejected: {error}")
    return best


def _price(program: Program, wanted: Task) -> float:
    """What a state costs."""
    return wanted.price.total(split(program)[1] if wanted.options.parameters else program)


def _candidates(wanted: Task, plain: Plan, thorough: bool, seed: int, progress: Progress) -> Iterator[Program]:
    """Programs that may be the cheapest."""
    plan = plain
    starts: list[Program] = []
    if not alone(wanted):
        plan = _descended(wanted, plain)
        starts.append(wanted.program(plan))
        yield starts[0]
        progress(f"{starts[0].name}: {running_cost(starts[0]).total} operations downhill")
        if thorough:
            steps = TRIALS // max(1, len(plan.gauge) // 3)
            plan = anneal(wanted.recorder(Memory()).cost, plan, steps=steps, seed=seed, progress=progress)
            starts[0] = wanted.program(plan)
            yield starts[0]
    for other in factored(wanted, plan, trials=FACTORINGS if thorough else 0, seed=seed, progress=progress):
        starts.append(wanted.program(other))
        yield starts[-1]
    starts.sort(key=lambda program: _price(program, wanted))
    for recorded in starts:
        constants, seen = split(recorded) if wanted.options.parameters else (None, recorded)
        if thorough and seen.cost.total <= HOPELESS * running_cost(starts[0]).total:
            yield _resubstituted(seen, constants, wanted, plain, seed, progress)
        elif seen.cost.total <= SMALL or (seen.cost.total <= MEDIUM and alone(wanted)):
            fewer = resubstitute(seen, rounds=3, deep=False, progress=progress, price=wanted.price)
            yield joined(constants, fewer)


def _descended(wanted: Task, plain: Plan) -> Plan:
    """Downhill from a plan; where recording is slow, along another task first, where it is very slow, only that."""
    cost, guide = wanted.recorder(Memory()).cost, wanted.guide
    if guide is None:
        return descend(cost, plain)
    guided = descend(guide.recorder(Memory()).cost, plain)
    return guided if set(wanted.functions) <= EXPLICIT else descend(cost, guided, passes=1)


def _resubstituted(
    program: Program, constants: Program | None, wanted: Task, plain: Plan, seed: int, progress: Progress
) -> Program:
    """The program, with constants that another one gives, resubstituted for about a minute."""
    reference = wanted.program(plain)
    rounds = int(ROUNDS * min(5.0, (300 / max(1, program.cost.total)) ** 2))
    found = resubstitute(
        program,
        rounds=max(1, rounds),
        deep=False,
        progress=progress,
        seed=seed,
        patience=rounds,
        price=wanted.price,
        accept=lambda found: amplification(joined(constants, found), reference, wanted) <= AMPLIFICATION,
    )
    return joined(constants, found)

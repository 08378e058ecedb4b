"""From a robot and the names of functions to the cheapest program that was found and proven."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

from emdeg.compiler import store
from emdeg.compiler.factorings import EXPLICIT, HOPELESS, alone, factored
from emdeg.compiler.friction import with_friction
from emdeg.compiler.options import PLAIN, Options
from emdeg.compiler.plan import Plan
from emdeg.compiler.proof import Certificate, prove
from emdeg.compiler.recorder import Memory
from emdeg.compiler.resubstitution import resubstitute
from emdeg.compiler.rounding import amplification
from emdeg.compiler.search import anneal, descend
from emdeg.compiler.splitting import joined, running_cost, split
from emdeg.compiler.task import Task, task
from emdeg.errors import EmdegError, InputError, ProofError
from emdeg.program import Program
from emdeg.robot import Robot

Effort = Literal["none", "fast", "thorough"]
Progress = Callable[[str], None]
SMALL = 150
"""Operations up to which resubstitution is quick enough for `fast`; MEDIUM where nothing else takes time."""
MEDIUM = 400
TRIALS = 4000
ROUNDS = 60
"""Rounds of resubstitution of a program of 300 operations when thorough; a round takes time as its square."""
FACTORINGS = 300
AMPLIFICATION = 10.0
"""How much worse than plain Newton-Euler a program may round."""


@dataclass(frozen=True)
class Built:
    """A program, the proof that it is right, and where it comes from: recorded, searched, remembered or shipped."""

    program: Program
    certificate: Certificate
    origin: str


def build(
    robot: Robot,
    *functions: str,
    optimize: Effort = "fast",
    options: Options = PLAIN,
    seed: int = 0,
    progress: Progress = lambda step: None,
) -> Built:
    """The cheapest proven program for functions of a robot.

    `none` records as it stands; `fast` searches downhill; `thorough` anneals and resubstitutes, the same for the same
    seed, and keeps what is best so far when interrupted. With `options.parameters` the program takes these letters as
    an input, and is cheapest for a state: what depends on them alone costs nothing, as `split` puts it apart. Raises
    InputError for unknown functions, for letters without values, and for options that don't go with them.
    """
    if optimize not in ("none", "fast", "thorough"):
        raise InputError(f"there is no effort {optimize!r}", advice="choose none, fast, thorough")
    wanted = task(robot, *functions, options=options)
    if options.friction:  # the search does without
        bare = build(
            robot,
            *functions,
            optimize=optimize,
            options=replace(options, friction=False),
            seed=seed,
            progress=progress,
        )
        program = with_friction(bare.program, wanted.robot)
        return Built(program, prove(program, wanted), bare.origin)
    words = options.words(functions)
    if optimize != "none":
        for known in _stored(robot, words, optimize, wanted, progress):
            return known
    plain = Plan.plain(len(wanted.robot.tree))
    reference = wanted.program(plain)
    best = Built(reference, prove(reference, wanted), "recorded")
    if optimize == "none":
        return best
    usual = replace(options, minimize="operations").words(functions)
    others = list(_stored(robot, usual, optimize, wanted, progress)) if usual != words else []
    for program in chain((known.program for known in others), _candidates(wanted, plain, optimize, seed, progress)):
        cheaper = _price(program, wanted) < _price(best.program, wanted)
        if cheaper and amplification(program, reference, wanted) <= AMPLIFICATION:
            try:
                best = Built(program, prove(program, wanted), "searched")
            except ProofError as error:  # resubstitution is checked modulo a small prime only: here it would show
                progress(f"rejected: {error}")
    store.remember(robot, words, optimize, best.program)
    return best


def _price(program: Program, wanted: Task) -> float:
    """What a state costs."""
    return wanted.price.total(split(program)[1] if wanted.options.parameters else program)


def _stored(
    robot: Robot, words: tuple[str, ...], optimize: Effort, wanted: Task, progress: Progress
) -> Iterator[Built]:
    """What was found before, where it is proven still."""
    found = (("shipped", store.shipped(robot, words)), ("remembered", store.remembered(robot, words, optimize)))
    for origin, program in found:
        if program is not None:
            try:
                yield Built(program, prove(program, wanted), origin)
            except (EmdegError, KeyError, ValueError) as error:
                progress(f"{origin} program passed over: {error}")


def _candidates(wanted: Task, plain: Plan, optimize: Effort, seed: int, progress: Progress) -> Iterator[Program]:
    """Programs that may be the cheapest."""
    thorough, plan = optimize == "thorough", plain
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

"""Search long for the cheapest programs of a bundled robot, and keep them where they ship.

    python benchmarks/search.py puma560 inverse_dynamics mass_matrix mass_matrix,bias --seconds 120

For each function, or functions of one program joined by commas: plans at random around the best one, downhill, then
resubstitution. What is cheaper than what ships, proven and rounds no worse than ten times plain Newton-Euler, replaces
it in src/emdeg/robots/programs.
"""

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import monotonic

import emdeg
from emdeg.compiler import store
from emdeg.compiler.candidates import AMPLIFICATION
from emdeg.compiler.factorings import ELEMENTS, drawn, factored
from emdeg.compiler.plan import MENU, Plan
from emdeg.compiler.proof import prove
from emdeg.compiler.recorder import Memory
from emdeg.compiler.resubstitution import resubstitute
from emdeg.compiler.rounding import amplification
from emdeg.compiler.search import descend
from emdeg.compiler.task import Task, task
from emdeg.program import Program
from emdeg.version import __version__

PROGRAMS = Path(__file__).resolve().parent.parent / "src" / "emdeg" / "robots" / "programs"
WORTH = 9
"""Operations above the best start within which a plan is worth a resubstitution."""


def closed_starts(wanted: Task, seconds: float, seed: int) -> Iterator[Program]:
    """Programs of factorings at random around the best, as long as there is time."""
    source, end = Random(seed), monotonic() + seconds
    recorder = wanted.recorder()
    (base,) = factored(wanted, Plan.plain(len(wanted.robot.tree)), trials=300, seed=seed, progress=lambda step: None)
    yield wanted.program(base)
    best = recorder.cost(base)
    while monotonic() < end:
        plan = base
        for _ in range(source.choice((1, 1, 2))):
            plan = drawn(plan, recorder.form.levels, source)
        if (cost := recorder.cost(plan)) <= best + WORTH:
            base, best = (plan, cost) if cost < best else (base, best)
            yield wanted.program(plan)


def starts(wanted: Task, seconds: float, seed: int) -> Iterator[Program]:
    """Programs of plans at random around the best, as long as there is time; closed forms first."""
    if set(wanted.functions) <= ELEMENTS:
        yield from closed_starts(wanted, seconds, seed)
        return
    source, end = Random(seed), monotonic() + seconds
    n = len(wanted.robot.tree)
    trials = wanted.recorder(Memory())
    base = descend(trials.cost, Plan.plain(n))
    program = wanted.program(base)
    for plan in factored(wanted, base, trials=300, seed=seed, progress=lambda step: None):
        yield wanted.program(plan)
    yield program
    best, seen = program.cost.total, {base}
    while monotonic() < end:
        plan = base
        for _ in range(source.choice((2, 4, 8, 16))):
            what, values = MENU[source.randrange(len(MENU))]
            plan = plan.changed(source.randrange(n), what, source.choice(values))
        trials = wanted.recorder(Memory())  # a new one each time: what it remembers grows
        plan = descend(trials.cost, plan, passes=2)
        program = wanted.program(plan)
        if plan not in seen and program.cost.total <= best + WORTH:
            if program.cost.total < best:
                base, best = plan, program.cost.total
            yield program
        seen.add(plan)


def search(name: str, functions: tuple[str, ...], seconds: float, seed: int) -> None:
    """Search for one program, and keep it if it is cheaper than what ships."""
    robot = emdeg.load(name)
    wanted = task(robot, *functions)
    plain = wanted.program(Plan.plain(len(wanted.robot.tree)))
    known = store.shipped(robot, functions)
    least = known.cost.total if known else plain.cost.total + 1
    print(f"{name} {','.join(functions)}: {'nothing' if known is None else least} so far", flush=True)
    for start in starts(wanted, seconds, seed):
        program = resubstitute(start, rounds=200, patience=30, deep=False, progress=lambda step: None)
        if program.cost.total < least and amplification(program, plain, wanted) <= AMPLIFICATION:
            prove(program, wanted)
            least = program.cost.total
            keep(robot, functions, program)
            print(f"    {start.cost.total} -> {program.cost}", flush=True)


def keep(robot: emdeg.Robot, functions: tuple[str, ...], program: Program) -> None:
    """Write a program beside the others of its robot."""
    place = PROGRAMS / f"{robot.name}.json"
    record = json.loads(place.read_text()) if place.exists() else {"programs": {}}
    record["emdeg"] = __version__
    record["programs"][store.key(robot, functions)] = store.packed(program)
    PROGRAMS.mkdir(exist_ok=True)
    temporary = place.with_suffix(".part")
    temporary.write_text(json.dumps(record, separators=(",", ":")) + "\n")
    os.replace(temporary, place)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("functions", nargs="+")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for names in arguments.functions:
        search(arguments.robot, tuple(names.split(",")), arguments.seconds, arguments.seed)


if __name__ == "__main__":
    main()

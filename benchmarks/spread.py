"""How long single calls from Python take, each timed by itself: median, the slow ones, the slowest of a million.

    python benchmarks/spread.py
    python benchmarks/spread.py --robot panda --function mass_matrix --calls 100000

Two readings of the clock with nothing between are the first row: what the clock costs stands in every row, and what
else the machine does, interrupts and other processes, shows there as well. The garbage collector is off, as it would be
in a control loop. Where the package `pin` is installed, its call for the same function follows.
"""

import argparse
import gc
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any

import numpy as np
from robots import ROBOTS

import emdeg
from emdeg.cli.contest import arm, machine
from emdeg.compiler.numbers import numeric

SHARES = (0.5, 0.99, 0.999, 0.9999)
LONG = 10_000
"""Nanoseconds: what is slower is counted."""


def nothing(count: int) -> list[int]:
    clock, found = perf_counter_ns, [0] * count
    for k in range(count):
        start = clock()
        found[k] = clock() - start
    return found


def ours(function: Any, arguments: list[Any], out: Any, count: int) -> list[int]:
    clock, found = perf_counter_ns, [0] * count
    for k in range(count):
        start = clock()
        function(*arguments, out=out)
        found[k] = clock() - start
    return found


def theirs(call: Any, model: Any, data: Any, arguments: list[Any], count: int) -> list[int]:
    clock, found = perf_counter_ns, [0] * count
    for k in range(count):
        start = clock()
        call(model, data, *arguments)
        found[k] = clock() - start
    return found


def row(name: str, measure: Callable[[int], list[int]], count: int) -> None:
    measure(1000)
    gc.collect()
    gc.disable()
    times = np.sort(measure(count))
    gc.enable()
    cells = [f"{times[min(count - 1, int(share * count))]}" for share in SHARES]
    print(f"| {name} | {' | '.join(cells)} | {times[-1]} | {int((times > LONG).sum())} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robot", choices=["puma560", *ROBOTS], default="puma560")
    parser.add_argument("--function", default="inverse_dynamics")
    parser.add_argument("--calls", type=int, default=1_000_000)
    given = parser.parse_args()
    robot = emdeg.load(given.robot if given.robot == "puma560" else ROBOTS[given.robot]())
    function = emdeg.compile(robot, given.function)
    source = np.random.default_rng(0)
    arguments = [source.uniform(-1, 1, entry.size) for entry in function.program.inputs]
    results = tuple(np.empty(output.shape) for output in function.program.outputs)
    out = results[0] if len(results) == 1 else results
    print(f"{machine()}; nanoseconds of {given.calls} calls, each by itself\n")
    print(f"| call | median | 99 % | 99.9 % | 99.99 % | slowest | over {LONG // 1000} µs |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    row("the clock alone", nothing, given.calls)
    title = f"{given.robot}, {given.function}, `out=`"
    row(title, lambda count: ours(function, arguments, out, count), given.calls)
    try:
        import pinocchio

        from emdeg.cli.rival_pinocchio import CALLS, pinocchio_model
    except ImportError:
        print("\nPinocchio is not installed: pip install pin")
        return
    if given.function in CALLS:
        model = pinocchio_model(arm(numeric(robot)))
        data, call = model.createData(), getattr(pinocchio, CALLS[given.function])
        row(f"`pin.{CALLS[given.function]}`", lambda n: theirs(call, model, data, arguments, n), given.calls)
    row("the clock alone, again", nothing, given.calls)


if __name__ == "__main__":
    main()

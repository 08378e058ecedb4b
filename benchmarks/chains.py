"""How programs grow: inverse dynamics of random chains of 2 to 30 joints; operations, seconds to make, time of a call.

    python benchmarks/chains.py                     the fast search
    python benchmarks/chains.py --effort none       the formulation as it is, without a search

Every third joint slides; twists, lengths and offsets are arbitrary, and so are the inertial parameters of each link.
"""

import argparse
import statistics
from random import Random
from time import perf_counter, thread_time_ns
from typing import Any

import numpy as np
from robots import DRIVE, GRAVITY

import emdeg
from emdeg.compiler.build import build
from emdeg.compiler.function import Function

CALLS = 2000


def chain(count: int) -> dict[str, Any]:
    """A document of a chain with `count` joints; a longer one begins with the joints of a shorter one."""
    source = Random(30)
    joints = []
    for k in range(count):
        twist, length, offset, angle = (source.randrange(100, 1000) for _ in range(4))
        moments = [500 + source.randrange(500) for _ in range(3)] + [source.randrange(100) for _ in range(3)]
        link = {
            "mass": source.randrange(1000, 3000) / 1000,
            "center_of_mass": [source.randrange(100) / 1000 for _ in range(3)],
            "inertia": dict(zip(("xx", "yy", "zz", "xy", "yz", "xz"), (m / 1000 for m in moments), strict=True)),
        }
        slides = k % 3 == 2
        joint = {"type": "prismatic" if slides else "revolute", "alpha": f"{twist / 1000} rad", "a": length / 1000}
        joint |= {"d": offset / 1000} | ({"theta": f"{angle / 1000} rad"} if slides else {})
        joints.append(joint | {"link": link, "drive": DRIVE})
    return {
        "schema": 1,
        "name": f"chain{count}",
        "convention": "modified-dh",
        "gravity": GRAVITY,
        "joint": joints,
    }


def nanoseconds(function: Function, count: int) -> float:
    """A call from Python with one state and `out=`: processor time, the median of seven runs."""
    source = np.random.default_rng(count)
    q, qd, qdd, out = (*source.uniform(-1, 1, (3, count)), np.zeros(count))
    runs = []
    for _ in range(7):
        start = thread_time_ns()
        for _ in range(CALLS):
            function(q, qd, qdd, out=out)
        runs.append((thread_time_ns() - start) / CALLS)
    if not np.isfinite(out).all():
        raise ArithmeticError(f"torques of {count} joints are not finite: {out}")
    return statistics.median(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("joints", nargs="*", type=int, default=[2, 4, 6, 8, 10, 15, 20, 25, 30])
    parser.add_argument("--effort", choices=["none", "fast", "thorough"], default="fast")
    arguments = parser.parse_args()
    print(
        "| joints | operations | a joint | to make, s | to compile, s | a call, ns |\n|---:|---:|---:|---:|---:|---:|"
    )
    for count in arguments.joints:
        robot = emdeg.load(chain(count))
        start = perf_counter()
        program = build(robot, "inverse_dynamics", optimize=arguments.effort).program
        made = perf_counter()
        function = Function(program, "llvm", "float64", threads=1)
        compiled = perf_counter()
        total = program.cost.total
        print(
            f"| {count} | {total} | {total / count:.0f} | {made - start:.2f} | {compiled - made:.2f} "
            f"| {nanoseconds(function, count):.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""Operations of inverse dynamics and other functions for robots with published numbers, beside earlier figures.

    python benchmarks/counts.py                     the fast search
    python benchmarks/counts.py --effort thorough   minutes a robot

Strict convention: every binary multiplication and addition, constants folded, sign changes free; drives included.
"""

import argparse
from time import perf_counter

from robots import ROBOTS

import emdeg
from emdeg.compiler.build import build

EARLIER = {"puma560": 286, "stanford": 218, "rx90": 460, "ur10": 291, "panda": 563, "scara": 29}
"""Inverse dynamics: what a study before emdeg reached by searching for minutes."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=list(EARLIER))
    parser.add_argument("--effort", choices=["fast", "thorough"], default="fast")
    parser.add_argument("--functions", nargs="+", default=["inverse_dynamics"])
    arguments = parser.parse_args()
    for name in arguments.robots:
        robot = emdeg.load(name) if name == "puma560" else emdeg.load(ROBOTS[name]())
        for function in arguments.functions:
            start = perf_counter()
            built = build(robot, *function.split(","), optimize=arguments.effort)
            earlier = f"   earlier {EARLIER[name]}" if function == "inverse_dynamics" else ""
            seconds = perf_counter() - start
            cost = built.program.cost
            print(
                f"{name:10} {function:20} {cost.total:5}  ({cost}) {built.origin} in {seconds:.1f} s{earlier}",
                flush=True,
            )


if __name__ == "__main__":
    main()

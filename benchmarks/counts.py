"""Operations of inverse dynamics and other functions for robots with published numbers, beside earlier figures.

    python benchmarks/counts.py                     the fast search
    python benchmarks/counts.py --effort thorough   minutes a robot

Strict convention: every binary multiplication and addition, constants folded, sign changes free; drives included.
"""

import argparse
import tomllib
from importlib.resources import files
from time import perf_counter

from robots import ROBOTS

import emdeg
from emdeg.compiler.build import build
from emdeg.compiler.count import with_values

EARLIER = {
    "inverse_dynamics": {"puma560": 286, "stanford": 218, "rx90": 460, "ur10": 291, "panda": 563, "scara": 29},
    "mass_matrix": {"puma560": 130},
    "explicit_model": {"puma560": 330, "puma560-general": 669},
    "explicit_model_absolute": {"puma560": 311, "puma560-general": 645},
}
"""What a study before emdeg reached by searching for minutes."""


def loaded(name: str) -> emdeg.Robot:
    """A bundled robot, one of `robots`, or the PUMA 560 with any inertias at all: unlike numbers for letters."""
    if name == "puma560-general":
        document = tomllib.loads((files("emdeg") / "robots" / "puma560.toml").read_text(encoding="utf-8"))
        joints = [{key: value for key, value in joint.items() if key != "link"} for joint in document["joint"]]
        robot, _ = with_values(emdeg.load(document | {"name": name, "joint": joints, "constants": {}}))
        return robot
    return emdeg.load(name) if name == "puma560" else emdeg.load(ROBOTS[name]())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=list(EARLIER["inverse_dynamics"]))
    parser.add_argument("--effort", choices=["fast", "thorough"], default="fast")
    parser.add_argument("--functions", nargs="+", default=["inverse_dynamics"])
    arguments = parser.parse_args()
    for name in arguments.robots:
        robot = loaded(name)
        for function in arguments.functions:
            start = perf_counter()
            built = build(robot, *function.split(","), optimize=arguments.effort)
            known = EARLIER.get(function, {}).get(name)
            earlier = "" if known is None else f"   earlier {known}"
            seconds = perf_counter() - start
            cost = built.program.cost
            print(
                f"{name:10} {function:20} {cost.total:5}  ({cost}) {built.origin} in {seconds:.1f} s{earlier}",
                flush=True,
            )


if __name__ == "__main__":
    main()

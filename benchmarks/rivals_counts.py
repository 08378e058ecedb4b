"""Operations of emdeg's programs beside CasADi's and what OpenSYMORO and SymPyBotics have published, by one rule.

    python benchmarks/rivals_counts.py                      the fast search
    python benchmarks/rivals_counts.py --effort thorough    minutes a robot
    python benchmarks/rivals_counts.py --robots panda --functions mass_matrix

Each binary * and each binary + or - is one operation, changes of sign are free, squares are multiplications, x + x is
an addition. CasADi gets the robot's numbers and a textbook's recursion (`emdeg.cli.casadi_dynamics`), prunes zeros and
ones, and joins common subexpressions; its derivatives are its own. What is published was counted on its text by
`published.py`.
"""

import argparse
from collections import Counter
from typing import Any

from robots import ROBOTS

import emdeg
from emdeg.cli.casadi_dynamics import FUNCTIONS, casadi_function
from emdeg.compiler.build import build
from emdeg.compiler.numbers import numeric
from emdeg.program import Cost

SYMORO = "OpenSYMORO's RX90_idm.txt, commit 7b199ed"
SYMPYBOTICS = "SymPyBotics' benchmarks/puma560.c, commit e8c32d5"
PUBLISHED = [
    ("rx90", "inverse_dynamics", SYMORO, 331, 282),
    ("rx90", "inverse_dynamics", f"{SYMORO}, what base parameters make zero left out", 287, 226),
    ("puma560-general", "mass_matrix", f"{SYMPYBOTICS}, `M`", 396, 319),
    ("puma560-general", "gravity", f"{SYMPYBOTICS}, `g`", 113, 72),
    ("puma560-general", "bias", f"{SYMPYBOTICS}, `c`", 359, 290),
]
"""Robot, function, whose, multiplications, additions. OpenSYMORO's text and SymPyBotics' `c` are without gravity."""
WEIGHTLESS = ("rx90", "inverse_dynamics"), ("puma560-general", "bias")


def casadi_cost(robot: Any, function: str) -> Cost:
    """What CasADi's function costs, counted on its instructions."""
    import casadi

    known = casadi_function(numeric(robot), function)
    names = {getattr(casadi, name): name for name in dir(casadi) if name.startswith("OP_")}
    made = Counter(names[known.instruction_id(k)] for k in range(known.n_instructions()))
    if unknown := set(made) - {
        "OP_CONST", "OP_INPUT", "OP_OUTPUT", "OP_NEG", "OP_MUL", "OP_SQ", "OP_ADD", "OP_SUB", "OP_TWICE", "OP_DIV",
        "OP_SIN", "OP_COS",
    }:  # fmt: skip
        raise SystemExit(f"the rule does not know {', '.join(unknown)}")
    additions = made["OP_ADD"] + made["OP_SUB"] + made["OP_TWICE"]
    pairs = max(made["OP_SIN"], made["OP_COS"])
    return Cost(made["OP_MUL"] + made["OP_SQ"], additions, made["OP_DIV"], pairs)


def loaded(name: str, function: str) -> Any:
    if name == "puma560":
        return emdeg.load(name)
    document = ROBOTS[name]()
    if (name, function) in WEIGHTLESS:
        document |= {"gravity": [0, 0, 0]}
    return emdeg.load(document)


def row(name: str, function: str, whose: str, cost: Cost, own: Cost) -> None:
    cells = [f"{cost.multiplications} + {cost.additions}", str(cost.total), f"{cost.total / own.total:.2f}"]
    print(f"| {name} | {function} | {whose} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", default=["puma560", *ROBOTS], choices=["puma560", *ROBOTS])
    parser.add_argument("--functions", nargs="+", default=list(FUNCTIONS), choices=list(FUNCTIONS))
    parser.add_argument("--effort", choices=["fast", "thorough"], default="fast")
    given = parser.parse_args()
    print("| robot | function | whose | multiplications + additions | total | of emdeg's |")
    print("|---|---|---|---:|---:|---:|")
    for name in given.robots:
        for function in given.functions:
            robot = loaded(name, function)
            made = build(robot, function, optimize=given.effort)
            own = made.program.cost
            if not own.total:
                continue
            title = f"{name}, no gravity" if (name, function) in WEIGHTLESS else name
            row(title, function, f"emdeg, {made.origin}", own, own)
            row(title, function, "CasADi, generic Newton-Euler or composite bodies", casadi_cost(robot, function), own)
            for where, what, whose, multiplications, additions in PUBLISHED:
                if (where, what) == (name, function):
                    row(title, function, whose, Cost(multiplications, additions, 0, 0), own)


if __name__ == "__main__":
    main()

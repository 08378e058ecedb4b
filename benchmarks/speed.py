"""emdeg beside Pinocchio's C++ and CasADi's generated C in a loop: nanoseconds per state, ratios, the first call.

    python benchmarks/speed.py                      the PUMA 560 and a Panda
    python benchmarks/speed.py --rounds 31 --effort thorough
    python benchmarks/speed.py --robots puma560 --functions gravity bias

Needs g++, Eigen's headers and the package `pin`, against whose headers and library `pinocchio_loop.cpp` is built: once
as the package gives it ("wheel"), once from its headers alone for this processor ("native"). Pinocchio gets the robot
as numbers that `tests/independent.py` reads from its document without emdeg. Where gcc and the package `casadi` are,
CasADi's functions become C, and that a library. All must agree before they are timed.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from time import thread_time_ns
from typing import Any

import numpy as np
from pinocchio_loop import Loop, built, described, words
from robots import panda

import emdeg
from emdeg.backends.llvm import LlvmProgram
from emdeg.cli.casadi_dynamics import FUNCTIONS as CASADI
from emdeg.cli.casadi_dynamics import casadi_function
from emdeg.cli.rival_casadi import by_rows
from emdeg.cli.rival_casadi_c import compiled
from emdeg.compiler.build import build
from emdeg.compiler.function import Function
from emdeg.compiler.numbers import numeric
from emdeg.program import Program

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from independent import Arm, bundled_document

ALGORITHMS = {
    "inverse_dynamics": ["rnea"],
    "mass_matrix": ["crba", "crba-world"],
    "gravity": ["computeGeneralizedGravity"],
    "bias": ["nonLinearEffects"],
    "forward_dynamics": ["aba", "aba-world"],
    "inverse_dynamics_derivatives": ["computeRNEADerivatives"],
}
"""Pinocchio's algorithms for a function; of several the quicker one is shown."""
ROBOTS: dict[str, tuple[Callable[[], dict[str, Any]], dict[str, float]]] = {
    "puma560": (lambda: bundled_document("puma560"), {"m1": 1.0}),  # no motion feels this mass
    "panda": (panda, {}),
}
STATES = 1000
BATCH = 10
"""How many times the states stand in a batch: a call from Python costs what thousands of states cost."""
AGREEMENT = {"float64": 1e-10, "float32": 1e-3}
LEAST = 10_000_000
"""Nanoseconds that a measurement takes at least."""
Array = np.ndarray[Any, Any]


# CasADi


@dataclass
class Generated:
    """CasADi's generated C over all states, in a loop in C: to be timed like emdeg's kernel."""

    run: Callable[[], object]
    results: list[Array]
    columns: int

    def time(self) -> float:
        return per_state(self.run, STATES)

    @property
    def by_rows(self) -> Array:
        """What it computed, a row each; CasADi's matrices are stored column after column."""
        return np.array([by_rows([x[k] for x in self.results], self.columns) for k in range(STATES)])


def generated(robot: Any, function: str, states: Mapping[str, Array]) -> Generated | None:
    """None where CasADi is not given the function."""
    if function not in CASADI:
        return None
    known = numeric(robot)
    external, loop = compiled(casadi_function(known, function))
    inputs = [states[name] for name in ("q", "qd", "qdd")[: external.n_in()]]
    results = [np.zeros((STATES, external.nnz_out(k))) for k in range(external.n_out())]
    return Generated(lambda: loop(inputs, results), results, len(known.tree))


def without_casadi() -> str:
    """Why CasADi does not take part."""
    return "" if find_spec("casadi") and shutil.which("gcc") else "CasADi's C left out: gcc or `casadi` is missing"


# emdeg


@dataclass
class Own:
    """One way to run a program of ours over all states; `results` is where they go."""

    run: Callable[[], object]
    results: list[Array]
    count: int

    def time(self) -> float:
        """Nanoseconds of processor time per state: what other processes take meanwhile does not count."""
        return per_state(self.run, self.count)


def per_state(run: Callable[[], object], count: int) -> float:
    passes, start = 0, thread_time_ns()
    while True:
        run()
        passes += 1
        if (spent := thread_time_ns() - start) >= LEAST:
            return spent / (passes * count)


def own(program: Program, states: Mapping[str, Array]) -> dict[str, Own]:
    """One state after another in a native loop; batches on one core, called from Python."""
    ways = {}
    for dtype in ("float64", "float32"):
        inputs = [states[entry.name].astype(dtype) for entry in program.inputs]
        rows = [np.zeros((STATES, len(output.values)), dtype) for output in program.outputs]
        native = LlvmProgram(program, dtype, threads=1)
        scratch = np.empty(native._scratch, np.uint8)
        each = native._each
        arguments = (*inputs, *rows, scratch)
        ways[f"scalar {dtype}"] = Own(lambda each=each, arguments=arguments: each(*arguments), rows, STATES)
        inputs = [np.tile(x, (BATCH, 1)) for x in inputs]
        results = [np.zeros((BATCH * STATES, *output.shape), dtype) for output in program.outputs]
        out = results[0] if len(results) == 1 else tuple(results)
        function = Function(program, "llvm", dtype, threads=1)
        call = lambda f=function, i=inputs, out=out: f(*i, out=out)  # noqa: E731
        ways[f"batch {dtype}"] = Own(call, results, BATCH * STATES)
    return ways


def checked(name: str, found: Sequence[Array], expected: Array, allowed: float) -> None:
    """Each state's results beside a rival's, relative to the largest element of that state."""
    mine = np.concatenate([x.reshape(-1, STATES, x[0].size) for x in found], axis=2).astype(float)
    worst = float((np.abs(mine - expected).max(axis=2) / np.abs(expected).max(axis=1)).max())
    if not worst <= allowed:
        sys.exit(f"{name}: emdeg differs by {worst:.1g} of the largest element")


# the race


def race(name: str, functions: Sequence[str], effort: Any, programs: Mapping[str, Path], rounds: int) -> None:
    document, letters = ROBOTS[name][0](), ROBOTS[name][1]
    robot = emdeg.load(document if name != "puma560" else name)
    arm = Arm(document, letters)
    source = np.random.default_rng(560)
    n = len(arm.joints)
    states = {key: source.uniform(-1.5, 1.5, (STATES, n)) for key in ("q", "qd", "qdd")}
    states["tau"] = states["qdd"]
    flat = np.concatenate([states[key] for key in ("q", "qd", "qdd")], axis=1)
    text = described(arm) + f"{STATES}\n" + "\n".join(words(row) for row in flat) + "\n"
    loops = {way: Loop(program, text) for way, program in programs.items()}
    for function in functions:
        made = build(robot, function, optimize=effort)
        ours = own(made.program, states)
        for entry in ours.values():
            entry.run()
        rivals: dict[str, Callable[[], float]] = {}
        for way, loop in loops.items():
            algorithms = ALGORITHMS[function]
            for algorithm in algorithms:
                agree(f"{name} {function}", ours, f"{algorithm} {way}", loop.show(algorithm, STATES))
            least = {a: min(loop.time(a) for _ in range(5)) for a in algorithms}
            quickest = min(algorithms, key=least.__getitem__)
            rivals[f"Pinocchio {way} `{quickest}`"] = lambda loop=loop, a=quickest: loop.time(a)
        if not without_casadi() and (other := generated(robot, function, states)):
            other.run()
            agree(f"{name} {function}", ours, "CasADi", other.by_rows)
            rivals["CasADi, generated C"] = other.time
        times: dict[str, list[float]] = {kind: [] for kind in (*rivals, *ours)}
        for _ in range(rounds):
            for kind, entry in ours.items():
                for rival, time in rivals.items():
                    times[rival].append(time())
                times[kind].append(entry.time())
        report(f"{name} | {function} | {made.program.cost.total} {made.origin}", times, list(rivals))
    for loop in loops.values():
        loop.close()


def agree(name: str, ours: Mapping[str, Own], rival: str, expected: Array) -> None:
    for kind, entry in ours.items():
        checked(f"{name} {kind} {rival}", entry.results, expected, AGREEMENT[kind.split()[1]])


def report(name: str, times: Mapping[str, list[float]], rivals: list[str]) -> None:
    """A row of the table for each rival: nanoseconds, and how many times less ours take."""
    kinds = [kind for kind in times if kind not in rivals]
    for rival in rivals:
        theirs = times[rival]
        cells = [name, rival, f"{statistics.median(theirs):.0f}"]
        for place, kind in enumerate(kinds):
            pairs = [a / b for a, b in zip(theirs[place :: len(kinds)], times[kind], strict=True)]
            low, _, high = statistics.quantiles(pairs, n=4)
            middle = statistics.median(theirs) / statistics.median(times[kind])
            cells.append(f"{statistics.median(times[kind]):.1f} · **{middle:.1f}** ({low:.1f}–{high:.1f})")
        print("| " + " | ".join(cells) + " |", flush=True)


HEAD = """\
| robot | function | operations | rival | its ns | scalar f64 | batch f64 | scalar f32 | batch f32 |
|---|---|---:|---|---:|---|---|---|---|"""


# what the first call costs

FIRST = """
import json, sys
from time import perf_counter, thread_time
start = perf_counter()
import emdeg
imported = perf_counter()
function = emdeg.compile("puma560")
compiled = perf_counter()
import numpy as np
n = function.program.inputs[0].size
def call(lead):
    arguments, out, found = [np.full((*lead, n), x) for x in (0.1, 0.2, 0.3)], np.empty((*lead, n)), []
    for _ in range(100):
        begin = thread_time()
        for _ in range(200):
            function(*arguments, out=out)
        found.append((thread_time() - begin) / 200)
    return sorted(found)[50]
print(json.dumps([imported - start, compiled - imported, call(()), call((64,))]))
"""
SEARCHED = FIRST.replace('emdeg.compile("puma560")', "emdeg.compile(json.loads(sys.argv[1]))")


def first_calls(repeat: int) -> None:
    """Importing and compiling in fresh processes, with nothing remembered and with what the first one remembered."""
    document = json.dumps(panda())
    print("\n| robot | process | import ms | compile ms | a call with one state, ns | with 64 states, ns |")
    print("|---|---|---:|---:|---:|---:|")
    for name, code in (("puma560 (program shipped)", FIRST), ("panda (program searched for)", SEARCHED)):
        found: dict[str, list[list[float]]] = {"first": [], "second": []}
        for _ in range(repeat):
            with tempfile.TemporaryDirectory() as cache:
                for process in found:
                    command = [sys.executable, "-c", code, document]
                    environment = os.environ | {"EMDEG_CACHE": cache}
                    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                    found[process].append(json.loads(done.stdout))
        for process, rows in found.items():
            imported, compiled, one, many = (statistics.median(column) for column in zip(*rows, strict=True))
            times = f"{1e3 * imported:.0f} | {1e3 * compiled:.0f} | {1e9 * one:.0f} | {1e9 * many:.0f}"
            print(f"| {name} | {process} | {times} |", flush=True)


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    known = dict(reversed([line.replace("\t", "").split(": ", 1) for line in lines if ": " in line]))
    numbers = f"family {known.get('cpu family', '?')}, model {known.get('model', '?')}"
    return f"{known.get('model name', platform.machine())} ({numbers}), {os.cpu_count()} cores"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", choices=list(ROBOTS), default=list(ROBOTS))
    parser.add_argument("--functions", nargs="+", choices=list(ALGORITHMS), default=list(ALGORITHMS))
    parser.add_argument("--effort", choices=["none", "fast", "thorough"], default="fast")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--first", type=int, default=3, help="fresh processes for the first calls; 0 leaves them out")
    parser.add_argument("--programs", type=Path, help="a folder where Pinocchio's programs stay for the next time")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.programs or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        programs = built(folder)
        import pinocchio

        load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
        versions = f"Python {platform.python_version()}, Pinocchio {pinocchio.__version__}"
        versions += f"; {without_casadi()}" if without_casadi() else f", CasADi {version('casadi')}"
        print(f"{processor()}{load}; {versions}\n\n{HEAD}")
        for name in arguments.robots:
            race(name, arguments.functions, arguments.effort, programs, arguments.rounds)
    if arguments.first:
        first_calls(arguments.first)


if __name__ == "__main__":
    main()

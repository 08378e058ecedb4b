"""emdeg beside Pinocchio's own C++ in a loop: nanoseconds per state, ratios, and what a first compilation costs.

    python benchmarks/speed.py                      the PUMA 560 and a Panda
    python benchmarks/speed.py --rounds 31 --effort thorough
    python benchmarks/speed.py --robots puma560 --functions gravity bias

Needs g++, Eigen's headers and the package `pin`, against whose headers and library `pinocchio_loop.cpp` is built: once
as the package gives it ("wheel"), once from its headers alone for this processor ("native"). Pinocchio gets the robot
as numbers that `tests/independent.py` reads from its document without emdeg. Both must agree before they are timed.
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
from importlib.util import find_spec
from pathlib import Path
from time import thread_time_ns
from typing import Any

import numpy as np
from robots import panda

import emdeg
from emdeg.backends.llvm import LlvmProgram
from emdeg.compiler.build import build
from emdeg.compiler.function import Function
from emdeg.program import Program

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tests"))
from independent import Arm, bundled_document  # noqa: E402

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
DEFINITIONS = [
    "BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "BOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # fmt: skip
"""What Pinocchio's own CMake files define."""
EIGEN = ["/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3"]
Array = np.ndarray[Any, Any]


# Pinocchio


def package() -> Path:
    """Where the package `pin` keeps headers and libraries."""
    found = find_spec("cmeel")
    folder = None if found is None or found.origin is None else Path(found.origin).parents[1] / "cmeel.prefix"
    if folder is None or not (folder / "include" / "pinocchio").is_dir():
        sys.exit("Pinocchio's headers are missing: pip install pin")
    return folder


def eigen() -> Path:
    places = [os.environ.get("EIGEN", ""), *EIGEN]
    for place in filter(None, places):
        if (Path(place) / "Eigen" / "Core").is_file():
            return Path(place)
    sys.exit("Eigen's headers are missing: apt-get install libeigen3-dev, or name their folder in EIGEN")


def built(folder: Path) -> dict[str, Path]:
    """The program for each way to build it, unless it is there; the two compilers run side by side."""
    if (compiler := shutil.which("g++")) is None:
        sys.exit("g++ is missing")
    prefix = package()
    common = [compiler, "-std=c++17", "-O3", "-DNDEBUG", "-w", *(f"-D{name}" for name in DEFINITIONS)]
    common += [f"-I{prefix / 'include'}", f"-I{eigen()}", str(HERE / "pinocchio_loop.cpp")]
    library = prefix / "lib"
    ways = {
        "wheel": ["-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION", f"-L{library}", "-lpinocchio_default",
                  "-lboost_serialization", f"-Wl,-rpath,{library}"],
        "native": ["-march=native"],
    }  # fmt: skip
    running = {
        way: subprocess.Popen([*common, *more, "-o", str(folder / way)])
        for way, more in ways.items()
        if not (folder / way).exists()
    }
    for way, process in running.items():
        if process.wait():
            sys.exit(f"g++ failed ({way})")
    return {way: folder / way for way in ways}


class Loop:
    """A running program that holds a robot and its states."""

    def __init__(self, program: Path, text: str) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._write(text)

    def _write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def _line(self) -> list[float]:
        assert self.process.stdout is not None
        return [float(word) for word in self.process.stdout.readline().split()]

    def show(self, algorithm: str, count: int) -> Array:
        self._write(f"show {algorithm}\n")
        return np.array([self._line() for _ in range(count)])

    def time(self, algorithm: str) -> float:
        self._write(f"time {algorithm}\n")
        return self._line()[0]

    def close(self) -> None:
        self.process.communicate()


def described(arm: Arm) -> str:
    """A chain of revolute joints about z as text for the program."""
    lines = [str(len(arm.joints)), words(arm.gravity)]
    for k, joint in enumerate(arm.joints):
        assert joint.type == "revolute" and np.array_equal(joint.axis, [0, 0, 1])
        (body,) = (body for body in arm.bodies if body.joint == k)
        moments = [body.inertia[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
        numbers = [*joint.placement[:3].ravel(), joint.armature, body.mass, *body.center, *moments]
        lines.append(f"{joint.parent} {words(numbers)}")
    return "\n".join(lines) + "\n"


def words(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)


# emdeg


@dataclass
class Own:
    """One way to run a program of ours over all states; `results` is where they go."""

    run: Callable[[], object]
    results: list[Array]
    count: int

    def time(self) -> float:
        """Nanoseconds of processor time per state: what other processes take meanwhile does not count."""
        passes, start = 0, thread_time_ns()
        while True:
            self.run()
            passes += 1
            if (spent := thread_time_ns() - start) >= LEAST:
                return spent / (passes * self.count)


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
    """Each state's results beside Pinocchio's, relative to the largest element of that state."""
    mine = np.concatenate([x.reshape(-1, STATES, x[0].size) for x in found], axis=2).astype(float)
    worst = float((np.abs(mine - expected).max(axis=2) / np.abs(expected).max(axis=1)).max())
    if not worst <= allowed:
        sys.exit(f"{name}: emdeg and Pinocchio differ by {worst:.1g} of the largest element")


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
        for algorithm in ALGORITHMS[function]:
            expected = {way: loop.show(algorithm, STATES) for way, loop in loops.items()}
            for kind, entry in ours.items():
                entry.run()
                for way, results in expected.items():
                    allowed = AGREEMENT[kind.split()[1]]
                    checked(f"{name} {function} {kind} {algorithm} {way}", entry.results, results, allowed)
        quickest = {
            way: min(ALGORITHMS[function], key=lambda a, loop=loop: min(loop.time(a) for _ in range(5)))
            for way, loop in loops.items()
        }
        times: dict[str, list[float]] = {kind: [] for kind in (*loops, *ours)}
        for _ in range(rounds):
            for kind, entry in ours.items():
                for way, loop in loops.items():
                    times[way].append(loop.time(quickest[way]))
                times[kind].append(entry.time())
        report(name, function, made, quickest, times, list(loops))
    for loop in loops.values():
        loop.close()


def report(
    name: str, function: str, made: Any, quickest: Mapping[str, str], times: Mapping[str, list[float]], ways: list[str]
) -> None:
    """A row of the table for each way to build Pinocchio: nanoseconds, and how many times less ours take."""
    kinds = [kind for kind in times if kind not in ways]
    for way in ways:
        theirs = times[way]
        cells = [name, function, f"{made.program.cost.total} {made.origin}", f"{way} `{quickest[way]}`"]
        cells.append(f"{statistics.median(theirs):.0f}")
        for place, kind in enumerate(kinds):
            pairs = [a / b for a, b in zip(theirs[place :: len(kinds)], times[kind], strict=True)]
            low, _, high = statistics.quantiles(pairs, n=4)
            middle = statistics.median(theirs) / statistics.median(times[kind])
            cells.append(f"{statistics.median(times[kind]):.1f} · **{middle:.1f}** ({low:.1f}–{high:.1f})")
        print("| " + " | ".join(cells) + " |", flush=True)


HEAD = """\
| robot | function | operations | Pinocchio | its ns | scalar f64 | batch f64 | scalar f32 | batch f32 |
|---|---|---:|---|---:|---|---|---|---|"""


# what the first call costs

FIRST = """
import json, sys
from time import perf_counter, thread_time
begin = perf_counter()
import numpy as np
start = perf_counter()
import emdeg
imported = perf_counter()
function = emdeg.compile("puma560")
compiled = perf_counter()
n = function.program.inputs[0].size
def call(lead):
    arguments, out, found = [np.full((*lead, n), x) for x in (0.1, 0.2, 0.3)], np.empty((*lead, n)), []
    for _ in range(100):
        begin = thread_time()
        for _ in range(200):
            function(*arguments, out=out)
        found.append((thread_time() - begin) / 200)
    return sorted(found)[50]
print(json.dumps([start - begin, imported - start, compiled - imported, call(()), call((64,))]))
"""
SEARCHED = FIRST.replace('emdeg.compile("puma560")', "emdeg.compile(json.loads(sys.argv[1]))")


def first_calls(repeat: int) -> None:
    """Importing and compiling in fresh processes, with nothing remembered and with what the first one remembered."""
    document = json.dumps(panda())
    print("\n| robot | process | numpy ms | import ms | compile ms | a call with one state, ns | with 64 states, ns |")
    print("|---|---|---:|---:|---:|---:|---:|")
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
            numpy, imported, compiled, one, many = (statistics.median(column) for column in zip(*rows, strict=True))
            times = (
                f"{1e3 * numpy:.0f} | {1e3 * imported:.0f} | {1e3 * compiled:.0f} | {1e9 * one:.0f} | {1e9 * many:.0f}"
            )
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
        print(f"{processor()}{load}; Python {platform.python_version()}, Pinocchio {pinocchio.__version__}\n\n{HEAD}")
        for name in arguments.robots:
            race(name, arguments.functions, arguments.effort, programs, arguments.rounds)
    if arguments.first:
        first_calls(arguments.first)


if __name__ == "__main__":
    main()

"""How fast the exact model is derived, against the same derivation with SymEngine and SymPy, in one run.

    python benchmarks/derive.py                  PUMA 560 and Panda against SymEngine, in alternating runs
    python benchmarks/derive.py --sympy          also the PUMA 560 against SymPy (half a minute)

All arms have symbolic lengths and all ten inertial parameters a link. Both compute A, g, all Christoffel symbols and
the base parameters: emdeg with exact symbolic coefficients, each regrouping proven; the rivals, which expand everything
and replace sin² by 1 - cos², only find how many there are, from the numeric rank of the columns at random states (the
least that one could do with them). Times are medians of fresh processes, without the import of the packages; ratios
are medians over pairs.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
from time import perf_counter

ARMS = {
    "puma560": [(0, 0, 0), (-1, 0, "d2"), (0, "a2", "d3"), (1, "a3", "d4"), (-1, 0, 0), (1, 0, 0)],
    "panda": [(0, 0, "d1"), (-1, 0, 0), (1, 0, "d3"), (1, "a4", 0), (-1, "a5", "d5"), (1, 0, 0), (1, "a7", 0)],
}
"""Per joint, modified Denavit-Hartenberg: alpha in quarter turns, a, d."""


def with_emdeg(arm: str) -> int:
    """A, g, Christoffel symbols and base parameters; returns how many base parameters there are."""
    import emdeg
    from emdeg.model.derive import derive

    joints = [{"type": "revolute", "alpha": f"{90 * alpha} deg", "a": a, "d": d} for alpha, a, d in ARMS[arm]]
    document = {"schema": 1, "name": arm, "convention": "modified-dh", "gravity": [0, 0, "-g"], "joint": joints}
    robot = emdeg.load(document)
    start = perf_counter()
    model = derive(robot)
    count = len(model.base_parameters)
    report(perf_counter() - start)
    return count


def with_algebra(arm: str, algebra) -> int:
    """The same with a general computer algebra system: link by link, expanded, sin² replaced; no base parameters."""
    rows = ARMS[arm]
    n = len(rows)
    q = algebra.symbols(" ".join(f"q{k}" for k in range(n)))
    start = perf_counter()
    square = {algebra.sin(x) ** 2: 1 - algebra.cos(x) ** 2 for x in q}

    def normal(expression):
        return algebra.expand(algebra.expand(expression).subs(square))

    mass = [[0] * n for _ in range(n)]
    gravity = [0] * n
    frames = []  # per link: angular and linear partial velocities, and free fall, in link axes
    w, v, fall = {}, {}, [0, 0, -algebra.Symbol("g")]
    for k, (alpha, a, d) in enumerate(rows):
        a, d = (algebra.Symbol(x) if isinstance(x, str) else x for x in (a, d))
        ca, sa = {0: (1, 0), 1: (0, 1), -1: (0, -1)}[alpha]
        s, c = algebra.sin(q[k]), algebra.cos(q[k])
        turn = [[c, -s, 0], [s * ca, c * ca, -sa], [s * sa, c * sa, ca]]
        offset = [a, -sa * d, ca * d]
        v = {j: into(turn, added(v[j], cross(w[j], offset)), normal) for j in v}
        w = {j: into(turn, w[j], normal) for j in w}
        fall = into(turn, fall, normal)
        w[k], v[k] = [0, 0, 1], [0, 0, 0]
        frames.append((dict(w), dict(v), list(fall)))
    for k, (w, v, fall) in enumerate(frames):
        m, hx, hy, hz, xx, xy, xz, yy, yz, zz = algebra.symbols(
            " ".join(f"{p}{k}" for p in ("m", "hx", "hy", "hz", "Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz"))
        )
        h, inertia = [hx, hy, hz], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        for j in w:
            force = added([m * x for x in v[j]], cross(w[j], h))
            moment = added([dot(row, w[j]) for row in inertia], cross(h, v[j]))
            for i in range(j + 1):
                mass[i][j] = mass[i][j] + dot(force, v[i]) + dot(moment, w[i])
            gravity[j] = gravity[j] - m * dot(v[j], fall) - dot(w[j], cross(h, fall))
    for i in range(n):
        gravity[i] = normal(gravity[i])
        for j in range(i, n):
            mass[i][j] = mass[j][i] = normal(mass[i][j])
    slopes = {
        (i, j, k): normal(mass[i][j].diff(q[k])) if hasattr(mass[i][j], "diff") else 0
        for i in range(n)
        for j in range(i, n)
        for k in range(n)
        if not (i >= k and j >= k)
    }

    def slope(i, j, k):
        return slopes.get((min(i, j), max(i, j), k), 0)

    symbols = {
        (i, j, k): algebra.expand((slope(i, j, k) + slope(i, k, j) - slope(j, k, i)) / algebra.Integer(2))
        for i in range(n)
        for j in range(n)
        for k in range(j, n)
    }
    count = numeric_rank(algebra, q, mass, gravity)
    report(perf_counter() - start)
    assert sum(symbol != 0 for symbol in symbols.values()) > 0
    return count


def numeric_rank(algebra, q, mass, gravity) -> int:
    """How many inertial parameters are independent in A and g, at random states and lengths."""
    import numpy as np

    n = len(q)
    elements = [mass[i][j] for i in range(n) for j in range(i, n)] + [g for g in gravity if g != 0]
    names = sorted({str(x) for element in elements for x in getattr(element, "free_symbols", ())})
    parameters = [algebra.Symbol(x) for x in names if x[0] in "mhL"]
    lengths = [algebra.Symbol(x) for x in names if x[0] in "adg"]
    columns = [element.diff(p) for element in elements for p in parameters]
    make = getattr(algebra, "Lambdify", None) or (lambda x, y: algebra.lambdify(x, y))
    function = make([*q, *lengths], columns)
    source = np.random.default_rng(0)
    size = source.uniform(0.5, 1.5, len(lengths))
    rows = []
    for _ in range(n + 2):
        state = [*source.uniform(-3, 3, n), *size]
        values = function(state) if hasattr(algebra, "Lambdify") else function(*state)
        rows.append(np.array(values, dtype=float).reshape(len(elements), len(parameters)))
    return int(np.linalg.matrix_rank(np.concatenate(rows)))


def added(x, y):
    return [a + b for a, b in zip(x, y, strict=True)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y, strict=True))


def cross(x, y):
    return [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]


def into(turn, x, normal):
    """turnᵀ x."""
    return [normal(sum(turn[r][c] * x[r] for r in range(3))) for c in range(3)]


def report(seconds: float) -> None:
    """The time and the process's greatest memory, for the parent process."""
    try:
        import resource

        megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    except ImportError:  # not on Windows
        megabytes = None
    print(json.dumps({"seconds": seconds, "megabytes": megabytes}))


def run(who: str, arm: str) -> dict:
    """One measurement in a process of its own."""
    done = subprocess.run([sys.executable, __file__, "--one", who, arm], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def one(who: str, arm: str) -> None:
    if who == "emdeg":
        with_emdeg(arm)
    else:
        with_algebra(arm, __import__(who))


def compare(arm: str, rival: str, pairs: int) -> None:
    """Alternating runs, and the medians of times and of their ratios."""
    ours, theirs, memory = [], [], []
    for _ in range(pairs):
        result = run("emdeg", arm)
        ours.append(result["seconds"])
        memory.append(result["megabytes"])
        theirs.append(run(rival, arm)["seconds"])
    ratios = [b / a for a, b in zip(ours, theirs, strict=True)]
    peak = f", {max(memory):.0f} MB" if None not in memory else ""
    print(
        f"{arm:8} emdeg {statistics.median(ours):.3f} s{peak}   {rival} {statistics.median(theirs):.3f} s   "
        f"ratio {statistics.median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f}, {pairs} pairs)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--sympy", action="store_true")
    parser.add_argument("--one", nargs=2, metavar=("WHO", "ARM"))
    arguments = parser.parse_args()
    if arguments.one:
        one(*arguments.one)
        return
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, {platform.system()}")
    for arm in ARMS:
        compare(arm, "symengine", arguments.pairs)
    if arguments.sympy:
        compare("puma560", "sympy", 1)


if __name__ == "__main__":
    main()

"""How derivation grows: arms with arbitrary twists, symbolic twists, orthogonal and planar arms; seconds and memory.

    python benchmarks/growth.py

Each arm is derived in a process of its own: A, g, all Christoffel symbols, then the base parameters.
"""

import json
import subprocess
import sys
from time import perf_counter

TWISTS = ("0.3", "0.7", "1.1", "-0.4", "0.9", "1.3", "0.5")


def arm(kind: str, count: int) -> dict:
    """A document of an arm with `count` revolute joints."""
    joints = []
    for k in range(count):
        alpha = {
            "arbitrary twists": f"{TWISTS[k % 7]} rad",
            "symbolic twists": f"alpha{k}",
            "orthogonal": "90 deg" if k % 2 else "-90 deg",
            "planar": 0,
        }[kind]
        length = 0 if k == 0 else f"a{k}" if kind in ("planar", "symbolic twists") else f"{100 + 70 * k} mm"
        joints.append(
            {"type": "revolute", "alpha": alpha, "a": length, "d": 0 if kind == "planar" else f"{200 + 30 * k} mm"}
        )
    gravity = [0, "-g", 0] if kind == "planar" else [0, 0, "-g"]
    return {"schema": 1, "name": "arm", "convention": "modified-dh", "gravity": gravity, "joint": joints}


CASES = [
    *(("arbitrary twists", n) for n in (4, 5, 6, 7)),
    *(("symbolic twists", n) for n in (3, 4)),
    *(("orthogonal", n) for n in (6, 7, 8)),
    *(("planar", n) for n in (3, 6, 10)),
]


def one(kind: str, count: int) -> None:
    import resource

    import emdeg

    robot = emdeg.load(arm(kind, count))
    start = perf_counter()
    model = emdeg.derive(robot)
    middle = perf_counter()
    base = len(model.base_parameters)
    end = perf_counter()
    terms = sum(len(polynomial) for form in model.forms for polynomial in form.terms.values())
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps([middle - start, end - middle, base, terms, megabytes]))


def main() -> None:
    if len(sys.argv) == 3:
        one(sys.argv[1], int(sys.argv[2]))
        return
    print(f"{'arm':20} {'joints':>6} {'derive s':>9} {'base s':>8} {'base':>5} {'terms':>9} {'MB':>5}")
    for kind, count in CASES:
        command = [sys.executable, __file__, kind, str(count)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        first, second, base, terms, megabytes = json.loads(done.stdout)
        print(f"{kind:20} {count:6} {first:9.3f} {second:8.3f} {base:5} {terms:9} {megabytes:5.0f}", flush=True)


if __name__ == "__main__":
    main()

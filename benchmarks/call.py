"""What a call costs: compiling, a single call from Python, and each state of a batch; medians.

    python benchmarks/call.py                    a program of about the size of the PUMA 560's inverse dynamics
    python benchmarks/call.py --operations 1500  longer
    python benchmarks/call.py --states 100000

The program is straight-line code at random with as many inputs, outputs and angles as a six-joint arm has; what is
measured is the machinery, not a robot.
"""

import argparse
import platform
import random
import statistics
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy as np

from emdeg.backends.llvm import LlvmProgram
from emdeg.backends.llvm_machine import Machine
from emdeg.compiler.function import Function
from emdeg.program import Graph, Input, Program, Scalar, linearize


def arm_like(operations: int, joints: int = 6, angles: int = 4) -> Program:
    """Sums and products at random over states and sines, all of which reach the results."""
    draw = random.Random(1)
    graph = Graph()
    inputs = [Input(name, joints) for name in ("q", "qd", "qdd")]
    leaves = [Scalar(graph, graph.input(entry.name, k)) for entry in inputs for k in range(joints)]
    sines = []
    for angle in leaves[:angles]:
        sines += [Scalar(graph, graph.sin(angle.reference)), Scalar(graph, graph.cos(angle.reference))]
    pool = [*leaves, *sines]
    while True:
        made = sum(node[0] in ("add", "mul") for node in graph.nodes)
        if made + max(0, len(pool) - joints) >= operations:
            break
        one = pool.pop(draw.randrange(len(pool)))
        if draw.random() < 0.5:
            pool.append(one * Fraction(draw.randint(1, 199), 100) + draw.choice(leaves))
        else:
            pool.append(one * draw.choice(sines) + pool.pop(draw.randrange(len(pool))))
        if len(pool) < 20:
            pool.append(draw.choice(leaves) * draw.choice(sines))
    while len(pool) > joints:
        pool.append(pool.pop(0) + pool.pop(0))
    return linearize(graph, "arm", inputs, {"tau": ((joints,), [result.reference for result in pool])})


def seconds(task: Callable[[], object], repeat: int, calls: int = 1) -> float:
    """The median time of a call."""
    task()
    found = []
    for _ in range(repeat):
        start = perf_counter()
        for _ in range(calls):
            task()
        found.append((perf_counter() - start) / calls)
    return statistics.median(found)


def compiling(program: Program) -> None:
    start = perf_counter()
    LlvmProgram(program)
    first = perf_counter() - start
    scalar = seconds(lambda: LlvmProgram(program), 9)
    batches = []
    for dtype in ("float64", "float32"):
        native = [LlvmProgram(program, dtype) for _ in range(9)]
        turns = iter(native)
        batches.append(seconds(lambda turns=turns: next(turns)._compile_batch("rows"), 8))
    print(f"compile  first in the process {1e3 * first:.0f} ms, scalar {1e3 * scalar:.0f} ms", end="")
    print(f", batch float64 {1e3 * batches[0]:.0f} ms, float32 {1e3 * batches[1]:.0f} ms")


def single(program: Program, dtype: str) -> None:
    function = Function(program, dtype=dtype)
    entry = type(function).__call__
    source = np.random.default_rng(0)
    q, qd, qdd = (source.uniform(-1, 1, entry.size).astype(dtype) for entry in program.inputs)
    out = np.empty(program.outputs[0].shape, dtype)
    rows = [np.tile(x, (1000, 1)) for x in (q, qd, qdd, out)]
    native = LlvmProgram(program, dtype)
    scratch = np.empty(native._scratch, np.uint8)
    kernel = seconds(lambda: native._each(*rows, scratch), 50) / 1000

    def loop() -> None:
        for _ in range(1000):
            function(q, qd, qdd, out=out)

    def bare() -> None:
        for _ in range(1000):
            entry(q, qd, qdd, out=out)

    def fresh() -> None:
        for _ in range(1000):
            function(q, qd, qdd)

    times = [1e6 * seconds(task, 50) for task in (loop, fresh, bare)]
    print(
        f"single   {dtype}: with out= {times[0]:.0f} ns, without {times[1]:.0f} ns; "
        f"its entry alone {times[2]:.0f} ns; the kernel in it {1e9 * kernel:.1f} ns"
    )


def batch(program: Program, dtype: str, states: int) -> None:
    source = np.random.default_rng(0)
    inputs = [source.uniform(-1, 1, (states, entry.size)).astype(dtype) for entry in program.inputs]
    out = np.empty((states, *program.outputs[0].shape), dtype)
    texts = []
    for threads in (1, None):
        function = Function(program, dtype=dtype, threads=threads)
        time = seconds(lambda function=function: function(*inputs, out=out), 30)
        texts.append(f"{1e9 * time / states:.2f} ns")
    small = seconds(lambda: function(*(x[:20] for x in inputs), out=out[:20]), 30, 100)
    reference = Function(program, "numpy", dtype)
    slow = seconds(lambda: reference(*inputs, out=out), 5)
    print(
        f"batch    {dtype}: per state {texts[0]} on one core, {texts[1]} on all, numpy {1e9 * slow / states:.0f} ns "
        f"({states} states); 20 states {1e6 * small:.1f} µs"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operations", type=int, default=286)
    parser.add_argument("--states", type=int, default=10000)
    arguments = parser.parse_args()
    program = arm_like(arguments.operations)
    machine = Machine().known
    print(f"Python {platform.python_version()}, {machine.cpu}, {Machine().vector_bits}-bit vectors; {program.cost}")
    compiling(program)
    for dtype in ("float64", "float32"):
        single(program, dtype)
    for dtype in ("float64", "float32"):
        batch(program, dtype, arguments.states)


if __name__ == "__main__":
    main()

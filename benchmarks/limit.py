"""How far batches are from the limit of the processor: measured cycles beside llvm-mca's model of the instructions.

    python benchmarks/limit.py                        inverse dynamics of the PUMA 560 and a Panda
    python benchmarks/limit.py --robots panda --functions inverse_dynamics_derivatives

The kernel that computes as many states as a vector holds runs over one block of memory, again and again; likewise the
program's arithmetic alone, its sines given as inputs, and its sines alone. Gathering the block from rows of states and
scattering the results into rows is `transposed`: a batch called from Python, less the kernel.

- *bound*: what the busiest unit of the processor needs for these instructions, if nothing else ever delays them.
- *simulated*: llvm-mca's count with dependencies, queues and the order of the instructions; loads hit the first cache.
- *measured*: processor time times the clock rate, which a chain of dependent additions gives in the same round; the
  lower quartile of the rounds, since who else uses the processor's units only adds.

Needs llvm-mca of an LLVM that has a model of this processor (for Zen 4 at least 16; Debian: apt-get install llvm-19).
"""

import argparse
import ctypes
import re
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import thread_time_ns
from typing import Any

import numpy as np
from llvmlite import binding
from port_model import Modeled, assembly, functions, mca_for, modeled, straight
from robots import ROBOTS

import emdeg
from emdeg.backends import llvm
from emdeg.backends.llvm_machine import Machine, load
from emdeg.cli.contest import machine as machine_text
from emdeg.compiler.build import build
from emdeg.program import Input, Instruction, Output, Program

LEAST = 5_000_000
"""Nanoseconds that a measurement takes at least."""
CHAIN, LINKS = 1000, 100
"""Turns of the loop that measures the clock rate, additions in each."""
BATCH = 1 << 19
"""Bytes of a batch, arguments and results: they stay in the second cache."""


# the program in parts


def _only(program: Program, code: Sequence[tuple[int, Instruction]], more: tuple[Input, ...], known: dict[int, int],
          outputs: tuple[Output, ...]) -> Program:  # fmt: skip
    """Some of a program's instructions, values numbered anew; `known` maps values that became inputs."""
    shift = sum(entry.size for entry in more)
    start = program.first_constant
    number = {value: value + (shift if value >= start else 0) for value in range(program.first_result)} | known
    made = []
    for value, instruction in code:
        b = number[instruction.b] if instruction.b >= 0 else -1
        number[value] = program.first_result + shift + len(made)
        made.append(Instruction(instruction.kind, number[instruction.a], b))
    results = tuple(replace(output, values=tuple(number[k] for k in output.values)) for output in outputs)
    return replace(program, inputs=(*program.inputs, *more), code=tuple(made), outputs=results)


def parts(program: Program) -> dict[str, Program]:
    """The program; its arithmetic, sines and cosines being inputs; its sines and cosines, being outputs."""
    numbered = list(enumerate(program.code, program.first_result))
    waves = {(i.kind, i.a): value for value, i in reversed(numbered) if i.kind in ("sin", "cos")}
    if not waves:
        return {"kernel": program}
    places = {key: program.first_constant + k for k, key in enumerate(waves)}
    known = {value: places[i.kind, i.a] for value, i in numbered if i.kind in ("sin", "cos")}
    rest = [(value, i) for value, i in numbered if value not in known]
    given = (Input("waves", len(waves)),)
    found = (Output("waves", (len(waves),), tuple(waves.values())),)
    return {
        "kernel": program,
        "arithmetic": _only(program, rest, given, known, program.outputs),
        "sines": _only(program, numbered, (), {}, found),
    }


# compiled


KERNEL = re.compile(r"define internal void @(block(?!1\()\d+)\(([^)]*)\)")
"""The kernel of several states in a module."""


@dataclass(frozen=True)
class Wide:
    """What LLVM is given for the batches of a program: a module with the kernel for a vector of states."""

    program: Program
    module: str
    dtype: str

    @property
    def signature(self) -> tuple[str, list[str]]:
        """The kernel's name and its parameters with their types."""
        found = KERNEL.search(self.module)
        assert found is not None
        return found[1], found[2].split(", ")

    @property
    def width(self) -> int:
        return int(self.signature[0].removeprefix("block"))

    @property
    def bytes(self) -> int:
        return self.width * np.dtype(self.dtype).itemsize


def wide(program: Program, dtype: Any) -> tuple[Wide, Any]:
    """A program compiled for batches, its module taken down on the way to LLVM."""
    modules: list[str] = []

    def taken_down(machine: Machine, text: str, exports: Sequence[str]) -> Any:
        modules.append(text)
        return load(machine, text, exports)

    llvm.load, kept = taken_down, llvm.load
    try:
        native = llvm.LlvmProgram(program, dtype, threads=1)
        arrays = batch(program, dtype, 64)
        native.run(*arrays)
        if not any(map(KERNEL.search, modules)):  # rows have the kernel in their loop; columns call it
            native.run(*([np.asfortranarray(x) for x in some] for some in arrays))
    finally:
        llvm.load = kept
    return Wide(program, next(filter(KERNEL.search, modules)), dtype), native


def batch(program: Program, dtype: Any, count: int) -> tuple[list[Any], list[Any]]:
    """Rows of states at random, and rows for results."""
    source = np.random.default_rng(1)
    inputs = [source.uniform(-1.5, 1.5, (count, entry.size)).astype(dtype) for entry in program.inputs]
    return inputs, [np.zeros((count, len(output.values)), dtype) for output in program.outputs]


# measured


SPILL = 1 << 16
"""Bytes for what a kernel puts aside, more than any needs."""


def with_drive(made: Wide) -> tuple[str, int]:
    """The module with a function that calls the kernel `count` times on one block of memory; how much that takes."""
    program = made.program
    sizes = {f"in{k}": entry.size for k, entry in enumerate(program.inputs)}
    sizes |= {f"out{k}": len(output.values) for k, output in enumerate(program.outputs)}
    name, parameters = made.signature
    lines, passed, offset = [], [], 0
    for k, parameter in enumerate(parameters):
        kind, called = parameter.split(" %")
        if kind == "i64":  # the distance of a component from the next
            passed.append(f"i64 {made.bytes}")
            continue
        lines.append(f"  %p{k} = getelementptr i8, ptr %memory, i64 {offset}")
        passed.append(f"ptr %p{k}")
        offset += (sizes[called] + 1) * made.bytes if called in sizes else SPILL
    text = f"""define void @drive(ptr %memory, i64 %count) {{
entry:
{chr(10).join(lines)}
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %after, %next ]
  call void @{name}({", ".join(passed)})
  %after = add i64 %k, 1
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""
    return f"{made.module}\n{text}", offset


def _chain() -> Callable[[], float]:
    """A measurement of the clock rate in GHz: dependent additions, one a cycle."""
    adds = {"x86_64": "addq $2, $0", "aarch64": "add $0, $0, $2"}
    one = adds.get(binding.get_default_triple().split("-")[0].replace("arm64", "aarch64"))
    if one is None:
        sys.exit("the clock rate is measured on x86-64 and AArch64 only")
    body = "\\0A".join([one] * LINKS)
    text = f"""define i64 @chain(i64 %count) {{
entry:
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %after, %next ]
  %x = phi i64 [ 1, %entry ], [ %y, %next ]
  %y = call i64 asm sideeffect "{body}", "=r,0,r"(i64 %x, i64 %count)
  %after = add i64 %k, 1
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %done
done:
  ret i64 %y
}}
"""
    library = load(Machine(), text, ["chain"])
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library["chain"])
    return lambda keep=library: CHAIN * LINKS / nanoseconds(lambda: call(CHAIN))


def nanoseconds(task: Callable[[], object]) -> float:
    """Processor time of one call."""
    passes, start = 0, thread_time_ns()
    while True:
        task()
        passes += 1
        if (spent := thread_time_ns() - start) >= LEAST:
            return spent / passes


def kernel_task(made: Wide) -> Callable[[], object]:
    """Runs a kernel a thousand times on one block of memory."""
    text, size = with_drive(made)
    library = load(Machine(), text, ["drive"])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(library["drive"])
    memory = np.random.default_rng(0).uniform(-1.5, 1.5, size // np.dtype(made.dtype).itemsize + 16)
    memory = memory.astype(made.dtype)
    place = (memory.ctypes.data + 63) & ~63
    return lambda keep=(library, memory): call(place, 1000)


def batch_task(program: Program, dtype: Any, native: Any) -> tuple[Callable[[], object], int]:
    """Computes a batch called from Python, and of how many states."""
    values = sum(entry.size for entry in program.inputs) + sum(len(output.values) for output in program.outputs)
    count = BATCH // (values * np.dtype(dtype).itemsize)
    arrays = batch(program, dtype, count)
    return lambda: native.run(*arrays), count


def measured(tasks: Mapping[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, tuple[float, float]]:
    """Nanoseconds and cycles a state of tasks that compute so many states; in turns, the clock rate in each round."""
    rate = _chain()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, (task, count) in tasks.items():
            before = rate()
            time = nanoseconds(task) / count
            found[name].append((time, time * (before + rate()) / 2))
    return {name: tuple(statistics.quantiles(x)[0] for x in zip(*pairs, strict=True)) for name, pairs in found.items()}


# the table


def rows(name: str, program: Program, dtype: Any, mca: Sequence[str], rounds: int) -> None:
    host = Machine().known
    made = {part: wide(some, dtype) for part, some in parts(program).items()}
    width = made["kernel"][0].width
    tasks = {part: (kernel_task(one), 1000 * width) for part, (one, _) in made.items()}
    tasks["batch"] = batch_task(program, dtype, made["kernel"][1])
    times = measured(tasks, rounds)
    models = {}
    for part, (one, _) in made.items():
        code = straight(one.signature[0], functions(assembly(with_drive(one)[0], host)))
        if code is not None:
            models[part] = modeled(code, mca)
    models["transposed"] = transposition(made["kernel"][0], host, mca)
    times["transposed"] = tuple(b - k for b, k in zip(times.pop("batch"), times["kernel"], strict=True))
    for part, (time, cycles) in times.items():
        model = models.get(part)
        cells = ["", "", "", "", ""]
        if model is not None:
            bound, simulated = model.bound / width, model.simulated / width
            cells = [f"{model.instructions / width:.1f}", f"{bound:.1f}", model.unit, f"{simulated:.1f}"]
            cells.append(f"{bound / cycles:.0%}")
        text = " | ".join([*cells[:4], f"{cycles:.1f}", cells[4], f"{time:.2f}"])
        print(f"| {name} | {dtype} | {part} | {text} |", flush=True)


def transposition(made: Wide, host: Machine, mca: Sequence[str]) -> Modeled | None:
    """All gathers and scatters of a block; None where they are loops, or not by themselves."""
    known = functions(assembly(made.module, host))
    names = [f"gather{entry.size}" for entry in made.program.inputs]
    names += [f"scatter{len(output.values)}" for output in made.program.outputs]
    lines: list[str] = []
    for name in names:
        code = straight(name, known) if name in known else None
        if code is None:
            return None
        lines += code
    return modeled(lines, mca)


HEAD = """\
| program | numbers | part | instructions | bound | by | simulated | measured | bound / measured | ns |
|---|---|---|---:|---:|---|---:|---:|---:|---:|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", nargs="+", choices=["puma560", *ROBOTS], default=["puma560", "panda"])
    parser.add_argument("--functions", nargs="+", default=["inverse_dynamics"])
    parser.add_argument("--rounds", type=int, default=25)
    given = parser.parse_args()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    host = Machine().known
    mca = mca_for(host.cpu)
    rates = [_chain()() for _ in range(15)]
    version = re.search(
        r"version ([\d.]+)", subprocess.run([mca[0], "--version"], capture_output=True, text=True).stdout
    )
    print(f"{machine_text()}; {host.cpu}, {statistics.median(rates):.2f} GHz ({min(rates):.2f} to {max(rates):.2f})")
    print(f"llvm-mca {version[1] if version else '?'}; cycles and instructions for one state\n\n{HEAD}")
    for name in given.robots:
        robot = emdeg.load(name if name == "puma560" else ROBOTS[name]())
        for function in given.functions:
            program = build(robot, function).program
            for dtype in ("float64", "float32"):
                rows(f"{name} {function}", program, dtype, mca, given.rounds)


if __name__ == "__main__":
    main()

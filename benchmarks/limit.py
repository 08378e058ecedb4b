"""How far batches are from the limit of the processor: measured cycles beside llvm-mca's model of the instructions.

    python benchmarks/limit.py                        inverse dynamics of the PUMA 560 and a Panda
    python benchmarks/limit.py --robots panda --functions inverse_dynamics_derivatives

The kernel that computes as many states as a vector holds runs over one block of memory, again and again; likewise the
program's arithmetic alone, its sines given as inputs, and its sines alone. Gathering the block from rows of states and
scattering the results into rows is `transposed`: a batch called from Python, less the kernel.

- *bound*: what the busiest unit of the processor needs for these instructions, if nothing else ever delays them.
- *simulated*: llvm-mca's count with dependencies, queues and the order of the instructions; loads hit the first cache.
- *measured*: processor time times the clock rate, which a chain of dependent additions gives in the same round.

Needs llvm-mca of an LLVM that has a model of this processor (for Zen 4 at least 16; Debian: apt-get install llvm-19).
"""

import argparse
import ctypes
import json
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import thread_time_ns
from typing import Any

import numpy as np
from llvmlite import binding
from robots import ROBOTS

import emdeg
from emdeg.backends.llvm import LlvmProgram
from emdeg.backends.llvm_kernel import Kernel, module_text
from emdeg.backends.llvm_layout import batch_text
from emdeg.backends.llvm_machine import Machine, load
from emdeg.backends.llvm_text import Lanes
from emdeg.cli.contest import machine as machine_text
from emdeg.compiler.build import build
from emdeg.program import Input, Instruction, Output, Program

LEAST = 5_000_000
"""Nanoseconds that a measurement takes at least."""
CHAIN, LINKS = 1000, 100
"""Turns of the loop that measures the clock rate, additions in each."""
ITERATIONS = 100
"""Times that llvm-mca goes through the instructions."""
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


def assembly(text: str, host: Machine) -> str:
    """What LLVM makes of a module, with the options of `emdeg.backends.llvm_machine`."""
    target = binding.Target.from_default_triple().create_target_machine(
        cpu=host.cpu, features=host.features, opt=3, reloc="pic", codemodel="small", jit=True
    )
    return str(target.emit_assembly(binding.parse_assembly(text)))


def functions(text: str) -> dict[str, list[str]]:
    """The lines of each function between its label and its first return, where what is rare stands behind it."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\.type\s+", text)[1:]:
        name = block.split(",")[0].strip()
        match = re.search(rf"^{re.escape(name)}:.*?^\s+ret", block, re.M | re.S)
        if match:
            lines = [line.split("#")[0].strip() for line in match[0].splitlines()[1:-1]]
            found[name] = [line for line in lines if line and not re.match(r"\.(?!L)", line)]
    return found


def straight(name: str, known: Mapping[str, list[str]]) -> list[str] | None:
    """The instructions of a function and of those that it calls; None if it has loops."""
    lines: list[str] = []
    labels = {line.rstrip(":") for line in known[name] if line.endswith(":")}
    for line in known[name]:
        word, *rest = line.split()
        if word.startswith("call"):
            called = straight(rest[0], known) if rest[0] in known else None
            if called is None:
                return None
            lines += called
        elif word == "jmp" or (word.startswith("j") and rest[0] in labels):
            return None
        elif not line.endswith(":"):
            lines.append(line)
    return lines


@dataclass(frozen=True)
class Modeled:
    """Cycles for one block of states, the busiest unit, how many instructions."""

    bound: float
    simulated: float
    unit: str
    instructions: int


def modeled(instructions: Sequence[str], mca: Sequence[str]) -> Modeled:
    done = subprocess.run(
        [*mca, "-json", f"-iterations={ITERATIONS}"], input="\n".join(instructions), capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"llvm-mca: {done.stderr.splitlines()[0] if done.stderr else done.returncode}")
    report = json.loads(done.stdout)
    (region,) = report["CodeRegions"]
    summary, pressure = region["SummaryView"], region["ResourcePressureView"]["ResourcePressureInfo"]
    total = len(region["Instructions"])
    whole = {item["ResourceIndex"]: item["ResourceUsage"] for item in pressure if item["InstructionIndex"] == total}
    unit = max(whole, key=whole.__getitem__)
    name = report["TargetInfo"]["Resources"][unit].split(".")[0]
    return Modeled(summary["BlockRThroughput"], summary["TotalCycles"] / ITERATIONS, name, total)


def mca_for(cpu: str) -> list[str]:
    """The newest llvm-mca that knows the processor."""
    for name in [f"llvm-mca-{version}" for version in range(30, 15, -1)] + ["llvm-mca"]:
        if (path := shutil.which(name)) is None:
            continue
        command = [path, f"-mcpu={cpu}", "-mtriple=" + binding.get_default_triple()]
        told = subprocess.run(command, input="nop", capture_output=True, text=True)
        if told.returncode == 0 and "not a recognized" not in told.stderr:
            return command
    sys.exit(f"no llvm-mca here knows {cpu}: apt-get install llvm-19, or a newer one")


# measured


def _drive(kernel: Kernel) -> tuple[str, int]:
    """A function that calls the kernel `count` times on one block of memory, and how much of that it takes."""
    program, lanes = kernel.program, kernel.lanes
    sizes = [entry.size for entry in program.inputs] + [len(output.values) for output in program.outputs]
    sizes.append(kernel.spilled)
    lines, offset = [], 0
    for k, size in enumerate(sizes):
        lines.append(f"  %p{k} = getelementptr i8, ptr %memory, i64 {offset}")
        offset += (size + 1) * lanes.width * lanes.bytes
    passed = ", ".join(f"ptr %p{k}" for k in range(len(sizes)))
    text = f"""define void @drive(ptr %memory, i64 %count) {{
entry:
{chr(10).join(lines)}
  br label %next
next:
  %k = phi i64 [ 0, %entry ], [ %after, %next ]
  call void @{kernel.name}({passed})
  %after = add i64 %k, 1
  %more = icmp slt i64 %after, %count
  br i1 %more, label %next, label %done
done:
  ret void
}}
"""
    return text, offset


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


def kernel_task(kernel: Kernel) -> Callable[[], object]:
    """Runs a kernel a thousand times on one block of memory."""
    text, size = _drive(kernel)
    library = load(Machine(), module_text(kernel.program, [kernel], text), ["drive"])
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(library["drive"])
    memory = np.random.default_rng(0).uniform(-1.5, 1.5, size // kernel.lanes.bytes + 16)
    memory = memory.astype(kernel.lanes.precision)
    place = (memory.ctypes.data + 63) & ~63
    return lambda keep=(library, memory): call(place, 1000)


def batch_task(program: Program, dtype: Any) -> tuple[Callable[[], object], int]:
    """Computes a batch called from Python, and of how many states."""
    native = LlvmProgram(program, dtype, threads=1)
    source = np.random.default_rng(1)
    sizes = [entry.size for entry in program.inputs], [len(output.values) for output in program.outputs]
    count = BATCH // (sum(map(sum, sizes)) * np.dtype(dtype).itemsize)
    inputs = [source.uniform(-1.5, 1.5, (count, size)).astype(dtype) for size in sizes[0]]
    outputs = [np.zeros((count, size), dtype) for size in sizes[1]]
    return lambda: native.run(inputs, outputs), count


def measured(tasks: Mapping[str, tuple[Callable[[], object], int]], rounds: int) -> dict[str, tuple[float, float]]:
    """Nanoseconds and cycles a state of tasks that compute so many states; in turns, the clock rate in each round."""
    rate = _chain()
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, (task, count) in tasks.items():
            before = rate()
            time = nanoseconds(task) / count
            found[name].append((time, time * (before + rate()) / 2))
    return {name: tuple(statistics.median(x) for x in zip(*pairs, strict=True)) for name, pairs in found.items()}


# the table


def rows(name: str, program: Program, dtype: Any, mca: Sequence[str], rounds: int) -> None:
    host = Machine().known
    lanes = Lanes(dtype, host.vector_bits // Lanes(dtype).bits)
    kernels = {part: Kernel(made, lanes, host.fma) for part, made in parts(program).items()}
    tasks = {part: (kernel_task(kernel), 1000 * lanes.width) for part, kernel in kernels.items()}
    tasks["batch"] = batch_task(program, dtype)
    times = measured(tasks, rounds)
    models = {}
    for part, kernel in kernels.items():
        code = straight(
            kernel.name, functions(assembly(module_text(kernel.program, [kernel], _drive(kernel)[0]), host))
        )
        if code is not None:
            models[part] = modeled(code, mca)
    models["transposed"] = transposition(kernels["kernel"], host, mca)
    times["transposed"] = tuple(b - k for b, k in zip(times.pop("batch"), times["kernel"], strict=True))
    for part, (time, cycles) in times.items():
        model = models.get(part)
        cells = ["", "", "", "", ""]
        if model is not None:
            bound, simulated = model.bound / lanes.width, model.simulated / lanes.width
            cells = [f"{model.instructions / lanes.width:.1f}", f"{bound:.1f}", model.unit, f"{simulated:.1f}"]
            cells.append(f"{bound / cycles:.0%}")
        text = " | ".join([*cells[:4], f"{cycles:.1f}", cells[4], f"{time:.2f}"])
        print(f"| {name} | {dtype} | {part} | {text} |", flush=True)


def transposition(wide: Kernel, host: Machine, mca: Sequence[str]) -> Modeled | None:
    """All gathers and scatters of a block; None where they are loops or go by other names."""
    known = functions(assembly(module_text(wide.program, [wide], batch_text(wide)), host))
    names = [f"gather{entry.size}" for entry in wide.program.inputs]
    names += [f"scatter{len(output.values)}" for output in wide.program.outputs]
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
    parser.add_argument("--rounds", type=int, default=15)
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

"""What a processor needs for straight-line code: LLVM's assembly of a module, and llvm-mca's model of that."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from llvmlite import binding

from emdeg.backends.llvm_machine import Machine

ITERATIONS = 100
"""Times that llvm-mca goes through the instructions."""


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

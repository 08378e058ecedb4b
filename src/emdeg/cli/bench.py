"""The command bench: how quick a robot's functions are, beside those of other packages that are installed."""

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import Any

from emdeg.cli import output as to
from emdeg.cli.options import FunctionNames, Json, Optimize, Output, Quiet, RobotName, Snap
from emdeg.version import __version__

_ABOUT = (
    "Nanoseconds per state, medians of rounds in which all take turns; ratio: to emdeg's float64 in the same mode. "
    "scalar: calls from Python with single states, the results of emdeg in arrays that are there (out=). "
    "batch: thousands of states at once, on one thread. Every result was compared with emdeg's first. "
    "MuJoCo's calls compute more than the result; CasADi runs in its own interpreter, and as the C that it generates "
    "where gcc is installed."
)


def bench(
    robot: RobotName,
    /,
    *,
    function: FunctionNames = ("inverse_dynamics",),
    optimize: Optimize = "fast",
    snap: Snap = None,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Time a robot's functions against Pinocchio, MuJoCo, dynibo and CasADi, those that are installed, in one run.

    Example: emdeg bench puma560 --function inverse_dynamics mass_matrix
    """
    from emdeg.cli.contest import machine
    from emdeg.cli.race import race
    from emdeg.formats import load

    notes: list[str] = []
    rows: list[dict[str, Any]] = []
    with to.progress(quiet=quiet) as step:
        loaded = load(robot, snap=snap)
        for name in dict.fromkeys(function):
            rows += race(loaded, name, optimize, step, notes.append)
    for text in dict.fromkeys(notes):
        to.note(f"note: {text}", quiet=quiet)
    where = machine()
    if json:
        head = {"emdeg": __version__, "schema": 1, "robot": loaded.name, "machine": where}
        text = to.as_json({**head, "rows": rows})
    else:
        text = _written(loaded.name, where, rows, output)
    to.deliver(text, output, quiet=quiet)


def _written(robot: str, machine: str, rows: Sequence[dict[str, Any]], output: str | None) -> str:
    bold, width = to.heading(output), to.width(output)
    lines = [bold(to.safe(robot)) + f"  on {machine}"]
    lines += wrap(_ABOUT, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    broad = max(len(row["implementation"]) for row in rows)
    for function, own in groupby(rows, key=lambda row: row["function"]):
        title = bold(function) + " " * max(1, broad + 2 - len(function))
        lines += ["", f"{title}  mode    dtype    nanoseconds  ratio"]
        for row in own:
            cells = f"{row['mode']:<6}  {row['dtype']}  {row['nanoseconds']:>11.1f}  {row['ratio']:>5.2f}"
            lines.append(f"  {row['implementation']:<{broad}}  {cells}")
    return "\n".join(lines) + "\n"

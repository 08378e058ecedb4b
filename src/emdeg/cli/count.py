"""The command count: what each way to compute a function costs."""

from collections.abc import Sequence
from itertools import groupby
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from emdeg.cli import output as to
from emdeg.cli.options import FunctionNames, Json, Optimize, Output, Quiet, RobotName, Snap
from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.compiler.count import Row

Convention = Literal["strict", "paper"]
_COLUMNS = ("multiplications", "additions", "divisions", "sincos", "total")
_RULE = {
    "strict": "each binary * and each + or - counts as one, changes of sign are free; total: * and +",
    "paper": "as strict, but for products and squares of sines and cosines, free in the explicit model as derived",
}


def count(
    robot: RobotName,
    /,
    *,
    convention: Annotated[
        Convention,
        Parameter(
            help="paper: products and squares of sines and cosines are free in the explicit model as derived.",
            show_default=True,
        ),
    ] = "strict",
    function: FunctionNames = (),
    optimize: Optimize = "fast",
    snap: Snap = None,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Count the operations of a robot's functions, method beside method.

    Example: emdeg count puma560 --function inverse_dynamics
    """
    from emdeg.compiler.count import USUAL, with_values
    from emdeg.compiler.count import count as count_methods
    from emdeg.formats import load

    with to.progress(quiet=quiet) as step:
        loaded = load(robot, snap=snap)
        _, letters = with_values(loaded)
        rows = count_methods(loaded, function or USUAL, convention=convention, optimize=optimize, progress=step)
    if json:
        head = {"emdeg": __version__, "schema": 1, "robot": loaded.name, "convention": convention}
        text = to.as_json({**head, "rows": [row.to_json() for row in rows]})
    else:
        text = _written(loaded.name, rows, convention, letters, output)
    to.deliver(text, output, quiet=quiet)


def _written(
    robot: str, rows: "Sequence[Row]", convention: Convention, letters: Sequence[str], output: str | None
) -> str:
    bold, width = to.heading(output), to.width(output)
    lines = [bold(to.safe(robot)) + "  operations for one state", *_paragraph(_RULE[convention], width)]
    if letters:
        shown = ", ".join(letters[:8]) + (f" and {len(letters) - 8} more" if len(letters) > 8 else "")
        lines += _paragraph(to.safe(f"letters without values counted as numbers: {shown}"), width)
    broad = max(len(row.method) for row in rows)
    for function, own in groupby(rows, key=lambda row: row.function):
        title = bold(function) + " " * max(1, broad + 2 - len(function))
        lines += ["", title + "  ".join(["", *_COLUMNS])]
        for row in own:
            values = row.to_json()
            cells = [str(values[column]).rjust(len(column)) for column in _COLUMNS]
            lines.append("  " + row.method.ljust(broad) + "  ".join(["", *cells]))
    return "\n".join(lines) + "\n"


def _paragraph(text: str, width: int) -> list[str]:
    return wrap(text, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)

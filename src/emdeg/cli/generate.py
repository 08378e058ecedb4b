"""The command generate: a robot's functions as source text for other languages."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from emdeg.cli import output as to
from emdeg.cli.options import FunctionNames, Json, Minimize, Optimize, Quiet, RobotName, Snap, UsageError
from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.compiler.generate import Generated

Target = Literal["c", "cuda", "jax", "casadi", "sympy", "matlab", "rust", "numpy"]


def generate(
    robot: RobotName,
    /,
    *,
    target: Annotated[Target, Parameter(help="The language or package that the text is for.")],
    function: FunctionNames = ("inverse_dynamics",),
    parameters: Annotated[
        tuple[str, ...],
        Parameter(
            name="--parameters",
            consume_multiple=(1, None),
            negative=(),
            metavar="LETTER...",
            help="Letters of the robot that stay free, as m2 rx2; repeatable. A function <name>_constants takes them.",
        ),
    ] = (),
    friction: Annotated[
        bool,
        Parameter(name="--friction", negative=(), help="With the joints' friction in inverse and forward dynamics."),
    ] = False,
    link: Annotated[
        str | None,
        Parameter(name="--link", metavar="LINK", help="forward_kinematics and jacobian of this link, not of the tool."),
    ] = None,
    base: Annotated[
        bool, Parameter(name="--base", negative=(), help="The regressor by base parameters, as derive lists them.")
    ] = False,
    minimize: Minimize = "operations",
    float32: Annotated[bool, Parameter(name="--float32", negative=(), help="Single precision.")] = False,
    optimize: Optimize = "fast",
    snap: Snap = None,
    json: Json = False,
    output: Annotated[
        str | None,
        Parameter(
            name="--output", metavar="FOLDER", help="Write the files into this folder; a single one may be named."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a robot's functions as source text, with a self-test where the target has one.

    Example: emdeg generate puma560 --target c --function inverse_dynamics gravity --output puma
    """
    from emdeg.compiler.count import BEST, Row
    from emdeg.compiler.generate import generated
    from emdeg.compiler.options import Options
    from emdeg.formats import load

    with to.progress(quiet=quiet) as step:
        loaded = load(robot, snap=snap)
        options = Options(tuple(parameters), friction, link, base, minimize)
        made = generated(loaded, target, function, optimize=optimize, options=options, float32=float32, progress=step)
    _deliver(made, target, output, json=json, quiet=quiet)
    if json:
        rows = [Row(program.name, BEST, program.cost).to_json() for program in made.programs]
        head = {"emdeg": __version__, "schema": 1, "robot": loaded.name, "target": target}
        to.deliver(to.as_json({**head, "files": list(made.files), "rows": rows}), None, quiet=quiet)


def _deliver(made: "Generated", target: str, output: str | None, *, json: bool, quiet: bool) -> None:
    """The texts where they are wanted; with --json alone nowhere, as JSON is all there is on standard output."""
    files = made.files
    if output is None and json:
        to.note(f"nothing is written without --output: {', '.join(files)}", quiet=quiet)
    elif output is None:
        if len(files) > 1:
            raise UsageError(f"--target {target} makes {len(files)} files: give --output a folder for them")
        to.deliver(next(iter(files.values())), None, quiet=quiet)
    elif len(files) > 1 or output.endswith(("/", "\\")) or Path(output).is_dir():
        to.write_all(files, Path(output))
        to.note(f"wrote {', '.join(files)} in {output}", quiet=quiet)
    else:
        to.deliver(next(iter(files.values())), output, quiet=quiet)

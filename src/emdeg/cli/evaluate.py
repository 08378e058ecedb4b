"""The commands evaluate and vectors: numbers at a state."""

import re
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from emdeg.cli import output as to
from emdeg.cli.options import Json, Output, Quiet, RobotName, Snap
from emdeg.errors import InputError
from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.model.model import Model

Function = Literal[
    "mass_matrix", "coriolis", "centrifugal", "coriolis_matrix", "gravity", "bias", "inverse_dynamics", "torque"
]
_TITLES = {
    "mass_matrix": "mass matrix A",
    "coriolis": "velocity products B, a row for each, a column for each joint",
    "centrifugal": "squared velocities C",
    "coriolis_matrix": "Coriolis matrix, Christoffel form",
    "gravity": "gravity g",
    "bias": "bias B [qd qd] + C [qd²] + g",
    "torque": "torque tau",
    "inverse_dynamics": "inverse dynamics tau",
}
_SHOWN = ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque")
_ALL = ("mass_matrix", "coriolis", "centrifugal", "gravity", "coriolis_matrix", "bias", "torque")


def evaluate(
    robot: RobotName,
    /,
    *,
    q: Annotated[
        str,
        Parameter(
            name="--q",
            metavar="NUMBERS",
            allow_leading_hyphen=True,
            help="Positions, rad or m, as '0.1 -0.2 0'; zeros if left out.",
        ),
    ] = "",
    qd: Annotated[
        str, Parameter(name="--qd", metavar="NUMBERS", allow_leading_hyphen=True, help="Velocities, rad/s or m/s.")
    ] = "",
    qdd: Annotated[
        str,
        Parameter(name="--qdd", metavar="NUMBERS", allow_leading_hyphen=True, help="Accelerations, rad/s² or m/s²."),
    ] = "",
    function: Annotated[
        tuple[Function, ...], Parameter(consume_multiple=(1, None), negative=(), help="Only these results.")
    ] = (),
    set: Annotated[
        tuple[str, ...],
        Parameter(
            consume_multiple=(1, None),
            negative=(),
            metavar="NAME=VALUE...",
            help="Values of letters in SI, before the file's: m1=2 ry1=0.03.",
        ),
    ] = (),
    snap: Snap = None,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Evaluate A, B, C, g and the torques of a robot at a state.

    Example: emdeg evaluate puma560 --q "0 0.5 -1 0 0.3 0" --qd "1 0 0 0 0 0"
    """
    from emdeg.formats import load
    from emdeg.model.derive import derive

    values = _values(set)
    with to.progress(quiet=quiet) as step:
        model = derive(load(robot, snap=snap), progress=step)
        count = len(model.tree)
        state = {name: _state(name, text, count) for name, text in (("q", q), ("qd", qd), ("qdd", qdd))}
        step("evaluating")
        found = _evaluated(model, state, values)
    names = tuple(dict.fromkeys(function)) or (_ALL if json else _SHOWN)
    results = {name: found["torque" if name == "inverse_dynamics" else name] for name in names}
    if json:
        head = {"emdeg": __version__, "schema": 1, "robot": model.robot.name, **state}
        text = to.as_json({**head, **results})
    else:
        text = _tables(model.robot.name, state, results, output)
    to.deliver(text, output, quiet=quiet)


def vectors(
    robot: RobotName,
    /,
    *,
    number: Annotated[int, Parameter(help="How many states.", show_default=True)] = 5,
    snap: Snap = None,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Print exact rational test vectors of A, B, C, g and the torques, to judge any tool by; always as JSON.

    Example: emdeg vectors planar2 --number 2
    """
    from emdeg.formats import load
    from emdeg.model.derive import derive
    from emdeg.model.vectors import vectors as make

    with to.progress(quiet=quiet) as step:
        model = derive(load(robot, snap=snap), progress=step)
        step("evaluating exactly")
        result = make(model, number)
    to.deliver(to.as_json(result), output, quiet=quiet)


def _values(settings: tuple[str, ...]) -> dict[str, float]:
    """Numbers for letters, from texts such as m1=2 or 'm1=2 kg'."""
    from emdeg.quantity import ANY_UNIT, Expression, parse_value

    values = {}
    for setting in settings:
        name, equals, text = (part.strip() for part in setting.partition("="))
        if not name or not equals or not text:
            raise InputError(f"{setting!r} sets no letter", where="--set", advice="write NAME=VALUE, as in m1=2.5")
        value = parse_value(text, ANY_UNIT, where=f"--set {name}")
        if isinstance(value, Expression):
            raise InputError(f"{text!r} is no number", where=f"--set {name}", advice="write a number, as in m1=2.5")
        values[name] = float(value.value)
    return values


def _state(name: str, text: str, count: int) -> list[float]:
    """The numbers of a state, separated by commas or spaces; zeros if there are none."""
    parts = [part for part in re.split(r"[\s,;]+", text.strip().strip("[]()")) if part]
    if not parts:
        return [0.0] * count
    numbers = []
    for part in parts:
        try:
            number = float(part)
        except ValueError:
            raise InputError(f"{part!r} is no number", where=f"--{name}", advice=_example(name, count)) from None
        if number != number or number in (float("inf"), float("-inf")):
            raise InputError(f"{part!r} is not finite", where=f"--{name}", advice=_example(name, count))
        numbers.append(number)
    if len(numbers) != count:
        raise InputError(
            f"{len(numbers)} number{'s' if len(numbers) != 1 else ''} given, but the robot has {count} coordinates",
            where=f"--{name}",
            advice=_example(name, count),
        )
    return numbers


def _example(name: str, count: int) -> str:
    return f'give {count} numbers in SI, as in --{name} "{" ".join(["0.1"] * count)}"'


def _evaluated(model: "Model", state: Mapping[str, list[float]], values: Mapping[str, float]) -> dict[str, Any]:
    try:
        found = model.evaluate(state["q"], state["qd"], state["qdd"], values=values)
    except InputError as error:
        advice = re.sub(r"give numbers, as values=\{'(\w+)': .*", r"give numbers, as --set \1=0.1", error.advice)
        raise InputError(error.what, where=error.where or model.robot.name, advice=advice) from None
    return {name: getattr(found, name).tolist() for name in _ALL}


def _tables(robot: str, state: Mapping[str, list[float]], results: Mapping[str, Any], output: str | None) -> str:
    bold = to.heading(output)
    lines = [bold(to.safe(robot)) + "  (SI units)"]
    lines += [f"  {name:<3} = {'  '.join(f'{x:.6g}' for x in numbers)}" for name, numbers in state.items()]
    for name, value in results.items():
        rows = value if value and isinstance(value[0], list) else [value]
        labels = [""] * len(rows)
        if name == "coriolis":
            labels = [f"qd{j + 1}*qd{k + 1}  " for j, k in combinations(range(len(rows)), 2)]
            rows = list(zip(*rows, strict=True))
        cells = [[f"{x:.6g}" for x in row] for row in rows]
        broad = max((len(cell) for row in cells for cell in row), default=0)
        lines += ["", bold(_TITLES[name])]
        lines += [f"  {a}" + "  ".join(cell.rjust(broad) for cell in row) for a, row in zip(labels, cells, strict=True)]
    return "\n".join(lines) + "\n"

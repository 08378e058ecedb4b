"""CasADi: Python text that builds a `casadi.Function` of SX for each function."""

from collections.abc import Mapping, Sequence
from math import prod

from emdeg.backends.arrays import RESERVED, docstring, statements
from emdeg.backends.text import Argument, Language, Routine, decimal, packed, page, prepare
from emdeg.backends.vectors import Vector
from emdeg.errors import UnsupportedError
from emdeg.program import Program


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A module of functions without arguments, each of which builds one; `vectors` are not used."""
    if float32:
        raise UnsupportedError("CasADi computes in double precision", advice="leave float32 away")
    language = Language(
        "#",
        lambda name, k: f"{name}[{k}]",
        decimal,
        f"{RESERVED} null jac hess",
        prefixed=False,
    )
    unit = prepare(programs, robot, source, language)
    lines = [*unit.header, "", "import casadi"]
    for routine in unit.routines:
        lines += ["", "", *_builder(routine)]
    return {f"{unit.name}.py": page(lines)}


def _builder(routine: Routine) -> list[str]:
    lines = [f"def {routine.name}():", *docstring(routine, "Returns a casadi.Function of SX; matrices are dense.")]
    lines += [f'    {argument.name} = casadi.SX.sym("{argument.name}", {argument.size})' for argument in routine.inputs]
    for step in routine.steps:
        lines += statements(step, "casadi")
    for output in routine.outputs:
        lines += _matrix(output)
    inputs = [argument.name for argument in routine.inputs]
    outputs = [output.name for output in routine.outputs]
    lines += ["    return casadi.Function(", f'        "{routine.name}",']
    for names in (inputs, outputs):
        lines += packed("        [", names, "],")
    for names in (inputs, outputs):
        lines += packed("        [", [f'"{name}"' for name in names], "],")
    return [*lines, "    )"]


def _matrix(output: Argument) -> list[str]:
    """CasADi has matrices only, and fills them column by column: of more indices the last ones become one."""
    rows, columns = (*output.shape, 1)[0] if output.shape else 1, prod(output.shape[1:])
    values = [output.values[i * columns + j] for j in range(columns) for i in range(rows)]
    lines = packed(f"    {output.name} = casadi.vertcat(", values, ")")
    return [*lines, f"    {output.name} = casadi.densify(casadi.reshape(casadi.SX({output.name}), {rows}, {columns}))"]

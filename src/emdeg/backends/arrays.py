"""Python text over arrays, shared by the targets whose arrays have numpy's interface."""

import keyword
import sys
from collections.abc import Sequence

from emdeg.backends.text import Argument, Language, Routine, Step, Unit, decimal, packed, page, prepare
from emdeg.program import Program
from emdeg.program.program import NAMED

_MODULES = ("numpy", "jax", "jaxlib", "casadi", "sympy", "scipy", "emdeg", *sorted(sys.stdlib_module_names))
RESERVED = " ".join((*keyword.kwlist, *keyword.softkwlist, *_MODULES))
"""Names that Python text does not take: keywords, and modules, which files of these names would hide."""


def statements(step: Step, module: str) -> list[str]:
    """A step in Python, sine, cosine and sign being functions of `module`."""
    if step.kind == "sincos":
        pairs = zip(step.names, ("sin", "cos"), strict=True)
        return [f"    {name} = {module}.{kind}({step.operands[0]})" for name, kind in pairs]
    if step.kind in NAMED:
        return [f"    {step.names[0]} = {module}.{step.kind}({step.operands[0]})"]
    return [f"    {step.names[0]} = {step.expression}"]


def docstring(routine: Routine, result: str) -> list[str]:
    """What it costs, the arguments, what comes back."""
    title, *rest = routine.remarks
    return [f'    """{title}', "", f"    {result}", "", *(f"    {remark}" for remark in rest), '    """']


def array_module(
    programs: Sequence[Program], robot: str, source: str, module: str, alias: str, float32: bool
) -> dict[str, str]:
    """A module of pure functions over arrays (..., size), batched by broadcasting."""
    language = Language(
        "#",
        lambda name, k: f"{name}[..., {k}]",
        lambda value: decimal(value, float32),
        f"{RESERVED} {alias} batch",
        prefixed=False,
    )
    unit = prepare(programs, robot, source, language)
    lines = [*unit.header, "", f"import {module} as {alias}"]
    for routine in unit.routines:
        lines += ["", "", *_function(routine, alias, float32)]
    return {f"{unit.name}.py": page([*lines, "", "", *_join(unit, alias)])}


def _function(routine: Routine, alias: str, float32: bool) -> list[str]:
    names = [argument.name for argument in routine.inputs]
    lines = packed(f"def {routine.name}(", names, "):")
    lines += docstring(routine, "Leading dimensions of the arguments broadcast, and stand in front of the results.")
    kind = f", dtype={alias}.float32" if float32 else ""
    lines += [f"    {name} = 1.0 * {alias}.asarray({name}{kind})" for name in names]
    lines += packed(f"    batch = {alias}.broadcast_shapes(", [f"{name}.shape[:-1]" for name in names], ")")
    for step in routine.steps:
        lines += statements(step, alias)
    for output in routine.outputs:
        lines += packed(f"    {output.name} = _join(batch, {_tuple(output)}, [", output.values, "])")
    return [*lines, f"    return {', '.join(output.name for output in routine.outputs)}"]


def _tuple(output: Argument) -> str:
    return repr(output.shape)


def _join(unit: Unit, alias: str) -> list[str]:
    return [
        "def _join(batch, shape, components):",
        '    """The components, each as large as the batch, in one array (*batch, *shape)."""',
        "    if not components:",
        f"        return {alias}.zeros(batch + shape)",
        f"    columns = [{alias}.broadcast_to({alias}.asarray(component), batch) for component in components]",
        f"    return {alias}.stack(columns, axis=-1).reshape(batch + shape)",
    ]

"""MATLAB and Octave: a file for each function, and with vectors a script that tests them."""

from collections.abc import Mapping, Sequence

from emdeg.backends.text import WIDTH, Argument, Language, Routine, Step, Unit, decimal, packed, page, prepare
from emdeg.backends.vectors import TOLERANCE, Vector
from emdeg.program import Program
from emdeg.program.program import NAMED

_RESERVED = """
    break case catch classdef continue else elseif end for function global if otherwise parfor persistent return spmd
    switch try while do until end_try_catch end_unwind_protect endfor endfunction endif endparfor endswitch endwhile
    unwind_protect unwind_protect_cleanup enumeration events methods properties arguments import
    sin cos sign single double zeros reshape ans pi inf nan eps e i j na varargin varargout nargin nargout
    worst largest error max abs fprintf isempty selftest __file__ __line__
"""


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A `.m` for each function, that has its name; with `vectors` a function that tests all of them."""
    language = Language("%", lambda name, k: f"{name}({k + 1})", lambda value: decimal(value, float32), _RESERVED)
    unit = prepare(programs, robot, source, language)
    files = {f"{routine.name}.m": _function(unit, routine, float32) for routine in unit.routines}
    if vectors is not None:
        files[f"{unit.name}_selftest.m"] = _selftest(unit, float32, vectors)
    return files


def _function(unit: Unit, routine: Routine, float32: bool) -> str:
    inputs = [argument.name for argument in routine.inputs]
    outputs = [output.name for output in routine.outputs]
    lines = [f"function [{', '.join(outputs)}] = {routine.name}({', '.join(inputs)})"]
    if len(lines[0]) > WIDTH:
        lines = packed("function [", outputs, "] = ...", more=" ...")
        lines += packed(f"    {routine.name}(", inputs, ")", more=" ...")
    lines += [f"% {remark}" for remark in routine.remarks] + ["%", *unit.header, ""]
    if float32:
        lines += [f"{argument.name} = single({argument.name});" for argument in routine.inputs]
    for step in routine.steps:
        lines += _statements(step)
    kind = ", 'single'" if float32 else ""
    for output in routine.outputs:
        lines.append(f"{output.name} = zeros({_extents(output)}{kind});")
        lines += [
            f"{output.name}({place}) = {value};" for place, value in zip(_places(output), output.values, strict=True)
        ]
    return page([*lines, "end"])


def _extents(output: Argument) -> str:
    """A vector is a column."""
    shape = (*output.shape, 1, 1)[: max(2, len(output.shape))]
    return ", ".join(map(str, shape))


def _places(output: Argument) -> list[str]:
    """The indices of the components, the last fastest."""
    places = [""]
    for extent in output.shape or (1,):
        places = [f"{place}, {k + 1}".lstrip(", ") for place in places for k in range(extent)]
    return places


def _statements(step: Step) -> list[str]:
    if step.kind == "sincos":
        return [f"{name} = {kind}({step.operands[0]});" for name, kind in zip(step.names, ("sin", "cos"), strict=True)]
    if step.kind in NAMED:
        return [f"{step.names[0]} = {step.kind}({step.operands[0]});"]
    return [f"{step.names[0]} = {step.expression};"]


def _selftest(unit: Unit, float32: bool, vectors: Mapping[str, Sequence[Vector]]) -> str:
    unit_text = "eps('single')" if float32 else "eps"
    lines = [f"function {unit.name}_selftest()", "% An error where a function does not give its stored results."]
    lines += ["%", *unit.header, "", "worst = 0;"]
    for routine in unit.routines:
        for vector in vectors.get(routine.program.name, ()):
            lines += _case(routine, vector)
    lines += [f"fprintf('largest error %.2f units of rounding\\n', worst / {unit_text});"]
    lines += [
        f"if ~(worst <= {TOLERANCE} * {unit_text})",
        "    error('emdeg:selftest', 'wrong results');",
        "end",
        "end",
        "",
    ]
    lines += ["function worst = larger(worst, found, expected, scale)"]
    lines += ["    found = double(permute(found, ndims(found):-1:1));", "    found = found(:)';"]
    lines += ["    for k = 1:numel(expected)", "        difference = abs(found(k) - expected(k));"]
    lines += ["        if difference ~= 0", "            difference = difference / scale(k);", "        end"]
    lines += ["        if ~(difference <= worst) && ~isnan(worst)", "            worst = difference;", "        end"]
    return page([*lines, "    end", "end"])


def _case(routine: Routine, vector: Vector) -> list[str]:
    found = [f"found_{output.name}" for output in routine.outputs]
    lines = []
    for argument in routine.inputs:
        numbers = [repr(float(x)) for x in vector.inputs[argument.label]]
        lines += packed(f"in_{argument.name} = [", numbers, "];", more=" ...")
    lines += packed("[", found, "] = ...", more=" ...")
    lines += packed(f"    {routine.name}(", [f"in_{argument.name}" for argument in routine.inputs], ");", more=" ...")
    for output, name in zip(routine.outputs, found, strict=True):
        for label, table in (("expected", vector.outputs), ("scale", vector.scales)):
            lines += packed(f"{label} = [", [repr(float(x)) for x in table[output.label]], "];", more=" ...")
        lines.append(f"worst = larger(worst, {name}, expected, scale);")
    return lines

"""C99: a function each, no dependencies but math.h, no memory but the stack; a header; a self-test."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from emdeg.backends.selftest import selftest, table
from emdeg.backends.text import (
    Argument,
    Language,
    Routine,
    Step,
    Unit,
    conditional_sign,
    decimal,
    packed,
    page,
    prepare,
)
from emdeg.backends.vectors import Vector
from emdeg.program import Program

_RESERVED = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    alignas alignof and and_eq asm atomic bitand bitor bool catch class compl concept constexpr const_cast decltype
    delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true
    try typeid typename using virtual wchar_t xor xor_eq typeof
    sin cos sinf cosf main linux unix i386 nan infinity huge_val huge errno domain sing overflow underflow ploss tloss
    isnan isinf isfinite isnormal signbit fpclassify math_errno math_errexcept math_errhandling size_t null
"""


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A `.c`, its `.h`, and with `vectors` (by a program's name) a self-test that has a `main`."""

    def literal(value: Fraction) -> str:
        return decimal(value, float32) + "f" * float32

    language = Language("//", lambda name, k: f"{name}[{k}]", literal, _RESERVED)
    unit = prepare(programs, robot, source, language)
    real = "float" if float32 else "double"
    files = {f"{unit.name}.h": _header(unit, real), f"{unit.name}.c": _source(unit, real)}
    if vectors is not None:
        files[f"{unit.name}_selftest.c"] = selftest(unit, real, _includes(unit), _test, vectors)
    return files


def _header(unit: Unit, real: str) -> str:
    guard = f"EMDEG_{unit.name.upper()}_H"
    lines = [*unit.header, "", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for routine in unit.routines:
        lines += ["", *(f"// {remark}" for remark in routine.remarks), *_prototype(routine, real, ");")]
    return page([*lines, "", "#ifdef __cplusplus", "}", "#endif", "", "#endif"])


def _prototype(routine: Routine, real: str, closing: str) -> list[str]:
    arguments = [f"const {real} {_array(argument)}" for argument in routine.inputs]
    arguments += [f"{real} {_array(argument)}" for argument in routine.outputs]
    return packed(f"void {routine.name}(", arguments or ["void"], closing)


def _array(argument: Argument) -> str:
    """C knows no arrays of no length; a matrix is an array of its rows, one after the other."""
    return f"{argument.name}[{argument.size}]" if argument.size else f"*{argument.name}"


def _source(unit: Unit, real: str) -> str:
    lines = [*unit.header, "", f'#include "{unit.name}.h"', "", "#include <math.h>"]
    for routine in unit.routines:
        lines += ["", *_prototype(routine, real, ")"), "{", *_body(routine, real), "}"]
    return page(lines)


def _body(routine: Routine, real: str) -> list[str]:
    lines = [f"    const {real} {part};" for step in routine.steps for part in _statements(step, real)]
    copies: dict[str, str] = {}  # results that are inputs: an output may overlap an input
    components = {component for argument in routine.inputs for component in argument.values}
    for output in routine.outputs:
        for value in output.values:
            if value in components and value not in copies:
                copies[value] = f"t{len(copies) + 1}"
                lines.append(f"    const {real} {copies[value]} = {value};")
    lines += [f"    (void){name};" for name in [*routine.idle_inputs, *routine.idle_values]]
    for output in routine.outputs:
        lines += [f"    {output.name}[{k}] = {copies.get(value, value)};" for k, value in enumerate(output.values)]
        if not output.size:
            lines.append(f"    (void){output.name};")
    return lines


def _statements(step: Step, real: str) -> list[str]:
    suffix = "f" * (real == "float")
    if step.kind == "sincos":
        return [
            f"{step.names[0]} = sin{suffix}({step.operands[0]})",
            f"{step.names[1]} = cos{suffix}({step.operands[0]})",
        ]
    if step.kind in ("sin", "cos"):
        return [f"{step.names[0]} = {step.kind}{suffix}({step.operands[0]})"]
    if step.kind == "sign":
        return [f"{step.names[0]} = {conditional_sign(step.operands[0], suffix)}"]
    return [f"{step.names[0]} = {step.expression}"]


def _includes(unit: Unit) -> list[str]:
    return [f'"{unit.name}.h"', "<float.h>", "<math.h>", "<stdio.h>"]


def _test(routine: Routine, real: str, vectors: Sequence[Vector]) -> list[str]:
    """The tables of a function's vectors, and a loop over them."""
    lines = []
    for argument in routine.inputs:
        rows = [vector.inputs[argument.label] for vector in vectors]
        lines += table(f"const {real} in_{argument.name}", rows, "f" * (real == "float"))
    for argument in routine.outputs:
        lines += table(f"const double out_{argument.name}", [vector.outputs[argument.label] for vector in vectors])
        lines += table(f"const double scale_{argument.name}", [vector.scales[argument.label] for vector in vectors])
        lines.append(f"    {real} found_{argument.name}[{max(argument.size, 1)}];")
    lines.append(f"    for (int k = 0; k < {len(vectors)}; k++) {{")
    passed = [f"in_{argument.name}[k]" for argument in routine.inputs]
    passed += [f"found_{argument.name}" for argument in routine.outputs]
    lines += packed(f"        {routine.name}(", passed, ");")
    for argument in routine.outputs:
        compared = [f"{kind}_{argument.name}{row}" for kind, row in (("found", ""), ("out", "[k]"), ("scale", "[k]"))]
        lines += packed("        largest = worse(largest, error(", [str(argument.size), *compared], "));")
    return [*lines, "    }"]

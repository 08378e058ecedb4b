"""CUDA: one thread a state, structure of arrays; a kernel and a launcher for each function."""

from collections.abc import Mapping, Sequence

from emdeg.backends.selftest import selftest, table
from emdeg.backends.text import (
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
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast
    else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short
    signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef
    typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq
    sin cos sincos sinf cosf sincosf main linux unix nan infinity huge_val errno null size_t
    i n blocks stream blockidx blockdim threadidx griddim warpsize dim3 cudaerror_t cudastream_t
"""
_THREADS = 128
_LAYOUT = "Arrays lie in device memory: component k of state i at [k * n + i]; matrices row by row."


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A `.cu` and its `.cuh`, and with `vectors` (by a program's name) a self-test that has a `main`."""
    language = Language(
        "//",
        lambda name, k: f"{name}[{k} * n + i]" if k else f"{name}[i]",
        lambda value: decimal(value, float32) + "f" * float32,
        _RESERVED,
    )
    unit = prepare(programs, robot, source, language)
    real = "float" if float32 else "double"
    files = {f"{unit.name}.cuh": _header(unit, real), f"{unit.name}.cu": _source(unit, real)}
    if vectors is not None:
        includes = [f'"{unit.name}.cuh"', "<cfloat>", "<cmath>", "<cstdio>"]
        files[f"{unit.name}_selftest.cu"] = selftest(unit, real, includes, _test, vectors)
    return files


def _header(unit: Unit, real: str) -> str:
    lines = [*unit.header, f"// {_LAYOUT}", "", "#pragma once", "", "#include <cuda_runtime.h>"]
    for routine in unit.routines:
        lines += ["", *(f"// {remark}" for remark in routine.remarks)]
        lines += packed(f'extern "C" cudaError_t {routine.name}(', _parameters(routine, real, "stream"), ");")
    return page(lines)


def _parameters(routine: Routine, real: str, *last: str) -> list[str]:
    parameters = ["size_t n", *(f"const {real} *__restrict__ {argument.name}" for argument in routine.inputs)]
    parameters += [f"{real} *__restrict__ {argument.name}" for argument in routine.outputs]
    return [*parameters, *(f"cudaStream_t {name}" for name in last)]


def _source(unit: Unit, real: str) -> str:
    lines = [*unit.header, "", f'#include "{unit.name}.cuh"']
    for routine in unit.routines:
        lines += ["", *_kernel(routine, real), "", *_launcher(routine, real)]
    return page(lines)


def _kernel(routine: Routine, real: str) -> list[str]:
    lines = packed(f"static __global__ void {routine.name}_kernel(", _parameters(routine, real), ")")
    lines += ["{", "    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;"]
    lines += ["    if (i >= n) {", "        return;", "    }"]
    for step in routine.steps:
        lines += _statements(step, real)
    lines += [f"    (void){name};" for name in routine.idle_values]
    for output in routine.outputs:
        lines += [f"    {output.name}[{k} * n + i] = {value};" for k, value in enumerate(output.values)]
    return [*lines, "}"]


def _statements(step: Step, real: str) -> list[str]:
    suffix = "f" * (real == "float")
    if step.kind == "sincos":
        s, c = step.names
        return [f"    {real} {s}, {c};", f"    sincos{suffix}({step.operands[0]}, &{s}, &{c});"]
    if step.kind in ("sin", "cos"):
        return [f"    const {real} {step.names[0]} = {step.kind}{suffix}({step.operands[0]});"]
    if step.kind == "sign":
        return [f"    const {real} {step.names[0]} = {conditional_sign(step.operands[0], suffix)};"]
    return [f"    const {real} {step.names[0]} = {step.expression};"]


def _launcher(routine: Routine, real: str) -> list[str]:
    passed = ["n", *(argument.name for argument in (*routine.inputs, *routine.outputs))]
    return [
        *packed(f'extern "C" cudaError_t {routine.name}(', _parameters(routine, real, "stream"), ")"),
        "{",
        "    if (n == 0) {",
        "        return cudaSuccess;",
        "    }",
        f"    const unsigned blocks = (unsigned)((n + {_THREADS - 1}) / {_THREADS});",
        *packed(f"    {routine.name}_kernel<<<blocks, {_THREADS}, 0, stream>>>(", passed, ");"),
        "    return cudaGetLastError();",
        "}",
    ]


def _test(routine: Routine, real: str, vectors: Sequence[Vector]) -> list[str]:
    """All vectors in one launch: component by component, as the arrays lie on the device."""
    lines, size = [], f"sizeof({real})"
    arguments = [*routine.inputs, *routine.outputs]
    for argument in routine.inputs:
        rows = [[vector.inputs[argument.label][k] for vector in vectors] for k in range(argument.size)] or [[0.0]]
        lines += table(f"const {real} in_{argument.name}", rows, "f" * (real == "float"))
    for argument in routine.outputs:
        for kind, stored in (("out", "outputs"), ("scale", "scales")):
            rows = [[getattr(v, stored)[argument.label][k] for v in vectors] for k in range(argument.size)] or [[0.0]]
            lines += table(f"const double {kind}_{argument.name}", rows)
        lines.append(f"    {real} found_{argument.name}[{max(argument.size, 1) * len(vectors)}];")
    for argument in arguments:
        name, count = argument.name, max(argument.size, 1) * len(vectors)
        lines += [f"    {real} *device_{name} = NULL;", f"    cudaMalloc((void **)&device_{name}, {count} * {size});"]
    for argument in routine.inputs:
        name = argument.name
        copied = [f"device_{name}", f"in_{name}", f"sizeof in_{name}", "cudaMemcpyHostToDevice"]
        lines += packed("    cudaMemcpy(", copied, ");")
    passed = [str(len(vectors)), *(f"device_{argument.name}" for argument in arguments), "0"]
    lines += packed(f"    {routine.name}(", passed, ");")
    for argument in routine.outputs:
        name, count = argument.name, argument.size * len(vectors)
        copied = [f"found_{name}", f"device_{name}", f"{count} * {size}", "cudaMemcpyDeviceToHost"]
        lines += packed("    cudaMemcpy(", copied, ");")
        compared = [str(count), f"found_{name}", f"&out_{name}[0][0]", f"&scale_{name}[0][0]"]
        lines += packed("    largest = worse(largest, error(", compared, "));")
    lines += [f"    cudaFree(device_{argument.name});" for argument in arguments]
    return [*lines, "    largest = cudaGetLastError() == cudaSuccess ? largest : INFINITY;"]

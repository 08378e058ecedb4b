"""Rust: a module for no_std crates, without dependencies; the caller gives a function that is sine and cosine."""

from collections.abc import Mapping, Sequence

from emdeg.backends.text import WIDTH, Argument, Language, Routine, Step, decimal, packed, page, prepare
from emdeg.backends.vectors import TOLERANCE, Vector
from emdeg.program import Program

_RESERVED = """
    as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut
    pub ref return self static struct super trait true type unsafe use where while abstract become box do final gen
    macro override priv try typeof union unsized virtual yield f32 f64 sin_cos core std tests worse test lib main
"""
_ALLOWED = "#[allow(non_snake_case, unused_variables, clippy::all)]"


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """One `.rs`, to be declared by `mod` in a crate, or a crate of its own; with `vectors` it has tests."""
    real = "f32" if float32 else "f64"
    language = Language(
        "//", lambda name, k: f"{name}[{k}]", lambda value: decimal(value, float32), _RESERVED, prefixed=False
    )
    unit = prepare(programs, robot, source, language)
    lines = [
        *unit.header,
        f"// `sin_cos` is `{real}::sin_cos` where there is std; `libm::sincos{'f' * float32}` where not.",
    ]
    for routine in unit.routines:
        lines += ["", *_function(routine, real)]
    if vectors is not None:
        lines += ["", *_tests(unit.routines, real, vectors)]
    return {f"{unit.name}.rs": page(lines)}


def _type(argument: Argument, real: str) -> str:
    text = real
    for extent in reversed(argument.shape):
        text = f"[{text}; {extent}]"
    return text


def _function(routine: Routine, real: str) -> list[str]:
    parameters = [f"sin_cos: impl Fn({real}) -> ({real}, {real})"]
    parameters += [f"{argument.name}: &{_type(argument, real)}" for argument in routine.inputs]
    types = [_type(output, real) for output in routine.outputs]
    result = types[0] if len(types) == 1 else f"({', '.join(types)})"
    title, *rest = routine.remarks
    lines = [f"/// {title}", "///", *(f"/// - {remark}" for remark in rest), _ALLOWED]
    lines += packed(f"pub fn {routine.name}(", parameters, f") -> {result} {{")
    lines += [f"    let {_left(step)} = {_right(step)};" for step in routine.steps]
    for output in routine.outputs:
        lines += _array(f"    let {output.name}: {_type(output, real)} = ", output.shape, list(output.values), ";")
    names = [output.name for output in routine.outputs]
    return [*lines, f"    {names[0] if len(names) == 1 else '(' + ', '.join(names) + ')'}", "}"]


def _left(step: Step) -> str:
    if step.kind == "sincos":
        return f"({', '.join(step.names)})"
    return {"sin": f"({step.names[0]}, _)", "cos": f"(_, {step.names[0]})"}.get(step.kind, step.names[0])


def _right(step: Step) -> str:
    if step.kind == "sign":  # not signum, which is 1 at 0
        x = step.operands[0]
        return f"if {x} > 0.0 {{ 1.0 }} else if {x} < 0.0 {{ -1.0 }} else {{ {x} }}"
    return f"sin_cos({step.operands[0]})" if step.kind in ("sin", "cos", "sincos") else step.expression


def _array(opening: str, shape: tuple[int, ...], values: list[str], closing: str) -> list[str]:
    """A nested array, the rows of the last index packed into lines."""
    if not shape:
        return [f"{opening}{values[0]}{closing}"]
    if len(shape) == 1:
        return packed(f"{opening}[", values, f"]{closing}")
    margin = " " * (len(opening) - len(opening.lstrip(" ")))
    lines = [f"{opening}["]
    step = len(values) // max(shape[0], 1)
    for k in range(shape[0]):
        lines += _array(f"{margin}    ", shape[1:], values[k * step : (k + 1) * step], ",")
    return [*lines, f"{margin}]{closing}"]


def _tests(routines: Sequence[Routine], real: str, vectors: Mapping[str, Sequence[Vector]]) -> list[str]:
    """A module of tests, one for each function, each with its vectors."""
    lines = ["#[cfg(test)]", "#[allow(non_snake_case, clippy::all)]", "mod tests {", "    extern crate std;", ""]
    lines += [f"    fn check(found: &[{real}], expected: &[f64], scale: &[f64]) {{"]
    lines += ["        for ((x, y), s) in found.iter().zip(expected).zip(scale) {"]
    lines += [f"            let allowed = {TOLERANCE}.0 * f64::from({real}::EPSILON) * s;"]
    lines += ['            assert!((f64::from(*x) - y).abs() <= allowed, "{} is not {}", x, y);', "        }", "    }"]
    for routine in routines:
        lines += ["", "    #[test]", f"    fn {routine.name}() {{"]
        for vector in vectors.get(routine.program.name, ()):
            lines += _case(routine, real, vector)
        lines.append("    }")
    return [*lines, "}"]


def _case(routine: Routine, real: str, vector: Vector) -> list[str]:
    lines = []
    for argument in routine.inputs:
        numbers = [repr(float(x)) for x in vector.inputs[argument.label]]
        lines += packed(f"        let in_{argument.name} = [", numbers, "];")
    found = [f"found_{output.name}" for output in routine.outputs]
    left = found[0] if len(found) == 1 else f"({', '.join(found)})"
    call = [f"{real}::sin_cos", *(f"&in_{argument.name}" for argument in routine.inputs)]
    opening = f"        let {left} = super::{routine.name}("
    if len(opening) > WIDTH:
        lines.append(f"        let {left} =")
        opening = f"            super::{routine.name}("
    lines += packed(opening, call, ");")
    for output, name in zip(routine.outputs, found, strict=True):
        flat = f"{name}{'.as_flattened()' * (len(output.shape) - 1)}" if output.shape else f"[{name}]"
        for label, table in (("expected", vector.outputs), ("scale", vector.scales)):
            lines += packed(f"        let {label} = [", [repr(float(x)) for x in table[output.label]], "];")
        lines.append(f"        check(&{flat}, &expected, &scale);")
    return lines

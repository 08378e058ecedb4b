"""SymPy: Python text that builds exact expressions; numbers are rational."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

from emdeg.backends.arrays import RESERVED, docstring, statements
from emdeg.backends.text import Argument, Language, Routine, packed, page, prepare
from emdeg.backends.vectors import Vector
from emdeg.errors import UnsupportedError
from emdeg.program import Program

_DIGITS = 60


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A module of functions of sequences of expressions; `vectors` are not used."""
    if float32:
        raise UnsupportedError("SymPy computes exactly", advice="leave float32 away")
    long: dict[Fraction, str] = {}
    language = Language(
        "#",
        lambda name, k: f"{name}[{k}]",
        lambda value: _number(value, long),
        f"{RESERVED} rational",
        prefixed=False,
    )
    unit = prepare(programs, robot, source, language)
    lines = [*unit.header, "", "import sympy", "from sympy import Rational"]
    lines += [""] * bool(long)
    for value, name in long.items():
        digits = f"{value.numerator}/{value.denominator}"
        pieces = [f'    "{digits[k : k + 90]}"' for k in range(0, len(digits), 90)]
        lines += [f"{name} = Rational(", *pieces, ")"]
    for routine in unit.routines:
        lines += ["", "", *_function(routine)]
    return {f"{unit.name}.py": page(lines)}


def _number(value: Fraction, long: dict[Fraction, str]) -> str:
    """Written where it is used; a long number has a name, and is written once."""
    short = f"Rational({value.numerator}, {value.denominator})"
    return short if len(short) <= _DIGITS else long.setdefault(value, f"k{len(long) + 1}")


def _function(routine: Routine) -> list[str]:
    lines = packed(f"def {routine.name}(", [argument.name for argument in routine.inputs], "):")
    lines += docstring(routine, 'Arguments are sequences, as sympy.symbols("q1:7"). Returns a matrix or an expression.')
    for step in routine.steps:
        lines += statements(step, "sympy")
    for output in routine.outputs:
        lines += _matrix(output)
    return [*lines, f"    return {', '.join(output.name for output in routine.outputs)}"]


def _matrix(output: Argument) -> list[str]:
    """A vector is a column; of more than two indices the last ones become one."""
    if not output.shape:
        return [f"    {output.name} = sympy.sympify({output.values[0]})"]
    rows, columns = output.shape[0], prod(output.shape[1:])
    return packed(f"    {output.name} = sympy.Matrix({rows}, {columns}, [", output.values, "])")

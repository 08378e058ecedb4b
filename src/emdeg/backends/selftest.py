"""Self-tests in C and its kin: stored states and results, and how far a function is from them."""

from collections.abc import Callable, Mapping, Sequence

from emdeg.backends.text import Routine, Unit, packed, page
from emdeg.backends.vectors import TOLERANCE, Vector

_CHECK = """\
static double worse(double a, double b)
{
    return a >= b || a != a ? a : b;
}

// The largest error of `count` numbers, in units of rounding of the sum of absolute terms.
static double error(int count, const REAL *found, const double *expected, const double *scale)
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) {
        const double difference = fabs((double)found[k] - expected[k]);
        largest = worse(largest, difference == 0.0 ? 0.0 : difference / (scale[k] * (double)EPSILON));
    }
    return largest;
}
"""


def selftest(
    unit: Unit,
    real: str,
    includes: Sequence[str],
    test: Callable[[Routine, str, Sequence[Vector]], list[str]],
    vectors: Mapping[str, Sequence[Vector]],
) -> str:
    """A file with a `main` that fails if a function does; `test` writes what a function does with its vectors.

    Its lines stand in a function that has a number `largest`, and end with that having grown to the largest error.
    """
    epsilon = "FLT_EPSILON" if real == "float" else "DBL_EPSILON"
    lines = [*unit.header, "", *(f"#include {name}" for name in includes), ""]
    tested = [routine for routine in unit.routines if vectors.get(routine.program.name)]
    if tested:
        lines += _CHECK.replace("REAL", real).replace("EPSILON", epsilon).splitlines()
    for routine in tested:
        stored = vectors[routine.program.name]
        lines += ["", f"static int test_{routine.name}(void)", "{", "    double largest = 0.0;"]
        lines += test(routine, real, stored)
        lines += [f'    printf("%s: {len(stored)} states, largest error %.2f units of rounding\\n",']
        lines += [f'           "{routine.name}", largest);', f"    return !(largest <= {TOLERANCE}.0);", "}"]
    lines += ["", "int main(void)", "{", "    int failures = 0;"]
    lines += [f"    failures += test_{routine.name}();" for routine in tested]
    return page([*lines, "    return failures != 0;", "}"])


def table(declaration: str, rows: Sequence[Sequence[float]], suffix: str = "") -> list[str]:
    """A static array of rows."""
    width = max(len(rows[0]), 1)
    lines = [f"    static {declaration}[{len(rows)}][{width}] = {{"]
    for row in rows:
        lines += packed("        {", [f"{float(x)!r}{suffix}" for x in row] or [f"0.0{suffix}"], "},")
    return [*lines, "    };"]

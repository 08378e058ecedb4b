"""Numbers for letters: values, tolerances, and what follows for polynomials in them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import cos, sin
from typing import Any

from emdeg.algebra import LinearForm, Monomial, TrigRing
from emdeg.errors import InputError
from emdeg.mechanics.tree import Tree
from emdeg.model.constants import Vector
from emdeg.model.parameters import Parameters
from emdeg.quantity import Symbol


@dataclass(frozen=True)
class Worth:
    """What a polynomial in letters is worth: value and one standard uncertainty, None where a letter has no value.

    `number` is the value as a float or, where tolerances are stated, as a correlated number of the package
    uncertainties. `missing` are the letters without a value, `untoleranced` those with a value but no stated
    tolerance, which enter the uncertainty as exact.
    """

    number: Any
    missing: tuple[str, ...]
    untoleranced: tuple[str, ...]

    @property
    def value(self) -> float | None:
        return None if self.number is None else float(getattr(self.number, "nominal_value", self.number))

    @property
    def tolerance(self) -> float | None:
        return float(self.number.std_dev) if hasattr(self.number, "std_dev") else None


def uncertain_numbers(symbols: Mapping[str, Symbol]) -> dict[str, Any]:
    """The letters' values as floats or, where a tolerance is stated, as independent uncertain numbers."""
    numbers: dict[str, Any] = {name: float(s.value) for name, s in symbols.items() if s.value is not None}
    stated = {name: float(s.tolerance) for name, s in symbols.items() if name in numbers and s.tolerance}
    if stated:
        from uncertainties import ufloat

        numbers |= {name: ufloat(numbers[name], tolerance, name) for name, tolerance in stated.items()}
    return numbers


def worth(letters: TrigRing, vector: Vector, numbers: Mapping[str, Any], symbols: Mapping[str, Symbol]) -> Worth:
    """Value and tolerance of a polynomial, to first order (uncertainties of one letter are fully correlated)."""
    names = _letters_in(letters, vector)
    missing = tuple(name for name in names if name not in numbers and _felt(letters, vector, name, numbers))
    untoleranced = tuple(name for name in names if name in numbers and symbols[name].tolerance is None)
    return Worth(None if missing else evaluate(letters, vector, numbers), missing, untoleranced)


def _letters_in(letters: TrigRing, vector: Vector) -> list[str]:
    used = {name for monomial in vector for name, e in zip(letters.names, monomial, strict=True) if e}
    plain = [name[4:-1] if name.startswith(("sin(", "cos(")) else name for name in letters.names if name in used]
    return list(dict.fromkeys(plain))


def _felt(letters: TrigRing, vector: Vector, name: str, known: Mapping[str, Any]) -> bool:
    """Whether a letter without a value matters: not where it is only ever multiplied by a known zero (m1 ry1²)."""
    index = [k for k, n in enumerate(letters.names) if n in (name, f"sin({name})", f"cos({name})")]
    zeros = [k for k, n in enumerate(letters.names) if known.get(n) == 0]
    return any(any(m[k] for k in index) and not any(m[k] for k in zeros) for m in vector)


def evaluate(letters: TrigRing, vector: Vector, numbers: Mapping[str, Any]) -> Any:
    """The value of a polynomial; a letter without a number counts as zero, where it is multiplied by zero anyway."""
    values = [generator(name, numbers) for name in letters.names]
    return sum(float(factor) * _power_product(values, m) for m, factor in vector.items())


def generator(name: str, numbers: Mapping[str, Any]) -> Any:
    """The number of a generator of a ring of letters: of the letter, or of its sine or cosine."""
    if name[3:4] != "(":
        return numbers.get(name, 0.0)
    angle = numbers.get(name[4:-1], 0.0)
    if hasattr(angle, "std_dev"):
        from uncertainties import umath

        return umath.sin(angle) if name.startswith("sin") else umath.cos(angle)
    return sin(angle) if name.startswith("sin") else cos(angle)


def _power_product(values: list[Any], monomial: Monomial) -> Any:
    product: Any = 1.0
    for value, e in zip(values, monomial, strict=True):
        if e:
            product = product * value**e
    return product


def numbers_for(
    chosen: Parameters,
    tree: Tree,
    forms: Sequence[LinearForm],
    symbols: Mapping[str, Symbol],
    given: Mapping[str, Any],
) -> dict[str, float]:
    """A number for each letter that a model uses, those given before those of the robot.

    Raises InputError for a letter that does not exist, and for letters without a value.
    """
    names = plain_names(chosen.letters.names) | {n for a in tree.angles for n, _ in a.constant.letters}
    for name in given:
        if name not in names and name not in symbols:
            raise InputError(f"there is no letter {name!r}", advice=f"the letters are {', '.join(sorted(names))}")
    known = {name: float(symbol.value) for name, symbol in symbols.items() if symbol.value is not None}
    numbers = known | {name: float(value) for name, value in given.items()}
    used = sorted({key for form in forms for key in form.terms})
    vectors = [dict(chosen.letters.items(chosen.definitions[key])) for key in used]
    geometric = plain_names(tree.kinematic_letters()) | {n for a in tree.angles for n, _ in a.constant.letters}
    missing = [
        name
        for name in sorted(names)
        if name not in numbers
        and (name in geometric or any(_felt(chosen.letters, vector, name, numbers) for vector in vectors))
    ]
    if missing:
        shown = ", ".join(missing[:12]) + (f" and {len(missing) - 12} more" if len(missing) > 12 else "")
        raise InputError(
            f"no value is known of {shown}", advice=f"give numbers, as values={{{missing[0]!r}: 0.1, ...}}"
        )
    return numbers


def plain_names(names: Iterable[str]) -> set[str]:
    """The letters in names of generators: alpha2 for sin(alpha2)."""
    return {name[4:-1] if name[3:4] == "(" else name for name in names}

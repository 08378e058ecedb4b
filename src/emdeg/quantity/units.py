"""Units: SI base combinations and their usual multiples are built in, exactly; any other is asked of pint."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from emdeg.errors import InputError
from emdeg.quantity.angle import PI

Dimension = tuple[int, int, int, int]
"""Exponents of kilogram, meter, second, radian."""


@dataclass(frozen=True)
class Unit:
    """`factor` SI units of `dimension`; `degrees` marks the plain degree, whose values are kept exactly."""

    factor: Fraction
    dimension: Dimension
    degrees: bool = False


_KG, _M, _S, _RAD, _ONE = (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0)
_N, _J = (1, 1, -2, 0), (1, 2, -2, 0)
_DEGREE = PI / 180
_BUILT_IN: dict[str, tuple[Fraction, Dimension]] = {
    "kg": (Fraction(1), _KG), "g": (Fraction(1, 1000), _KG), "mg": (Fraction(1, 10**6), _KG),
    "m": (Fraction(1), _M), "mm": (Fraction(1, 1000), _M), "cm": (Fraction(1, 100), _M),
    "um": (Fraction(1, 10**6), _M), "µm": (Fraction(1, 10**6), _M), "μm": (Fraction(1, 10**6), _M),
    "s": (Fraction(1), _S), "ms": (Fraction(1, 1000), _S), "min": (Fraction(60), _S),
    "rad": (Fraction(1), _RAD), "mrad": (Fraction(1, 1000), _RAD),
    "deg": (_DEGREE, _RAD), "degree": (_DEGREE, _RAD), "degrees": (_DEGREE, _RAD), "°": (_DEGREE, _RAD),
    "rpm": (2 * PI / 60, (0, 0, -1, 1)),
    "N": (Fraction(1), _N), "mN": (Fraction(1, 1000), _N), "kN": (Fraction(1000), _N),
    "Nm": (Fraction(1), _J), "J": (Fraction(1), _J), "1": (Fraction(1), _ONE),
}  # fmt: skip
_NAMED_DIMENSIONS = {"m": _M, "rad": _RAD, "kg": _KG}
_TOKEN = re.compile(r"\s*(?:(\*\*|\^)\s*([+-]?\d+)|([⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|([*·/])|([A-Za-zµμ°]+|1))")
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


_PLAIN = re.compile(r"(?:[^\W\d]+|[\s/().°·]|\*(?!\*)|(?:\*\*|\^)\s*[+-]?\d(?!\s*(?:\d|\*\*|\^))|⁻?[²³](?![²³⁻]))+")
"""Unit names, products, quotients and exponents of one digit: pint is asked for nothing else."""


def parse_unit(text: str) -> Unit:
    """The unit that `text` writes: `kg m²`, `kg*m**2`, `N m s/rad`, `deg`; InputError where nobody knows it."""
    unit = _built_in(text)
    if unit is not None:
        return unit
    return _from_pint(text)


def dimension(unit: str) -> Dimension:
    """The dimension of one of our own unit texts."""
    return parse_unit(unit).dimension if unit else _ONE


def fits(unit: Unit, expected: str) -> bool:
    """Whether a quantity in `unit` may stand where `expected` is due: radians count for angles and their rates only."""
    due = dimension(expected)
    same = unit.dimension[:3] == due[:3]
    return same and (unit.dimension[3] == due[3] or due[0] != 0)


def _built_in(text: str) -> Unit | None:
    if text.strip() in ("deg", "degree", "degrees", "°"):
        return Unit(_DEGREE, _RAD, degrees=True)
    factors = _read_factors(text)
    if factors is None:
        return None
    factor, total = Fraction(1), [0, 0, 0, 0]
    for name, exponent in factors:
        if name not in _BUILT_IN:
            return None
        scale, powers = _BUILT_IN[name]
        factor *= scale**exponent
        total = [t + p * exponent for t, p in zip(total, powers, strict=True)]
    return Unit(factor, (total[0], total[1], total[2], total[3]))


def _read_factors(text: str) -> list[tuple[str, int]] | None:
    """Unit names with their exponents; after a `/` the next factor counts below the line."""
    factors: list[tuple[str, int]] = []
    position, sign, open_operator = 0, 1, True
    text = text.rstrip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            return None
        position = match.end()
        _, digits, superscript, operator, name = match.groups()
        if name:
            factors.append((name, sign))
            sign, open_operator = 1, False
        elif open_operator:
            return None
        elif operator:
            sign, open_operator = (-1 if operator == "/" else 1), True
        else:
            exponent = int(digits) if digits else int(superscript.translate(_SUPERSCRIPTS))
            name, known = factors[-1]
            if abs(known * exponent) > 9:
                return None
            factors[-1] = (name, known * exponent)
    return None if open_operator else factors


def _from_pint(text: str) -> Unit:
    advice = "built in are kg g m mm cm s rad deg N and their products, as in 'kg m²' or 'N m/s'"
    if len(text) > 60 or not _PLAIN.fullmatch(text) or "__" in text:
        raise InputError(f"{text[:60]!r} is no unit", advice=advice)
    try:
        registry = _registry()
        magnitude = registry.parse_units(text.replace("·", "*"), as_delta=False)
        base = registry.Quantity(Fraction(1), magnitude).to_base_units()
        return _from_base(Fraction(base.magnitude), dict(base.units._units))
    except ImportError:
        raise InputError(
            f"{text!r} is no unit that is built in", advice=advice + "; others need the package pint"
        ) from None
    except Exception as error:  # pint raises many kinds, its parser others
        raise InputError(f"{text!r} is no unit for a robot", advice=advice) from error


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction, cache_folder=None)


def _from_base(factor: Fraction, powers: dict[str, Fraction]) -> Unit:
    names = ("kilogram", "meter", "second", "radian")
    if any(name not in names for name in powers):
        raise ValueError("other dimensions than mass, length, time, angle")
    exponents = [Fraction(powers.get(name, 0)) for name in names]
    if any(exponent.denominator != 1 for exponent in exponents):
        raise ValueError("broken exponents")
    kg, m, s, rad = (int(exponent) for exponent in exponents)
    return Unit(factor, (kg, m, s, rad))


_SHORT_TEXTS = {(1, 1, -2): "N", (1, 2, -2): "N m", (1, 2, -1): "N m s", (1, 0, -2): "N/m"}


def unit_text(dimension: Dimension) -> str:
    """The SI unit of a dimension as people write it: `kg m²`, `m/s²`, `rad`."""
    if dimension[:3] in _SHORT_TEXTS and not dimension[3]:
        return _SHORT_TEXTS[dimension[:3]]
    named = list(zip(("kg", "m", "s", "rad"), dimension, strict=True))
    named = [named[0], named[1], named[3], named[2]]
    above = " ".join(_powered(name, exponent) for name, exponent in named if exponent > 0)
    below = [_powered(name, -exponent) for name, exponent in named if exponent < 0]
    if not below:
        return above or "1"
    return f"{above or '1'}/{below[0]}" if len(below) == 1 else f"{above or '1'}/({' '.join(below)})"


def _powered(name: str, exponent: int) -> str:
    return name if exponent == 1 else name + {2: "²", 3: "³"}.get(exponent, f"**{exponent}")

"""Reading a value of a robot file: a number in SI, a quantity with tolerance and unit, or an expression."""

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from emdeg.errors import InputError
from emdeg.quantity.expression import Expression
from emdeg.quantity.parser import parse_expression, parse_number
from emdeg.quantity.units import Unit, fits, parse_unit


@dataclass(frozen=True)
class Quantity:
    """A known value in SI with its tolerance as written (None where none is stated).

    `decimals` counts the printed decimals of a value that was given in SI (None elsewhere); `degrees` is the exact
    value of an angle given in degrees; `unit` is the unit as written.
    """

    value: Fraction
    tolerance: Fraction | None = None
    unit: str = ""
    decimals: int | None = None
    degrees: Fraction | None = None


_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_QUANTITY = re.compile(
    rf"\s*(?P<value>{_NUMBER})(?P<unit1>[^±%]*?)"
    rf"(?:\s*(?:±|\+/-|\+-)\s*(?P<tolerance>{_NUMBER})\s*(?P<percent>%)?(?P<unit2>[^±%]*))?\s*"
)
_STARTS = re.compile(r"\s*[+-]?\s*\.?\d")
_OPERATOR_FOLLOWS = re.compile(rf"\s*{_NUMBER}\s*(?:\*|/|\^|[-+](?!/-|-))")


def parse_value(value: Any, unit: str, *, where: str = "") -> Quantity | Expression:
    """What a value of the file says, in SI: a Quantity if it is a number, an Expression if it has letters.

    `unit` is the SI unit that is due (`m`, `kg m²`, ... or an empty text for a pure number; None of the file's units
    may contradict it). Raises InputError that says where, and what would be right.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction | Decimal):
        kind = "nothing" if value is None else type(value).__name__
        raise InputError(f"expected a number, found {_shown(value)} ({kind})", where=where, advice=_advice(unit))
    if not isinstance(value, str):
        return _number(value, where, unit)
    text = value.replace("−", "-").strip()
    if not text:
        raise InputError("the value is empty", where=where, advice=_advice(unit))
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        raise InputError(f"{value!r} is not a finite number", where=where, advice=_advice(unit))
    if not _STARTS.match(text) or _OPERATOR_FOLLOWS.match(text):
        expression = parse_expression(text, where=where)
        return Quantity(expression.as_fraction()) if expression.is_number else expression
    return _quantity(text, unit, where)


def _number(value: int | float | Fraction | Decimal, where: str, unit: str) -> Quantity:
    if isinstance(value, Fraction):
        return Quantity(value)
    if isinstance(value, int):
        if value.bit_length() > 1000:
            raise InputError("the number is too large", where=where, advice=_advice(unit))
        return Quantity(Fraction(value), decimals=0)
    text = str(value) if isinstance(value, Decimal) else repr(float(value))
    if not re.fullmatch(_NUMBER, text):
        raise InputError(f"{text} is not a finite number", where=where, advice=_advice(unit))
    return Quantity(_decimal(text, where), decimals=_decimals(text))


def _quantity(text: str, unit: str, where: str) -> Quantity:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise InputError(f"{_shown(text)} is no quantity", where=where, advice=_advice(unit))
    number = _decimal(match["value"], where)
    unit1, unit2 = match["unit1"].strip(), (match["unit2"] or "").strip()
    written = unit1 or unit2
    scale = _unit(written, unit, where, text) if written else None
    tolerance = None
    if match["tolerance"] is not None:
        tolerance = _decimal(match["tolerance"], where)
        if tolerance < 0:
            raise InputError(f"the tolerance of {_shown(text)} is negative", where=where)
        if match["percent"]:
            tolerance = abs(number) * tolerance / 100
        elif unit1 and unit2:
            tolerance = (
                tolerance * _unit(unit2, unit, where, text).factor / (scale or Unit(Fraction(1), (0, 0, 0, 0))).factor
            )
    if scale is None or scale.factor == 1:
        return Quantity(number, tolerance, written, _decimals(match["value"]))
    degrees = number if scale.degrees else None
    return Quantity(
        number * scale.factor, None if tolerance is None else tolerance * scale.factor, written, None, degrees
    )


def _unit(text: str, expected: str, where: str, whole: str) -> Unit:
    try:
        unit = parse_unit(text)
    except InputError as error:
        raise InputError(f"{error.what} in {_shown(whole)}", where=where, advice=_advice(expected)) from error
    if expected != ANY_UNIT and not fits(unit, expected):
        due = f"a value in {expected}" if expected else "a number without unit"
        raise InputError(f"{_shown(whole)} has the wrong unit: expected {due}", where=where, advice=_advice(expected))
    return unit


ANY_UNIT = "any"
"""Stands for the unit where a letter may be of any dimension."""


def _decimal(text: str, where: str) -> Fraction:
    try:
        return parse_number(text)
    except InputError as error:
        raise InputError(error.what, where=where, advice=error.advice) from None


def _decimals(text: str) -> int:
    mantissa, _, exponent = text.lower().partition("e")
    return max(0, len(mantissa.partition(".")[2]) - int(exponent or 0))


def _advice(unit: str) -> str:
    examples = {
        "": "a number, as in 61.2",
        "m": "a length in m, as in 0.4318 or '431.8 mm', or letters, as in 'a2/2'",
        "rad": "an angle in rad or with its unit, as in '-90 deg', or letters, as in 'alpha2 + pi/2'",
        "kg": "a mass in kg, as in 17.4 or '17.40 ± 0.18 kg'",
        ANY_UNIT: "a number in SI, or a quantity, as in '0.4318 m'",
    }
    return examples.get(unit, f"a number in {unit}, or a quantity, as in '0.5 ± 0.1 {unit}', or letters, as in 'm2*a2'")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."

"""Values as they are printed: rounded to their tolerance, or put in place of the constants."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10

from emdeg.model.element import Element, Torque
from emdeg.model.entry import Entry, Group, Product

DIGITS = 5
"""Significant digits of a value in place of a constant."""


@dataclass(frozen=True)
class Rounded:
    """value ± tolerance, both times 10**power."""

    value: str
    tolerance: str | None
    power: int


def rounded(value: float, tolerance: float | None) -> Rounded:
    """The tolerance to two digits and the value to the same decimals; four digits where there is no tolerance.

    >>> rounded(0.372123, 0.0407)
    Rounded(value='0.372', tolerance='0.041', power=0)
    """
    size = max(abs(value), tolerance or 0.0)
    power = floor(log10(size)) if size else 0
    power = power if power < -5 or power > 6 else 0
    value, tolerance = value / 10.0**power, None if tolerance is None else tolerance / 10.0**power
    if not tolerance:
        text = f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"
        return Rounded(_plain(text), "0" if tolerance is not None else None, power)
    place = floor(log10(float(f"{tolerance:.1e}")))
    decimals = max(0, 1 - place)
    scale = 10.0 ** min(0, 1 - place)
    shown = [f"{round(x * scale) / scale:.0f}" if scale < 1 else f"{x:.{decimals}f}" for x in (value, tolerance)]
    return Rounded(shown[0], shown[1], power)


def _plain(text: str) -> str:
    """Without an exponent: 4e-05 is 0.00004."""
    return f"{float(text):.9f}".rstrip("0") if "e" in text else text


def with_values(entry: Entry, values: Mapping[str, float]) -> Entry:
    """The entry with numbers in place of constants: one term per product, the largest first, then what has no value."""
    sums: dict[Product, float] = {}
    unknown = []
    for group in entry.groups:
        if group.constant and group.constant not in values:
            unknown.append(group)
            continue
        size = values[group.constant] if group.constant else 1.0
        for factor, product in group.terms:
            whole = _merged(group.common, product)
            sums[whole] = sums.get(whole, 0.0) + size * float(group.factor * factor)
    known = [
        Group(Fraction(f"{value:.{DIGITS}g}"), "", product, ((Fraction(1), ()),))
        for product, value in sorted(sums.items(), key=lambda item: -abs(item[1]))
        if value
    ]
    return Entry((*known, *unknown))


def valued(element: Element | Torque, values: Mapping[str, float]) -> Element | Torque:
    """The element with numbers in place of constants."""
    if isinstance(element, Element):
        return Element(element.name, with_values(element.entry, values))
    terms = tuple((with_values(entry, values), rates) for entry, rates in element.terms)
    return Torque(element.name, terms, with_values(element.gravity, values))


def _merged(one: Product, other: Product) -> Product:
    powers = dict(one)
    for atom, exponent in other:
        powers[atom] = powers.get(atom, 0) + exponent
    return tuple(sorted(powers.items(), key=lambda factor: (factor[0].kind != "q", factor[0].angle, factor[0].kind)))

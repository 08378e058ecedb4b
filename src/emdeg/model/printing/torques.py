"""Elements and assembled torque equations as pieces."""

from fractions import Fraction

from emdeg.model.element import Element, Rates, Torque
from emdeg.model.printing.notation import Notation
from emdeg.model.printing.pieces import Signed, bracketed, entry_pieces, entry_terms, joined, multiplied


def element_pieces(element: Element | Torque, notation: Notation) -> list[str]:
    if isinstance(element, Torque):
        return torque_pieces(element, notation)
    return entry_pieces(element.entry, notation)


def torque_pieces(torque: Torque, notation: Notation) -> list[str]:
    """entry × rates + ... + gravity."""
    terms = []
    for entry, rates in torque.terms:
        negative, body = _bracketed_sum(entry_terms(entry, notation), notation)
        other, product = _bracketed_sum(_rate_terms(rates, notation), notation)
        one = body == [notation.number(Fraction(1))]
        terms.append((negative != other, product if one else multiplied(body, product, notation)))
    return joined([*terms, *entry_terms(torque.gravity, notation)], notation)


def _rate_terms(rates: Rates, notation: Notation) -> list[Signed]:
    return [(sign < 0, [_rate_product(factors, notation)]) for sign, factors in rates.terms]


def _rate_product(factors: tuple[str, ...], notation: Notation) -> str:
    if len(factors) == 2 and factors[0] == factors[1]:
        return notation.power(notation.name(factors[0]), 2)
    return notation.product([notation.name(factor) for factor in factors])


def _bracketed_sum(terms: list[Signed], notation: Notation) -> Signed:
    """A sum as one factor: in parentheses, but a single term as it is."""
    return terms[0] if len(terms) == 1 else (False, bracketed(joined(terms, notation)))

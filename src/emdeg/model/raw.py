"""An element as a program generates it: every product of letters with its own trigonometric sum, nothing combined."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from emdeg.algebra import LinearForm, Monomial
from emdeg.model.entry import Operations, Product
from emdeg.model.reading import Reading


@dataclass(frozen=True)
class RawTerm:
    """factor × letters × sines and cosines."""

    factor: Fraction
    letters: tuple[tuple[str, int], ...]
    product: Product

    def __str__(self) -> str:
        powers = [n if e == 1 else f"{n}**{e}" for n, e in self.letters]
        powers += [a.name if e == 1 else f"{a.name}**{e}" for a, e in self.product]
        number = [] if abs(self.factor) == 1 and powers else [_text(abs(self.factor))]
        return ("-" if self.factor < 0 else "") + "*".join([*number, *powers])

    def multiplications(self, convention: Literal["strict", "paper"]) -> int:
        """Those of one term; `paper` takes its product of sines and cosines as one factor, already computed."""
        letters = sum(e for _, e in self.letters) + sum(e for a, e in self.product if a.kind == "q")
        trigonometric = sum(e for a, e in self.product if a.kind != "q")
        if convention == "paper":
            trigonometric = min(1, trigonometric)
        return max(0, letters + trigonometric + (abs(self.factor) != 1) - 1)


def _text(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else f"({number})"


@dataclass(frozen=True)
class RawEntry:
    """A plain sum of terms."""

    terms: tuple[RawTerm, ...]

    def __str__(self) -> str:
        text = ""
        for term in map(str, self.terms):
            if text:
                text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
            else:
                text = term
        return text or "0"

    def operations(self, convention: Literal["strict", "paper"]) -> Operations:
        multiplications = sum(term.multiplications(convention) for term in self.terms)
        return Operations(multiplications, max(0, len(self.terms) - 1))


def raw_entry(reading: Reading, form: LinearForm) -> RawEntry:
    """The element of a form, each product of letters with the shortest sum that it multiplies."""
    sums: dict[Monomial, dict[Monomial, Fraction]] = {}
    for motion, part in reading.coefficients.split(form).items():
        for letters, factor in reading.coefficients.vector(part).items():
            sums.setdefault(letters, {})[motion] = factor
    names = reading.coefficients.parameters.letters.names
    terms = []
    for letters, motions in sums.items():
        number, common, rest = reading.shortener.shorten(motions)
        named = tuple((name, e) for name, e in zip(names, letters, strict=True) if e)
        terms += [RawTerm(number * factor, named, common + product) for factor, product in rest]
    return RawEntry(tuple(terms))

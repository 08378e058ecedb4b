"""Elements of a model, and equations as papers print them, as polynomials of one ring, to compare them exactly."""

from collections.abc import Iterable, Mapping
from fractions import Fraction

from emdeg.algebra import LinearForm, Polynomial, TrigRing
from emdeg.model.model import Model
from emdeg.quantity import parse_expression


class Exact:
    """The ring of a model's angles and all its letters."""

    def __init__(self, model: Model, more: Iterable[str] = ()) -> None:
        letters = model.parameters.letters
        free = dict.fromkeys([*model.ring.free, *letters.free, *more])
        self.model = model
        self.ring = TrigRing(dict.fromkeys([*model.ring.pairs, *letters.pairs]), list(free))

    def embedded(self, polynomial: Polynomial, source: TrigRing) -> Polynomial:
        """A polynomial of another ring whose generators this one has too."""
        places = [self.ring.names.index(name) for name in source.names]
        terms = {}
        for monomial, value in polynomial.to_dict().items():
            exponents = [0] * len(self.ring.names)
            for place, e in zip(places, monomial, strict=True):
                exponents[place] += int(e)
            terms[tuple(exponents)] = value
        return self.ring.context.from_dict(terms)

    def of(self, form: LinearForm) -> Polynomial:
        """A form with the definitions of its parameters put in."""
        chosen = self.model.parameters
        total = self.ring.zero
        for key, factor in form.terms.items():
            definition = self.embedded(chosen.definitions[key], chosen.letters)
            total = total + self.embedded(factor, self.model.ring) * definition
        return self.ring.reduce(total)

    def parse(self, text: str, names: Mapping[str, Polynomial]) -> Polynomial:
        """A printed expression over the ring's letters and `names`."""

        def number(value: Fraction) -> Polynomial:
            return self.ring.number(value)

        value = parse_expression(text).evaluate({**self.ring.letters, **names}, number)
        return self.ring.reduce(value)

"""Inertia constants: what multiplies the same variable expression is one constant (Armstrong et al. 1986, step 2).

Every coefficient of a trigonometric monomial is a polynomial in letters. It is a multiple of a constant already
named, or a combination of a few, or becomes a constant of its own. A file may name constants itself; they are used
where exact linear algebra shows a coefficient to be a combination of them, and refused where no coefficient is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from emdeg.algebra import LinearForm, Monomial, Polynomial, TrigRing
from emdeg.errors import InputError
from emdeg.model.parameters import Parameters
from emdeg.model.shortening import content

Vector = dict[Monomial, Fraction]
Combination = dict[str, Fraction]
Line = frozenset[tuple[Monomial, Fraction]]
SIMPLE = 64  # greatest numerator and denominator of a factor in front of a constant


@dataclass(frozen=True)
class Coefficients:
    """Splits forms into coefficients, polynomials in letters, per monomial in what moves."""

    ring: TrigRing
    parameters: Parameters
    moving: tuple[bool, ...]
    place: tuple[int, ...]
    definitions: tuple[Vector, ...]

    @staticmethod
    def of(ring: TrigRing, parameters: Parameters) -> "Coefficients":
        moving = ring.moving
        letters = parameters.letters
        place = tuple(-1 if moves else letters.names.index(n) for n, moves in zip(ring.names, moving, strict=True))
        definitions = tuple(dict(letters.items(d)) for d in parameters.definitions)
        return Coefficients(ring, parameters, moving, place, definitions)

    def split(self, form: LinearForm) -> dict[Monomial, dict[tuple[int, Monomial], Fraction]]:
        """Per moving monomial: (parameter, monomial in the geometry) -> coefficient."""
        parts: dict[Monomial, dict[tuple[int, Monomial], Fraction]] = {}
        moving = self.moving
        for key, polynomial in form.terms.items():
            for monomial, value in self.ring.items(polynomial):
                motion = tuple([e if moves else 0 for e, moves in zip(monomial, moving, strict=True)])
                still = tuple([0 if moves else e for e, moves in zip(monomial, moving, strict=True)])
                parts.setdefault(motion, {})[key, still] = value
        return parts

    def vector(self, part: Mapping[tuple[int, Monomial], Fraction]) -> Vector:
        """A coefficient as a polynomial in letters: monomial -> rational."""
        result: Vector = {}
        for (key, still), value in part.items():
            shift = [(self.place[k], e) for k, e in enumerate(still) if e]
            for monomial, factor in self.definitions[key].items():
                exponents = list(monomial)
                for k, e in shift:
                    exponents[k] += e
                _subtract(result, {tuple(exponents): factor}, -value)
        return self._reduced(result)

    def _reduced(self, vector: Vector) -> Vector:
        """Modulo s² + c² = 1 of the letters that are angles."""
        letters = self.parameters.letters
        if not letters.pairs:
            return vector
        return dict(letters.items(letters.reduce(polynomial(letters, vector))))


def polynomial(letters: TrigRing, vector: Mapping[Monomial, Fraction]) -> Polynomial:
    """The polynomial with these terms."""
    from flint import fmpq

    return letters.context.from_dict({m: fmpq(f.numerator, f.denominator) for m, f in vector.items()})


@dataclass
class Naming:
    """The constants found so far. Built up once, while a model is read; frozen in the model as a mapping."""

    fixed: Mapping[str, Vector]
    letters: TrigRing
    vectors: dict[str, Vector] = field(default_factory=dict)
    scales: Mapping["Line", Sequence[Fraction]] = field(default_factory=dict)
    relations: list[Combination] = field(default_factory=list)
    _lines: dict["Line", list[tuple[str, Fraction]]] = field(default_factory=dict)
    _echelon: list[tuple[Monomial, Vector, Combination]] = field(default_factory=list)
    _known: dict[Line, Combination] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, vector in self.fixed.items():
            self._name(name, vector)

    @property
    def seen(self) -> list[Vector]:
        """Every vector that was expressed."""
        return [dict(key) for key in self._known]

    def express(self, vector: Vector, *, longest: int, prefix: str) -> Combination:
        """The vector as a combination of constants, of a new one if it takes more than `longest` known ones."""
        if not vector:
            return {}
        key = frozenset(vector.items())
        if key not in self._known:
            self._known[key] = self._express(vector, longest, prefix)
        return self._known[key]

    def _express(self, vector: Vector, longest: int, prefix: str) -> Combination:
        if all(not any(monomial) for monomial in vector):
            return {"": next(iter(vector.values()))}
        line, scale = line_of(vector)
        for name, own in self._lines.get(line, ()):
            if _simple(scale / own):
                return {name: scale / own}
        rest, combination = self.eliminate(vector)
        if not rest:
            given = all(name in self.fixed for name in combination)
            short = len(combination) <= longest and all(map(_simple, combination.values()))
            if given or short or longest > len(self.vectors):
                return combination
        if len(vector) == 1 and sum(next(iter(vector))) == 1:
            ((monomial, factor),) = vector.items()
            name = self.letters.names[monomial.index(1)]
            if name not in self.vectors:
                self._name(name, {monomial: Fraction(1)})
            return {name: factor}
        number = 1 + sum(1 for name in self.vectors if name[:1] == prefix and name[1:].isdigit())
        while f"{prefix}{number}" in self.vectors or f"{prefix}{number}" in self.letters.names:
            number += 1
        name = f"{prefix}{number}"
        unit = content(s for s in self.scales.get(line, [scale]) if _simple(s / scale))
        unit = -unit if scale < 0 else unit
        self._name(name, {monomial: value * unit / scale for monomial, value in vector.items()})
        return {name: scale / unit}

    def eliminate(self, vector: Vector) -> tuple[Vector, Combination]:
        """What is left of a vector modulo the constants' span, and the combination of constants that was taken off."""
        rest, combination = dict(vector), Combination()
        for lead, row, made in self._echelon:
            if factor := rest.get(lead):
                _subtract(rest, row, factor)
                _subtract(combination, made, -factor)
        return rest, combination

    def _name(self, name: str, vector: Vector) -> None:
        self.vectors[name] = vector
        line, scale = line_of(vector)
        self._lines.setdefault(line, []).append((name, scale))
        rest, combination = self.eliminate(vector)
        if rest:
            lead = min(rest)
            scale = rest[lead]
            made = {other: -value / scale for other, value in combination.items()}
            made[name] = 1 / scale
            self._echelon.append((lead, {m: v / scale for m, v in rest.items()}, made))
        else:
            self.relations.append({name: Fraction(-1), **combination})


def _simple(ratio: Fraction) -> bool:
    """Whether a person would write a constant times this number rather than name a second one."""
    return abs(ratio.numerator) <= SIMPLE and ratio.denominator <= SIMPLE


def line_of(vector: Vector) -> tuple["Line", Fraction]:
    """The vector up to a factor, and the factor."""
    scale = vector[min(vector)]
    return frozenset((m, v / scale) for m, v in vector.items()), scale


def refuse_unused(fixed: Mapping[str, Vector], seen: Iterable[Vector], letters: TrigRing) -> None:
    """Refuse a constant of the file that is no combination of the model's coefficients, with the nearest difference."""
    seen = list(seen)
    model = Naming({f"{k}": vector for k, vector in enumerate(seen)}, letters)
    for name, given in fixed.items():
        if not model.eliminate(given)[0]:
            continue
        nearest = min(_differences(given, seen), key=lambda pair: len(pair[1]), default=None)
        advice = "no coefficient of the model shares a term with it"
        if nearest is not None:
            factor, difference = nearest
            advice = f"the nearest coefficient of the model is {factor}*{name} + ({written(letters, difference)})"
        raise InputError(f"{name} is no regrouping of this model", where=f"[constants] {name}", advice=advice)


def _differences(given: Vector, seen: Iterable[Vector]) -> Iterable[tuple[Fraction, Vector]]:
    """What is left of each coefficient when a multiple of the given constant is taken off."""
    for vector in seen:
        for factor in {value / given[m] for m, value in vector.items() if m in given}:
            difference = dict(vector)
            _subtract(difference, given, factor)
            yield factor, difference


def _subtract(target: dict[Any, Fraction], row: Mapping[Any, Fraction], factor: Fraction) -> None:
    for key, value in row.items():
        left = target.get(key, Fraction(0)) - factor * value
        if left:
            target[key] = left
        else:
            target.pop(key, None)


def written(letters: TrigRing, vector: Mapping[Monomial, Fraction]) -> str:
    """A polynomial in letters in Python syntax, exact; masses that share a factor in one pair of parentheses."""
    masses = [k for k, name in enumerate(letters.names) if name[:1] == "m" and name[1:].isdigit()]
    groups: dict[tuple[Monomial, Fraction], list[str]] = {}
    for monomial, factor in vector.items():
        held = [k for k in masses if monomial[k]]
        alone = len(held) == 1 and monomial[held[0]] == 1
        rest = tuple(0 if alone and k == held[0] else e for k, e in enumerate(monomial))
        groups.setdefault((rest, factor), []).append(letters.names[held[0]] if alone else "")
    text = ""
    for (rest, factor), heads in groups.items():
        for head in [f"({' + '.join(heads)})"] if len(heads) > 1 and "" not in heads else heads:
            text = _joined(text, factor, head, rest, letters)
    return text or "0"


def _joined(text: str, factor: Fraction, head: str, rest: Monomial, letters: TrigRing) -> str:
    """The text with one more term."""
    powers = [n if e == 1 else f"{n}**{e}" for n, e in zip(letters.names, rest, strict=True) if e]
    if head.startswith("(") and not powers and abs(factor) == 1 and factor > 0:
        head = head[1:-1]
    number = "" if abs(factor) == 1 else str(abs(factor))
    body = "*".join(filter(None, [f"({number})" if "/" in number else number, head, *powers])) or "1"
    if text:
        return f"{text} {'-' if factor < 0 else '+'} {body}"
    return f"-{body}" if factor < 0 else body

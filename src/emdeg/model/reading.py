"""From exact forms to entries that are read: coefficients named as constants, sums made short, terms in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.algebra import LinearForm, Monomial, TrigRing
from emdeg.mechanics.tree import Tree
from emdeg.model.constants import Coefficients, Line, Naming, Vector, line_of, refuse_unused
from emdeg.model.dynamics import Inertial, Pair
from emdeg.model.entry import Entry, Group
from emdeg.model.parameters import Parameters
from emdeg.model.shortening import Shortener
from emdeg.quantity import Expression

TOO_LONG = 3000  # terms of a form beyond which the choice of squares is not tried before naming
FEW = 2  # a coefficient that is a combination of at most so many constants is not named anew
ANY_LENGTH = 10**6

_Table = Mapping[str, Mapping[Monomial, Fraction]]


@dataclass(frozen=True)
class Reading:
    """The constants of a model, and how its forms are written with them."""

    ring: TrigRing
    coefficients: Coefficients
    shortener: Shortener
    naming: Naming
    drives: frozenset[int]
    names: Mapping[str, str]
    units: Mapping[str, str]

    @property
    def vectors(self) -> dict[str, Vector]:
        """The constants that A and g use, in reading order, as polynomials in letters."""
        return {name: self.naming.vectors[key] for key, name in self.names.items() if key in self.naming.vectors}

    def entry(self, form: LinearForm, sizes: Mapping[str, float] | None = None) -> Entry:
        """The entry of a form whose coefficients are combinations of the constants."""
        combined = self._combined(form, longest=ANY_LENGTH, prefix="I")
        return self._written(combined, sizes or {})

    def _combined(self, form: LinearForm, *, longest: int, prefix: str) -> dict[str, dict[Monomial, Fraction]]:
        """constant -> moving monomial -> rational."""
        table: dict[str, dict[Monomial, Fraction]] = {}
        for motion, part in self.coefficients.split(form).items():
            drives = {key: value for key, value in part.items() if key[0] in self.drives}
            rest = {key: value for key, value in part.items() if key[0] not in self.drives}
            for piece, own in ((drives, "Im"), (rest, prefix)):
                vector = self.coefficients.vector(piece) if piece else {}
                for name, factor in self.naming.express(vector, longest=longest, prefix=own).items():
                    terms = table.setdefault(name, {})
                    terms[motion] = terms.get(motion, Fraction(0)) + factor
        return table

    def _written(self, table: _Table, sizes: Mapping[str, float]) -> Entry:
        groups = self._groups(table)
        for relation in self.naming.relations:
            for name in relation:
                if name in table:
                    other = _exchanged(table, relation, name)
                    shorter = self._groups(other)
                    if sum(len(g.terms) for g in shorter) < sum(len(g.terms) for g in groups):
                        table, groups = other, shorter
        order = {name: k for k, name in enumerate(self.names.values())}
        return Entry(tuple(sorted(groups, key=lambda g: _place(g, sizes, order))))

    def _groups(self, table: _Table) -> list[Group]:
        groups = []
        for name, terms in table.items():
            kept = {m: f for m, f in terms.items() if f}
            if kept:
                number, common, rest = self.shortener.shorten(kept)
                if rest:
                    groups.append(Group(number, self.names.get(name, name), common, rest))
        return groups


def _exchanged(table: _Table, relation: Mapping[str, Fraction], name: str) -> dict[str, dict[Monomial, Fraction]]:
    """The table with constant `name` replaced by the others of a relation (sum of factor × constant = 0)."""
    result = {other: dict(terms) for other, terms in table.items() if other != name}
    for other, factor in relation.items():
        if other != name:
            terms = result.setdefault(other, {})
            for monomial, value in table[name].items():
                terms[monomial] = terms.get(monomial, Fraction(0)) - value * factor / relation[name]
    return result


def _place(group: Group, sizes: Mapping[str, float], order: Mapping[str, int]) -> tuple[bool, float, bool, int]:
    """Larger terms first where sizes are known; then drives, then the constants by number."""
    size = sizes.get(group.constant)
    weight = abs(group.factor) * max(abs(factor) for factor, _ in group.terms)
    drive = group.constant.startswith("Im")
    return (size is None, -(size or 0.0) * float(weight), not drive, order.get(group.constant, 0))


def read(tree: Tree, ring: TrigRing, chosen: Parameters, put: Inertial, named: Mapping[str, Expression]) -> Reading:
    """Name the constants of A and g, by the file's names where it gives them."""
    coefficients = Coefficients.of(ring, chosen)
    letters = chosen.letters
    fixed = {name: _definition(expression, letters) for name, expression in named.items()}
    shortener = Shortener.of(tree, ring)
    drives = frozenset(key for form in chosen.drives for key in form.terms)
    mass = {pair: _short_squares(tree, ring, form) for pair, form in _from_the_tip(put.mass)}
    weights = [_short_squares(tree, ring, form) for form in put.gravity]
    naming = Naming(fixed, letters, scales=_scales(coefficients, drives, [*mass.values(), *weights]))
    reading = Reading(ring, coefficients, shortener, naming, drives, {}, {})
    tables = {pair: reading._combined(form, longest=FEW, prefix="I") for pair, form in mass.items()}
    gravity = [reading._combined(form, longest=FEW, prefix="g") for form in weights]
    if fixed:
        refuse_unused(fixed, naming.seen, letters)
    ordered = [name for pair in sorted(tables) for name in tables[pair] if name]
    ordered += [name for table in gravity for name in table if name]
    names = _renamed(ordered, fixed, letters)
    units = _units(tree, ring, tables, gravity)
    for relation in naming.relations:  # a constant that the others make superfluous has their unit
        known = next((units[name] for name in relation if name in units), "")
        units |= {name: known for name in relation if name not in units}
    return Reading(ring, coefficients, shortener, naming, drives, names, {names[key]: u for key, u in units.items()})


def _scales(coefficients: Coefficients, drives: frozenset[int], forms: list[LinearForm]) -> dict[Line, list[Fraction]]:
    """Per direction of coefficient vectors the factors with which it occurs; a constant is their common measure."""
    scales: dict[Line, list[Fraction]] = {}
    for form in forms:
        for part in coefficients.split(form).values():
            vector = coefficients.vector({key: value for key, value in part.items() if key[0] not in drives})
            if vector:
                line, scale = line_of(vector)
                scales.setdefault(line, []).append(scale)
    return scales


def _definition(expression: Expression, letters: TrigRing) -> Vector:
    return dict(letters.items(letters.reduce(expression.evaluate(letters.letters, letters.number))))


def _from_the_tip(mass: Mapping[Pair, LinearForm]) -> list[tuple[Pair, LinearForm]]:
    """The mass matrix from the last row up: the simplest constants are met first."""
    return sorted(mass.items(), key=lambda item: (-item[0][0], item[0][1]))


def _renamed(ordered: list[str], fixed: Mapping[str, Vector], letters: TrigRing) -> dict[str, str]:
    """Names in the order in which a reader meets them: I1, I2, ...; those of the file and single letters stay."""
    names: dict[str, str] = {name: name for name in fixed}
    counts = {"I": 0, "g": 0, "Im": 0}
    for name in ordered:
        if name in names:
            continue
        if name in letters.names:
            names[name] = name
            continue
        prefix = name.rstrip("0123456789")
        counts[prefix] += 1
        while f"{prefix}{counts[prefix]}" in letters.names or f"{prefix}{counts[prefix]}" in fixed:
            counts[prefix] += 1
        names[name] = f"{prefix}{counts[prefix]}"
    return names


_INERTIA_UNITS = {2: "kg m²", 1: "kg m", 0: "kg", -1: "kg/m", -2: "kg/m²"}
_FORCE_UNITS = {1: "N m", 0: "N", -1: "N/m"}


def _units(tree: Tree, ring: TrigRing, tables: Mapping[Pair, _Table], gravity: Sequence[_Table]) -> dict[str, str]:
    """The unit of each constant: that of the element in which it is met, divided by the displacements beside it."""
    slides = [ring.names.index(f"q{s.coordinate + 1}") for s in tree.segments if not s.revolute]
    turning = [1 if segment.revolute else 0 for segment in tree.segments]
    units: dict[str, str] = {}

    def note(table: _Table, power: int, names: Mapping[int, str]) -> None:
        for name, terms in table.items():
            if name:
                monomial = next(iter(terms))
                units.setdefault(name, names[power - sum(monomial[k] for k in slides)])

    for (i, j), table in tables.items():
        note(table, turning[i] + turning[j], _INERTIA_UNITS)
    for i, table in enumerate(gravity):
        note(table, turning[i], _FORCE_UNITS)
    return units


def _short_squares(tree: Tree, ring: TrigRing, form: LinearForm) -> LinearForm:
    """The form with the squared sine in place of the squared cosine of each angle for which that leaves fewer terms."""
    if sum(len(p) for p in form.terms.values()) > TOO_LONG:
        return form
    count = len(ring.pairs)
    best, length = form, _length(form)
    for k in range(len(tree.angles)):
        relation = ring.sines[k] ** 2 + ring.cosines[k] ** 2 - 1

        def exchange(p: Any, k: int = k, relation: Any = relation) -> Any:
            return p - p.derivative(k + count).derivative(k + count) * relation / 2

        other = best.map(exchange)
        if (other_length := _length(other)) < length:
            best, length = other, other_length
    return best


def _length(form: LinearForm) -> int:
    return len({monomial for p in form.terms.values() for monomial in p.monoms()})

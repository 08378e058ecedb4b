"""Which inertial parameters a robot has: independent ones, over which everything else is a linear form.

A file may state a parameter as a number (its letter is the parameter), as zero, or as an expression, so that the ten
linear parameters of its links are polynomials in letters which may coincide (Ixx6 = Iyy6), vanish, or share letters
with the geometry (a rod of length a1). Normal forms decide equality only over independent parameters; here they are
chosen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.algebra import LinearForm, Monomial, Polynomial, TrigRing
from emdeg.mechanics.inertia import LINEAR_PARAMETERS, RigidBody, linear_parameters, moved
from emdeg.mechanics.tree import Tree
from emdeg.quantity import Expression

_Vector = dict[Monomial, Fraction]


@dataclass(frozen=True)
class Parameters:
    """Independent parameters: their names, their definitions over `letters`, and the bodies as forms over them.

    `bodies[k]` is segment k with all that is fixed to it, in the segment's axes; `drives[k]` what its drive adds.
    The coefficients of the forms are polynomials of the model's ring.
    """

    names: tuple[str, ...]
    definitions: tuple[Polynomial, ...]
    bodies: tuple[RigidBody, ...]
    drives: tuple[LinearForm, ...]
    letters: TrigRing


def letter_ring(tree: Tree, extra: Sequence[Expression] = ()) -> TrigRing:
    """The ring of all letters of a tree: geometry and inertia. Angles' letters come as sine and cosine."""
    found = set(tree.kinematic_letters())
    for expression in [*_expressions(tree), *extra]:
        found |= expression.letters
    pairs = sorted({name[4:-1] for name in found if name.startswith(("sin(", "cos("))})
    free = [name for name in found if not name.startswith(("sin(", "cos("))]
    return TrigRing(pairs, sorted(free, key=_natural))


def _natural(name: str) -> tuple[bool, str, int, str]:
    """Letters in the order in which people write them: masses first, then by kind, then by number."""
    stem = name.rstrip("0123456789")
    return (stem != "m", stem, int(name[len(stem) :] or -1), name)


def _expressions(tree: Tree) -> list[Expression]:
    found: list[Expression] = []
    for segment in tree.segments:
        for _, body in segment.bodies:
            found += body.inertia.entries
        if segment.drive is not None:
            found.append(segment.drive.reflected)
    return found


def parameters(tree: Tree, ring: TrigRing, letters: TrigRing) -> Parameters:
    """The independent parameters of a tree."""
    named = _named_polynomials(tree, letters)
    geometric = [letters.names.index(name) for name in tree.kinematic_letters()]
    vectors = {label: dict(letters.items(p)) for label, p in named.items()}
    mixed = any(m[k] for vector in vectors.values() for m in vector for k in geometric)
    names, definitions, forms = (
        _monomial_basis(vectors, geometric, ring, letters) if mixed else _rational_basis(vectors, named, ring)
    )
    bodies, drives = [], []
    for k, segment in enumerate(tree.segments):
        zero = LinearForm()
        whole = RigidBody.from_ten([zero] * 10)
        for label, body in segment.bodies:
            own = RigidBody.from_ten([forms[(k, label, p)] for p in LINEAR_PARAMETERS])
            whole = whole + moved(own, body.frame, ring.letters, ring.number)
        bodies.append(RigidBody.from_ten([x.map(ring.reduce) for x in whole.ten]))
        drives.append(forms[(k, "", "Im")])
    return Parameters(tuple(names), tuple(definitions), tuple(bodies), tuple(drives), letters)


_Label = tuple[int, str, str]


def _named_polynomials(tree: Tree, letters: TrigRing) -> dict[_Label, Polynomial]:
    """The ten linear parameters of each body, in the frame of its file, and each drive, over the letters."""
    named: dict[_Label, Polynomial] = {}
    for k, segment in enumerate(tree.segments):
        for label, body in segment.bodies:
            ten = linear_parameters(body.inertia, letters.letters, letters.number).ten
            named |= {(k, label, p): letters.reduce(x) for p, x in zip(LINEAR_PARAMETERS, ten, strict=True)}
        drive = segment.drive
        reflected = letters.zero if drive is None else drive.reflected.evaluate(letters.letters, letters.number)
        named[(k, "", "Im")] = reflected
    return named


def _label_text(tree_label: _Label, first: Mapping[int, str]) -> str:
    k, body, parameter = tree_label
    own = parameter == "Im" or first.get(k) == body
    return f"{parameter}{k + 1}" if own else f"{parameter}_{body}"


def _rational_basis(
    vectors: Mapping[_Label, _Vector], named: Mapping[_Label, Polynomial], ring: TrigRing
) -> tuple[list[str], list[Polynomial], dict[_Label, LinearForm]]:
    """Parameters that are independent over Q, taken in order; the others as their rational combinations."""
    first: dict[int, str] = {}
    for k, body, _ in vectors:
        first.setdefault(k, body)
    names: list[str] = []
    definitions: list[Polynomial] = []
    forms: dict[_Label, LinearForm] = {}
    echelon: list[tuple[Monomial, _Vector, dict[int, Fraction]]] = []
    for label, vector in vectors.items():
        rest, combination = dict(vector), dict[int, Fraction]()
        for lead, row, made in echelon:
            if factor := rest.get(lead):
                _subtract(rest, row, factor)
                _subtract(combination, made, -factor)
        if rest:
            lead = min(rest)
            scale = rest[lead]
            made = {index: -value / scale for index, value in combination.items()}
            made[len(names)] = made.get(len(names), Fraction(0)) + 1 / scale
            echelon.append((lead, {m: v / scale for m, v in rest.items()}, made))
            combination = {len(names): Fraction(1)}
            names.append(_label_text(label, first))
            definitions.append(named[label])
        forms[label] = LinearForm({index: ring.number(value) for index, value in combination.items()})
    return names, definitions, forms


def _subtract(target: dict[Any, Fraction], row: Mapping[Any, Fraction], factor: Fraction) -> None:
    for key, value in row.items():
        left = target.get(key, Fraction(0)) - factor * value
        if left:
            target[key] = left
        else:
            target.pop(key, None)


def _monomial_basis(
    vectors: Mapping[_Label, _Vector], geometric: Sequence[int], ring: TrigRing, letters: TrigRing
) -> tuple[list[str], list[Polynomial], dict[_Label, LinearForm]]:
    """Monomials in the letters that are not geometric as parameters; the geometric ones go to the coefficients."""
    hidden = set(geometric)
    index: dict[Monomial, int] = {}
    forms: dict[_Label, LinearForm] = {}
    for label, vector in vectors.items():
        terms: dict[int, Polynomial] = {}
        for monomial, value in vector.items():
            inertial = tuple(0 if k in hidden else e for k, e in enumerate(monomial))
            key = index.setdefault(inertial, len(index))
            factor = ring.number(value)
            for k in geometric:
                if monomial[k]:
                    factor = factor * ring.letters[letters.names[k]] ** monomial[k]
            terms[key] = terms[key] + factor if key in terms else factor
        forms[label] = LinearForm(terms).normal()
    definitions = [letters.context.from_dict({m: 1}) for m in index]
    return [_monomial_text(m, letters) for m in index], definitions, forms


def _monomial_text(monomial: Monomial, letters: TrigRing) -> str:
    powers = [(name, e) for name, e in zip(letters.names, monomial, strict=True) if e]
    return "*".join(name if e == 1 else f"{name}**{e}" for name, e in powers) or "1"

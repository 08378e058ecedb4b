"""Regrouping: which combinations of all inertial parameters the motion can feel, with exact coefficients.

Where a joint is revolute, three patterns of mass in its link can't be told from the same patterns fixed to the link
before: a point mass on the axis, a first moment along it, and Lxx + Lyy (prismatic: all six second moments). This is
the regrouping of Gautier and Khalil 1990, with symbolic geometry as it stands. What remains (axes parallel to gravity
or to each other) is found modulo a prime and then solved over the letters. Independence is certain because it holds
modulo the prime; each regrouping is certain because it is checked as a polynomial identity in A and g.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from emdeg.algebra import LinearForm, Polynomial, TrigRing, modular
from emdeg.errors import ProofError
from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody, shifted, turned
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.tree import Tree
from emdeg.model.dynamics import TEN, Inertial, general_bodies, inertial
from emdeg.model.elimination import Fractions, solve
from emdeg.robot import BASE

MANY = 50  # rows per column beyond which a failed proof is no accident of too few states


@dataclass(frozen=True)
class Regrouping:
    """Which parameters are base parameters, and each other one's column as a combination of theirs.

    `dependent[d]` holds, per base parameter b, (numerator, denominator) of the coefficient with which parameter d
    adds to b: base parameter b is parameter b + sum over d of coefficient × parameter d.
    """

    base: tuple[int, ...]
    dependent: Mapping[int, Mapping[int, Fractions]]


def regroup(tree: Tree, ring: TrigRing, general: Inertial, *, drives: bool) -> Regrouping:
    """The base parameters of a tree with all ten parameters a segment, and optionally a drive a joint.

    Parameter p of segment k is number 10 k + p, the drive of joint k number 10 n + k. `general` is the inertial part
    over the same numbering (without drives).
    """
    count = len(tree)
    known = _along_axes(tree, ring)
    columns = [p for p in range(TEN * count) if p not in known]
    columns += [TEN * count + k for k in range(count)] if drives else []
    general = _driven(general, ring, count) if drives else general
    elements = [*general.mass.values(), *general.gravity]
    points = _residues(tree, drives)
    rows = [row for _ in range(count + 2) for row in next(points)]
    while True:
        try:
            return _regrouped(ring, elements, columns, known, rows)
        except ProofError:  # too few states: the rank was underestimated, so that a wrong regrouping was proposed
            if len(rows) > MANY * len(columns):
                raise
            rows += [row for _ in range(count) for row in next(points)]


def _regrouped(
    ring: TrigRing,
    elements: list[LinearForm],
    columns: list[int],
    known: Mapping[int, LinearForm],
    rows: Sequence[Mapping[int, Any]],
) -> Regrouping:
    """The regrouping that the rows modulo the prime propose, certified; ProofError where it is wrong."""
    zero = modular.number(0)
    pivots, echelon = modular.pivots([[row.get(c, zero) for c in columns] for row in rows])
    base = tuple(columns[p] for p in pivots)
    dependent: dict[int, Mapping[int, Fractions]] = {}
    for position, column in enumerate(columns):
        if position in pivots:
            continue
        support = [base[i] for i, row in enumerate(echelon) if row[position]]
        dependent[column] = solve(ring, elements, column, support)
    for column, form in known.items():
        dependent[column] = _substituted(ring, form, dependent)
    certify(ring, elements, dependent)
    return Regrouping(base, dependent)


def _along_axes(tree: Tree, ring: TrigRing) -> dict[int, LinearForm]:
    """Per parameter that the general regrouping eliminates, its column over columns that it keeps."""
    known: dict[int, LinearForm] = {}
    zero, one = ring.zero, ring.one
    identity = ((one, zero, zero), (zero, one, zero), (zero, zero, one))

    def on_parent(k: int, body: RigidBody) -> LinearForm:
        parent = tree.segments[k].parent
        form = LinearForm()
        if parent != BASE:
            for p, factor in enumerate(body.ten):
                key = TEN * parent + p
                form = form + known.get(key, LinearForm({key: one})) * ring.reduce(factor + zero)
        return form.normal().map(ring.reduce)

    for k, segment in enumerate(tree.segments):
        axis, axes = _axes_in_parent(tree, ring, k)
        origin = tuple(entry.evaluate(ring.letters, ring.number) for entry in segment.origin)
        start = TEN * k
        if segment.revolute:
            rows = tuple(tuple(identity[i][j] - axis[i] * axis[j] for j in range(3)) for i in range(3))
            known[start] = on_parent(k, shifted(RigidBody(one, (zero,) * 3, ((zero,) * 3,) * 3), origin))  # type: ignore[arg-type]
            known[start + 3] = on_parent(k, shifted(RigidBody(zero, axis, ((zero,) * 3,) * 3), origin))  # type: ignore[arg-type]
            moments = on_parent(k, RigidBody(zero, (zero,) * 3, rows))  # type: ignore[arg-type]
            known[start + 7] = (moments - LinearForm({start + 4: one})).normal()
        elif axes is not None:
            for p in range(4, TEN):
                six = [one if q == p else zero for q in range(4, TEN)]
                pattern = turned(RigidBody(zero, (zero,) * 3, vector.symmetric(six)), axes)
                known[start + p] = on_parent(k, pattern)
    return known


def _axes_in_parent(tree: Tree, ring: TrigRing, k: int) -> tuple[vector.Vector, vector.Matrix | None]:
    """Joint k's axis in the parent's axes; and, where their angle is constant, all of k's axes as columns."""
    segment = tree.segments[k]
    zero, one = ring.zero, ring.one
    units = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
    if segment.turn is not None:
        turn = matrix(segment.turn, ring.letters, ring.number)
        back = [vector.apply(turn, segment.within.apply(unit)) for unit in units]
        fixed = segment.angle is None
    else:
        parent = None if segment.parent == BASE else tree.segments[segment.parent]
        undo = (lambda x: x) if parent is None else parent.within.undo
        back = [undo(segment.within.apply(unit)) for unit in units]
        fixed = segment.angle == (None if parent is None else parent.angle)
    columns = (back[0], back[1], back[2])
    return back[2], vector.transpose(columns) if fixed else None


def _driven(general: Inertial, ring: TrigRing, count: int) -> Inertial:
    mass = dict(general.mass)
    for k in range(count):
        mass[k, k] = mass[k, k] + LinearForm({TEN * count + k: ring.one})
    return Inertial(mass, general.gravity)


def _residues(tree: Tree, drives: bool) -> Iterator[list[dict[int, Any]]]:
    """The columns of A and g at random states modulo a prime, one geometry throughout: per state a row an element."""
    source = Random(1986)
    count = len(tree)
    letters: dict[str, Any] = {}
    for name in sorted(tree.kinematic_letters()):
        if name.startswith("sin("):
            letters[f"cos({name[4:]}"], letters[name] = modular.random_cosine_and_sine(source)
        elif not name.startswith("cos("):
            letters[name] = modular.random(source)
    one = modular.number(1)
    while True:
        pairs = [modular.random_cosine_and_sine(source) for _ in tree.angles]
        slides = [modular.random(source) for _ in range(count)]
        state = State(modular.number, letters, [c for c, _ in pairs], [s for _, s in pairs], slides)
        point = inertial(Frames(tree, state), general_bodies(tree, one))
        rows = [
            form.terms | ({TEN * count + i: one} if drives and i == j else {}) for (i, j), form in point.mass.items()
        ]
        yield rows + [form.terms for form in point.gravity]


def _substituted(
    ring: TrigRing, form: LinearForm, dependent: Mapping[int, Mapping[int, Fractions]]
) -> dict[int, Fractions]:
    """A form over kept columns, some of which turned out to depend on others, over base columns."""
    result: dict[int, Fractions] = {}
    for key, value in form.terms.items():
        for base, fraction in dependent[key].items() if key in dependent else [(key, Fractions(ring.one, ring.one))]:
            term = fraction.times(value)
            result[base] = result[base].plus(term) if base in result else term
    return {key: value for key, value in result.items() if value.numerator != 0}


def certify(ring: TrigRing, elements: Sequence[LinearForm], dependent: Mapping[int, Mapping[int, Fractions]]) -> None:
    """Check that each dependent column is the combination that was found, in every element, as polynomials."""
    for column, combination in dependent.items():
        common: Polynomial = ring.one
        for fraction in combination.values():
            if not fraction.denominator.is_one():
                common = common * fraction.denominator
        for element in elements:
            total = element.terms.get(column, ring.zero) * common
            for base, fraction in combination.items():
                if base in element.terms:
                    factor = fraction.numerator
                    if not common.is_one():
                        factor = fraction.numerator * divmod(common, fraction.denominator)[0]
                    total = total - element.terms[base] * factor
            if ring.reduce(total) != 0:
                raise ProofError(f"the regrouping of parameter {column} is no identity")

"""Base parameters of a robot as its file gives it: the fewest combinations that the motion can feel."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from emdeg.algebra import LinearForm, Polynomial, TrigRing, modular
from emdeg.mechanics.tree import Tree
from emdeg.model.constants import Coefficients, Vector, written
from emdeg.model.dynamics import TEN, Inertial, general_dynamics
from emdeg.model.elimination import Fractions, residues, solve
from emdeg.model.parameters import Parameters
from emdeg.model.regrouping import Regrouping, certify, regroup


@dataclass(frozen=True)
class BaseParameter:
    """One base parameter: the parameter that stands for it, and the combination over the letters of the file."""

    name: str
    definition: str


@dataclass(frozen=True)
class Counts:
    """How many base parameters: general inertias, the same with a drive at each joint, and the robot as given."""

    structural: int
    structural_with_drives: int
    as_given: int


def independent(
    tree: Tree, ring: TrigRing, chosen: Parameters, general: Inertial
) -> tuple[list[int], Mapping[int, Mapping[int, Fractions]]]:
    """Which of the robot's independent parameters stand for base parameters, and how the others add to these.

    Parameter d counts as sum of x[b] × parameter b for its entry x in the second result; one without any is not felt.
    """
    with_drives = any(form for form in chosen.drives)
    rows = _rows(tree, ring, chosen, regroup(tree, ring, general, drives=with_drives))
    return _independent(ring, rows, len(chosen.names))


def of_robot(tree: Tree, ring: TrigRing, chosen: Parameters, general: Inertial) -> tuple[BaseParameter, ...]:
    """The base parameters over the robot's own independent parameters, zeros and symmetries taken into account."""
    base, dependent = independent(tree, ring, chosen, general)
    coefficients = Coefficients.of(ring, chosen)
    return tuple(_parameter(k, b, dependent, coefficients) for k, b in enumerate(base))


def counts(tree: Tree, ring: TrigRing, chosen: Parameters) -> Counts:
    """The counts of a robot."""
    general = general_dynamics(tree, ring)
    return Counts(
        len(regroup(tree, ring, general, drives=False).base),
        len(regroup(tree, ring, general, drives=True).base),
        len(of_robot(tree, ring, chosen, general)),
    )


def _rows(tree: Tree, ring: TrigRing, chosen: Parameters, general: Regrouping) -> list[LinearForm]:
    """Each general base parameter as a form over the robot's parameters (denominators cleared)."""
    forms = {TEN * k + p: x for k, body in enumerate(chosen.bodies) for p, x in enumerate(body.ten)}
    forms |= {TEN * len(tree) + k: form for k, form in enumerate(chosen.drives)}
    rows = []
    for b in general.base:
        adding = {d: c[b] for d, c in general.dependent.items() if b in c and forms[d]}
        common: Polynomial = ring.one
        for fraction in adding.values():
            if not fraction.denominator.is_one():
                common = common * fraction.denominator
        row = forms[b] * common
        for d, fraction in adding.items():
            row = row + forms[d] * (fraction.numerator * divmod(common, fraction.denominator)[0])
        rows.append(row.map(ring.reduce))
    return rows


def _independent(
    ring: TrigRing, rows: list[LinearForm], count: int
) -> tuple[list[int], Mapping[int, Mapping[int, Fractions]]]:
    """Which of the robot's parameters stand for base parameters, and the others over them; each checked exactly."""
    values = residues(ring, Random(28))
    table = [[values(row.terms[c]) if c in row.terms else modular.number(0) for c in range(count)] for row in rows]
    pivots, echelon = modular.pivots(table)
    dependent: dict[int, Mapping[int, Fractions]] = {}
    for column in range(count):
        if column not in pivots:
            support = [pivots[i] for i, row in enumerate(echelon) if row[column]]
            dependent[column] = solve(ring, rows, column, support)
    certify(ring, rows, dependent)
    return pivots, dependent


def _parameter(
    position: int, base: int, dependent: Mapping[int, Mapping[int, Fractions]], coefficients: Coefficients
) -> BaseParameter:
    chosen, ring = coefficients.parameters, coefficients.ring
    whole = LinearForm({base: ring.one})
    fractions = []
    for d, combination in dependent.items():
        if base in combination:
            fraction = combination[base]
            if fraction.denominator.is_one():
                whole = whole + LinearForm({d: fraction.numerator})
            else:
                fractions.append((d, fraction))
    text = written(chosen.letters, _vector(coefficients, whole))
    for d, fraction in fractions:
        parts = [written(chosen.letters, _plain(coefficients, p)) for p in (fraction.numerator, fraction.denominator)]
        text += f" + ({parts[0]})/({parts[1]})*({written(chosen.letters, dict(coefficients.definitions[d]))})"
    name = chosen.names[base]
    if text == name:
        return BaseParameter(name, text)
    return BaseParameter(f"{name}R" if name.isidentifier() else f"p{position + 1}", text)


def _vector(coefficients: Coefficients, form: LinearForm) -> Vector:
    """A form without motion as a polynomial in letters."""
    (part,) = coefficients.split(form).values()
    return coefficients.vector(part)


def _plain(coefficients: Coefficients, polynomial: Polynomial) -> Vector:
    """A polynomial in the geometry as one in letters."""
    result: Vector = {}
    for monomial, value in coefficients.ring.items(polynomial):
        exponents = [0] * len(coefficients.parameters.letters.names)
        for k, e in enumerate(monomial):
            if e:
                exponents[coefficients.place[k]] += e
        result[tuple(exponents)] = value
    return result

"""The same dynamics by each formulation: Kane's equations, Lagrange's, recursive Newton-Euler."""

from collections.abc import Callable
from dataclasses import dataclass

from flint import fmpq

from emdeg.algebra import LinearForm, Monomial, Polynomial, TrigRing, total
from emdeg.errors import InputError, ProofError
from emdeg.mechanics import lagrange, newton_euler
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.tree import Tree
from emdeg.model.dynamics import (
    Inertial,
    Triple,
    christoffel_symbols,
    frames_of,
    general_dynamics,
    model_ring,
    polynomial_state,
    with_parameters,
)
from emdeg.model.parameters import Parameters, parameters


@dataclass(frozen=True)
class Equations:
    """A, g and the Christoffel symbols (i, jk), j <= k, of a robot; A and g with all ten parameters, where at hand."""

    inertial: Inertial
    symbols: dict[Triple, LinearForm]
    general: Inertial | None = None


def kane(tree: Tree, ring: TrigRing, chosen: Parameters) -> Equations:
    """A and g by Kane's equations; the symbols from the derivatives of A, eq. (6) of Armstrong et al. 1986."""
    general = general_dynamics(tree, ring)
    put = with_parameters(general, chosen, ring)
    return Equations(put, christoffel_symbols(tree, ring, put.mass), general)


def lagrangian(tree: Tree, ring: TrigRing, chosen: Parameters) -> Equations:
    """All of them by Lagrange's equations with traces."""
    sums = lagrange.equations(frames_of(tree, ring), chosen.bodies)
    count = len(tree)
    nothing: list[LinearForm] = []
    mass = {(i, j): total(sums.mass.get((i, j), nothing)) for i in range(count) for j in range(i, count)}
    for k, drive in enumerate(chosen.drives):
        mass[k, k] = mass[k, k] + drive
    symbols = {
        (i, j, k): total(sums.velocity.get((i, j, k), nothing)).map(ring.reduce)
        for i in range(count)
        for j in range(count)
        for k in range(j, count)
    }
    normal = {pair: form.map(ring.reduce) for pair, form in mass.items()}
    return Equations(Inertial(normal, tuple(total(g).map(ring.reduce) for g in sums.gravity)), symbols)


def newton_euler_recursion(tree: Tree, ring: TrigRing, chosen: Parameters) -> Equations:
    """All of them as the coefficients of the rates in the torques of the recursion."""
    count = len(tree)
    rates = (*(f"qd{k + 1}" for k in range(count)), *(f"qdd{k + 1}" for k in range(count)))
    wide = model_ring(tree, rates)
    moved = parameters(tree, wide, chosen.letters)
    qd = [wide.letters[name] for name in rates[:count]]
    qdd = [wide.letters[name] for name in rates[count:]]
    frames = Frames(tree, polynomial_state(tree, wide))
    torques = newton_euler.inverse_dynamics(frames, moved.bodies, moved.drives, qd, qdd)
    parts = [_by_rates(torque.map(wide.reduce), wide, ring, rates) for torque in torques]
    nothing = LinearForm()

    def part(i: int, *indices: int) -> LinearForm:
        exponents = [0] * len(rates)
        for index in indices:
            exponents[index] += 1
        return parts[i].get(tuple(exponents), nothing)

    mass = {}
    for i in range(count):
        for j in range(i, count):
            mass[i, j] = part(i, count + j)
            if mass[i, j].terms != part(j, count + i).terms:
                raise ProofError(f"Newton-Euler gives an A that is not symmetric in a{i + 1}{j + 1}")
    half = ring.number(1) / 2
    symbols = {
        (i, j, k): part(i, j, j) if j == k else (part(i, j, k) * half).normal()
        for i in range(count)
        for j in range(count)
        for k in range(j, count)
    }
    return Equations(Inertial(mass, tuple(part(i) for i in range(count))), symbols)


def _by_rates(form: LinearForm, wide: TrigRing, ring: TrigRing, rates: tuple[str, ...]) -> dict[Monomial, LinearForm]:
    """Per monomial in the rates, its coefficient as a form over the model's ring."""
    places = [wide.names.index(name) for name in rates]
    kept = [wide.names.index(name) for name in ring.names]
    tables: dict[Monomial, dict[int, dict[Monomial, fmpq]]] = {}
    for key, polynomial in form.terms.items():
        for monomial, value in polynomial.to_dict().items():
            rate = tuple(int(monomial[k]) for k in places)
            rest = tuple(monomial[k] for k in kept)
            tables.setdefault(rate, {}).setdefault(key, {})[rest] = value

    def polynomial_of(terms: dict[Monomial, fmpq]) -> Polynomial:
        return ring.context.from_dict(terms)

    return {
        rate: LinearForm({key: polynomial_of(terms) for key, terms in table.items()}) for rate, table in tables.items()
    }


FORMULATIONS: dict[str, Callable[[Tree, TrigRing, Parameters], Equations]] = {
    "kane": kane,
    "lagrange": lagrangian,
    "newton-euler": newton_euler_recursion,
}


def equations(formulation: str, tree: Tree, ring: TrigRing, chosen: Parameters) -> Equations:
    """The equations by the formulation of this name."""
    if formulation not in FORMULATIONS:
        raise InputError(f"there is no formulation {formulation!r}", advice=f"choose {', '.join(FORMULATIONS)}")
    return FORMULATIONS[formulation](tree, ring, chosen)

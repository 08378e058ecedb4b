"""The closed form as a program: A, Christoffel symbols and g as numeric polynomials, in Horner's form, shared.

Each polynomial in sines, cosines and displacements is split by one generator after the other, base first, and what two
polynomials have in common, up to sign and factor, is computed once. Pays for planar and short arms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emdeg.algebra import Monomial, Polynomial, TrigRing
from emdeg.compiler.coefficients import Coefficients
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.tracing import Recording
from emdeg.mechanics import kane
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody
from emdeg.program import Scalar

Terms = dict[Monomial, Any]


@dataclass(frozen=True)
class ClosedForm:
    """A (i <= j), Christoffel symbols (i, jk) for j <= k, and g as polynomials with numbers for coefficients."""

    ring: TrigRing
    mass: Mapping[tuple[int, int], Polynomial]
    symbols: Mapping[tuple[int, int, int], Polynomial]
    gravity: Sequence[Polynomial]


def closed_form(
    robot: NumericRobot, coefficients: Coefficients, bodies: Sequence[RigidBody], drives: Sequence[Any]
) -> ClosedForm:
    """The closed form of a robot in exact numbers, or in constants."""
    tree, ring, put = robot.tree, coefficients.ring, coefficients.polynomial
    n = len(tree)
    letters = {name: put(robot.letters[name]) for name in tree.kinematic_letters()}
    slides = [ring.zero if s.revolute else ring.letters[f"q{s.coordinate + 1}"] for s in tree.segments]
    frames = Frames(tree, State(ring.number, letters, ring.cosines, ring.sines, slides, ring.reduce))
    numbers = [RigidBody.from_ten([put(x) for x in body.ten]) for body in bodies]
    motions = kane.partial_velocities(frames)
    forces = kane.inertia_forces(numbers, motions)
    mass = {(i, j): ring.reduce(sum(forces[i][j], ring.zero)) for i in range(n) for j in range(i, n)}
    for k in range(n):
        mass[k, k] = mass[k, k] + put(drives[k])
    gravity = [ring.reduce(sum(weights, ring.zero)) for weights in kane.active_forces(numbers, motions)]
    return ClosedForm(ring, mass, _symbols(robot, ring, mass), gravity)


def _symbols(
    robot: NumericRobot, ring: TrigRing, mass: Mapping[tuple[int, int], Polynomial]
) -> dict[tuple[int, int, int], Polynomial]:
    tree = robot.tree
    n = len(tree)

    def slope(i: int, j: int, k: int) -> Polynomial:
        polynomial = mass[min(i, j), max(i, j)]
        segment = tree.segments[k]
        result = ring.zero if segment.revolute else ring.free_derivative(polynomial, f"q{k + 1}")
        for a, angle in enumerate(tree.angles):
            sign = dict(angle.coordinates).get(k, 0)
            if sign:
                result = result + sign * ring.angle_derivative(polynomial, a)
        return ring.reduce(result)

    slopes = {(i, j, k): slope(i, j, k) for i in range(n) for j in range(n) for k in range(n)}
    return {
        (i, j, k): (slopes[i, j, k] + slopes[i, k, j] - slopes[j, k, i]) / 2
        for i in range(n)
        for j in range(n)
        for k in range(j, n)
    }


class Horner:
    """Polynomials of a ring as shared scalars of a recording."""

    def __init__(self, recording: Recording, coefficients: Coefficients) -> None:
        self.recording = recording
        self.coefficients = coefficients
        ring = coefficients.ring
        state = recording.frames.state
        count = len(recording.frames.tree.angles)
        self.generators: list[Scalar] = [*state.sines, *state.cosines]
        places = [*range(count), *(len(ring.pairs) + k for k in range(count))]
        for segment in recording.frames.tree.segments:
            if not segment.revolute:
                places.append(ring.names.index(f"q{segment.coordinate + 1}"))
                self.generators.append(recording.q[segment.coordinate])
        self.places = places
        self.order = sorted(range(len(places)), key=lambda k: (k % count if count and k < 2 * count else count, k))
        self._known: dict[frozenset[tuple[Monomial, Any]], Scalar] = {}

    def scalar(self, polynomial: Polynomial) -> Scalar:
        return self._scaled(self.coefficients.terms(polynomial, self.places), 0)

    def _scaled(self, terms: Terms, depth: int) -> Scalar:
        """Up to a factor, what is known already."""
        if not terms:
            return self.recording.number(0)
        lead = terms[min(terms)]
        unit = {monomial: factor / lead for monomial, factor in terms.items()}
        key = frozenset(unit.items())
        if len(terms) > 1 and key in self._known and lead in (1, -1):
            return self._known[key] if lead == 1 else -self._known[key]
        direct = frozenset(terms.items())
        if direct not in self._known:
            opposite = frozenset((m, -f) for m, f in terms.items())
            self._known[direct] = -self._known[opposite] if opposite in self._known else self._split(terms, depth)
        return self._known[direct]

    def _split(self, terms: Terms, depth: int) -> Scalar:
        """constant part + generator × rest, along the first generator that occurs."""
        for position in range(depth, len(self.order)):
            k = self.order[position]
            if any(monomial[k] for monomial in terms):
                rest = {m: f for m, f in terms.items() if not m[k]}
                divided = {(*m[:k], m[k] - 1, *m[k + 1 :]): f for m, f in terms.items() if m[k]}
                product = self._scaled(divided, position) * self.generators[k]
                return product + self._scaled(rest, position + 1) if rest else product
        (factor,) = terms.values()
        return self.recording.number(factor)


def torques(recording: Recording, robot: NumericRobot, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
    """tau = A qdd + B[qd qd] + C[qd²] + g with the closed form's elements."""
    form, horner = _form(recording, robot)
    n = len(robot.tree)
    result = []
    for i in range(n):
        total = horner.scalar(form.gravity[i])
        for j in range(n):
            total = total + horner.scalar(form.mass[min(i, j), max(i, j)]) * qdd[j]
        for j in range(n):
            inner = recording.number(0)
            for k in range(j, n):
                twice = form.symbols[i, j, k] if j == k else 2 * form.symbols[i, j, k]
                inner = inner + horner.scalar(twice) * qd[k]
            total = total + inner * qd[j]
        result.append(total)
    return result


def mass_matrix(recording: Recording, robot: NumericRobot) -> list[list[Scalar]]:
    """A with the closed form's elements."""
    form, horner = _form(recording, robot)
    n = len(robot.tree)
    return [[horner.scalar(form.mass[min(i, j), max(i, j)]) for j in range(n)] for i in range(n)]


def _form(recording: Recording, robot: NumericRobot) -> tuple[ClosedForm, Horner]:
    coefficients = Coefficients(robot, robot.bodies, robot.drives)
    form = closed_form(robot, coefficients, robot.bodies, robot.drives)
    return form, Horner(recording, coefficients)

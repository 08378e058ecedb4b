"""The closed form of a robot: A, Christoffel symbols and g as polynomials, and functions assembled from them.

Coordinates are the joints' own, or *absolute*: in each group of parallel joints an angle counts from where the group
starts (phi3 = q2 + q3 for the PUMA), phi = T q with integers in T. In absolute coordinates the equation of motion has
the same form, A' phidd + B' [phid phid] + C' [phid²] + g' = tau', where A = Tᵀ A' T, g = Tᵀ g', tau = Tᵀ tau' exactly:
a joint's column is the sum of its own absolute one and of those behind it in the group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from emdeg.algebra import Polynomial, TrigRing
from emdeg.compiler.constants import Constant
from emdeg.compiler.factoring import Factorer, Factoring, Level, Terms
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.tracing import Recording
from emdeg.mechanics import kane
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody
from emdeg.mechanics.tree import Tree
from emdeg.model.dynamics import model_ring
from emdeg.program import Scalar

Matrix = list[list[Scalar]]


@dataclass(frozen=True)
class ClosedForm:
    """A (i <= j), Christoffel symbols and g as polynomials, in joint or absolute coordinates.

    Lengths are numbers, inertial parameters letters, and so are constants; `values` theirs by their places among the
    ring's generators.
    """

    tree: Tree
    ring: TrigRing
    values: Mapping[int, Any]
    mass: Mapping[tuple[int, int], Polynomial]
    gravity: Sequence[Polynomial]
    absolute: bool = False

    @cached_property
    def symbols(self) -> Mapping[tuple[int, int, int], Polynomial]:
        """½ (∂a_ij/∂q_k + ∂a_ik/∂q_j - ∂a_jk/∂q_i) for j <= k: Armstrong et al. 1986, eq. (6)."""
        n = len(self.tree)
        slopes = {(i, j, k): self._slope(polynomial, k) for (i, j), polynomial in self.mass.items() for k in range(n)}
        slopes |= {(j, i, k): polynomial for (i, j, k), polynomial in slopes.items()}
        return {
            (i, j, k): (slopes[i, j, k] + slopes[i, k, j] - slopes[j, k, i]) / 2
            for i in range(n)
            for j in range(n)
            for k in range(j, n)
        }

    def _slope(self, polynomial: Polynomial, k: int) -> Polynomial:
        """The derivative with respect to coordinate k, joint or absolute."""
        segment, ring = self.tree.segments[k], self.ring
        if not segment.revolute:
            return ring.reduce(ring.free_derivative(polynomial, f"q{k + 1}"))
        result = ring.zero
        for a, angle in enumerate(self.tree.angles):
            sign = dict(angle.coordinates).get(k, 0)
            if sign and (not self.absolute or a == segment.angle):
                result = result + sign * ring.angle_derivative(polynomial, a)
        return ring.reduce(result)

    @cached_property
    def in_absolute_coordinates(self) -> "ClosedForm":
        """The same closed form in absolute coordinates."""
        n, mass, zero = len(self.tree), self.mass, self.ring.zero
        columns = [preimage(self.tree, a) for a in range(n)]
        turned = {
            (a, b): sum((x * y * mass[min(i, j), max(i, j)] for i, x in columns[a] for j, y in columns[b]), zero)
            for a in range(n)
            for b in range(a, n)
        }
        gravity = [sum((x * self.gravity[i] for i, x in column), zero) for column in columns]
        return replace(self, mass=turned, gravity=gravity, absolute=True)

    @property
    def size(self) -> int:
        """The number of terms of A."""
        return sum(len(polynomial) for polynomial in self.mass.values())

    @property
    def levels(self) -> int:
        """The number of variables."""
        return len(self.tree.angles) + sum(not segment.revolute for segment in self.tree.segments)


def closed_form(robot: NumericRobot, bodies: Sequence[RigidBody], drives: Sequence[Any]) -> ClosedForm:
    """The closed form of a robot with these bodies and drives, in joint coordinates."""
    tree = robot.tree
    n = len(tree)
    lengths = {name: robot.letters[name] for name in sorted(tree.kinematic_letters())}
    constants = [x for x in (*lengths.values(), *drives) if isinstance(x, Constant)]
    letters = _letters([*(x for body in bodies for x in body.ten), *constants])
    ring = model_ring(tree, tuple(letters.values()))

    def letter(value: Any) -> Polynomial:
        if not value:
            return ring.zero
        return ring.letters[letters[abs(value)]] * (-1 if value < 0 else 1)

    def number(value: Any) -> Polynomial:
        return letter(value) if isinstance(value, Constant) else ring.number(value)

    symbols = {name: number(value) for name, value in lengths.items()}
    slides = [ring.zero if s.revolute else ring.letters[f"q{s.coordinate + 1}"] for s in tree.segments]
    frames = Frames(tree, State(ring.number, symbols, ring.cosines, ring.sines, slides, ring.reduce))

    general = [RigidBody.from_ten([letter(x) for x in body.ten]) for body in bodies]
    motions = kane.partial_velocities(frames)
    forces = kane.inertia_forces(general, motions)
    mass = {(i, j): ring.reduce(sum(forces[i][j], ring.zero)) for i in range(n) for j in range(i, n)}
    for k in range(n):
        mass[k, k] = mass[k, k] + number(drives[k])
    gravity = [ring.reduce(sum(weights, ring.zero)) for weights in kane.active_forces(general, motions)]
    values = {ring.names.index(name): value for value, name in letters.items()}
    return ClosedForm(tree, ring, values, mass, gravity)


def _letters(parameters: Sequence[Any]) -> dict[Any, str]:
    """A letter for each absolute value among the parameters."""
    letters: dict[Any, str] = {}
    for value in map(abs, parameters):
        if value and value not in letters:
            letters[value] = f"parameter{len(letters)}"
    return letters


def absolute_coordinate(tree: Tree, k: int) -> list[tuple[int, int]]:
    """Row k of T: joint coordinates and the integers before them whose sum is absolute coordinate k."""
    segment = tree.segments[k]
    if not segment.revolute or segment.angle is None:
        return [(k, 1)]
    coordinates = tree.angles[segment.angle].coordinates
    own = dict(coordinates)[k]
    return [(c, own * sign) for c, sign in coordinates]


def preimage(tree: Tree, a: int) -> list[tuple[int, int]]:
    """Column a of the inverse of T, by forward substitution."""
    column: dict[int, int] = {}
    for i in range(a, len(tree)):
        row = absolute_coordinate(tree, i)
        column[i] = int(i == a) - sum(x * column.get(j, 0) for j, x in row if j != i)
    return [(i, x) for i, x in column.items() if x]


@dataclass(frozen=True)
class Assembly:
    """Functions of a closed form, factored together over a recording."""

    recording: Recording
    form: ClosedForm
    how: Factoring

    @property
    def n(self) -> int:
        return len(self.form.tree)

    def scalars(self, polynomials: Sequence[Polynomial]) -> list[Scalar]:
        """Polynomials as scalars, with what they share computed once."""
        targets: list[Terms] = [_terms(polynomial) for polynomial in polynomials]
        return Factorer(list(self._levels()), self.form.values, self.recording.number, self.how).scalars(targets)

    def _levels(self) -> Iterator[Level]:
        tree, ring, state = self.form.tree, self.form.ring, self.recording.frames.state
        for k in range(len(tree.angles)):
            yield Level((k, k + len(ring.pairs)), (state.sines[k], state.cosines[k]))
        for segment in tree.segments:
            if not segment.revolute:
                place = ring.names.index(f"q{segment.coordinate + 1}")
                yield Level((place,), (self.recording.q[segment.coordinate],))

    def mass_matrix(self) -> Matrix:
        """A."""
        found = dict(zip(self.form.mass, self.scalars(list(self.form.mass.values())), strict=True))
        return [[found[min(i, j), max(i, j)] for j in range(self.n)] for i in range(self.n)]

    def explicit(self) -> tuple[Matrix, Matrix, Matrix, list[Scalar]]:
        """A, B, C and g, computed together."""
        n = self.n
        pairs = [(j, k) for j in range(n) for k in range(j + 1, n)]
        mass, symbols = self.form.mass, self.form.symbols
        coriolis = [2 * symbols[i, j, k] for i in range(n) for j, k in pairs]
        centrifugal = [symbols[i, j, j] for i in range(n) for j in range(n)]
        found = iter(self.scalars([*mass.values(), *coriolis, *centrifugal, *self.form.gravity]))
        upper = {pair: next(found) for pair in mass}
        a = [[upper[min(i, j), max(i, j)] for j in range(n)] for i in range(n)]
        b = [[next(found) for _ in pairs] for _ in range(n)]
        c = [[next(found) for _ in range(n)] for _ in range(n)]
        return a, b, c, list(found)

    def torques(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        """tau = A qdd + B [qd qd] + C [qd²] + g, with rates and accelerations of the form's coordinates."""
        n = self.n
        factors: list[tuple[int, Scalar, Polynomial]] = []
        for i in range(n):
            factors += [(i, qdd[j], self.form.mass[min(i, j), max(i, j)]) for j in range(n)]
            for j in range(n):
                factors += [(i, qd[j] * qd[k], (1 + (j != k)) * self.form.symbols[i, j, k]) for k in range(j, n)]
        factors = [(i, factor, polynomial) for i, factor, polynomial in factors if factor != 0 and polynomial != 0]
        found = self.scalars([*self.form.gravity, *(polynomial for _, _, polynomial in factors)])
        result = found[:n]
        for (i, factor, _), element in zip(factors, found[n:], strict=True):
            result[i] = result[i] + element * factor
        return result

    def coriolis_matrix(self, qd: Sequence[Scalar]) -> Matrix:
        """Element i j: the sum over k of (i, jk) qd_k."""
        n = self.n
        symbols = self.form.symbols
        elements = iter(self.scalars([symbols[i, min(j, k), max(j, k)] for i, j, k in _triples(n)]))
        rows = [[self.recording.number(0)] * n for _ in range(n)]
        for i, j, k in _triples(n):
            rows[i][j] = rows[i][j] + next(elements) * qd[k]
        return rows


def _terms(polynomial: Polynomial) -> Terms:
    return {tuple(map(int, monomial)): value for monomial, value in polynomial.to_dict().items()}


def _triples(n: int) -> list[tuple[int, int, int]]:
    return [(i, j, k) for i in range(n) for j in range(n) for k in range(n)]

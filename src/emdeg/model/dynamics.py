"""The exact dynamics: mass matrix, gravity and Christoffel symbols as normal forms over independent parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from emdeg.algebra import LinearForm, TrigRing, total
from emdeg.mechanics import kane
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import LINEAR_PARAMETERS, RigidBody
from emdeg.mechanics.tree import Tree
from emdeg.model.parameters import Parameters

Pair = tuple[int, int]
Triple = tuple[int, int, int]
TEN = len(LINEAR_PARAMETERS)


def model_ring(tree: Tree, more: tuple[str, ...] = ()) -> TrigRing:
    """The ring of a tree's angles, displacements and geometric letters; `more` adds free generators in front."""
    kinematic = tree.kinematic_letters()
    twists = sorted({name[4:-1] for name in kinematic if name.startswith(("sin(", "cos("))})
    lengths = sorted(name for name in kinematic if not name.startswith(("sin(", "cos(")))
    slides = [f"q{s.coordinate + 1}" for s in tree.segments if not s.revolute]
    angles = [angle.name for angle in tree.angles]
    return TrigRing([*angles, *twists], [*more, *slides, *lengths], {*twists, *lengths})


def polynomial_state(tree: Tree, ring: TrigRing) -> State:
    """The state in which every coordinate is itself."""
    slides = [ring.zero if s.revolute else ring.letters[f"q{s.coordinate + 1}"] for s in tree.segments]

    def reduce(x: Any) -> Any:
        return x.map(ring.reduce) if isinstance(x, LinearForm) else ring.reduce(x)

    return State(ring.number, ring.letters, ring.cosines, ring.sines, slides, reduce)


@dataclass(frozen=True)
class Inertial:
    """The part of the dynamics that bodies alone determine: A (i <= j) and g, as forms."""

    mass: Mapping[Pair, LinearForm]
    gravity: tuple[LinearForm, ...]

    def substitute(self, forms: Mapping[int, LinearForm]) -> "Inertial":
        return Inertial(
            {pair: form.substitute(forms) for pair, form in self.mass.items()},
            tuple(form.substitute(forms) for form in self.gravity),
        )


def general_bodies(tree: Tree, one: object) -> list[RigidBody]:
    """Bodies with all ten parameters: parameter p of segment k is number 10 k + p."""
    return [RigidBody.from_ten([LinearForm({TEN * k + p: one}) for p in range(TEN)]) for k in range(len(tree))]


def inertial(frames: Frames, bodies: list[RigidBody]) -> Inertial:
    """A and g by Kane's equations."""
    motions = kane.partial_velocities(frames)
    forces = kane.inertia_forces(bodies, motions)
    weights = kane.active_forces(bodies, motions)
    reduce = frames.state.reduce
    count = len(bodies)
    mass = {(i, j): reduce(total(forces[i][j])) for i in range(count) for j in range(i, count)}
    return Inertial(mass, tuple(reduce(total(weight)) for weight in weights))


def with_parameters(general: Inertial, chosen: Parameters, ring: TrigRing) -> Inertial:
    """The general dynamics with the bodies and drives of a robot put in."""
    forms = {TEN * k + p: x for k, body in enumerate(chosen.bodies) for p, x in enumerate(body.ten)}
    put = general.substitute(forms)
    mass = dict(put.mass)
    for k, drive in enumerate(chosen.drives):
        mass[k, k] = (mass[k, k] + drive).normal()
    normal = {pair: form.map(ring.reduce) for pair, form in mass.items()}
    return Inertial(normal, tuple(form.map(ring.reduce) for form in put.gravity))


def derivative(tree: Tree, ring: TrigRing, form: LinearForm, k: int) -> LinearForm:
    """The derivative of a form with respect to coordinate k, in normal form."""
    angles = [(a, dict(angle.coordinates)[k]) for a, angle in enumerate(tree.angles) if k in dict(angle.coordinates)]
    slide = None if tree.segments[k].revolute else ring.names.index(f"q{k + 1}")

    def change(polynomial: Any) -> Any:
        result = ring.zero if slide is None else polynomial.derivative(slide)
        for angle, sign in angles:
            step = ring.angle_derivative(polynomial, angle)
            result = result + step if sign > 0 else result - step
        return ring.reduce(result)

    return form.map(change)


def christoffel_symbols(tree: Tree, ring: TrigRing, mass: Mapping[Pair, LinearForm]) -> dict[Triple, LinearForm]:
    """(i, jk) = ½ (∂a_ij/∂q_k + ∂a_ik/∂q_j - ∂a_jk/∂q_i) for j <= k: Armstrong et al. 1986, eq. (6)."""
    count = len(tree)
    slopes = {
        (i, j, k): derivative(tree, ring, mass[i, j], k)
        for i in range(count)
        for j in range(i, count)
        for k in range(count)
        if not (i >= k and j >= k)  # eq. (8): a_ij does not depend on q_k for i, j >= k
    }
    nothing = LinearForm()

    def slope(i: int, j: int, k: int) -> LinearForm:
        return slopes.get((i, j, k) if i <= j else (j, i, k), nothing)

    half = ring.number(1) / 2
    symbols = {}
    for i in range(count):
        for j in range(count):
            for k in range(j, count):
                twice = slope(i, j, k) + slope(i, k, j) - slope(j, k, i)
                symbols[i, j, k] = (twice * half).normal()
    return symbols


def frames_of(tree: Tree, ring: TrigRing) -> Frames:
    return Frames(tree, polynomial_state(tree, ring))


def general_dynamics(tree: Tree, ring: TrigRing) -> Inertial:
    """A and g with all ten parameters a segment."""
    return inertial(frames_of(tree, ring), general_bodies(tree, ring.one))

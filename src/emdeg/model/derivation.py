"""From a robot to its exact equations, in the steps of Armstrong, Khatib and Burdick 1986."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Literal

from emdeg.algebra import LinearForm, TrigRing
from emdeg.mechanics.tree import Tree, plant
from emdeg.model.dynamics import Inertial, Triple, general_dynamics, model_ring
from emdeg.model.formulations import equations
from emdeg.model.parameters import Parameters, letter_ring, parameters
from emdeg.robot import Robot

Formulation = Literal["kane", "lagrange", "newton-euler"]


@dataclass(frozen=True)
class Derivation:
    """The exact dynamics of a robot as normal forms: A (i <= j) and g in `inertial`, (i, jk) for j <= k beside it.

    `substitutions` are the replacements of letters that led from the robot's document to `robot`, in their order.
    """

    robot: Robot
    tree: Tree
    ring: TrigRing
    parameters: Parameters
    inertial: Inertial
    symbols_of_christoffel: Mapping[Triple, LinearForm] = field(repr=False)
    formulation: str = "kane"
    seconds: float = 0.0
    substitutions: tuple[Mapping[str, str], ...] = ()
    known_general: Inertial | None = field(default=None, repr=False)

    @cached_property
    def general(self) -> Inertial:
        """A and g with all ten parameters of each segment: parameter p of segment k is number 10 k + p."""
        return self.known_general or general_dynamics(self.tree, self.ring)

    @property
    def forms(self) -> list[LinearForm]:
        """A (upper triangle), g, and the Christoffel symbols (i, jk), j <= k, in the order of reading."""
        return [*self.inertial.mass.values(), *self.inertial.gravity, *self.symbols_of_christoffel.values()]


def grounds(robot: Robot) -> tuple[Tree, TrigRing, Parameters]:
    """What comes before any equation: the tree, the ring of its angles and letters, the independent parameters."""
    tree = plant(robot)
    ring = model_ring(tree)
    return tree, ring, parameters(tree, ring, letter_ring(tree, tuple(robot.constants.values())))


def derivation(
    robot: Robot,
    formulation: str,
    progress: Callable[[str], None],
    substitutions: tuple[Mapping[str, str], ...] = (),
) -> Derivation:
    """The exact dynamics by a formulation; `progress` is called with the name of each step."""
    start = perf_counter()
    progress("frames and letters")
    tree, ring, chosen = grounds(robot)
    progress(f"equations of motion ({formulation})")
    found = equations(formulation, tree, ring, chosen)
    seconds = perf_counter() - start
    return Derivation(
        robot, tree, ring, chosen, found.inertial, found.symbols, formulation, seconds, substitutions, found.general
    )

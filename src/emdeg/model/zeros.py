"""Why an element vanishes: each reason is decided by an exact test, not by looking at the robot."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from emdeg.algebra import LinearForm, TrigRing
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.tree import Tree
from emdeg.model.dynamics import Inertial, Triple, derivative, frames_of
from emdeg.model.element import element_name

REASONS = {
    "general": "holds for every robot: no a_ij depends on q_k for i, j >= k (eq. 8)",
    "orthogonal": "the two joints move every mass in orthogonal directions, whatever its inertia",
    "separate": "the two joints are on different branches and share no moving body",
    "independent": "none of the elements of A involved depends on these coordinates, whatever the inertias",
    "symmetric": "none of the elements of A involved depends on these coordinates, thanks to the symmetry of the links",
    "cancellation": "the derivatives of A cancel, whatever the inertias",
    "parameters": "vanishes for the parameters of this robot, not for general ones",
    "vertical": "the joint's axis is parallel to gravity",
    "horizontal": "the joint slides across gravity",
    "balanced": "what the joint moves is balanced about its axis, or weighs nothing",
    "weightless": "there is no gravity",
}


@dataclass(frozen=True)
class Reasons:
    """Finds the reason for each element that vanishes."""

    tree: Tree
    ring: TrigRing
    inertial: Inertial
    general: Inertial
    symbols: Mapping[Triple, LinearForm]

    @cached_property
    def _frames(self) -> Frames:
        return frames_of(self.tree, self.ring)

    @cached_property
    def _slopes(self) -> dict[tuple[bool, int, int, int], LinearForm]:
        return {}

    def _slope(self, general: bool, i: int, j: int, k: int) -> LinearForm:
        i, j = min(i, j), max(i, j)
        key = (general, i, j, k)
        if key not in self._slopes:
            mass = (self.general if general else self.inertial).mass
            self._slopes[key] = derivative(self.tree, self.ring, mass[i, j], k)
        return self._slopes[key]

    def depends(self, i: int, j: int, k: int) -> bool:
        """Whether a_ij depends on coordinate k."""
        return bool(self._slope(False, i, j, k))

    def mass(self, i: int, j: int) -> str:
        i, j = min(i, j), max(i, j)
        if i not in self.tree.ancestors(j):
            return "separate"
        return "parameters" if self.general.mass[i, j] else "orthogonal"

    def christoffel(self, i: int, j: int, k: int) -> str:
        if (j == i and k <= i) or (k == i and j <= i):
            return "general"
        three = ((i, j, k), (i, k, j), (j, k, i))
        general = [self._slope(True, *key) for key in three]
        if not any(general):
            return "independent"
        if not (general[0] + general[1] - general[2]):
            return "cancellation"
        return "parameters" if any(self._slope(False, *key) for key in three) else "symmetric"

    def gravity(self, i: int) -> str:
        fall = self._frames.gravity
        if not any(fall):
            return "weightless"
        if self.general.gravity[i]:
            return "balanced"
        return "vertical" if self.tree.segments[i].revolute else "horizontal"

    def table(self, pairs: tuple[tuple[int, int], ...]) -> tuple[tuple[str, str], ...]:
        """(element, reason) for A, B, C, g in the order of reading."""
        n = len(self.tree)
        rows: list[tuple[str, str]] = []
        for i in range(n):
            rows += [(element_name("a", n, i, j), self.mass(i, j)) for j in range(n) if not self._mass(i, j)]
        for i in range(n):
            empty = [(j, k) for j, k in pairs if not self.symbols[i, j, k]]
            rows += [(element_name("b", n, i, j, k), self.christoffel(i, j, k)) for j, k in empty]
        for i in range(n):
            rows += [
                (element_name("c", n, i, j), self.christoffel(i, j, j)) for j in range(n) if not self.symbols[i, j, j]
            ]
        rows += [(element_name("g", n, i), self.gravity(i)) for i in range(n) if not self.inertial.gravity[i]]
        return tuple(rows)

    def _mass(self, i: int, j: int) -> LinearForm:
        return self.inertial.mass[min(i, j), max(i, j)]

"""A robot's frames at a state, over any scalar: how vectors pass from segment to segment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.tree import Segment, Tree
from emdeg.mechanics.vector import Vector
from emdeg.robot import BASE


@dataclass(frozen=True)
class State:
    """The scalars in which the mechanics run: floats, polynomials, residues modulo a prime, recording scalars.

    `cosines` and `sines` belong to the tree's cumulative angles, `displacements` to its coordinates (used for
    prismatic joints), `letters` to the geometry; `reduce` brings a scalar into normal form (the identity on numbers).
    """

    number: Callable[[Fraction], Any]
    letters: Mapping[str, Any]
    cosines: Sequence[Any]
    sines: Sequence[Any]
    displacements: Sequence[Any]
    reduce: Callable[[Any], Any] = lambda x: x


class Frames:
    """The frames of a tree at a state. Vectors are passed in and out as triples of scalars."""

    def __init__(self, tree: Tree, state: State) -> None:
        self.tree = tree
        self.state = state
        self.zero = state.number(Fraction(0))
        self.one = state.number(Fraction(1))
        self.nought: Vector = (self.zero, self.zero, self.zero)
        self.units = ((self.one, *self.nought[:2]), (self.zero, self.one, self.zero), (*self.nought[:2], self.one))
        self._turns = [None if s.turn is None else matrix(s.turn, state.letters, state.number) for s in tree.segments]
        self._levers = [self._lever(k) for k in range(len(tree))]
        self._offsets = [self._offset(s) for s in tree.segments]

    def evaluate(self, entries: Sequence[Any]) -> Vector:
        """Three expressions over letters as scalars."""
        x, y, z = (entry.evaluate(self.state.letters, self.state.number) for entry in entries)
        return (x, y, z)

    @property
    def gravity(self) -> Vector:
        """Acceleration of free fall in base axes."""
        return self.evaluate(self.tree.gravity)

    def axis(self, k: int) -> Vector:
        """The joint axis of segment k in its carrier."""
        return (self.zero, self.zero, -self.one if self.tree.segments[k].within.flipped else self.one)

    def offset(self, k: int) -> Vector:
        """From the origin of the parent segment to the origin of segment k, in k's carrier."""
        return self._offsets[k]

    def lever(self, k: int) -> Vector:
        """From the origin of the parent segment to the origin of segment k, in the parent's own axes."""
        return self._levers[k]

    def turn_back(self, k: int, x: Vector) -> Vector:
        """A vector in the parent's own axes, in the carrier that starts with segment k."""
        turn = self._turns[k]
        return x if turn is None else vector.apply(vector.transpose(turn), x)

    def turn_forward(self, k: int, x: Vector) -> Vector:
        """A vector in the carrier that starts with segment k, in the parent's own axes."""
        turn = self._turns[k]
        return x if turn is None else vector.apply(turn, x)

    def from_parent(self, k: int, x: Vector) -> Vector:
        """A vector in the parent's carrier, in k's carrier."""
        turn = self._turns[k]
        if turn is None:
            return x
        return vector.apply(vector.transpose(turn), self.to_segment(self.tree.segments[k].parent, x))

    def to_parent(self, k: int, x: Vector) -> Vector:
        """A vector in k's carrier, in the parent's carrier."""
        turn = self._turns[k]
        if turn is None:
            return x
        return self.from_segment(self.tree.segments[k].parent, vector.apply(turn, x))

    def to_segment(self, k: int, x: Vector) -> Vector:
        """A vector in k's carrier, in k's own axes."""
        if k == BASE:
            return x
        segment = self.tree.segments[k]
        return segment.within.undo(self._rotate(segment.angle, x, backwards=True))

    def from_segment(self, k: int, x: Vector) -> Vector:
        """A vector in k's own axes, in k's carrier."""
        if k == BASE:
            return x
        segment = self.tree.segments[k]
        return self._rotate(segment.angle, segment.within.apply(x), backwards=False)

    def _rotate(self, angle: int | None, x: Vector, *, backwards: bool) -> Vector:
        if angle is None:
            return x
        c, s = self.state.cosines[angle], self.state.sines[angle]
        reduce = self.state.reduce
        if backwards:
            return (reduce(x[0] * c + x[1] * s), reduce(x[1] * c - x[0] * s), x[2])
        return (reduce(x[0] * c - x[1] * s), reduce(x[0] * s + x[1] * c), x[2])

    def _offset(self, segment: Segment) -> Vector:
        origin = self.evaluate(segment.origin)
        turn = self._turns[segment.coordinate]
        if turn is None:
            offset = self.from_segment(segment.parent, origin)
        else:
            reduce = self.state.reduce
            x, y, z = vector.apply(vector.transpose(turn), origin)
            offset = (reduce(x), reduce(y), reduce(z))
        if segment.revolute:
            return offset
        slide = vector.scale(self.axis(segment.coordinate), self.state.displacements[segment.coordinate])
        return vector.add(offset, slide)

    def _lever(self, k: int) -> Vector:
        segment = self.tree.segments[k]
        origin = self.evaluate(segment.origin)
        if segment.revolute:
            return origin
        turn = self._turns[k]
        axis = self.axis(k)
        if turn is not None:
            axis = vector.apply(turn, axis)
        elif segment.parent != BASE:
            axis = self.tree.segments[segment.parent].within.undo(axis)
        return vector.add(origin, vector.scale(axis, self.state.displacements[k]))

"""Recording a robot: the state of its frames as scalars that leave a graph behind."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from emdeg.compiler import turning
from emdeg.compiler.numbers import NumericRobot
from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody
from emdeg.program import Graph, Input, Scalar
from emdeg.quantity import Angle
from emdeg.robot import BASE


@dataclass(frozen=True)
class Recording:
    """A graph with its inputs q, qd, qdd, tau as scalars, and the robot's frames over them.

    Its numbers are fractions, or constants where letters of the robot stay free.
    """

    graph: Graph
    q: tuple[Scalar, ...]
    qd: tuple[Scalar, ...]
    qdd: tuple[Scalar, ...]
    tau: tuple[Scalar, ...]
    frames: Frames

    def number(self, value: Any) -> Scalar:
        return Scalar(self.graph, self.graph.number(value))

    def body(self, body: RigidBody) -> RigidBody:
        """A body in numbers as a body over recording scalars."""
        return RigidBody.from_ten([self.number(x) for x in body.ten])

    def moved(self, robot: NumericRobot) -> "Recording":
        """The recording with the frames of a robot whose angles are the same."""
        letters = {name: self.number(value) for name, value in robot.letters.items()}
        return replace(self, frames=Frames(robot.tree, replace(self.frames.state, letters=letters)))

    def inputs(self, names: Sequence[str]) -> list[Input]:
        return [Input(name, len(self.q)) for name in names]


def record(robot: NumericRobot, *, placed: bool) -> Recording:
    """A new graph with the robot's frames at a state that stays open.

    Unless the result depends on where the robot is (`placed`), coordinates that only turn the whole robot about the
    vertical, or shift it, are taken as zero: no force depends on them.
    """
    graph = Graph()
    n = len(robot.tree)

    def components(name: str) -> tuple[Scalar, ...]:
        return tuple(Scalar(graph, graph.input(name, k)) for k in range(n))

    def number(value: Any) -> Scalar:
        return Scalar(graph, graph.number(value))

    q = components("q")
    ignored = set() if placed else _ignorable(robot)
    cosines, sines = [], []
    for angle, offset in zip(robot.tree.angles, robot.offsets, strict=True):
        total = number(0)
        for coordinate, sign in angle.coordinates:
            if coordinate not in ignored:
                total = total + q[coordinate] if sign > 0 else total - q[coordinate]
        if total != 0:  # what is constant turns with the coordinates: that takes an addition each
            for name, times in offset.letters:
                for _ in range(abs(times)):
                    letter = number(robot.letters[name])
                    total = total + letter if times > 0 else total - letter
            if offset.tangent:
                total = total + number(turning.value(offset))
            offset = Angle(offset.quarters)
        c, s = Scalar(graph, graph.cos(total.reference)), Scalar(graph, graph.sin(total.reference))
        fixed_c, fixed_s = robot.turn(offset, number)
        cosines.append(c * fixed_c - s * fixed_s)
        sines.append(s * fixed_c + c * fixed_s)
    letters = {name: number(value) for name, value in robot.letters.items()}
    slides = [number(0) if k in ignored else x for k, x in enumerate(q)]
    frames = Frames(robot.tree, State(number, letters, cosines, sines, slides))
    return Recording(graph, q, components("qd"), components("qdd"), components("tau"), frames)


def _ignorable(robot: NumericRobot) -> set[int]:
    """Coordinates of joints on the base that slide, or that turn about an axis parallel to gravity."""
    tree = robot.tree
    still = [Fraction(0)] * len(tree)
    turns = [Fraction(1)] * len(tree.angles), [Fraction(0)] * len(tree.angles)
    frames = Frames(tree, State(Fraction, robot.letters, *turns, still))
    ignored = set()
    for k, segment in enumerate(tree.segments):
        if segment.parent == BASE:
            axis = frames.turn_forward(k, frames.axis(k))
            if not segment.revolute or not any(vector.cross(axis, frames.gravity)):
                ignored.add(k)
    return ignored

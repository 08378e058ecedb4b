"""A random state of a robot modulo a prime: what the textbook mechanics give there, and what a program gives."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from emdeg.algebra import modular
from emdeg.compiler import turning
from emdeg.compiler.base_regressor import BaseForms
from emdeg.compiler.constants import PARAMETERS
from emdeg.compiler.dual import Dual
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.options import Options
from emdeg.compiler.rounding import OPERATIONS
from emdeg.compiler.task import Task
from emdeg.errors import ProofError
from emdeg.mechanics import newton_euler
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody
from emdeg.program import Program


@dataclass(frozen=True)
class Point:
    """A random state modulo a prime, and what the textbook mechanics give there with the robot's own parameters."""

    robot: NumericRobot
    number: Callable[[Any], Any]
    arguments: dict[str, list[Any]]
    turns: dict[int, tuple[Any, Any]]
    free_turns: list[tuple[Any, Any]]
    signs: list[Any]
    inertia: list[Any]
    """Random numbers for inertial parameters, for what is not of the robot's own."""
    options: Options
    base: BaseForms | None

    @property
    def n(self) -> int:
        return len(self.robot.tree)

    @property
    def nothing(self) -> list[Any]:
        return [self.number(0)] * self.n

    def unit(self, k: int) -> list[Any]:
        return [self.number(int(i == k)) for i in range(self.n)]

    def bodies(self, number: Callable[[Any], Any]) -> list[RigidBody]:
        return [RigidBody.from_ten([number(x) for x in body.ten]) for body in self.robot.bodies]

    @property
    def friction(self) -> list[Any]:
        """fv qd + fc sign(qd)."""
        rates, signs = self.arguments["qd"], self.signs
        pairs = [(self.number(viscous), self.number(coulomb)) for viscous, coulomb in self.robot.friction]
        return [v * rate + c * sign for (v, c), rate, sign in zip(pairs, rates, signs, strict=True)]

    def torque(self, qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
        drives = [self.number(x) for x in self.robot.drives]
        return newton_euler.inverse_dynamics(self.frames(), self.bodies(self.number), drives, qd, qdd)

    def slopes(self, q: Sequence[Any], qd: Sequence[Any]) -> list[Any]:
        """The slopes of the torques along a direction of positions and rates, by dual numbers."""

        def number(value: Any) -> Dual:
            return Dual(self.number(value), self.number(0))

        pairs = zip(self.arguments["qd"], qd, strict=True)
        rates = [Dual(value, slope) for value, slope in pairs]
        accelerations = [Dual(value, self.number(0)) for value in self.arguments["qdd"]]
        drives = [number(x) for x in self.robot.drives]
        frames = self.frames(number, q)
        torques = newton_euler.inverse_dynamics(frames, self.bodies(number), drives, rates, accelerations)
        return [torque.slope for torque in torques]

    def frames(self, number: Callable[[Any], Any] | None = None, along: Sequence[Any] | None = None) -> Frames:
        """The robot's frames; over dual numbers along a direction of positions where one is given."""
        made = number or self.number
        cosines, sines = [], []
        for angle, offset in zip(self.robot.tree.angles, self.robot.offsets, strict=True):
            c, s = self.robot.turn(offset, self.number)
            slope = self.number(0)
            for coordinate, sign in angle.coordinates:
                other_c, other_s = self.turns[coordinate]
                other_s = other_s if sign > 0 else -other_s
                c, s = c * other_c - s * other_s, s * other_c + c * other_s
                if along is not None:
                    slope = slope + along[coordinate] if sign > 0 else slope - along[coordinate]
            cosines.append(c if along is None else Dual(c, -s * slope))
            sines.append(s if along is None else Dual(s, c * slope))
        slides = self.arguments["q"]
        if along is not None:
            slides = [Dual(value, slope) for value, slope in zip(slides, along, strict=True)]
        letters = {name: made(value) for name, value in self.robot.letters.items()}
        return Frames(self.robot.tree, State(made, letters, cosines, sines, slides))


def random_point(wanted: Task, source: Random, prime: int) -> Point:
    """A point at which a task's programs can be judged; parameters that stay free are random, too."""
    n = len(wanted.robot.tree)

    def number(value: Any) -> Any:
        return modular.number(value, prime) if isinstance(value, int | Fraction) else value

    turns = {k: modular.random_cosine_and_sine(source, prime) for k in range(n)}
    arguments = {name: [modular.random(source, prime) for _ in range(n)] for name in ("q", "qd", "qdd", "tau")}
    signs = [modular.random(source, prime) for _ in range(n)]
    robot, free_turns = wanted.robot, []
    if names := wanted.options.parameters:
        arguments[PARAMETERS] = [modular.random(source, prime) for _ in names]
        free_turns = [modular.random_cosine_and_sine(source, prime) for _ in names]
        free = dict(zip(names, arguments[PARAMETERS], strict=True))
        for name, (c, s) in zip(names, free_turns, strict=True):
            free |= {f"cos({name})": c, f"sin({name})": s}
        robot = wanted.valued(free, number)
    most = max(10 * len(robot.parts) + n, len(wanted.base.parameters.names) if wanted.base else 0)
    inertia = [modular.random(source, prime) for _ in range(most)]
    return Point(robot, number, arguments, turns, free_turns, signs, inertia, wanted.options, wanted.base)


def run(program: Program, wanted: Task, point: Point) -> dict[str, list[Any]]:
    """The outputs at a point. Sines and cosines of sums of coordinates follow from those of the coordinates."""
    values: list[Any] = []
    turns: list[tuple[Any, Any] | None] = []
    signs: dict[int, Any] = {}
    revolute = [segment.revolute for segment in wanted.robot.tree.segments]
    for entry in program.inputs:
        for k in range(entry.size):
            if entry.name == "qd":
                signs[len(values)] = point.signs[k]
            values.append(point.arguments[entry.name][k])
            free = point.free_turns[k] if entry.name == PARAMETERS else None
            turns.append(point.turns[k] if entry.name == "q" and revolute[k] else free)
    fixed = turning.turns(wanted.robot, point.number)
    for constant in program.constants:
        values.append(point.number(constant))
        turns.append(_fixed(fixed, constant))
    for instruction in program.code:
        a, b = instruction.a, instruction.b
        turn = None
        if instruction.kind in ("sin", "cos"):
            known = turns[a]
            if known is None:
                what = "coordinates and letters"
                raise ProofError(f"{program.name} takes the {instruction.kind} of something else than {what}")
            values.append(known[instruction.kind == "sin"])
        elif instruction.kind == "sign":
            if a not in signs:
                raise ProofError(f"{program.name} takes the sign of something else than a joint rate")
            values.append(signs[a])
        elif instruction.kind == "neg":
            values.append(-values[a])
            turn = _opposite(turns[a])
        else:
            values.append(OPERATIONS[instruction.kind](values[a], values[b]))
            if instruction.kind in ("add", "sub"):
                turn = _sum(turns[a], turns[b] if instruction.kind == "add" else _opposite(turns[b]))
        turns.append(turn)
    return {output.name: [values[k] for k in output.values] for output in program.outputs}


def _fixed(fixed: dict[Fraction, tuple[Any, Any]], constant: Fraction) -> tuple[Any, Any] | None:
    """How a constant turns, if it is an angle of the robot."""
    return fixed[constant] if constant in fixed else _opposite(fixed.get(-constant))


def _opposite(turn: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    return None if turn is None else (turn[0], -turn[1])


def _sum(one: tuple[Any, Any] | None, two: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    if one is None or two is None:
        return None
    return one[0] * two[0] - one[1] * two[1], one[1] * two[0] + one[0] * two[1]

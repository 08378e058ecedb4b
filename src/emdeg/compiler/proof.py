"""That a program computes what the mechanics say: compared at random points modulo several primes, always.

The judge is the textbook recursion of `mechanics.newton_euler` with the robot's own parameters, not the customised one
with shifted parameters that the program was recorded from. A program that differs anywhere, as a rational function of
sines, cosines and inputs, passes a point with a chance of at most its degree over the prime. Parameters that stay free
are random there, too, so that both of its parts are compared as one. The signs of the joint rates, which no prime has,
are inputs of their own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from emdeg.algebra import modular
from emdeg.compiler.base_regressor import BaseForms
from emdeg.compiler.constants import PARAMETERS
from emdeg.compiler.dual import Dual
from emdeg.compiler.end_effector import tool_pose
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.options import Options
from emdeg.compiler.rounding import OPERATIONS
from emdeg.compiler.task import Task
from emdeg.errors import ProofError
from emdeg.mechanics import newton_euler, vector
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.inertia import RigidBody, moved
from emdeg.mechanics.kinematics import poses
from emdeg.program import Program

POINTS = 2


@dataclass(frozen=True)
class Certificate:
    """At how many points, modulo which primes, a program was compared, and how probable an undetected error is."""

    points: int
    primes: tuple[int, ...]
    probability: float

    def __str__(self) -> str:
        return (
            f"equal to the mechanics at {self.points} random points modulo {len(self.primes)} primes of 61 bits: "
            f"wrong with a probability below {self.probability:.0e}"
        )


@dataclass(frozen=True)
class _Point:
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


def prove(program: Program, wanted: Task) -> Certificate:
    """Compare a program with the mechanics; ProofError names the first output that differs."""
    degree = (80 if wanted.options.parameters else 64) * (wanted.robot.tree.segments[-1].coordinate + 1)
    for prime in modular.PRIMES:
        source = Random(prime)
        for _ in range(POINTS):
            point = _point(wanted, source, prime)
            found = _run(program, wanted, point)
            for function in wanted.functions:
                _JUDGES[function](point, found)
    points = POINTS * len(modular.PRIMES)
    return Certificate(points, modular.PRIMES, (degree / modular.PRIMES[-1]) ** points)


def _point(wanted: Task, source: Random, prime: int) -> _Point:
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
    return _Point(robot, number, arguments, turns, free_turns, signs, inertia, wanted.options, wanted.base)


def _run(program: Program, wanted: Task, point: _Point) -> dict[str, list[Any]]:
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
    for constant in program.constants:
        values.append(point.number(constant))
        turns.append(None)
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


def _opposite(turn: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    return None if turn is None else (turn[0], -turn[1])


def _sum(one: tuple[Any, Any] | None, two: tuple[Any, Any] | None) -> tuple[Any, Any] | None:
    if one is None or two is None:
        return None
    return one[0] * two[0] - one[1] * two[1], one[1] * two[0] + one[0] * two[1]


def _agree(name: str, found: Sequence[Any], expected: Sequence[Any]) -> None:
    for k, (x, y) in enumerate(zip(found, expected, strict=True)):
        if x != y:
            raise ProofError(f"component {k + 1} of the program's {name} is not what the mechanics give")


def _minus(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    return [a - b for a, b in zip(x, y, strict=True)]


def _columns(point: _Point) -> list[list[Any]]:
    """A by columns: the torques of unit accelerations at rest, less gravity."""
    gravity = point.torque(point.nothing, point.nothing)
    return [_minus(point.torque(point.nothing, point.unit(k)), gravity) for k in range(point.n)]


def _bias(point: _Point, qd: Sequence[Any]) -> list[Any]:
    return point.torque(qd, point.nothing)


def _judge_torque(point: _Point, found: dict[str, list[Any]]) -> None:
    _agree("tau", found["tau"], _felt(point, point.arguments["qdd"]))


def _felt(point: _Point, qdd: Sequence[Any]) -> list[Any]:
    """The torques, with friction where that is asked for."""
    torques = point.torque(point.arguments["qd"], qdd)
    return [t + f for t, f in zip(torques, point.friction, strict=True)] if point.options.friction else torques


def _judge_friction(point: _Point, found: dict[str, list[Any]]) -> None:
    _agree("friction", found["friction"], point.friction)


def _judge_bias(point: _Point, found: dict[str, list[Any]]) -> None:
    _agree("bias", found["bias"], _bias(point, point.arguments["qd"]))


def _judge_gravity(point: _Point, found: dict[str, list[Any]]) -> None:
    _agree("gravity", found["gravity"], point.torque(point.nothing, point.nothing))


def _judge_mass(point: _Point, found: dict[str, list[Any]]) -> None:
    columns = _columns(point)
    _agree("mass_matrix", found["mass_matrix"], [columns[j][i] for i in range(point.n) for j in range(point.n)])


def _judge_coriolis(point: _Point, found: dict[str, list[Any]]) -> None:
    """Column j is the symmetric bilinear form of the velocity products at (qd, unit j)."""
    qd = point.arguments["qd"]
    gravity = point.torque(point.nothing, point.nothing)
    own = _minus(_bias(point, qd), gravity)
    half = point.number(Fraction(1, 2))
    columns = []
    for j in range(point.n):
        unit = point.unit(j)
        both = _minus(_bias(point, [x + y for x, y in zip(qd, unit, strict=True)]), gravity)
        alone = _minus(_bias(point, unit), gravity)
        columns.append([x * half for x in _minus(_minus(both, own), alone)])
    _agree("coriolis_matrix", found["coriolis_matrix"], [columns[j][i] for i in range(point.n) for j in range(point.n)])


def _judge_forward(point: _Point, found: dict[str, list[Any]]) -> None:
    """The accelerations that come out, put into inverse dynamics, give the torques that went in."""
    _agree("qdd", _felt(point, found["qdd"]), point.arguments["tau"])


def _judge_kinetic(point: _Point, found: dict[str, list[Any]]) -> None:
    qd, columns = point.arguments["qd"], _columns(point)
    total = point.number(0)
    for i in range(point.n):
        for j in range(point.n):
            total = total + columns[j][i] * qd[i] * qd[j]
    _agree("kinetic_energy", found["kinetic_energy"], [total * point.number(Fraction(1, 2))])


def _judge_potential(point: _Point, found: dict[str, list[Any]]) -> None:
    """V = - sum of gᵀ (m p + R h), with the robot's own parameters."""
    frames = point.frames()
    total = point.number(0)
    for k, pose in poses(frames).items():
        body = point.bodies(point.number)[k]
        moment = vector.add(vector.apply(pose.axes, body.first), vector.scale(pose.origin, body.mass))
        total = total - vector.dot(moment, frames.gravity)
    _agree("potential_energy", found["potential_energy"], [total])


def _judge_regressor(point: _Point, found: dict[str, list[Any]]) -> None:
    """The regressor times the parameters gives the torques, whatever the parameters: they are random."""
    n = point.n
    width = len(found["regressor"]) // n
    rows = [found["regressor"][i * width : (i + 1) * width] for i in range(n)]
    parameters, bodies, drives = _any_inertia(point)
    torques = [sum((x * p for x, p in zip(row, parameters, strict=True)), point.number(0)) for row in rows]
    expected = newton_euler.inverse_dynamics(
        point.frames(), bodies, drives, point.arguments["qd"], point.arguments["qdd"]
    )
    _agree("regressor", torques, expected)


def _any_inertia(point: _Point) -> tuple[list[Any], list[RigidBody], list[Any]]:
    """Random parameters, those of the regressor's columns, and the bodies and drives that have them."""
    robot, number = point.robot, point.number
    letters = {name: number(value) for name, value in robot.letters.items()}
    if point.base is not None:
        given = point.inertia[: len(point.base.parameters.names)]
        return point.base.values(given, letters, number), *point.base.whole(given, letters, number)
    count = 10 * len(robot.parts)
    parts = iter([RigidBody.from_ten(point.inertia[k : k + 10]) for k in range(0, count, 10)])
    bodies = []
    for segment in robot.tree.segments:
        whole = RigidBody.from_ten([number(0)] * 10)
        for _, body in segment.bodies:
            whole = whole + moved(next(parts), body.frame, letters, number)
        bodies.append(whole)
    drives = point.inertia[count : count + point.n]
    return [*point.inertia[:count], *drives], bodies, drives


def _judge_derivatives(point: _Point, found: dict[str, list[Any]]) -> None:
    n = point.n
    rates = [point.slopes(point.nothing, point.unit(j)) for j in range(n)]
    for j, (viscous, _) in enumerate(point.robot.friction if point.options.friction else ()):
        rates[j][j] = rates[j][j] + point.number(viscous)
    for name, columns in (
        ("dtau_dq", [point.slopes(point.unit(j), point.nothing) for j in range(n)]),
        ("dtau_dqd", rates),
    ):
        _agree(name, found[name], [columns[j][i] for i in range(n) for j in range(n)])


def _judge_pose(point: _Point, found: dict[str, list[Any]]) -> None:
    axes, origin = tool_pose(point.robot, point.frames())
    rows = [x for r in range(3) for x in (*axes[r], origin[r])]
    _agree("pose", found["pose"], [*rows, *(point.number(x) for x in (0, 0, 0, 1))])


def _judge_jacobian(point: _Point, found: dict[str, list[Any]]) -> None:
    """Its linear rows are the slopes of the tool's origin, its angular ones turn the tool's axes: by dual numbers."""
    n = point.n
    axes, _ = tool_pose(point.robot, point.frames())
    for j in range(n):
        moved, origin = tool_pose(
            point.robot, point.frames(lambda x: Dual(point.number(x), point.number(0)), point.unit(j))
        )
        column = [found["jacobian"][row * n + j] for row in range(6)]
        turn = (column[3], column[4], column[5])
        _agree("jacobian", column[:3], [x.slope for x in origin])
        for k in range(3):
            expected = vector.cross(turn, (axes[0][k], axes[1][k], axes[2][k]))
            _agree("jacobian", expected, [moved[row][k].slope for row in range(3)])


_JUDGES: dict[str, Callable[[_Point, dict[str, list[Any]]], None]] = {
    "inverse_dynamics": _judge_torque,
    "bias": _judge_bias,
    "gravity": _judge_gravity,
    "mass_matrix": _judge_mass,
    "coriolis_matrix": _judge_coriolis,
    "forward_dynamics": _judge_forward,
    "kinetic_energy": _judge_kinetic,
    "potential_energy": _judge_potential,
    "regressor": _judge_regressor,
    "forward_kinematics": _judge_pose,
    "jacobian": _judge_jacobian,
    "inverse_dynamics_derivatives": _judge_derivatives,
    "friction": _judge_friction,
}

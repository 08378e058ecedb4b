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
from itertools import combinations
from random import Random
from typing import Any

from emdeg.algebra import modular
from emdeg.compiler.closed_form import preimage
from emdeg.compiler.dual import Dual
from emdeg.compiler.end_effector import tool_pose
from emdeg.compiler.point import Point, random_point, run
from emdeg.compiler.task import Task
from emdeg.errors import ProofError
from emdeg.mechanics import newton_euler, vector
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


def prove(program: Program, wanted: Task) -> Certificate:
    """Compare a program with the mechanics; ProofError names the first output that differs."""
    degree = (80 if wanted.options.parameters else 64) * (wanted.robot.tree.segments[-1].coordinate + 1)
    for prime in modular.PRIMES:
        source = Random(prime)
        for _ in range(POINTS):
            point = random_point(wanted, source, prime)
            found = run(program, wanted, point)
            for function in wanted.functions:
                _JUDGES[function](point, found)
    points = POINTS * len(modular.PRIMES)
    return Certificate(points, modular.PRIMES, (degree / modular.PRIMES[-1]) ** points)


def _agree(name: str, found: Sequence[Any], expected: Sequence[Any]) -> None:
    for k, (x, y) in enumerate(zip(found, expected, strict=True)):
        if x != y:
            raise ProofError(f"component {k + 1} of the program's {name} is not what the mechanics give")


def _minus(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
    return [a - b for a, b in zip(x, y, strict=True)]


def _columns(point: Point) -> list[list[Any]]:
    """A by columns: the torques of unit accelerations at rest, less gravity."""
    gravity = point.torque(point.nothing, point.nothing)
    return [_minus(point.torque(point.nothing, point.unit(k)), gravity) for k in range(point.n)]


def _bias(point: Point, qd: Sequence[Any]) -> list[Any]:
    return point.torque(qd, point.nothing)


def _judge_torque(point: Point, found: dict[str, list[Any]]) -> None:
    _agree("tau", found["tau"], _felt(point, point.arguments["qdd"]))


def _felt(point: Point, qdd: Sequence[Any]) -> list[Any]:
    """The torques, with friction where that is asked for."""
    torques = point.torque(point.arguments["qd"], qdd)
    return [t + f for t, f in zip(torques, point.friction, strict=True)] if point.options.friction else torques


def _judge_friction(point: Point, found: dict[str, list[Any]]) -> None:
    _agree("friction", found["friction"], point.friction)


def _judge_bias(point: Point, found: dict[str, list[Any]]) -> None:
    _agree("bias", found["bias"], _bias(point, point.arguments["qd"]))


def _judge_gravity(point: Point, found: dict[str, list[Any]]) -> None:
    _agree("gravity", found["gravity"], point.torque(point.nothing, point.nothing))


def _judge_mass(point: Point, found: dict[str, list[Any]]) -> None:
    columns = _columns(point)
    _agree("mass_matrix", found["mass_matrix"], [columns[j][i] for i in range(point.n) for j in range(point.n)])


def _judge_coriolis(point: Point, found: dict[str, list[Any]]) -> None:
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


def _judge_explicit(point: Point, found: dict[str, list[Any]]) -> None:
    _agree_elements(point, found, "", [[(k, 1)] for k in range(point.n)])


def _judge_explicit_absolute(point: Point, found: dict[str, list[Any]]) -> None:
    _agree_elements(point, found, "_absolute", [preimage(point.robot.tree, k) for k in range(point.n)])


def _agree_elements(
    point: Point, found: dict[str, list[Any]], suffix: str, columns: Sequence[Sequence[tuple[int, int]]]
) -> None:
    """A, B, C and g by the torques at unit accelerations, unit rates and pairs of them.

    `columns` are what the joints do at a unit of each coordinate; torques go the other way.
    """
    n = point.n
    units = [[point.number(dict(column).get(i, 0)) for i in range(n)] for column in columns]

    def torque(qd: Sequence[Any], qdd: Sequence[Any]) -> list[Any]:
        torques = point.torque(qd, qdd)
        return [sum((torques[i] * point.number(x) for i, x in column), point.number(0)) for column in columns]

    gravity = torque(point.nothing, point.nothing)
    mass = [_minus(torque(point.nothing, unit), gravity) for unit in units]
    squares = [_minus(torque(unit, point.nothing), gravity) for unit in units]
    products = []
    for j, k in combinations(range(n), 2):
        both = torque([x + y for x, y in zip(units[j], units[k], strict=True)], point.nothing)
        products.append(_minus(_minus(_minus(both, gravity), squares[j]), squares[k]))
    for name, expected in (("mass_matrix", mass), ("coriolis", products), ("centrifugal", squares)):
        _agree(name + suffix, found[name + suffix], [column[i] for i in range(n) for column in expected])
    _agree(f"gravity{suffix}", found[f"gravity{suffix}"], gravity)


def _judge_forward(point: Point, found: dict[str, list[Any]]) -> None:
    """The accelerations that come out, put into inverse dynamics, give the torques that went in."""
    _agree("qdd", _felt(point, found["qdd"]), point.arguments["tau"])


def _judge_kinetic(point: Point, found: dict[str, list[Any]]) -> None:
    qd, columns = point.arguments["qd"], _columns(point)
    total = point.number(0)
    for i in range(point.n):
        for j in range(point.n):
            total = total + columns[j][i] * qd[i] * qd[j]
    _agree("kinetic_energy", found["kinetic_energy"], [total * point.number(Fraction(1, 2))])


def _judge_potential(point: Point, found: dict[str, list[Any]]) -> None:
    """V = - sum of gᵀ (m p + R h), with the robot's own parameters."""
    frames = point.frames()
    total = point.number(0)
    for k, pose in poses(frames).items():
        body = point.bodies(point.number)[k]
        moment = vector.add(vector.apply(pose.axes, body.first), vector.scale(pose.origin, body.mass))
        total = total - vector.dot(moment, frames.gravity)
    _agree("potential_energy", found["potential_energy"], [total])


def _judge_regressor(point: Point, found: dict[str, list[Any]]) -> None:
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


def _any_inertia(point: Point) -> tuple[list[Any], list[RigidBody], list[Any]]:
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


def _judge_derivatives(point: Point, found: dict[str, list[Any]]) -> None:
    n = point.n
    rates = [point.slopes(point.nothing, point.unit(j)) for j in range(n)]
    for j, (viscous, _) in enumerate(point.robot.friction if point.options.friction else ()):
        rates[j][j] = rates[j][j] + point.number(viscous)
    for name, columns in (
        ("dtau_dq", [point.slopes(point.unit(j), point.nothing) for j in range(n)]),
        ("dtau_dqd", rates),
    ):
        _agree(name, found[name], [columns[j][i] for i in range(n) for j in range(n)])


def _judge_pose(point: Point, found: dict[str, list[Any]]) -> None:
    axes, origin = tool_pose(point.robot, point.frames())
    rows = [x for r in range(3) for x in (*axes[r], origin[r])]
    _agree("pose", found["pose"], [*rows, *(point.number(x) for x in (0, 0, 0, 1))])


def _judge_jacobian(point: Point, found: dict[str, list[Any]]) -> None:
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


_JUDGES: dict[str, Callable[[Point, dict[str, list[Any]]], None]] = {
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
    "explicit_model": _judge_explicit,
    "explicit_model_absolute": _judge_explicit_absolute,
    "inverse_dynamics_derivatives": _judge_derivatives,
    "friction": _judge_friction,
}

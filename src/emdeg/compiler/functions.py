"""What can be compiled: each function's arguments, and how its outputs are recorded."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from emdeg.algebra import LinearForm
from emdeg.compiler.base_regressor import BaseForms
from emdeg.compiler.closed_form import Assembly, ClosedForm, absolute_coordinate
from emdeg.compiler.differentiate import differentiate, slopes
from emdeg.compiler.end_effector import tool_jacobian, tool_pose
from emdeg.compiler.explicit import Arrays, Elements, Matrix, to_absolute
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.plan import Plan
from emdeg.compiler.tracing import Recording
from emdeg.mechanics import composite, customized, newton_euler, vector
from emdeg.mechanics.customized import Call, direct
from emdeg.mechanics.inertia import RigidBody, moved, shifted
from emdeg.mechanics.kinematics import poses
from emdeg.model.dynamics import TEN
from emdeg.program import Scalar


@dataclass(frozen=True)
class Recorded:
    """A recording with the bodies and drives in a plan's gauge, over which a function's outputs are recorded."""

    recording: Recording
    robot: NumericRobot
    plan: Plan
    bodies: list[RigidBody]
    drives: list[Scalar]
    call: Call = direct
    form: ClosedForm | None = None
    base: BaseForms | None = None

    @property
    def n(self) -> int:
        return len(self.recording.q)

    @property
    def closed(self) -> Assembly | None:
        """What assembles the closed form, where the plan asks for it."""
        if self.form is None or self.plan.closed is None:
            return None
        return Assembly(self.recording, self.form, self.plan.closed)

    def torques(self, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> list[Scalar]:
        frames = self.recording.frames
        closed = None if self.plan.hybrid else self.closed
        if closed is not None and closed.how.absolute:
            other = replace(closed, form=closed.form.in_absolute_coordinates)
            return self._pulled_back(other.torques(self._pushed(qd), self._pushed(qdd)))
        if closed is not None:
            return closed.torques(qd, qdd)
        return customized.inverse_dynamics(frames, self.bodies, self.drives, qd, qdd, self.plan.choices, self.call)

    def _pushed(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """Rates of absolute coordinates: T qd."""
        return [self._sum((rates[j], x) for j, x in absolute_coordinate(self.robot.tree, k)) for k in range(self.n)]

    def _pulled_back(self, torques: Sequence[Scalar]) -> list[Scalar]:
        """Torques at the joints of those at absolute coordinates: Tᵀ tau'."""
        rows = [dict(absolute_coordinate(self.robot.tree, k)) for k in range(self.n)]
        return [self._sum((torques[k], rows[k][j]) for k in range(self.n) if j in rows[k]) for j in range(self.n)]

    def _sum(self, parts: Iterable[tuple[Scalar, int]]) -> Scalar:
        return sum((x * factor for x, factor in parts), self.recording.number(0))

    @property
    def nothing(self) -> list[Scalar]:
        return [self.recording.number(0)] * self.n


@dataclass(frozen=True)
class Function:
    """A function that can be compiled: its arguments, what records it, whether the robot's place and inertia matter."""

    arguments: tuple[str, ...]
    record: Callable[[Recorded], Arrays]
    placed: bool = False
    inertial: bool = True


def _friction(on: Recorded) -> Arrays:
    """Viscous and Coulomb friction of each joint."""
    number, graph = on.recording.number, on.recording.graph
    rubbed = [
        qd * number(viscous) + Scalar(graph, graph.sign(qd.reference)) * number(coulomb)
        for qd, (viscous, coulomb) in zip(on.recording.qd, on.robot.friction, strict=True)
    ]
    return {"friction": ((on.n,), rubbed)}


def _inverse_dynamics(on: Recorded) -> Arrays:
    return {"tau": ((on.n,), on.torques(on.recording.qd, on.recording.qdd))}


def _bias(on: Recorded) -> Arrays:
    return {"bias": ((on.n,), on.torques(on.recording.qd, on.nothing))}


def _gravity(on: Recorded) -> Arrays:
    return {"gravity": ((on.n,), on.torques(on.nothing, on.nothing))}


def _mass(on: Recorded) -> list[list[Scalar]]:
    if on.closed is not None:
        return on.closed.mass_matrix()
    return composite.mass_matrix(on.recording.frames, on.bodies, on.drives, on.call)


def _mass_matrix(on: Recorded) -> Arrays:
    return {"mass_matrix": ((on.n, on.n), [x for row in _mass(on) for x in row])}


def _derivatives(on: Recorded, values: Sequence[Scalar], variables: Sequence[Scalar]) -> list[list[Scalar]]:
    """Rows of derivatives: of each value with respect to each variable."""
    graph = on.recording.graph
    wanted = [value.reference for value in values]
    known = [on.call(slopes, graph, variable.reference) for variable in variables]
    columns = [differentiate(graph, wanted, start) for start in known]
    return [[Scalar(graph, column[i]) for column in columns] for i in range(len(values))]


def _coriolis_matrix(on: Recorded) -> Arrays:
    """Christoffel form: half the derivative of B[qd qd] + C[qd²] with respect to qd, as that is quadratic in qd."""
    if on.closed is not None:
        return {
            "coriolis_matrix": ((on.n, on.n), [x for row in on.closed.coriolis_matrix(on.recording.qd) for x in row])
        }
    rows = _derivatives(on, on.torques(on.recording.qd, on.nothing), on.recording.qd)
    half = on.recording.number(Fraction(1, 2))
    return {"coriolis_matrix": ((on.n, on.n), [x * half for row in rows for x in row])}


def _seconds(on: Recorded) -> tuple[Matrix, list[Matrix], list[Scalar]]:
    """A, the second derivatives of the torques with respect to the rates, and g, by recursions."""
    qd = on.recording.qd
    slopes = _derivatives(on, on.torques(qd, on.nothing), qd)
    return _mass(on), [_derivatives(on, row, qd) for row in slopes], on.torques(on.nothing, on.nothing)


def _explicit_model(on: Recorded) -> Arrays:
    """A, B, C, g of A qdd + B [qd qd] + C [qd²] + g = tau."""
    closed = on.closed
    return (Elements.of(*_seconds(on)) if closed is None else Elements(*closed.explicit())).arrays()


def _explicit_model_absolute(on: Recorded) -> Arrays:
    """The same in absolute coordinates."""
    closed = on.closed
    if closed is None:
        return Elements.of(*to_absolute(on.robot.tree, *_seconds(on))).arrays("_absolute")
    return Elements(*replace(closed, form=closed.form.in_absolute_coordinates).explicit()).arrays("_absolute")


def _inverse_dynamics_derivatives(on: Recorded) -> Arrays:
    torques = on.torques(on.recording.qd, on.recording.qdd)
    arrays: Arrays = {}
    for name, variables in (("dtau_dq", on.recording.q), ("dtau_dqd", on.recording.qd)):
        rows = _derivatives(on, torques, variables)
        arrays[name] = ((on.n, on.n), [x for row in rows for x in row])
    return arrays


def _forward_dynamics(on: Recorded) -> Arrays:
    """qdd from A qdd = tau - bias, by A = L D Lᵀ."""
    bias = on.torques(on.recording.qd, on.nothing)
    right = [t - b for t, b in zip(on.recording.tau, bias, strict=True)]
    return {"qdd": ((on.n,), _solved(_mass(on), right))}


def _solved(a: list[list[Scalar]], b: list[Scalar]) -> list[Scalar]:
    """x with A x = b for a symmetric positive definite A, eliminated from the last row up (the tree's fill-in)."""
    n = len(b)
    a = [list(row) for row in a]
    x = list(b)
    factors: dict[tuple[int, int], Scalar] = {}
    for k in reversed(range(n)):
        for i in range(k):
            factor = a[k][i] / a[k][k]
            factors[k, i] = factor
            for j in range(i + 1):
                a[i][j] = a[i][j] - factor * a[k][j]
            x[i] = x[i] - factor * x[k]
    for k in range(n):
        x[k] = x[k] / a[k][k]
        for i in range(k):
            x[k] = x[k] - factors[k, i] * x[i]
    return x


def _kinetic_energy(on: Recorded) -> Arrays:
    qd = on.recording.qd
    mass = _mass(on)
    half = on.recording.number(Fraction(1, 2))
    total = on.recording.number(0)
    for i in range(on.n):
        row = on.recording.number(0)
        for j in range(i + 1, on.n):
            row = row + mass[i][j] * qd[j]
        total = total + qd[i] * (row + mass[i][i] * qd[i] * half)
    return {"kinetic_energy": ((), [total])}


def _potential_energy(on: Recorded) -> Arrays:
    """V = - sum of m gᵀp + gᵀR h, zero where all masses are at the height of the base's origin."""
    frames = on.recording.frames
    total = on.recording.number(0)
    found = poses(frames)
    for k, numbers in enumerate(on.robot.bodies):
        body = on.recording.body(numbers)
        first = vector.apply(found[k].axes, body.first)
        moment = vector.add(first, vector.scale(found[k].origin, body.mass))
        total = total - vector.dot(moment, frames.gravity)
    return {"potential_energy": ((), [total])}


def _regressor(on: Recorded) -> Arrays:
    """Columns by body m hx hy hz Lxx Lxy Lxz Lyy Lyz Lzz in the frame of its file, then drives; or base parameters."""
    n = on.n
    if on.base is None:
        bodies, drives, width = _general(on)
    else:
        bodies, drives = on.base.bodies(on.recording.frames.state.letters, on.recording.number)
        width = len(on.base.base)
    if any(on.robot.shifts):
        zero = on.recording.number(0)
        pairs = zip(bodies, on.robot.shifts, strict=True)
        bodies = [shifted(body, (zero, zero, on.recording.number(shift))) for body, shift in pairs]
    rows: list[Any] = newton_euler.inverse_dynamics(
        on.recording.frames, bodies, drives, on.recording.qd, on.recording.qdd
    )
    zero = on.recording.number(0)
    entries = [row.terms.get(column, zero) for row in rows for column in range(width)]
    return {"regressor": ((n, width), entries)}


def _general(on: Recorded) -> tuple[list[RigidBody], list[Any], int]:
    """Bodies and drives as forms over ten parameters for each body of the files, then one for each drive; how many."""
    state = on.recording.frames.state
    one = on.recording.number(1)
    bodies, first = [], 0
    for segment in on.recording.frames.tree.segments:
        whole = RigidBody.from_ten([LinearForm()] * TEN)
        for _, body in segment.bodies:
            general = RigidBody.from_ten([LinearForm({first + p: one}) for p in range(TEN)])
            whole = whole + moved(general, body.frame, state.letters, state.number)
            first += TEN
        bodies.append(whole)
    return bodies, [LinearForm({first + k: one}) for k in range(on.n)], first + on.n


def _forward_kinematics(on: Recorded) -> Arrays:
    axes, origin = tool_pose(on.robot, on.recording.frames)
    zero, one = on.recording.number(0), on.recording.number(1)
    rows = [[*axes[r], origin[r]] for r in range(3)] + [[zero, zero, zero, one]]
    return {"pose": ((4, 4), [x for row in rows for x in row])}


def _jacobian(on: Recorded) -> Arrays:
    rows = tool_jacobian(on.robot, on.recording.frames)
    return {"jacobian": ((6, on.n), [x for row in rows for x in row])}


FUNCTIONS: dict[str, Function] = {
    "inverse_dynamics": Function(("q", "qd", "qdd"), _inverse_dynamics),
    "mass_matrix": Function(("q",), _mass_matrix),
    "coriolis_matrix": Function(("q", "qd"), _coriolis_matrix),
    "bias": Function(("q", "qd"), _bias),
    "gravity": Function(("q",), _gravity),
    "forward_dynamics": Function(("q", "qd", "tau"), _forward_dynamics),
    "kinetic_energy": Function(("q", "qd"), _kinetic_energy),
    "potential_energy": Function(("q",), _potential_energy, placed=True),
    "regressor": Function(("q", "qd", "qdd"), _regressor, inertial=False),
    "forward_kinematics": Function(("q",), _forward_kinematics, placed=True, inertial=False),
    "jacobian": Function(("q",), _jacobian, placed=True, inertial=False),
    "explicit_model": Function(("q",), _explicit_model),
    "explicit_model_absolute": Function(("q",), _explicit_model_absolute),
    "inverse_dynamics_derivatives": Function(("q", "qd", "qdd"), _inverse_dynamics_derivatives),
    "friction": Function(("qd",), _friction, inertial=False),
}

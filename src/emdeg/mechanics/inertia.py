"""The ten linear inertial parameters of a body: mass, first moments, second moments about its frame's origin."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.mechanics import vector
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.quantity import Expression
from emdeg.robot import Inertia, Placement

LINEAR_PARAMETERS = ("m", "hx", "hy", "hz", "Lxx", "Lxy", "Lxz", "Lyy", "Lyz", "Lzz")


@dataclass(frozen=True)
class RigidBody:
    """Mass m, first moments h = m r and inertia matrix L about the origin, over any scalar."""

    mass: Any
    first: Vector
    second: Matrix

    def __add__(self, other: "RigidBody") -> "RigidBody":
        rows = [vector.add(x, y) for x, y in zip(self.second, other.second, strict=True)]
        return RigidBody(self.mass + other.mass, vector.add(self.first, other.first), (rows[0], rows[1], rows[2]))

    @property
    def ten(self) -> tuple[Any, ...]:
        """m, hx, hy, hz, Lxx, Lxy, Lxz, Lyy, Lyz, Lzz."""
        return (self.mass, *self.first, *vector.upper(self.second))

    @staticmethod
    def from_ten(ten: Any) -> "RigidBody":
        m, hx, hy, hz, *six = ten
        return RigidBody(m, (hx, hy, hz), vector.symmetric(six))


def linear_parameters(inertia: Inertia, letters: Mapping[str, Any], number: Callable[[Fraction], Any]) -> RigidBody:
    """The ten linear parameters in the frame in which the file states the inertia.

    h = m r; L = I + m (rᵀr 1 - r rᵀ) where I is about the centre of mass (Steiner).
    """

    def values(entries: Sequence[Expression]) -> tuple[Any, ...]:
        return tuple(entry.evaluate(letters, number) for entry in entries)

    (mass,) = values((inertia.mass,))
    second = vector.symmetric(values(inertia.second_moments))
    if inertia.first_moments is not None:
        if inertia.about != "origin":
            raise ValueError("first moments go with second moments about the origin")
        return RigidBody(mass, values(inertia.first_moments), second)
    assert inertia.center_of_mass is not None
    x, y, z = values(inertia.center_of_mass)
    first = (mass * x, mass * y, mass * z)
    if inertia.about == "center_of_mass":
        second = _added(second, _steiner(mass, (x, y, z)))
    return RigidBody(mass, first, second)


def moved(
    body: RigidBody, frame: Placement, letters: Mapping[str, Any], number: Callable[[Fraction], Any]
) -> RigidBody:
    """The same body seen from the frame in which its own frame stands at `frame`."""
    if not frame.rotation.factors and all(entry.is_zero for entry in frame.translation):
        return body
    x, y, z = (entry.evaluate(letters, number) for entry in frame.translation)
    return shifted(turned(body, matrix(frame.rotation, letters, number)), (x, y, z))


def turned(body: RigidBody, turn: Matrix) -> RigidBody:
    """The body seen from axes in which its own axes are the columns of `turn`: h' = R h, L' = R L Rᵀ."""
    back = vector.transpose(turn)
    second = vector.product(vector.transpose(vector.product(body.second, back)), back)
    return RigidBody(body.mass, vector.apply(turn, body.first), vector.transpose(second))


def scaled(body: RigidBody, factor: Any) -> RigidBody:
    """The body with all ten parameters times a factor."""
    return RigidBody.from_ten([x * factor for x in body.ten])


def shifted(body: RigidBody, t: Vector) -> RigidBody:
    """The body seen from parallel axes in which its own origin stands at t.

    h' = h + m t; L' = L + 2 tᵀh 1 - t hᵀ - h tᵀ + m (tᵀt 1 - t tᵀ).
    """
    h = body.first
    both = vector.dot(h, t) + vector.dot(h, t)
    rows = []
    for i in range(3):
        row = [-(h[i] * t[j] + h[j] * t[i]) for j in range(3)]
        row[i] = row[i] + both
        rows.append((row[0], row[1], row[2]))
    second = _added(_added(body.second, (rows[0], rows[1], rows[2])), _steiner(body.mass, t))
    first = vector.add(h, (body.mass * t[0], body.mass * t[1], body.mass * t[2]))
    return RigidBody(body.mass, first, second)


def _steiner(mass: Any, t: Vector) -> Matrix:
    x, y, z = t
    return vector.symmetric(
        (
            mass * (y * y + z * z),
            -(mass * (x * y)),
            -(mass * (x * z)),
            mass * (x * x + z * z),
            -(mass * (y * z)),
            mass * (x * x + y * y),
        )
    )


def _added(m: Matrix, n: Matrix) -> Matrix:
    rows = [vector.add(x, y) for x, y in zip(m, n, strict=True)]
    return (rows[0], rows[1], rows[2])

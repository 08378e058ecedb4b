"""Homogeneous bodies in place of measured inertias."""

from collections.abc import Callable, Mapping
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.declaration import SHAPES
from emdeg.formats.letters import Letters
from emdeg.formats.place import Place
from emdeg.formats.placement import ZERO, read_frame, rotated
from emdeg.quantity import Expression
from emdeg.robot import Inertia, Moments, Vector


def shaped_inertia(mass: Expression, table: Mapping[str, Any], label: str, letters: Letters, place: Place) -> Inertia:
    """The inertia of a shape of that mass, its center and axes where `xyz` and `rpy` say in the link frame."""
    kind = table["type"]
    needed = SHAPES[kind]
    for key in table:
        if key not in ("type", "xyz", "rpy", *needed):
            advice = f"a {kind} has {', '.join(needed)}"
            raise InputError(f"a {kind} has no {key}", where=str(place), advice=advice)
    sizes = []
    for key in needed:
        if key not in table:
            raise InputError(f"the {key} of the {kind} is missing", where=str(place))
        size = letters.scalar(table[key], "m", f"{key.replace('_', ' ')} of {label}", place.key(key))
        if size.is_number and size.as_fraction() < 0:
            raise InputError(f"the {key} is negative", where=str(place.key(key)))
        sizes.append(size)
    frame = read_frame(table, letters, place)
    principal = _MOMENTS[kind](mass, *sizes)
    rows = [rotated(frame.rotation, _on_axis(moment, axis)) for axis, moment in enumerate(principal)]
    columns = [rotated(frame.rotation, (rows[0][j], rows[1][j], rows[2][j])) for j in range(3)]
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = columns
    moments: Moments = (xx, xy, xz, yy, yz, zz)
    return Inertia(mass, moments, "center_of_mass", center_of_mass=frame.translation)


def _on_axis(moment: Expression, axis: int) -> Vector:
    x, y, z = (moment if index == axis else ZERO for index in range(3))
    return (x, y, z)


def _rod(m: Expression, length: Expression) -> Vector:
    """A thin rod along x."""
    across = m * length**2 / 12
    return (ZERO, across, across)


def _cylinder(m: Expression, radius: Expression, length: Expression) -> Vector:
    """A solid cylinder along z."""
    return _hollow_cylinder(m, radius, ZERO, length)


def _hollow_cylinder(m: Expression, outer: Expression, inner: Expression, length: Expression) -> Vector:
    """A cylinder along z with a hole along its axis."""
    across = m * (outer**2 + inner**2) / 4 + m * length**2 / 12
    return (across, across, m * (outer**2 + inner**2) / 2)


def _shell(m: Expression, radius: Expression, length: Expression) -> Vector:
    """A thin tube along z, open at both ends."""
    across = m * radius**2 / 2 + m * length**2 / 12
    return (across, across, m * radius**2)


def _box(m: Expression, x: Expression, y: Expression, z: Expression) -> Vector:
    return (m * (y**2 + z**2) / 12, m * (x**2 + z**2) / 12, m * (x**2 + y**2) / 12)


def _sphere(m: Expression, radius: Expression) -> Vector:
    moment = 2 * m * radius**2 / 5
    return (moment, moment, moment)


_MOMENTS: dict[str, Callable[..., Vector]] = {
    "rod": _rod, "cylinder": _cylinder, "hollow_cylinder": _hollow_cylinder, "shell": _shell, "box": _box,
    "sphere": _sphere,
}  # fmt: skip

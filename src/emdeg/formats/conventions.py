"""The conventions of the frames, each turned into the one that the mechanics know.

There each joint's own frame stands at a placement in its parent's link frame and moves about or along its z axis, and
the link frame is the moved joint frame. The link frame of the file, in which it states inertias, may stand elsewhere
in that frame.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.errors import InputError, UnsupportedError
from emdeg.formats.grammar import shown
from emdeg.formats.letters import Letters
from emdeg.formats.place import Place
from emdeg.formats.placement import HERE, ZERO, inverse, product, read_frame, rotated, shift, toward, turn
from emdeg.quantity import Angle, Expression
from emdeg.robot import BASE, Placement, Vector


@dataclass(frozen=True)
class Row:
    """A joint as its file has it; `parent` is the index of another row or BASE, `number` counts in the file from 1."""

    table: Mapping[str, Any]
    parent: int
    type: str
    name: str
    number: int
    place: Place

    @property
    def label(self) -> str:
        return f"joint {self.number}"


@dataclass(frozen=True)
class Stand:
    """Where a joint stands in its parent's link frame, its constant angle, and the file's link frame in ours."""

    placement: Placement
    offset: Angle
    frame: Placement = HERE


@dataclass(frozen=True)
class _Parameters:
    """A Denavit-Hartenberg row."""

    alpha: Placement
    a: Placement
    theta: Angle
    d: Placement
    moves: bool


def _parameters(row: Row, letters: Letters) -> _Parameters:
    def place(key: str) -> Place:
        return row.place.key(key)

    return _Parameters(
        alpha=turn("x", letters.angle(row.table["alpha"], f"alpha of {row.label}", place("alpha"))),
        a=shift(x=letters.scalar(row.table["a"], "m", f"a of {row.label}", place("a"))),
        theta=letters.angle(row.table.get("theta", 0), f"theta of {row.label}", place("theta")),
        d=shift(z=letters.scalar(row.table["d"], "m", f"d of {row.label}", place("d"))),
        moves=row.type == "revolute",
    )


def modified_dh(rows: Sequence[Row], letters: Letters) -> list[Stand]:
    """Craig's convention: Rx(alpha) Tx(a) Rz(theta) Tz(d), alpha and a lying before the joint."""
    return [_modified(HERE, _parameters(row, letters)) for row in rows]


def khalil(rows: Sequence[Row], letters: Letters) -> list[Stand]:
    """Khalil and Kleinfinger's convention for trees: Rz(gamma) Tz(b) before the modified row."""
    stands = []
    for row in rows:
        gamma = letters.angle(row.table.get("gamma", 0), f"gamma of {row.label}", row.place.key("gamma"))
        b = letters.scalar(row.table.get("b", 0), "m", f"b of {row.label}", row.place.key("b"))
        stands.append(_modified(product(turn("z", gamma), shift(z=b)), _parameters(row, letters)))
    return stands


def _modified(before: Placement, p: _Parameters) -> Stand:
    if p.moves:
        return Stand(product(before, p.alpha, p.a, p.d), p.theta)
    return Stand(product(before, p.alpha, p.a, turn("z", p.theta), p.d), Angle.zero)


def standard_dh(rows: Sequence[Row], letters: Letters) -> list[Stand]:
    """The classical convention: Rz(theta) Tz(d) Tx(a) Rx(alpha), alpha and a lying behind the joint; chains only."""
    stands: list[Stand] = []
    end = HERE
    for index, row in enumerate(rows):
        if row.parent != index - 1:
            advice = "standard DH is for chains; branches need khalil, frames or screws"
            raise InputError("this joint branches off", where=str(row.place.key("parent")), advice=advice)
        p = _parameters(row, letters)
        if p.moves:
            stand = Stand(end, p.theta, product(p.d, p.a, p.alpha))
        else:
            stand = Stand(product(end, turn("z", p.theta), p.d), Angle.zero, product(p.a, p.alpha))
        stands.append(stand)
        end = stand.frame
    return stands


def frames(rows: Sequence[Row], letters: Letters) -> list[Stand]:
    """As URDF: each joint frame by `xyz` and `rpy` in the parent's link frame, the axis anywhere in it."""
    stands: list[Stand] = []
    for row in rows:
        place = row.place.key("axis")
        axis = [letters.number(value, "", "the joint axis", place) for value in row.table.get("axis", (0, 0, 1))]
        if not any(axis):
            raise InputError("the joint axis is zero", where=str(place), advice="as in axis = [0, 0, 1]")
        parent = HERE if row.parent == BASE else stands[row.parent].frame
        tilt = Placement(toward(*axis), HERE.translation)
        stands.append(
            Stand(product(parent, read_frame(row.table, letters, row.place), tilt), Angle.zero, inverse(tilt))
        )
    return stands


def screws(rows: Sequence[Row], letters: Letters) -> list[Stand]:
    """Screw axes (w, v) in the base frame at the home position; link frames there by `xyz` and `rpy`."""
    stands: list[Stand] = []
    homes: list[Placement] = []
    for row in rows:
        home = _screw_frame(row, letters)
        parent = HERE if row.parent == BASE else homes[row.parent]
        frame = product(inverse(home), read_frame(row.table, letters, row.place))
        stands.append(Stand(product(inverse(parent), home), Angle.zero, frame))
        homes.append(home)
    return stands


def _screw_frame(row: Row, letters: Letters) -> Placement:
    """A frame on the axis of a screw with its z along it, in the base frame at home."""
    if row.type == "fixed":
        return HERE
    place = row.place.key("w")
    w = [letters.number(value, "", "the joint axis", place) for value in row.table.get("w", (0, 0, 0))]
    if row.type == "prismatic":
        v = [letters.number(value, "", "the joint axis", row.place.key("v")) for value in row.table.get("v", (0, 0, 0))]
        if any(w) or not any(v):
            advice = "a prismatic joint has w = [0, 0, 0] and its direction in v"
            raise InputError("the screw is not that of a prismatic joint", where=str(row.place), advice=advice)
        return Placement(toward(*v), HERE.translation)
    square = sum((entry * entry for entry in w), Fraction(0))
    if abs(square - 1) > Fraction(1, 10**6):
        advice = "w is the unit vector along the axis of a revolute joint, as in w = [0, 0, 1]"
        raise InputError(f"w = {[float(e) for e in w]} is no unit vector", where=str(place), advice=advice)
    v_place = row.place.key("v")
    x, y, z = (letters.scalar(value, "m", f"v of {row.label}", v_place) for value in row.table.get("v", (0, 0, 0)))
    pitch = (w[0] * x + w[1] * y + w[2] * z) / square
    if not _vanishes(pitch):
        raise UnsupportedError(
            f"the screw has the pitch {pitch} m", where=str(v_place), advice="v = -w × (point on the axis)"
        )
    point = ((w[1] * z - w[2] * y) / square, (w[2] * x - w[0] * z) / square, (w[0] * y - w[1] * x) / square)
    return Placement(toward(*w), point)


def _vanishes(pitch: Expression) -> bool:
    """Whether an expression is zero within 1e-6 at three points; one that is not misses that."""
    samples = (
        {name: Fraction(7 * k + 3 * j + 1, 5 + j) for j, name in enumerate(sorted(pitch.letters))} for k in range(3)
    )
    try:
        return all(abs(float(pitch.evaluate(sample, Fraction))) < 1e-6 for sample in samples)
    except ZeroDivisionError:
        return False


def tool_frame(
    document: Mapping[str, Any], stands: Sequence[Stand], rows: Sequence[Row], letters: Letters, place: Place
) -> Placement | None:
    """The tool in our frame of the last link: given in the file's link frame, or by its home pose in the base frame."""
    last = len(rows) - 1
    if "home" in document:
        home = read_frame(document["home"], letters, place.key("home"))
        return product(inverse(_home_of(stands, rows, last)), home)
    if "tool" not in document:
        return None
    return product(stands[last].frame, read_frame(document["tool"], letters, place.key("tool")))


def _home_of(stands: Sequence[Stand], rows: Sequence[Row], index: int) -> Placement:
    """Our frame of a link in the base frame where all coordinates are zero."""
    placements = []
    while index != BASE:
        placements.append(product(stands[index].placement, turn("z", stands[index].offset)))
        index = rows[index].parent
    return product(*reversed(placements))


def unit_vector(values: Sequence[Any], letters: Letters, what: str, place: Place) -> Vector:
    """A direction scaled to length 1."""
    numbers = [letters.number(value, "", what, place) for value in values]
    if not any(numbers):
        raise InputError(f"{what} is zero: {shown(list(values))}", where=str(place), advice="as in [0, 0, 1]")
    return rotated(toward(*numbers), (ZERO, ZERO, Expression.number(1)))


CONVERSIONS: dict[str, Callable[[Sequence[Row], Letters], list[Stand]]] = {
    "modified-dh": modified_dh,
    "standard-dh": standard_dh,
    "khalil": khalil,
    "frames": frames,
    "screws": screws,
}

"""Drive, friction, limits and coupling of a joint."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.conventions import Row, unit_vector
from emdeg.formats.grammar import nearest, shown
from emdeg.formats.letters import Letters
from emdeg.formats.placement import HERE, ZERO, rotated
from emdeg.quantity import Expression, Quantity, Symbol, parse_value
from emdeg.robot import BASE, Drive, Friction, Limits, Mimic, Placement

_UNITS = {
    "revolute": {
        "position": "rad", "velocity": "rad/s", "acceleration": "rad/s²", "effort": "N m", "viscous": "N m s",
        "coulomb": "N m", "inertia": "kg m²", "ratio": "",
    },
    "prismatic": {
        "position": "m", "velocity": "m/s", "acceleration": "m/s²", "effort": "N", "viscous": "N s/m",
        "coulomb": "N", "inertia": "kg", "ratio": "rad/m",
    },
}  # fmt: skip


@dataclass(frozen=True)
class JointReader:
    """Reads what belongs to one joint beside its geometry; `coordinate` is the number of its q, 0 if it is fixed."""

    row: Row
    coordinate: int
    letters: Letters

    @property
    def units(self) -> Mapping[str, str]:
        return _UNITS["prismatic" if self.row.type == "prismatic" else "revolute"]

    def check_fixed(self) -> None:
        """A joint that doesn't move has nothing that only motion gives a meaning."""
        for key in ("drive", "friction", "mimic", "limits"):
            if self.row.type == "fixed" and key in self.row.table:
                raise InputError(f"a fixed joint has no {key}", where=str(self.row.place.key(key)))

    def limits(self) -> Limits:
        table = self.row.table.get("limits", {})
        place = self.row.place.key("limits")
        numbers = {
            key: float(self.letters.number(table[key], self.units[key], f"the {key}", place.key(key)))
            for key in ("velocity", "acceleration", "effort")
            if key in table
        }
        for key, number in numbers.items():
            if number < 0:
                raise InputError(f"the limit of {key} is negative", where=str(place.key(key)), advice="give its size")
        position = None
        if "position" in table:
            ends = [
                self.letters.number(v, self.units["position"], "the position", place.key("position"))
                for v in table["position"]
            ]
            position = (float(ends[0]), float(ends[1]))
            if position[0] > position[1]:
                advice = "write the lowest position first"
                raise InputError(
                    f"the limits {list(position)} are empty", where=str(place.key("position")), advice=advice
                )
        return Limits(position, **numbers)

    def friction(self) -> Friction | None:
        if "friction" not in self.row.table:
            return None
        return Friction(self._friction("viscous", "fv"), self._friction("coulomb", "fc"))

    def _friction(self, key: str, letter: str) -> Expression:
        """Numbers stay numbers; one with a tolerance gets a letter, fv2 or fc2."""
        value = self.row.table["friction"].get(key, 0)
        place = self.row.place.key("friction", key)
        what = f"{'viscous' if key == 'viscous' else 'Coulomb'} friction of {self.row.label}"
        read = parse_value(value, self.units[key], where=str(place))
        if isinstance(read, Quantity) and read.value < 0:
            raise InputError(f"the friction is negative: {shown(value)}", where=str(place))
        if isinstance(read, Quantity) and read.tolerance is not None:
            name, source = f"{letter}{self.coordinate}", self.row.table["friction"].get("source")
            return self.letters.parameter(value, self.units[key], name, what, place, source)
        return self.letters.scalar(value, self.units[key], what, place)

    def drive(self, links: Mapping[str, int], frames: Mapping[int, Placement]) -> Drive | None:
        """`links` gives the index of each link by name, `frames` the file's link frames in ours."""
        table = self.row.table.get("drive")
        if table is None:
            return None
        place = self.row.place.key("drive")
        if "inertia_at_joint" not in table and not {"rotor_inertia", "gear_ratio"} <= table.keys():
            advice = "give inertia_at_joint, or rotor_inertia and gear_ratio"
            raise InputError("the drive is incomplete", where=str(place), advice=advice)
        carrier = self._carrier(table, links)
        axis = None
        if "axis" in table:
            frame = frames.get(self.row.parent if carrier is None else carrier, HERE)
            carrier = self.row.parent if carrier is None else carrier
            axis = rotated(
                frame.rotation, unit_vector(table["axis"], self.letters, "the drive's axis", place.key("axis"))
            )
        if "inertia_at_joint" in table:
            reflected = self._reflected(table["inertia_at_joint"])
            return Drive(reflected, axis=axis, mounted_on=carrier)
        ratio = self.letters.scalar(
            table["gear_ratio"], self.units["ratio"], f"gear ratio of {self.row.label}", place.key("gear_ratio")
        )
        if ratio.is_zero:
            raise InputError("the gear ratio is zero", where=str(place.key("gear_ratio")))
        rotor, reflected = self._rotor(table["rotor_inertia"], ratio)
        return Drive(reflected, rotor, ratio, axis, carrier)

    def _symbol(self) -> Symbol:
        what = f"drive inertia of {self.row.label}"
        return Symbol(
            f"Im{self.coordinate}", None, None, self.units["inertia"], what, self.row.table["drive"].get("source")
        )

    def _reflected(self, value: Any) -> Expression:
        symbol = self._symbol()
        place = self.row.place.key("drive", "inertia_at_joint")
        return self.letters.parameter(value, symbol.unit, symbol.name, symbol.what, place, symbol.source)

    def _rotor(self, value: Any, ratio: Expression) -> tuple[Expression, Expression]:
        """Rotor inertia and what it adds to the joint: the letter Im where the product has a value, or is unknown."""
        place = self.row.place.key("drive", "rotor_inertia")
        if value == "?":
            reflected = self._reflected(value)
            return reflected / ratio**2, reflected
        read = parse_value(value, "kg m²", where=str(place))
        if not isinstance(read, Quantity) or not ratio.is_number or (read.value == 0 and read.tolerance is None):
            rotor = self.letters.scalar(value, "kg m²", f"rotor inertia of {self.row.label}", place)
            return rotor, rotor * ratio**2
        square = ratio.as_fraction() ** 2
        tolerance_at_joint = None if read.tolerance is None else read.tolerance * square / self.letters.coverage
        reflected = self.letters.known(read.value * square, tolerance_at_joint, self._symbol(), place)
        return reflected / square, reflected

    def _carrier(self, table: Mapping[str, Any], links: Mapping[str, int]) -> int | None:
        name = table.get("mounted_on")
        if name is None:
            return None
        if name == "base":
            return BASE
        if name not in links:
            advice = f"one of: base, {', '.join(links)}{nearest(name, tuple(links))}"
            raise InputError(
                f"there is no link {name!r}", where=str(self.row.place.key("drive", "mounted_on")), advice=advice
            )
        return links[name]

    def mimic(self, moving: Mapping[str, str]) -> Mimic | None:
        """`moving` gives the type of each joint that moves, by name."""
        table = self.row.table.get("mimic")
        if table is None:
            return None
        place = self.row.place.key("mimic")
        if table["joint"] not in moving or table["joint"] == self.row.name:
            others = tuple(name for name in moving if name != self.row.name)
            advice = f"one of: {', '.join(others)}{nearest(table['joint'], others)}"
            raise InputError(f"can't follow the joint {table['joint']!r}", where=str(place.key("joint")), advice=advice)
        unit = self.units["position"]
        ratio = self.letters.number(table.get("ratio", 1), "", "the ratio", place.key("ratio"))
        if "offset" not in table:
            return Mimic(table["joint"], Fraction(ratio), ZERO)
        offset = self.letters.scalar(table["offset"], unit, f"offset of {self.row.label}", place.key("offset"))
        return Mimic(table["joint"], Fraction(ratio), offset)

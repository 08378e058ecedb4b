"""The inertia of a link or payload: what the file gives, and automatic letters for the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.declaration import MOMENTS
from emdeg.formats.letters import UNKNOWN, Letters
from emdeg.formats.place import Place
from emdeg.formats.placement import ORIGIN, ZERO
from emdeg.formats.shapes import shaped_inertia
from emdeg.quantity import Expression
from emdeg.robot import Inertia, Moments, Vector

_AXES = ("x", "y", "z")


@dataclass(frozen=True)
class BodyReader:
    """Reads one body; `suffix` ends its automatic letters (`2`, `_tool`), `label` names it (`link 2`)."""

    table: Mapping[str, Any]
    suffix: str
    label: str
    letters: Letters
    place: Place

    def read(self) -> Inertia:
        unknown = not any(self._given(key) for key in ("mass", "center_of_mass", "first_moments", "inertia", "shape"))
        if unknown:
            return self._linear()
        mass = self._mass()
        if "shape" in self.table:
            return shaped_inertia(mass, self.table["shape"], self.label, self.letters, self.place.key("shape"))
        center_given = self._given("center_of_mass") or self._given("first_moments")
        if mass.is_zero and not center_given and not self._given("inertia"):
            return Inertia(mass, (ZERO, ZERO, ZERO, ZERO, ZERO, ZERO), "center_of_mass", center_of_mass=ORIGIN)
        if "first_moments" in self.table:
            moments = self._vector("first_moments", "h", "kg m", "first moment")
            about = self.table.get("inertia_about", "center_of_mass" if self._given("inertia") else "origin")
            return Inertia(mass, self._second_moments(about), about, first_moments=moments)
        center = self._vector("center_of_mass", "r", "m", "center of mass")
        about = self.table.get("inertia_about", "center_of_mass")
        return Inertia(mass, self._second_moments(about), about, center_of_mass=center)

    def _given(self, key: str) -> bool:
        return bool(self.table.get(key, UNKNOWN) != UNKNOWN)

    def _parameter(self, value: Any, unit: str, letter: str, what: str, *keys: str) -> Expression:
        name, meaning = f"{letter}{self.suffix}", f"{what} of {self.label}"
        return self.letters.parameter(value, unit, name, meaning, self.place.key(*keys), self.table.get("source"))

    def _linear(self) -> Inertia:
        """Nothing known: the ten letters in which the dynamics are linear, about the origin of the link frame."""
        mass = self._parameter(UNKNOWN, "kg", "m", "mass")
        moments = self._vector("first_moments", "h", "kg m", "first moment")
        return Inertia(mass, self._second_moments("origin"), "origin", first_moments=moments)

    def _mass(self) -> Expression:
        mass = self._parameter(self.table.get("mass", UNKNOWN), "kg", "m", "mass", "mass")
        symbol = self.letters.automatic.get(mass.name) if mass.kind == "letter" else None
        value = mass.constant if mass.is_number else symbol.value if symbol else None
        if value is not None and value < 0:
            raise InputError(f"the mass is negative: {self.table['mass']}", where=str(self.place.key("mass")))
        return mass

    def _vector(self, key: str, letter: str, unit: str, what: str) -> Vector:
        values: Sequence[Any] = self.table.get(key, (UNKNOWN,) * 3)
        x, y, z = (
            self._parameter(value, unit, f"{letter}{axis}", f"{what} ({axis})", key)
            for axis, value in zip(_AXES, values, strict=True)
        )
        return (x, y, z)

    def _second_moments(self, about: str) -> Moments:
        letter, point = ("I", "center of mass") if about == "center_of_mass" else ("L", "origin")
        given = self._given("inertia")
        table: Mapping[str, Any] = self.table["inertia"] if given else {}
        xx, xy, xz, yy, yz, zz = (
            self._parameter(
                table.get(key, 0 if given else UNKNOWN), "kg m²", f"{letter}{key}", f"inertia {key} about the {point}",
                "inertia", key,
            )
            for key in MOMENTS
        )  # fmt: skip
        return (xx, xy, xz, yy, yz, zz)

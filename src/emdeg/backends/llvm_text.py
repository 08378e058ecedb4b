"""LLVM's text: types of one or several lanes, numbers, and a function under construction."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from emdeg.errors import UnsupportedError

Precision = Literal["float64", "float32"]


@dataclass(frozen=True)
class Lanes:
    """A floating-point type of `width` states side by side, and the integers that go with it."""

    precision: Precision
    width: int = 1

    @property
    def bits(self) -> int:
        return 64 if self.precision == "float64" else 32

    @property
    def bytes(self) -> int:
        """Of one value of one state."""
        return self.bits // 8

    @property
    def element(self) -> str:
        return "double" if self.precision == "float64" else "float"

    @property
    def suffix(self) -> str:
        """The type in the name of an intrinsic."""
        return f"f{self.bits}" if self.width == 1 else f"v{self.width}f{self.bits}"

    def _wide(self, element: str) -> str:
        return element if self.width == 1 else f"<{self.width} x {element}>"

    @property
    def real(self) -> str:
        return self._wide(self.element)

    @property
    def integer(self) -> str:
        return self._wide(f"i{self.bits}")

    @property
    def truth(self) -> str:
        return self._wide("i1")

    def number(self, value: Fraction | float) -> str:
        """The nearest number, in all lanes."""
        text = literal(nearest(value, self.precision))
        return text if self.width == 1 else f"splat ({self.element} {text})"

    def whole(self, value: int) -> str:
        """An integer in all lanes."""
        return str(value) if self.width == 1 else f"splat (i{self.bits} {value})"


def nearest(value: Fraction | float, precision: Precision) -> float:
    """The number of a precision that is nearest to an exact one, rounded once."""
    exact = Fraction(value)
    try:
        double = float(exact)
        if precision == "float64":
            return double
        single: float = struct.unpack("<f", struct.pack("<f", double))[0]
    except OverflowError:
        message = f"the constant {value} is beyond {precision}"
        raise UnsupportedError(message, advice="choose other units, or float64") from None
    if single == double or abs(single) < 2.0**-126:
        return single
    pattern = struct.unpack("<i", struct.pack("<f", single))[0]
    beside: list[float] = [struct.unpack("<f", struct.pack("<i", pattern + step))[0] for step in (0, -1, 1)]
    return min(beside, key=lambda candidate: abs(Fraction(candidate) - exact))


def literal(value: float) -> str:
    """A number as LLVM writes it without loss: the bits of its double, also for a single."""
    return f"0x{struct.unpack('Q', struct.pack('d', value))[0]:016X}"


class Body:
    """Lines of a function, with fresh names."""

    def __init__(self, prefix: str = "v") -> None:
        self.lines: list[str] = []
        self.block = "entry"
        self._prefix = prefix
        self._made = 0

    def fresh(self) -> str:
        self._made += 1
        return f"%{self._prefix}{self._made}"

    def let(self, text: str) -> str:
        """Name the result of an instruction."""
        name = self.fresh()
        self.lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")
        self.block = name

    def call(self, lanes: Lanes, intrinsic: str, arguments: Sequence[str]) -> str:
        listed = ", ".join(f"{lanes.real} {argument}" for argument in arguments)
        return self.let(f"call {lanes.real} @llvm.{intrinsic}.{lanes.suffix}({listed})")

    def load(self, lanes: Lanes, base: str, place: int, kind: str = "", step: str = "") -> str:
        """Value `place` of an array of values, `step` bytes apart; without that, adjacent ones."""
        address = self._address(lanes, base, place, step)
        return self.let(f"load {kind or lanes.real}, ptr {address}, align {lanes.bytes}")

    def _address(self, lanes: Lanes, base: str, place: int, step: str) -> str:
        far = self.let(f"mul i64 {step}, {place}") if step else str(place * lanes.bytes * lanes.width)
        return self.let(f"getelementptr i8, ptr {base}, i64 {far}")

    def store(self, lanes: Lanes, value: str, base: str, place: int, kind: str = "", step: str = "") -> None:
        address = self._address(lanes, base, place, step)
        self.do(f"store {kind or lanes.real} {value}, ptr {address}, align {lanes.bytes}")

"""Dual numbers: a value and its slope along one direction, over any scalar; what derivatives are judged by."""

from typing import Any


class Dual:
    """value + slope ε with ε² = 0."""

    __slots__ = ("slope", "value")

    def __init__(self, value: Any, slope: Any) -> None:
        self.value = value
        self.slope = slope

    def __add__(self, other: "Dual") -> "Dual":
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other: "Dual") -> "Dual":
        return Dual(self.value - other.value, self.slope - other.slope)

    def __neg__(self) -> "Dual":
        return Dual(-self.value, -self.slope)

    def __mul__(self, other: "Dual") -> "Dual":
        return Dual(self.value * other.value, self.value * other.slope + self.slope * other.value)

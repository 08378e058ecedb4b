"""What is known of a letter."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Symbol:
    """A letter: its value in SI and one standard uncertainty (both None where unknown), unit, meaning, source.

    `degrees` holds the exact value of an angle that was given in degrees; `value` is then its value in radians to 40
    digits.
    """

    name: str
    value: Fraction | None
    tolerance: Fraction | None
    unit: str
    what: str
    source: str | None = None
    degrees: Fraction | None = None

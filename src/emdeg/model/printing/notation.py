"""How names, numbers, powers and products look in one medium; here in Python syntax and on a Unicode terminal."""

from dataclasses import dataclass
from fractions import Fraction

from emdeg.model.entry import Atom

_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")


def raised(exponent: int) -> str:
    """An exponent in Unicode superscripts."""
    return str(exponent).translate(_RAISED)


@dataclass(frozen=True)
class Notation:
    """Python syntax in ASCII, exact; a subclass for each other medium changes what looks different there.

    With `digits`, numbers are decimals of so many significant digits in place of fractions.
    """

    digits: int = 0
    times = "*"
    plus = "+"
    minus = "-"

    def name(self, text: str) -> str:
        """A letter, constant, rate or element."""
        return text

    def atom(self, atom: Atom) -> str:
        """A sine, cosine or displacement."""
        return atom.name

    def power(self, base: str, exponent: int) -> str:
        return f"{base}**{exponent}"

    def number(self, value: Fraction) -> str:
        """A rational that is not negative."""
        if self.digits:
            return self.decimal(f"{float(value):.{self.digits}g}")
        return str(value) if value.denominator == 1 else self.fraction(value)

    def fraction(self, value: Fraction) -> str:
        return f"({value})"

    def decimal(self, text: str) -> str:
        """A decimal such as 0.25 or 4e-05."""
        return text

    def function(self, name: str) -> str:
        """The name of a function that stands before its argument."""
        return name

    def literal(self, text: str) -> str:
        """Parentheses, strokes and whatever else stands between."""
        return text

    def product(self, factors: list[str]) -> str:
        return self.times.join(factors)

    def multiple(self, factor: Fraction, name: str) -> str:
        """A rational that is not negative times a name: b112/2."""
        size = [str(factor.numerator)] if factor.numerator != 1 else []
        return self.product([*size, name]) + (f"/{factor.denominator}" if factor.denominator != 1 else "")

    def measure(self, piece: str) -> float:
        """The width of what is written, in letters."""
        return len(piece)


@dataclass(frozen=True)
class Unicode(Notation):
    """For terminals: 2·I5·c2·s23, c2²."""

    times = "·"

    def power(self, base: str, exponent: int) -> str:
        return base + raised(exponent)

    def fraction(self, value: Fraction) -> str:
        return str(value)

    def decimal(self, text: str) -> str:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}·10{raised(int(exponent))}" if exponent else text


PYTHON = Notation()
UNICODE = Unicode()

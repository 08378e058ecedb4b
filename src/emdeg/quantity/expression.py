"""Exact expressions of a robot's description: rational numbers, letters, sums, products, integer powers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeVar

from emdeg.errors import InputError

T = TypeVar("T")
MAX_EXPONENT = 64
MAX_BITS = 20_000
MAX_GATHERED = 32

Kind = Literal["number", "letter", "sum", "product", "power"]


@dataclass(frozen=True, slots=True)
class Expression:
    """An exact expression: frozen, hashable, lightly folded (zeros, ones, constants), never expanded.

    `constant` is the value of a number, the constant term of a sum, the coefficient of a product, the exponent of a
    power; `name` is that of a letter. Equality is equality of form, not of value: `a + b` and `b + a` differ. Build
    it with `number`, `letter` and Python's operators. Letters may be any text: `cos(alpha2)` stands for that cosine.
    """

    kind: Kind
    constant: Fraction = Fraction(0)
    name: str = ""
    operands: tuple["Expression", ...] = ()

    @staticmethod
    def number(value: Fraction | int) -> "Expression":
        return Expression("number", Fraction(value))

    @staticmethod
    def letter(name: str) -> "Expression":
        return Expression("letter", name=name)

    def __add__(self, other: "Expression | Fraction | int") -> "Expression":
        right = _expression(other)
        return NotImplemented if right is None else _sum(self, right)

    def __radd__(self, other: "Expression | Fraction | int") -> "Expression":
        left = _expression(other)
        return NotImplemented if left is None else _sum(left, self)

    def __sub__(self, other: "Expression | Fraction | int") -> "Expression":
        right = _expression(other)
        return NotImplemented if right is None else _sum(self, -right)

    def __rsub__(self, other: "Expression | Fraction | int") -> "Expression":
        left = _expression(other)
        return NotImplemented if left is None else _sum(left, -self)

    def __mul__(self, other: "Expression | Fraction | int") -> "Expression":
        right = _expression(other)
        return NotImplemented if right is None else _product(self, right)

    def __rmul__(self, other: "Expression | Fraction | int") -> "Expression":
        left = _expression(other)
        return NotImplemented if left is None else _product(left, self)

    def __truediv__(self, other: "Expression | Fraction | int") -> "Expression":
        right = _expression(other)
        return NotImplemented if right is None else _product(self, right**-1)

    def __rtruediv__(self, other: "Expression | Fraction | int") -> "Expression":
        left = _expression(other)
        return NotImplemented if left is None else _product(left, self**-1)

    def __neg__(self) -> "Expression":
        return _product(Expression.number(-1), self)

    def __pos__(self) -> "Expression":
        return self

    def __pow__(self, exponent: int) -> "Expression":
        if not isinstance(exponent, int):
            return NotImplemented
        return _power(self, exponent)

    @property
    def is_number(self) -> bool:
        return self.kind == "number"

    @property
    def is_zero(self) -> bool:
        """Whether this is the number 0; a sum of letters that happens to cancel is not looked through."""
        return self.kind == "number" and self.constant == 0

    def as_fraction(self) -> Fraction:
        if self.kind != "number":
            raise ValueError(f"{self} is not a number")
        return self.constant

    @property
    def divides_by_a_letter(self) -> bool:
        """Whether a power with a negative exponent stands anywhere in it (numbers alone are folded)."""
        if self.kind == "power" and self.constant < 0:
            return True
        return any(operand.divides_by_a_letter for operand in self.operands)

    @property
    def letters(self) -> frozenset[str]:
        if self.kind == "letter":
            return frozenset((self.name,))
        return frozenset().union(*(operand.letters for operand in self.operands))

    def evaluate(self, letters: Mapping[str, T], number: Callable[[Fraction], T]) -> T:
        """The value over any scalar with + and * (and /, where this divides by a letter).

        `letters` gives the letters' values, `number` makes a scalar of a rational. Raises InputError where a letter
        has no value.
        """
        if self.kind == "number":
            return number(self.constant)
        if self.kind == "letter":
            if self.name not in letters:
                raise InputError(f"the letter {self.name} has no value")
            return letters[self.name]
        if self.kind == "sum":
            return _evaluate_sum(self, letters, number)
        return _evaluate_product(self, letters, number)

    def __str__(self) -> str:
        if self.kind == "number":
            return str(self.constant)
        if self.kind == "letter":
            return self.name
        return _sum_text(self) if self.kind == "sum" else _product_text(self)

    def __repr__(self) -> str:
        return f"Expression({str(self)!r})"


def _expression(value: Any) -> Expression | None:
    if isinstance(value, Expression):
        return value
    if isinstance(value, int | Fraction):
        return Expression.number(value)
    return None


def _sum(left: Expression, right: Expression) -> Expression:
    constant = Fraction(0)
    terms: list[Expression] = []
    for side in (left, right):
        if side.kind in ("number", "sum"):
            constant += side.constant
            terms.extend(side.operands)
        else:
            terms.append(side)
    _bounded(constant)
    if not terms:
        return Expression.number(constant)
    if constant == 0 and len(terms) == 1:
        return terms[0]
    return Expression("sum", constant, operands=tuple(terms))


def _product(left: Expression, right: Expression) -> Expression:
    constant = Fraction(1)
    factors: list[Expression] = []
    for side in (left, right):
        if side.kind in ("number", "product"):
            constant *= side.constant
            factors.extend(side.operands)
        else:
            factors.append(side)
    _bounded(constant)
    factors = _gathered(factors)
    if constant == 0 or not factors:
        return Expression.number(constant)
    if constant == 1 and len(factors) == 1:
        return factors[0]
    return Expression("product", constant, operands=tuple(factors))


def _gathered(factors: list[Expression]) -> list[Expression]:
    """The factors with like bases made one power, each where it first stood; long products stay as they are."""
    if len(factors) > MAX_GATHERED:
        return factors
    exponents: dict[Expression, int] = {}
    for factor in factors:
        base, exponent = (factor.operands[0], int(factor.constant)) if factor.kind == "power" else (factor, 1)
        exponents[base] = exponents.get(base, 0) + exponent
    if len(exponents) == len(factors) or any(abs(exponent) > MAX_EXPONENT for exponent in exponents.values()):
        return factors
    return [_power(base, exponent) for base, exponent in exponents.items() if exponent]


def _power(base: Expression, exponent: int) -> Expression:
    if base.kind == "power":
        base, exponent = base.operands[0], exponent * int(base.constant)
    if abs(exponent) > MAX_EXPONENT:
        raise InputError(f"the exponent {exponent} is too large", advice=f"exponents go up to {MAX_EXPONENT}")
    if exponent == 0:
        return Expression.number(1)
    if exponent == 1:
        return base
    if base.kind == "number":
        return Expression.number(_number_power(base.constant, exponent))
    if base.kind == "product":
        result = Expression.number(_number_power(base.constant, exponent))
        for factor in base.operands:
            result = _product(result, _power(factor, exponent))
        return result
    return Expression("power", Fraction(exponent), operands=(base,))


def _number_power(value: Fraction, exponent: int) -> Fraction:
    if value == 0 and exponent < 0:
        raise InputError("division by zero")
    _bounded(value, abs(exponent))
    return value**exponent


def _bounded(value: Fraction, exponent: int = 1) -> None:
    """Refuse numbers so long that they can only be a mistake or an attack."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits * exponent > MAX_BITS:
        raise InputError(
            "a number in an expression is too large", advice="no length, mass or time needs so many digits"
        )


def _evaluate_sum(expression: Expression, letters: Mapping[str, T], number: Callable[[Fraction], T]) -> T:
    total: Any = expression.operands[0].evaluate(letters, number)
    for term in expression.operands[1:]:
        total = total + term.evaluate(letters, number)
    return total if expression.constant == 0 else total + number(expression.constant)  # type: ignore[no-any-return]


def _evaluate_product(expression: Expression, letters: Mapping[str, T], number: Callable[[Fraction], T]) -> T:
    above: Any = None if expression.kind == "power" or expression.constant == 1 else number(expression.constant)
    below: Any = None
    for base, exponent in _factors(expression):
        factor = _repeated(base.evaluate(letters, number), abs(exponent))
        if exponent > 0:
            above = factor if above is None else above * factor
        else:
            below = factor if below is None else below * factor
    if above is None:
        above = number(Fraction(1))
    return above if below is None else above / below  # type: ignore[no-any-return]


def _factors(expression: Expression) -> list[tuple[Expression, int]]:
    """Bases and exponents of a product or a power, the coefficient aside."""
    factors = (expression,) if expression.kind == "power" else expression.operands
    return [(f.operands[0], int(f.constant)) if f.kind == "power" else (f, 1) for f in factors]


def _repeated(value: Any, exponent: int) -> Any:
    """value**exponent by multiplications alone, exponent positive."""
    result = None
    while exponent:
        if exponent & 1:
            result = value if result is None else result * value
        exponent >>= 1
        if exponent:
            value = value * value
    return result


def _sum_text(expression: Expression) -> str:
    texts = [str(term) for term in expression.operands]
    if expression.constant:
        texts.append(str(expression.constant))
    first, *rest = texts
    return first + "".join(f" - {text[1:]}" if text.startswith("-") else f" + {text}" for text in rest)


def _product_text(expression: Expression) -> str:
    constant = Fraction(1) if expression.kind == "power" else expression.constant
    above = [str(abs(constant.numerator))] if abs(constant.numerator) != 1 else []
    below = [str(constant.denominator)] if constant.denominator != 1 else []
    for base, exponent in _factors(expression):
        text = f"({base})" if base.kind in ("sum", "product") else str(base)
        size = abs(exponent)
        (above if exponent > 0 else below).append(text if size == 1 else f"{text}**{size}")
    text = "*".join(above) or "1"
    if len(below) == 1:
        text += f"/{below[0]}"
    elif below:
        text += f"/({'*'.join(below)})"
    return f"-{text}" if constant < 0 else text

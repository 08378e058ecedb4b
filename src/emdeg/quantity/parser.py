"""Reading expressions: our own tokens and precedences, never evaluated as code."""

import re
from collections.abc import Callable
from fractions import Fraction

from emdeg.errors import InputError
from emdeg.quantity.expression import Expression

MAX_LENGTH = 20_000
MAX_DEPTH = 100
MAX_DIGITS = 300

_NUMBER = r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?"
_TOKEN = re.compile(rf"\s*(?:({_NUMBER})|([A-Za-z_]\w*)|(\*\*|[-+*/()^]))", re.ASCII)
_GRAMMAR = "an expression has letters, numbers, + - * / ** and parentheses, as in -m3*a2*ry3 + (m4+m5)*a2/2"


def parse_expression(text: str, *, where: str = "") -> Expression:
    """The expression that `text` writes, decimals kept as exact fractions; InputError with the column otherwise."""
    if len(text) > MAX_LENGTH:
        raise InputError(f"the expression has {len(text)} characters", where=where, advice=f"at most {MAX_LENGTH}")
    try:
        return _Reader(text).read()
    except InputError as error:
        shown = text if len(text) <= 80 else text[:77] + "..."
        raise InputError(f"{error.what} in {shown!r}", where=where, advice=error.advice or _GRAMMAR) from None


def parse_number(text: str) -> Fraction:
    """The exact value of a decimal such as `0.4318` or `1e-3`."""
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MAX_DIGITS or len(exponent) > 4 or abs(int(exponent or 0)) > MAX_DIGITS:
        raise InputError("a number is too long or too large", advice=f"at most {MAX_DIGITS} digits")
    return Fraction(text)


class _Reader:
    """One pass over the tokens of an expression (precedence climbing)."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("−", "-").replace("·", "*").replace("²", "**2").replace("³", "**3")
        self.position = 0
        self.depth = 0
        self.kind, self.token, self.column = "", "", 0
        self.advance()

    def advance(self) -> None:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            rest = self.text[self.position :]
            self.column = self.position + len(rest) - len(rest.lstrip()) + 1
            if rest.strip():
                raise InputError(f"{rest.strip()[0]!r} at column {self.column} has no meaning")
            self.kind, self.token = "end", ""
            return
        number, letter, sign = match.groups()
        self.kind = "number" if number else "letter" if letter else "sign"
        self.token = number or letter or sign
        self.column = match.end() - len(self.token) + 1
        self.position = match.end()

    def fail(self, expected: str) -> InputError:
        found = f"{self.token!r}" if self.token else "the end"
        return InputError(f"expected {expected} at column {self.column}, found {found}")

    def read(self) -> Expression:
        result = self.sum()
        if self.kind != "end":
            raise self.fail("an operator or the end")
        return result

    def sum(self) -> Expression:
        result = self.product()
        while self.token in ("+", "-") and self.kind == "sign":
            minus = self.token == "-"
            self.advance()
            term = self.product()
            result = result - term if minus else result + term
        return result

    def product(self) -> Expression:
        result = self.signed(self.power)
        while self.token in ("*", "/") and self.kind == "sign":
            divide = self.token == "/"
            self.advance()
            factor = self.signed(self.power)
            result = result / factor if divide else result * factor
        return result

    def signed(self, inner: Callable[[], Expression]) -> Expression:
        minus = False
        while self.token in ("+", "-") and self.kind == "sign":
            minus ^= self.token == "-"
            self.advance()
        result = inner()
        return -result if minus else result

    def power(self) -> Expression:
        base = self.atom()
        if self.token not in ("**", "^") or self.kind != "sign":
            return base
        self.advance()
        column = self.column
        exponent = self.signed(self.nested_power)
        if not exponent.is_number or exponent.as_fraction().denominator != 1:
            raise InputError(f"the exponent at column {column} is not an integer")
        value = exponent.as_fraction()
        if value.numerator.bit_length() > 16:
            raise InputError(f"the exponent at column {column} is too large")
        return base ** int(value)

    def nested_power(self) -> Expression:
        self.enter()
        result = self.power()
        self.depth -= 1
        return result

    def atom(self) -> Expression:
        kind, token = self.kind, self.token
        if kind == "number":
            value = parse_number(token)
            self.advance()
            return Expression.number(value)
        if kind == "letter":
            self.advance()
            if self.token == "(":
                raise InputError(f"{token}(...) at column {self.column}: functions are not allowed")
            return Expression.letter(token)
        if token == "(":
            self.enter()
            self.advance()
            result = self.sum()
            if self.token != ")":
                raise self.fail("')'")
            self.depth -= 1
            self.advance()
            return result
        raise self.fail("a letter, a number or '('")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise InputError(f"more than {MAX_DEPTH} nested parentheses or powers at column {self.column}")

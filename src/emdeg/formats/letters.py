"""The letters of a robot: declared ones, automatic ones, free ones; and the reading of values into expressions."""

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.grammar import nearest, shown
from emdeg.formats.place import Place
from emdeg.quantity import (
    ANY_UNIT,
    PI,
    Angle,
    Expression,
    Quantity,
    Symbol,
    dimension,
    parse_expression,
    parse_unit,
    parse_value,
    right_angle,
    unit_text,
)

_LETTER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESERVED = re.compile(r"(q|qd|qdd|tau)\d+|[sc]\d+(_\d+|m\d+)*|t|pi|nan|inf", re.ASCII | re.IGNORECASE)
_RESERVED_NAMES = "q1, qd1, qdd1, tau1, s23, c23, t, pi and their like mean coordinates, torques, sines, time"
UNKNOWN = "?"


class Letters:
    """Collects what a document says of its letters while the robot is built.

    `scalar`, `angle` and `parameter` read values; `symbols` then lists every letter. `snap` is the rule for rounded
    right angles (see `right_angle`); each angle taken so is noted in `snapped`.
    """

    def __init__(self, document: Mapping[str, Any], place: Place, snap: Fraction | None) -> None:
        self.place = place
        self.snap = snap
        self.snapped: list[str] = []
        self.coverage = self._coverage(document)
        self.declared: dict[str, Symbol] = {}
        self.automatic: dict[str, Symbol] = {}
        self.used: dict[str, tuple[str, str]] = {}
        for name, entry in document.get("symbols", {}).items():
            self.declared[name] = self._declare(name, entry, place.key("symbols", name))

    def scalar(self, value: Any, unit: str, what: str, place: Place) -> Expression:
        """A length, gravity or other entry that stays an exact number where it is one, or an expression."""
        _refuse_unknown(value, place)
        return self._read(value, unit, what, place)[0]

    def number(self, value: Any, unit: str, what: str, place: Place) -> Fraction:
        """An entry that must be a number in SI (an angle may be a multiple of pi)."""
        _refuse_unknown(value, place)
        read = parse_value(value, unit, where=str(place))
        if isinstance(read, Expression) and read.letters == {"pi"} and unit:
            return read.evaluate({"pi": PI}, Fraction)
        if isinstance(read, Expression):
            due = f"a number in {unit}" if unit else "a number"
            raise InputError(f"expected {due} for {what}, found {shown(value)}", where=str(place))
        self._no_tolerance(read, place)
        return read.value

    def parameter(self, value: Any, unit: str, name: str, what: str, place: Place, source: str | None) -> Expression:
        """A parameter of a link or drive: a number becomes its automatic letter `name` with that value.

        Unknown ("?") is that letter without value; an exact zero is structural; an expression stays itself.
        """
        if value == UNKNOWN:
            return self._automatic(Symbol(name, None, None, unit, what), place)
        expression, read = self._read(value, unit, what, place, tolerance=True)
        if read is None:
            return expression
        if read.value == 0 and read.tolerance is None:
            return expression
        tolerance = None if read.tolerance is None else read.tolerance / self.coverage
        return self._automatic(Symbol(name, read.value, tolerance, unit, what, source), place)

    def known(self, value: Fraction, tolerance: Fraction | None, letter: Symbol, place: Place) -> Expression:
        """An automatic letter whose value was computed from several entries."""
        return self._automatic(replace(letter, value=value, tolerance=tolerance), place)

    def angle(self, value: Any, what: str, place: Place) -> Angle:
        """An angle: a quantity, or a sum of letters with whole multiples, numbers (rad) and multiples of pi."""
        _refuse_unknown(value, place)
        read = parse_value(value, "rad", where=str(place))
        if isinstance(read, Quantity):
            self._no_tolerance(read, place)
            return self._fixed_angle(read, place)
        terms, constant = _linear(read, place)
        half_turns = terms.pop("pi", Fraction(0))
        result = Angle.from_degrees(180 * half_turns)
        if constant:
            result += self._fixed_angle(Quantity(constant, decimals=_decimals(constant)), place)
        for name, multiple in terms.items():
            if multiple.denominator != 1:
                advice = "an angle is a sum of whole multiples of letters; introduce a letter for the half"
                raise InputError(f"the angle has {multiple} times {name}", where=str(place), advice=advice)
            self._use(name, "rad", what, place, alone=True)
            result += Angle(letters=((name, int(multiple)),))
        return result

    def constants(self, document: Mapping[str, Any]) -> dict[str, Expression]:
        """The named inertia constants; earlier ones may stand in later ones."""
        result: dict[str, Expression] = {}
        symbols = self.symbols()
        known = {name: Expression.letter(name) for name in symbols}
        for name, text in document.get("constants", {}).items():
            place = self.place.key("constants", name)
            self._check_name(name, place)
            if name in symbols:
                raise InputError(f"{name} is a letter of this robot already", where=str(place), advice="rename it")
            expression = parse_expression(text, where=str(place))
            for letter in sorted(expression.letters - known.keys()):
                advice = f"this robot's letters are {', '.join(symbols)}{nearest(letter, tuple(known))}"
                raise InputError(f"{letter} stands nowhere in this robot", where=str(place), advice=advice)
            earlier = expression.letters & result.keys()
            result[name] = expression.evaluate(known, Expression.number) if earlier else expression
            known[name] = result[name]
        return result

    def symbols(self) -> dict[str, Symbol]:
        """Every letter: the declared, the automatic, and those that only stand in expressions."""
        result = dict(self.declared)
        for name, symbol in result.items():
            if name in self.used:
                unit, what = self.used[name]
                result[name] = replace(symbol, unit=symbol.unit or unit, what=symbol.what or what)
        result.update(self.automatic)
        for name, (unit, what) in self.used.items():
            result.setdefault(name, Symbol(name, None, None, unit, what))
        return result

    def _read(
        self, value: Any, unit: str, what: str, place: Place, *, tolerance: bool = False
    ) -> tuple[Expression, Quantity | None]:
        read = parse_value(value, unit, where=str(place))
        if isinstance(read, Quantity):
            if not tolerance:
                self._no_tolerance(read, place)
            return Expression.number(read.value), read
        for name in sorted(read.letters):
            self._use(name, unit, what, place, alone=_is_letter(read))
        return read, None

    def _use(self, name: str, unit: str, what: str, place: Place, *, alone: bool) -> None:
        self._check_name(name, place)
        symbol = self.declared.get(name)
        if alone and symbol is not None and symbol.unit and dimension(symbol.unit) != dimension(unit):
            message = f"the letter {name} is declared in {symbol.unit}, but stands for a value in {unit or '1'}"
            raise InputError(message, where=str(place))
        known = self.used.get(name)
        if known is None or (alone and not known[0]):
            self.used[name] = (unit, what) if alone else ("", f"in {what}")

    def _automatic(self, symbol: Symbol, place: Place) -> Expression:
        if symbol.name in self.declared:
            advice = f'delete it from [symbols], or write {symbol.what.split(" of ")[0]} = "{symbol.name}" here'
            message = f"{symbol.name} is the automatic letter of this entry, and is declared under [symbols] too"
            raise InputError(message, where=str(place), advice=advice)
        if symbol.name in self.automatic:
            advice = "names that differ only in signs are not told apart; rename one"
            raise InputError(f"two entries have the automatic letter {symbol.name}", where=str(place), advice=advice)
        self.automatic[symbol.name] = symbol
        return Expression.letter(symbol.name)

    def _declare(self, name: str, entry: Any, place: Place) -> Symbol:
        self._check_name(name, place)
        table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {"value": entry}
        what, source = table.get("what", ""), table.get("source")
        if "value" not in table:
            unit = _si_unit(table.get("unit", ""), place)
            return Symbol(name, None, None, unit, what, source)
        read = parse_value(table["value"], ANY_UNIT, where=str(place))
        if isinstance(read, Expression) and read.letters == {"pi"}:
            degrees = 180 * _linear(read, place)[0]["pi"]
            return Symbol(name, degrees * PI / 180, None, "rad", what, source, degrees)
        if isinstance(read, Expression):
            advice = "a letter's value is a number or a quantity; write a sum of letters where it is used"
            raise InputError(f"{name} has the value {shown(table['value'])}", where=str(place), advice=advice)
        if "unit" in table and read.unit:
            raise InputError("the unit is given twice", where=str(place))
        written = read.unit or table.get("unit", "")
        unit = _si_unit(written, place)
        tolerance = None if read.tolerance is None else read.tolerance / self.coverage
        return Symbol(name, read.value, tolerance, unit, what, source, read.degrees)

    def _check_name(self, name: str, place: Place) -> None:
        if _LETTER.fullmatch(name) is None:
            advice = "a letter begins with A-Z, a-z or _ and goes on with letters, digits and _"
            raise InputError(f"{shown(name)} can't be a letter", where=str(place), advice=advice)
        if _RESERVED.fullmatch(name):
            raise InputError(f"{name} can't be a letter: it is reserved", where=str(place), advice=_RESERVED_NAMES)

    def _fixed_angle(self, read: Quantity, place: Place) -> Angle:
        if read.degrees is not None:
            return Angle.from_degrees(read.degrees)
        quarters = None if read.decimals is None else right_angle(read.value, read.decimals, self.snap)
        if quarters is None:
            return Angle.from_radians(read.value)
        if quarters:
            self.snapped.append(
                f"{replace(place, source='')}: {float(read.value):.12g} rad is taken as {90 * quarters}°"
            )
        return Angle(quarters)

    def _no_tolerance(self, read: Quantity, place: Place) -> None:
        if read.tolerance is not None:
            advice = "give the value a letter under [symbols], with its tolerance, and write the letter here"
            raise InputError("a tolerance here needs a letter", where=str(place), advice=advice)

    def _coverage(self, document: Mapping[str, Any]) -> Fraction:
        place = self.place.key("coverage")
        coverage = self.number(document.get("coverage", 1), "", "the coverage factor", place)
        if coverage <= 0:
            raise InputError("the coverage factor must be positive", where=str(place), advice="coverage = 2 means 2 σ")
        return coverage


def _si_unit(written: str, place: Place) -> str:
    """The SI unit of the dimension of a unit, an empty text for none."""
    try:
        return unit_text(parse_unit(written).dimension) if written else ""
    except InputError as error:
        raise InputError(error.what, where=str(place), advice=error.advice) from None


def _is_letter(expression: Expression) -> bool:
    """Whether an expression is a letter or its negative."""
    if expression.kind == "product" and expression.constant == -1 and len(expression.operands) == 1:
        expression = expression.operands[0]
    return expression.kind == "letter"


def _refuse_unknown(value: Any, place: Place) -> None:
    if value == UNKNOWN:
        advice = "write a letter of your own here; it has no value unless [symbols] gives one"
        raise InputError("only inertias and drives may be unknown (?)", where=str(place), advice=advice)


def _linear(expression: Expression, place: Place) -> tuple[dict[str, Fraction], Fraction]:
    """Coefficients of the letters and constant term of a linear expression."""
    if expression.kind == "number":
        return {}, expression.constant
    if expression.kind == "letter":
        return {expression.name: Fraction(1)}, Fraction(0)
    if expression.kind == "product" and len(expression.operands) == 1:
        terms, constant = _linear(expression.operands[0], place)
        factor = expression.constant
        return {name: factor * value for name, value in terms.items()}, factor * constant
    if expression.kind != "sum":
        advice = "an angle is a sum of whole multiples of letters, numbers and multiples of pi"
        raise InputError(f"the angle {expression} is no such sum", where=str(place), advice=advice)
    total: dict[str, Fraction] = {}
    constant = expression.constant
    for operand in expression.operands:
        terms, part = _linear(operand, place)
        constant += part
        for name, value in terms.items():
            total[name] = total.get(name, Fraction(0)) + value
    return {name: value for name, value in total.items() if value}, constant


def _decimals(value: Fraction) -> int | None:
    """Printed decimals of a decimal fraction, None for any other."""
    for decimals in range(40):
        if (value * 10**decimals).denominator == 1:
            return decimals
    return None

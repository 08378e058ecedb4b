"""Values, units, tolerances; the exact expressions and angles of robot descriptions."""

from emdeg.quantity.angle import PI, Angle, right_angle
from emdeg.quantity.expression import Expression
from emdeg.quantity.parser import parse_expression
from emdeg.quantity.symbol import Symbol
from emdeg.quantity.units import dimension, parse_unit, unit_text
from emdeg.quantity.value import ANY_UNIT, Quantity, parse_value

__all__ = [
    "ANY_UNIT",
    "PI",
    "Angle",
    "Expression",
    "Quantity",
    "Symbol",
    "dimension",
    "parse_expression",
    "parse_unit",
    "parse_value",
    "right_angle",
    "unit_text",
]

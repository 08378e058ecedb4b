"""Values with units and tolerances; exact angles."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emdeg.errors import InputError
from emdeg.quantity import PI, Angle, Expression, Quantity, parse_unit, parse_value, right_angle
from emdeg.quantity.units import unit_text


@pytest.mark.parametrize(
    ("text", "unit", "value", "tolerance"),
    [
        (17.4, "kg", "17.4", None),
        (3, "kg", "3", None),
        ("0.4318", "m", "0.4318", None),
        ("17.40 ± 0.18 kg", "kg", "17.4", "0.18"),
        ("17.40 +/- 0.18 kg", "kg", "17.4", "0.18"),
        ("68 ± 3 mm", "m", "0.068", "0.003"),
        ("68 mm ± 3 mm", "m", "0.068", "0.003"),
        ("0.068 m ± 3 mm", "m", "0.068", "0.003"),
        ("-16 ± 3 mm", "m", "-0.016", "0.003"),
        ("−16 mm", "m", "-0.016", None),
        ("0.82 ± 25 % kg", "kg", "0.82", "0.205"),
        ("0.82 ± 25 %", "kg", "0.82", "0.205"),
        ("-8 ± 25 %", "m", "-8", "2"),
        ("500 g", "kg", "0.5", None),
        ("9.81 m/s²", "m/s²", "9.81", None),
        ("9.81 m/s^2", "m/s²", "9.81", None),
        ("9.81 m*s**-2", "m/s²", "9.81", None),
        ("9.81 m s⁻²", "m/s²", "9.81", None),
        ("0.13 kg m²", "kg m²", "0.13", None),
        ("0.13 kg*m**2", "kg m²", "0.13", None),
        ("130 kg cm^2", "kg m²", "0.013", None),
        ("3 N m", "N m", "3", None),
        ("3 N*m", "N m", "3", None),
        ("3 Nm", "N m", "3", None),
        ("3 N·m", "N m", "3", None),
        ("0.2 N m s/rad", "N m s", "0.2", None),
        ("2 rad/s", "rad/s", "2", None),
        ("1e-3", "m", "0.001", None),
        ("1/2", "m", "0.5", None),
        ("3*0.1", "m", "0.3", None),
        ("+5", "m", "5", None),
        ("1 in", "m", "0.0254", None),
        ("2 lb", "kg", "0.90718474", None),
    ],
)
def test_values(text, unit, value, tolerance):
    read = parse_value(text, unit)
    assert isinstance(read, Quantity)
    assert read.value == Fraction(value)
    assert read.tolerance == (None if tolerance is None else Fraction(tolerance))


def test_expressions_stay_expressions():
    assert parse_value("a2/2", "m") == Expression.letter("a2") / 2
    assert parse_value("2*a2", "m") == 2 * Expression.letter("a2")
    assert parse_value("-g", "m/s²") == -Expression.letter("g")


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("3 kg", "m", "wrong unit: expected a value in m"),
        ("3 m", "", "a number without unit"),
        ("3 m", "rad", "wrong unit"),
        ("3 rad", "m", "wrong unit"),
        ("3 m/s", "rad/s", "wrong unit"),
        ("3 foo", "m", "'foo' is no unit"),
        ("3 degC", "m", "no unit"),
        ("20 degC", "rad", "no unit"),
        ("3 m**99", "m", "no unit"),
        ("3 mm**99999999", "m", "no unit"),
        ("3 mm**9**9**9", "m", "no unit"),
        ("3 mm^(99*99)", "m", "no unit"),
        ("1 ± -2 m", "m", "negative"),
        ("1 ± m", "m", "no quantity"),
        ("5 %", "m", "no quantity"),
        ("1e99999 m", "m", "too large"),
        ("nan", "m", "not a finite"),
        ("-inf", "m", "not a finite"),
        (float("nan"), "m", "not a finite"),
        (float("inf"), "m", "not a finite"),
        ("", "m", "empty"),
        (True, "m", "expected a number"),
        (None, "m", "expected a number"),
        ([1], "m", "expected a number"),
        (10**400, "m", "too large"),
        ("2 __import__", "m", "no unit"),
    ],
)
def test_wrong_values(text, unit, message):
    with pytest.raises(InputError, match=message) as caught:
        parse_value(text, unit, where="arm.toml, joint 2, a")
    assert caught.value.where == "arm.toml, joint 2, a"


@pytest.mark.parametrize(
    ("written", "printed"),
    [("kg*m**2", "kg m²"), ("m/s/s", "m/s²"), ("N m", "N m"), ("deg/s", "rad/s"), ("N s/m", "kg/s"), ("1", "1")],
)
def test_unit_text(written, printed):
    assert unit_text(parse_unit(written).dimension) == printed


def test_degrees_are_kept_exactly():
    read = parse_value("-90 deg", "rad")
    assert read.degrees == -90 and abs(float(read.value) + math.pi / 2) < 1e-15
    assert parse_value("12.5°", "rad").degrees == Fraction(25, 2)
    assert parse_value("-90 deg/s", "rad/s").degrees is None


@pytest.mark.parametrize(
    ("text", "snap", "quarters"),
    [
        ("1.5708", None, 1),
        ("-1.5708", None, -1),
        ("3.1416", None, 2),
        ("-3.14159", None, -2),
        ("1.5707963", None, 1),
        ("1.5707963267948966", None, 1),
        ("4.71238898038469", None, 3),
        ("6.2832", None, 4),
        ("0.0", None, 0),
        ("1.57", None, None),
        ("1.571", None, None),
        ("1.5707", None, None),
        ("1.57079", None, None),
        ("3.14", None, None),
        ("0.0001", None, None),
        ("1.57", Fraction(1, 100), 1),
        ("1.5708", Fraction(0), None),
        ("1.6", Fraction(1, 100), None),
    ],
)
def test_right_angles(text, snap, quarters):
    decimals = len(text.partition(".")[2])
    assert right_angle(Fraction(text), decimals, snap) == quarters


def test_angle_is_normalized():
    assert Angle(5, Fraction(0)) == Angle(1)
    assert Angle(0, Fraction(1)) == Angle(1)
    assert Angle(letters=(("b", 1), ("a", 2), ("b", -1))) == Angle(letters=(("a", 2),))
    assert (Angle.letter("a") - Angle.letter("a")).is_zero
    assert Angle.from_degrees(Fraction(450)) == Angle(1)
    assert Angle.from_degrees(Fraction(-90)) == Angle(3)


@pytest.mark.parametrize(
    ("angle", "text"),
    [
        (Angle(), "0°"),
        (Angle(1), "90°"),
        (Angle(3), "-90°"),
        (Angle.from_degrees(Fraction(30)), "30°"),
        (Angle.from_radians(Fraction(3, 10)), "0.3 rad"),
        (Angle.letter("alpha2"), "alpha2"),
        (Angle(1) - Angle.letter("alpha2"), "-alpha2 + 90°"),
        (Angle(3) + Angle.letter("q"), "q - 90°"),
        (Angle(letters=(("a", 2),)), "2*a"),
    ],
)
def test_angle_text(angle, text):
    assert str(angle) == text


def test_direction():
    assert Angle.toward(Fraction(3), Fraction(4)).cosine_and_sine({}, Fraction) == (Fraction(3, 5), Fraction(4, 5))
    assert Angle.toward(Fraction(-1), Fraction(0)) == Angle(2)
    assert Angle.toward(Fraction(0), Fraction(-2)) == Angle(3)


def test_angle_error_is_below_1e_16():
    cosine, sine = Angle.from_radians(Fraction(22, 5)).cosine_and_sine({}, Fraction)
    assert abs(cosine - Fraction("-0.307332869978419683119139742218")) < Fraction(1, 10**16)
    assert abs(sine - Fraction("-0.951602073889515954035392333380")) < Fraction(1, 10**16)


angles = st.fractions(min_value=-10, max_value=10, max_denominator=10**6)


@given(angles)
def test_rational_angle_is_near_and_orthogonal(radians):
    angle = Angle.from_radians(radians)
    cosine, sine = angle.cosine_and_sine({}, Fraction)
    assert cosine**2 + sine**2 == 1
    assert abs(float(cosine) - math.cos(radians)) < 1e-15 and abs(float(sine) - math.sin(radians)) < 1e-15
    assert abs(2 * math.atan(angle.tangent)) <= math.pi / 4 + 1e-15
    assert abs(math.remainder(angle.radians({}) - float(radians), 2 * math.pi)) < 4e-15


@given(angles, angles)
def test_sums_are_exact(a, b):
    first, second = Angle.from_radians(a), Angle.from_radians(b)
    (c1, s1), (c2, s2) = (x.cosine_and_sine({}, Fraction) for x in (first, second))
    assert (first + second).cosine_and_sine({}, Fraction) == (c1 * c2 - s1 * s2, s1 * c2 + c1 * s2)
    assert (first - second) + second == first
    assert (-first).cosine_and_sine({}, Fraction) == (c1, -s1)


@given(angles, st.integers(-3, 3), st.integers(-3, 3), st.floats(-3, 3), st.floats(-3, 3))
def test_letters_by_addition_formulas(fixed, m, n, x, y):
    angle = Angle.from_radians(fixed) + Angle(letters=(("x", m), ("y", n)))
    pairs = {"x": (math.cos(x), math.sin(x)), "y": (math.cos(y), math.sin(y))}
    cosine, sine = angle.cosine_and_sine(pairs, float)
    expected = float(fixed) + m * x + n * y
    assert cosine == pytest.approx(math.cos(expected), abs=1e-13)
    assert sine == pytest.approx(math.sin(expected), abs=1e-13)
    assert math.cos(angle.radians({"x": x, "y": y})) == pytest.approx(math.cos(expected), abs=1e-13)


@given(st.fractions(min_value=-360, max_value=360, max_denominator=100))
def test_degrees_and_radians_agree(degrees):
    assert Angle.from_degrees(degrees) == Angle.from_radians(degrees * PI / 180)

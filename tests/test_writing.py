"""How sums, values and elements are written, and what a terminal gets to see of a model."""

import math
import re
from fractions import Fraction

import pytest

import emdeg
from emdeg.errors import InputError
from emdeg.model.entry import Atom, Entry, Group
from emdeg.model.printing import latex
from emdeg.model.printing.elements import find_element
from emdeg.model.printing.notation import PYTHON, UNICODE
from emdeg.model.printing.pieces import entry_pieces, filled, text_pieces
from emdeg.model.printing.text import Style, elements_text, text
from emdeg.model.printing.torques import torque_pieces
from emdeg.model.printing.values import rounded, with_values


@pytest.fixture(scope="module")
def models():
    made = {}

    def model(name):
        if name not in made:
            made[name] = emdeg.derive(name)
        return made[name]

    return model


@pytest.mark.parametrize("robot", ["puma560", "scara", "stanford", "planar3"])
def test_pieces_put_together_are_the_text_of_elements(robot, models):
    model = models(robot)
    for grid in (model.mass_matrix, model.christoffel, model.gravity):
        for element in grid.flat():
            assert " ".join(entry_pieces(element.entry, PYTHON)) == str(element)
    for torque in model.torque:
        assert " ".join(torque_pieces(torque, PYTHON)) == str(torque)


@pytest.mark.parametrize(
    ("python", "unicode", "tex"),
    [
        (
            "-m3*a2*ry3 + (m4 + m5)*a2**2",
            "-m3·a2·ry3 + (m4 + m5)·a2²",
            "-m_{3} a_{2} r_{y3} + (m_{4} + m_{5}) a_{2}^{2}",
        ),
        ("(1/2)*m4*R**2", "1/2·m4·R²", r"\tfrac{1}{2} m_{4} R^{2}"),
        ("1/3*x - 2*(a - b)**12", "1/3·x - 2·(a - b)¹²", r"\tfrac{1}{3} x - 2 (a - b)^{12}"),
        ("2*q2 + q3 + 3*pi/2", "2·q2 + q3 + 3·pi/2", r"2 q_{2} + q_{3} + 3 \pi/2"),
        ("sin(alpha2)*m - 2*atan(1/3)", "sin(alpha2)·m - 2·atan(1/3)", r"\sin(\alpha_{2}) m - 2 \arctan(\tfrac{1}{3})"),
        ("a*(-b + c)", "a·(-b + c)", "a (-b + c)"),
    ],
)
def test_definitions_in_other_notations(python, unicode, tex):
    assert " ".join(text_pieces(python, UNICODE)) == unicode
    assert " ".join(text_pieces(python, latex.LATEX)) == tex


def test_lines_break_at_terms_before_they_break_inside_parentheses():
    pieces = ["I1", "+ I2*(a", "+ b)", "- I3"]
    assert filled(pieces, PYTHON, 16) == ["I1 + I2*(a + b)", "- I3"]
    assert filled(pieces, PYTHON, 14) == ["I1", "+ I2*(a + b)", "- I3"]
    assert filled(pieces, PYTHON, 8) == ["I1", "+ I2*(a", "+ b)", "- I3"]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("robot", ["puma560", "stanford", "scara"])
def test_text_keeps_its_width(robot, width, models):
    long = [line for line in text(models(robot), Style(width)).splitlines() if len(line) > width]
    assert long == []


def test_ascii_is_ascii(models):
    assert text(models("puma560"), Style(80, ascii=True), whole=True).isascii()


@pytest.mark.parametrize("robot", ["panda", "ur5", "stanford"])
def test_a_model_too_long_for_a_screen_is_summarized_and_not_expanded(robot):
    model = emdeg.derive(robot)
    shown = text(model, Style(120))
    assert len(shown.splitlines()) <= 220
    assert re.search(r"a11: \d+ terms", shown)
    assert "--element a11" in shown
    assert len(model.christoffel._made) < 40


def test_numbers_in_place_of_constants(models):
    model = models("puma560")
    values = {name: c.value for name, c in model.constants.items() if c.value is not None}
    entry = with_values(model.mass_matrix[1, 1].entry, values)
    line = elements_text(model, [model.mass_matrix[1, 1]], Style(120, numbers=True))
    assert line.startswith("a22 = 6.7919 + 0.74425·s3 - 0.021914·c3")
    q = [0.3, -0.2, 0.7, 1.1, -0.4, 0.2]
    atoms = {"s": math.sin, "c": math.cos}
    found = entry.evaluate({}, lambda a: atoms[a.kind](sum(times * q[k] for k, times in a.angle)))
    assert float(found) == pytest.approx(model.evaluate(q).mass_matrix[1, 1], rel=1e-4)


def test_constants_without_value_stay_by_name():
    group = Group(Fraction(2), "I1", ((Atom("s", ((0, 1),)), 1),), ((Fraction(1), ()),))
    assert with_values(Entry((group,)), {}) == Entry((group,))


@pytest.mark.parametrize(
    ("value", "tolerance", "shown"),
    [
        (0.372123, 0.0407, ("0.372", "0.041", 0)),
        (-37.2347, 1.109, ("-37.2", "1.1", 0)),
        (12345.6, 1234.0, ("12300", "1200", 0)),
        (9.996, 0.0996, ("10.00", "0.10", 0)),
        (4e-05, None, ("0.00004", None, 0)),
        (1.5e-09, 2e-10, ("1.50", "0.20", -9)),
        (0.0, 0.0, ("0", "0", 0)),
        (1e8, None, ("1", None, 8)),
    ],
)
def test_values_are_rounded_to_their_tolerance(value, tolerance, shown):
    result = rounded(value, tolerance)
    assert (result.value, result.tolerance, result.power) == shown


def test_constants_state_value_tolerance_unit_definition(models):
    shown = text(models("puma560"), Style(120))
    assert re.search(r"I5 +0\.372 +± 0\.041\* +kg m² +-m3·a2·ry3 \+ \(m4 \+ m5 \+ m6\)·a2·d4 \+ m4·a2·rz4", shown)
    assert re.search(r"I11 +-0\.0142 +± 0\.0071 +kg m²", shown), "all tolerances of I11 are stated: no star"
    assert "* no tolerance is stated for these, they enter as exact: g, a2," in shown


def test_elements_are_found_by_name(models):
    model = models("puma560")
    assert find_element(model, "a21").entry == find_element(model, "a12").entry
    assert find_element(model, "b132").name == "b123"
    assert str(find_element(model, "(1,23)")) == str(model.christoffel[0, 1, 2])
    assert find_element(model, "tau6").name == "tau6"


@pytest.mark.parametrize(
    "name", ["", "a", "a1", "a17", "a70", "b11", "b111", "c123", "g7", "g0", "tau0", "x1", "(1,7)", "ä1"]
)
def test_an_unknown_element_is_refused_with_what_there_is(name, models):
    with pytest.raises(InputError, match=r"no element") as error:
        find_element(models("puma560"), name)
    assert "a11 ... a66, b112 ... b656, c11 ... c66, g1 ... g6, tau1 ... tau6" in error.value.advice

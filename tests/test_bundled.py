"""The bundled robots: all load, carry their sources, and hold the numbers that the literature prints."""

import json
from fractions import Fraction

import pytest

from emdeg.formats import bundled, load
from emdeg.quantity import Angle

NAMES = [entry.name for entry in bundled()]
PRINTED = {
    "I1": 1.43, "I2": 1.75, "I3": 1.38, "I4": 0.69, "I5": 0.372, "I6": 0.333, "I7": 0.298, "I8": -0.134, "I9": 0.0238,
    "I10": -0.0213, "I11": -0.0142, "I12": -0.011, "I13": -0.00379, "I14": 0.00164, "I15": 0.00125, "I16": 0.00124,
    "I17": 0.000642, "I18": 0.000431, "I19": 0.0003, "I20": -0.000202, "I21": -0.0001, "I22": -5.8e-05, "I23": 4e-05,
    "g1": -37.2, "g2": -8.44, "g3": 1.02, "g4": 0.249, "g5": -0.0282,
}  # fmt: skip


def test_the_list():
    expected = {
        "iiwa",
        "panda",
        "planar2",
        "planar3",
        "puma560",
        "rx90",
        "scara",
        "scara-flipped",
        "stanford",
        "ur10",
        "ur5",
    }
    assert expected <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_loads_and_comes_back(name):
    robot = load(name)
    assert robot.name == name
    assert load(json.loads(json.dumps(robot.document))) == robot
    assert not robot.snapped


@pytest.mark.parametrize("entry", bundled(), ids=NAMES)
def test_each_says_what_it_is_and_whence(entry):
    assert 10 < len(entry.description) < 90
    assert entry.sources
    robot = load(entry.name)
    used = {symbol.source for symbol in robot.symbols.values() if symbol.source}
    assert used <= entry.sources.keys()
    for symbol in robot.symbols.values():
        assert symbol.unit and symbol.what, symbol
        if symbol.value is not None and symbol.name != "g":
            assert symbol.source, symbol


def puma_constants(**changes):
    robot = load("puma560")
    values = {name: symbol.value or Fraction(0) for name, symbol in robot.symbols.items()}
    values |= {name: Fraction(value) for name, value in changes.items()}
    return {name: float(constant.evaluate(values, Fraction)) for name, constant in robot.constants.items()}


def test_puma_constants_agree_with_the_paper():
    found = puma_constants()
    assert found.keys() == PRINTED.keys()
    assert found["I1"] == pytest.approx(1.553261063, rel=1e-9)
    assert found["I3"] == pytest.approx(1.601861202, rel=1e-9)
    for name in PRINTED.keys() - {"I1", "I3"}:
        assert found[name] == pytest.approx(PRINTED[name], rel=0.011), name


def test_puma_constants_under_the_other_reading():
    """All 28 agree if link 1's 0.35 is read as Ixx2 and Izz1 as 0: a hypothesis."""
    found = puma_constants(Ixx2="0.35", Izz1=0)
    for name, value in PRINTED.items():
        assert found[name] == pytest.approx(value, rel=0.011), name


def test_puma_structure():
    robot = load("puma560")
    letters = {name for name in robot.symbols if name[0] in "mrIhL"}
    assert letters == {
        "m1", "ry1", "Izz1", "m2", "rx2", "ry2", "rz2", "Ixx2", "Iyy2", "Izz2",
        "m3", "ry3", "rz3", "Ixx3", "Iyy3", "Izz3",
        "m4", "rz4", "Ixx4", "Iyy4", "Izz4", "m5", "Ixx5", "Iyy5", "Izz5", "m6", "rz6", "Ixx6", "Izz6",
        "Im1", "Im2", "Im3", "Im4", "Im5", "Im6",
    }  # fmt: skip
    assert robot.symbols["m2"].tolerance == Fraction("0.184") and robot.symbols["m4"].tolerance == Fraction("0.205")
    assert [joint.limits.effort for joint in robot.joints] == [97.6, 186.4, 89.4, 24.2, 20.1, 21.3]
    assert [str(joint.friction.coulomb) for joint in robot.joints] == ["63/10", "11/2", "13/5", "13/10", "1", "6/5"]


def test_scara_twins():
    up, down = load("scara"), load("scara-flipped")
    assert up.symbols.keys() == down.symbols.keys()
    assert {"a1", "a2", "m1", "m2", "m3", "m4", "R", "r", "g"} <= up.symbols.keys()
    assert up.joints[2].placement.rotation.factors == ()
    assert down.joints[2].placement.rotation.factors == (("x", Angle(2)),)
    assert str(up.links[3].inertia.second_moments[5]) == "m4*(R**2 + r**2)/2"
    assert str(up.links[0].inertia.center_of_mass[0]) == "-a1/2"


@pytest.mark.parametrize(
    ("name", "joints"), [("stanford", 6), ("panda", 7), ("iiwa", 7), ("ur5", 6), ("ur10", 6), ("rx90", 6)]
)
def test_arms_without_published_inertias_carry_letters(name, joints):
    robot = load(name)
    assert len(robot.moving) == joints
    assert all(link.inertia.about == "origin" and link.inertia.first_moments for link in robot.links)

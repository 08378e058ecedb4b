"""The robot file: letters, unknowns, shapes, drives, trees, and what a document gives back."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

from emdeg.errors import InputError, UnsupportedError
from emdeg.formats import load, schema
from emdeg.quantity import Angle, Expression
from emdeg.robot import BASE


def document(convention="modified-dh", joints=(), **more):
    return {
        "schema": 1,
        "name": "arm",
        "convention": convention,
        "gravity": [0, 0, "-g"],
        "joint": list(joints),
        **more,
    }


def dh(alpha=0, a=0, d=0, **more):
    return {"alpha": alpha, "a": a, "d": d, **more}


# Letters


def symbol(robot, name):
    entry = robot.symbols[name]
    return entry.value, entry.tolerance, entry.unit


def test_numbers_become_letters_zeros_are_structural():
    link = {
        "mass": "17.40 ± 0.18 kg", "center_of_mass": ["68 ± 3 mm", 0, "0 ± 3 mm"],
        "inertia": {"xx": 0.13, "yy": "Ixx1", "zz": "?", "xz": "0.001"}, "source": "akb",
    }  # fmt: skip
    robot = load(document(joints=[dh(link=link)], coverage=2, sources={"akb": "a paper"}))
    inertia = robot.links[0].inertia
    letter, zero = Expression.letter, Expression.number(0)
    assert inertia.mass == letter("m1")
    assert inertia.center_of_mass == (letter("rx1"), zero, letter("rz1"))
    assert inertia.second_moments == (letter("Ixx1"), zero, letter("Ixz1"), letter("Ixx1"), zero, letter("Izz1"))
    assert symbol(robot, "m1") == (Fraction("17.4"), Fraction("0.09"), "kg")
    assert symbol(robot, "rx1") == (Fraction("0.068"), Fraction("0.0015"), "m")
    assert symbol(robot, "rz1") == (0, Fraction("0.0015"), "m")
    assert symbol(robot, "Ixx1") == (Fraction("0.13"), None, "kg m²")
    assert symbol(robot, "Izz1") == (None, None, "kg m²")
    assert robot.symbols["m1"].source == "akb" and robot.symbols["m1"].what == "mass of link 1"


def test_all_unknown_is_linear():
    inertia = load(document(joints=[dh(), dh(link={"name": "x"})])).links[1].inertia
    assert str(inertia.mass) == "m2" and inertia.about == "origin"
    assert [str(h) for h in inertia.first_moments] == ["hx2", "hy2", "hz2"]
    assert [str(moment) for moment in inertia.second_moments] == ["Lxx2", "Lxy2", "Lxz2", "Lyy2", "Lyz2", "Lzz2"]


def test_partly_unknown():
    inertia = load(document(joints=[dh(link={"mass": 3})])).links[0].inertia
    assert [str(r) for r in inertia.center_of_mass] == ["rx1", "ry1", "rz1"]
    assert [str(moment) for moment in inertia.second_moments] == ["Ixx1", "Ixy1", "Ixz1", "Iyy1", "Iyz1", "Izz1"]
    about = load(document(joints=[dh(link={"inertia": {"xx": 1, "yy": 1, "zz": "?"}, "inertia_about": "origin"})]))
    assert [str(moment) for moment in about.links[0].inertia.second_moments] == ["Lxx1", "0", "0", "Lyy1", "0", "Lzz1"]
    moments = load(document(joints=[dh(link={"mass": "?", "first_moments": [1, "?", 0]})])).links[0].inertia
    assert [str(h) for h in moments.first_moments] == ["hx1", "hy1", "0"] and moments.about == "origin"


def test_massless_link_needs_no_more():
    inertia = load(document(joints=[dh(link={"mass": 0})])).links[0].inertia
    assert inertia.mass.is_zero and all(entry.is_zero for entry in inertia.center_of_mass + inertia.second_moments)


def test_letters_count_moving_joints():
    joints = [dh(), dh(name="plate", type="fixed"), dh(drive={"inertia_at_joint": "?"})]
    robot = load(document(joints=joints, payload=[{"link": "plate", "name": "cup-1", "mass": 2}]))
    assert {"m1", "m_plate", "m2", "Im2", "m_cup_1", "Ixx_cup_1"} <= robot.symbols.keys()
    assert robot.moving == (0, 2)
    assert robot.payloads[0][0] == 1 and robot.payloads[0][1].name == "cup-1"


def test_free_and_declared_letters():
    robot = load(
        document(joints=[dh(a="l/2", d="h", link={"mass": "M"})], symbols={"g": 9.81, "M": {"what": "the mass"}})
    )
    assert symbol(robot, "g") == (Fraction("9.81"), None, "m/s²")
    assert robot.symbols["M"].what == "the mass" and robot.symbols["M"].unit == "kg"
    assert symbol(robot, "h") == (None, None, "m")
    assert symbol(robot, "l") == (None, None, "")


def test_constants_may_build_on_each_other():
    robot = load(
        document(
            joints=[dh(link={"mass": 1, "center_of_mass": ["?", 0, 0]})], constants={"I1": "m1*rx1**2", "I2": "2*I1"}
        )
    )
    assert str(robot.constants["I2"]) == "2*m1*rx1**2"


# Shapes, drives, limits, friction, couplings


def principal(shape):
    inertia = load(document(joints=[dh(link={"mass": 12, "shape": shape})])).links[0].inertia
    return [float(entry.evaluate({"m1": 12.0}, float)) for entry in inertia.second_moments], inertia


@pytest.mark.parametrize(
    ("shape", "diagonal"),
    [
        ({"type": "rod", "length": 2}, (0, 4, 4)),
        ({"type": "cylinder", "radius": 2, "length": 1}, (13, 13, 24)),
        ({"type": "hollow_cylinder", "outer_radius": 2, "inner_radius": 1, "length": 2}, (19, 19, 30)),
        ({"type": "shell", "radius": 1, "length": 2}, (10, 10, 12)),
        ({"type": "box", "x": 1, "y": 2, "z": 3}, (13, 10, 5)),
        ({"type": "sphere", "radius": 5}, (120, 120, 120)),
    ],
)
def test_shapes(shape, diagonal):
    moments, inertia = principal(shape)
    assert moments == [diagonal[0], 0, 0, diagonal[1], 0, diagonal[2]]
    assert all(entry.is_zero for entry in inertia.center_of_mass)


def test_placed_shape():
    moments, inertia = principal({"type": "box", "x": 1, "y": 2, "z": 3, "xyz": [1, 0, 0], "rpy": [0.3, -0.2, 0.9]})
    turn = np.array([[math.cos(0.9), -math.sin(0.9), 0], [math.sin(0.9), math.cos(0.9), 0], [0, 0, 1]]) @ np.array(
        [[math.cos(0.2), 0, -math.sin(0.2)], [0, 1, 0], [math.sin(0.2), 0, math.cos(0.2)]]
    )
    turn = turn @ np.array([[1, 0, 0], [0, math.cos(0.3), -math.sin(0.3)], [0, math.sin(0.3), math.cos(0.3)]])
    expected = turn @ np.diag([13, 10, 5]) @ turn.T
    np.testing.assert_allclose(moments, [expected[i, j] for i in range(3) for j in range(i, 3)], atol=1e-12)
    assert inertia.center_of_mass[0] == Expression.number(1)


def drive(table, **more):
    return load(document("standard-dh", [dh("90 deg", 0, 0), dh(drive=table, name="elbow", **more)]))


def test_drives():
    robot = drive({"inertia_at_joint": "4.71 ± 0.54"})
    assert str(robot.joints[1].drive.reflected) == "Im2"
    assert symbol(robot, "Im2") == (Fraction("4.71"), Fraction("0.54"), "kg m²")
    robot = drive(
        {"rotor_inertia": "2e-4 ± 1e-5 kg m²", "gear_ratio": -100, "axis": [0, 0, -2], "mounted_on": "joint1"}
    )
    found = robot.joints[1].drive
    assert symbol(robot, "Im2") == (2, Fraction("0.1"), "kg m²")
    assert str(found.rotor_inertia) == "Im2/10000" and found.gear_ratio == Expression.number(-100)
    assert found.mounted_on == 0
    assert [str(entry) for entry in found.axis] == ["0", "1", "0"]
    robot = drive({"rotor_inertia": "J", "gear_ratio": "n"})
    assert str(robot.joints[1].drive.reflected) == "J*n**2"
    assert drive({"rotor_inertia": "?", "gear_ratio": 50}).symbols["Im2"].value is None
    assert drive({"inertia_at_joint": 0}).joints[1].drive.reflected.is_zero
    assert drive({"inertia_at_joint": "2 kg"}, type="prismatic").symbols["Im2"].unit == "kg"


def test_limits_friction_and_coupling():
    joint = dh(
        limits={"position": ["-225 deg", "pi/4"], "velocity": "90 deg/s", "effort": 186.4},
        friction={"viscous": "f1", "coulomb": "5.5 ± 0.1 N m"},
        mimic={"joint": "joint1", "ratio": -1, "offset": "1 deg"},
    )  # fmt: skip
    robot = load(document(joints=[dh(), joint]))
    limits = robot.joints[1].limits
    assert limits.position == pytest.approx((-1.25 * math.pi, math.pi / 4))
    assert limits.velocity == pytest.approx(math.pi / 2) and limits.acceleration is None and limits.effort == 186.4
    assert str(robot.joints[1].friction.viscous) == "f1" and str(robot.joints[1].friction.coulomb) == "fc2"
    assert symbol(robot, "fc2") == (Fraction("5.5"), Fraction("0.1"), "N m") and symbol(robot, "f1")[2] == "N m s"
    assert robot.joints[1].mimic.joint == "joint1" and robot.joints[1].mimic.ratio == -1


# The document


def test_tree_is_sorted_parents_first():
    joints = [{"name": "b", "parent": "a"}, {"name": "a", "parent": "base"}, {"name": "c", "parent": "a"}]
    robot = load(document("frames", joints))
    assert [joint.name for joint in robot.joints] == ["a", "b", "c"]
    assert [joint.parent for joint in robot.joints] == [BASE, 0, 0]


def test_snapping_is_recorded_and_can_be_ruled():
    table = document(joints=[dh(1.5708, 0, 0), dh("-3.14159 rad", theta=1.57)])
    robot = load(table)
    assert robot.snapped == (
        "joint 1, alpha: 1.5708 rad is taken as 90°",
        "joint 2, alpha: -3.14159 rad is taken as -180°",
    )
    assert not robot.joints[1].offset.is_right
    assert load(table, snap=0).snapped == ()
    assert load(table, snap=0.01).joints[1].offset == Angle(1)
    assert len(load(table, snap="1e-2").snapped) == 3
    with pytest.raises(InputError, match="snapping tolerance"):
        load(table, snap=-1)


def test_files(tmp_path):
    path = tmp_path / "arm.toml"
    text = (
        '\ufeffschema = 1\nname = "arm"\nconvention = "screws"\ngravity = [0, 0, -9.81]\n'
        '[[joint]]\nw = [0, 0, 1]\nv = [0, "-l", 0]\n'
    )
    path.write_text(text, encoding="utf-8")
    robot = load(path)
    assert load(str(path)) == robot and load(robot) is robot
    assert [str(entry) for entry in robot.joints[0].placement.translation] == ["l", "0", "0"]
    with pytest.raises(UnsupportedError, match="later version"):
        load("arm.urdf")


def test_tool_and_base_link():
    robot = load(
        document(
            "standard-dh", [dh("90 deg", 1, 0)], tool={"xyz": [0, 0, 2]}, base={"xyz": [0, 0, 1], "link": {"mass": 5}}
        )
    )
    assert [str(entry) for entry in robot.tool.translation] == ["1", "-2", "0"]
    assert [str(entry) for entry in robot.base.translation] == ["0", "0", "1"]


def test_schema_names_every_convention():
    text = json.dumps(schema())
    assert all(name in text for name in ("modified-dh", "standard-dh", "khalil", "frames", "screws"))
    references = {entry for entry in text.split('"') if entry.startswith("#/$defs/")}
    assert {entry.removeprefix("#/$defs/") for entry in references} == schema()["$defs"].keys()

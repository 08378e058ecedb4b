"""Nothing is lost: twists, lengths, gravity and offsets that are symbols, odd angles, or both ways round."""

import copy
import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

import emdeg
from agreement import assert_agreement
from case import DOWN, POINT, base_counts, derived, document, same
from emdeg.mechanics.rotation import matrix
from emdeg.model.proof import prove
from emdeg.quantity import Angle
from independent import bundled_document, rotation
from joint_angles import JointAngles
from robots_at_random import RandomRobot, letter_values, link, robots, with_full_inertias

# Exactness


def _rotations(robot):
    tree = emdeg.derive(robot).tree
    for segment in tree.segments:
        if segment.turn is not None:
            yield segment.turn
        for _, body in segment.bodies:
            yield body.frame.rotation


@settings(max_examples=60)
@given(robots(joints=(1, 4), right=1))
def test_fixed_turns_are_exactly_orthogonal(robot):
    """For any angle of the file: rational tangents of half angles, letters as points of the unit circle."""
    source = Random(1)
    letters = {}
    for name in robot.values | {"theta": 0}:
        angle = Angle(0, Fraction(source.randrange(1, 9), 10))
        letters[f"cos({name})"], letters[f"sin({name})"] = angle.cosine_and_sine({}, Fraction)
    for turn in _rotations(emdeg.load(robot.document)):
        rows = matrix(turn, letters, Fraction)
        for i in range(3):
            for j in range(3):
                assert sum(rows[i][k] * rows[j][k] for k in range(3)) == (1 if i == j else 0)
        (a, b, c), (d, e, f), (g, h, i) = rows
        assert a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) == 1


@settings(max_examples=60)
@given(robots(joints=(1, 4)))
def test_the_angles_of_a_model_are_independent(robot):
    """Else equal elements could have different normal forms: no angle without, no two with the same coordinates."""
    model = emdeg.derive(emdeg.load(robot.document))
    coordinates = [angle.coordinates for angle in model.tree.angles]
    assert all(coordinates)
    table = np.zeros((len(coordinates), len(model.tree)))
    for row, terms in zip(table, coordinates, strict=True):
        for k, sign in terms:
            row[k] = sign
    assert np.linalg.matrix_rank(table) == len(coordinates)


@pytest.mark.parametrize("theta", [0.3, "20 deg", "theta2"])
def test_a_slide_with_a_constant_angle_within_a_parallel_group(theta):
    """The first moments of both links merge, though the axes of the second are turned."""
    rows = [{}, {"type": "prismatic", "a": 0.2, "theta": theta}, {"a": "a3"}]
    model = derived(*rows, gravity=[0, "-g", 0])
    assert len(model.tree.angles) == 2 and all(segment.turn is None for segment in model.tree.segments[1:])
    assert base_counts(derived(*rows[:2], gravity=[0, "-g", 0])).structural == 4
    assert base_counts(model).structural == 7
    prove(model)
    full = with_full_inertias(document(*rows), 8)
    assert_agreement(RandomRobot(full, letter_values(full, 8), 8))


def test_symbolic_twist_of_the_scara_robot():
    """alpha2 = 0 is the robot with the tool axis up, 180° the flipped one, and all between agree with the oracle."""
    symbolic = bundled_document("scara")
    symbolic["joint"][1]["alpha"] = "alpha2"
    model = emdeg.derive(emdeg.load(symbolic))
    prove(model)
    values = letter_values(bundled_document("scara"), 2)
    state = (np.array([0.3, -0.7, 0.2, 1.1]), np.ones(4), np.array([1.0, -2, 0.5, 3]))
    for alpha, name in ((0.0, "scara"), (math.pi, "scara-flipped")):
        known = emdeg.derive(name).evaluate(*state, values=values)
        same(model.evaluate(*state, values=values | {"alpha2": alpha}), known, 1e-14)
    for alpha in (0.3, 1.234, -2.5):
        numeric = copy.deepcopy(symbolic)
        numeric["joint"][1]["alpha"] = alpha
        known = emdeg.derive(emdeg.load(numeric)).evaluate(*state, values=values)
        same(model.evaluate(*state, values=values | {"alpha2": alpha}), known, 1e-13)
        assert_agreement(RandomRobot(symbolic, values | {"alpha2": alpha}, 2), ["pinocchio"])


def test_symbolic_gravity_is_a_tilted_base():
    """g with the letters [gx, gy, gz] at the values of a turned vertical, against the base turned the other way."""
    upright = with_full_inertias(bundled_document("puma560"), 5)
    values = letter_values(upright, 5)
    free = {**upright, "gravity": ["gx", "gy", "gz"]}
    tilt = rotation("z", 0.4) @ rotation("y", -0.7) @ rotation("x", 0.9)
    gx, gy, gz = tilt[:3, :3].T @ np.array(DOWN)
    tilted = {**upright, "base": {"rpy": [0.9, -0.7, 0.4]}}
    state = (np.linspace(-1, 2, 6), np.ones(6), np.ones(6))
    model = emdeg.derive(emdeg.load(free))
    assert {"gx", "gy", "gz"} <= set(model.ring.free)
    one = model.evaluate(*state, values=values | {"gx": float(gx), "gy": float(gy), "gz": float(gz)})
    same(one, emdeg.derive(emdeg.load(tilted)).evaluate(*state, values=values))


def test_symbolic_lengths_are_the_numbers_put_in():
    """Exactly: the symbolic model with numbers put in is the model of the numbers."""
    symbolic = with_full_inertias(bundled_document("stanford"), 6)
    model = emdeg.derive(emdeg.load(symbolic)).substitute({"d1": "0.412", "d2": "0.154", "d6": "0.263", "g": "9.81"})
    numeric = copy.deepcopy(symbolic)
    numeric |= {"gravity": DOWN, "symbols": {}}
    for row, d in zip(numeric["joint"], (0.412, 0.154, 0, 0, 0, 0.263), strict=True):
        row["d"] = d
    other = emdeg.derive(emdeg.load(numeric))
    assert model.inertial == other.inertial
    assert model.symbols_of_christoffel == other.symbols_of_christoffel


def test_antiparallel_axes():
    """An elbow that turns the other way round: A and g of the same arm at -q2."""
    planar = bundled_document("planar3")
    values = letter_values(planar, 7)
    flipped = copy.deepcopy(planar)
    flipped["joint"][1]["alpha"] = "180 deg"
    one, other = emdeg.derive(emdeg.load(planar)), emdeg.derive(emdeg.load(flipped))
    assert len(other.tree.angles) == 3 and all(segment.turn is None for segment in other.tree.segments)
    sign = np.diag([1.0, -1, -1])
    q, qd, qdd = np.array([0.3, 0.8, -1.2]), np.array([1.0, -0.5, 2]), np.array([0.2, 0.4, -1])
    mine = other.evaluate(q, qd, qdd, values=values)
    theirs = one.evaluate(sign @ q, sign @ qd, sign @ qdd, values=values)
    np.testing.assert_allclose(mine.mass_matrix, sign @ theirs.mass_matrix @ sign, rtol=0, atol=1e-14)
    np.testing.assert_allclose(mine.torque, sign @ theirs.torque, rtol=1e-13)


@pytest.mark.parametrize("yaw", ["90 deg", 0.7, "yaw2", "yaw2 + 0.3", "pi/2 - yaw2"])
def test_frames_turned_about_the_axis_within_a_parallel_group(yaw):
    source = np.random.default_rng(9)
    rows = [
        {"xyz": [0, 0, 0.2], "link": link(source)},
        {"xyz": [0.4, 0.1, 0], "rpy": ["180 deg", 0, yaw], "axis": [0, 0, -1], "link": link(source)},
        {"type": "prismatic", "xyz": [0.3, 0, 0.1], "rpy": [0, 0, yaw], "link": link(source)},
        {"xyz": [0.2, -0.1, 0], "rpy": [0, "180 deg", 0.2], "link": link(source)},
    ]
    given = document(*rows, convention="frames", gravity=[3, -8, -4])
    model = emdeg.derive(emdeg.load(given))
    assert len(model.tree.angles) == 3 and all(segment.turn is None for segment in model.tree.segments[1:])
    prove(model)
    values = letter_values(given, 9)
    assert_agreement(RandomRobot(given, values, 9))
    exact = JointAngles(model)
    assert {pair: exact.of(form) for pair, form in model.inertial.mass.items()} == exact.mass_matrix()


TILTED = ([0.48, 0.6, 0.64], [0, 0.6, 0.8], [0.6, -0.8, 0], [1, 2, -3.3], [0, -1, 0])


@pytest.mark.parametrize("direction", TILTED, ids=str)
@pytest.mark.parametrize("convention", ["screws", "frames"])
def test_parallel_and_opposite_axes_in_any_direction_are_one_group(convention, direction):
    """Though the file's axis has to be turned to z by angles that are no right ones."""
    w = np.array(direction) / np.linalg.norm(direction)
    source = np.random.default_rng(2)
    rows = []
    for k, sign in enumerate((1, -1, -1)):
        axis, place = (sign * w).tolist(), [0.3 * k, 0.1, -0.2 * k]
        screw = {"w": axis, "v": np.cross(place, axis).tolist()}
        placed = {"axis": axis, "xyz": place} if convention == "frames" else screw
        rows.append({**placed, "link": link(source)})
    model = derived(*rows, convention=convention)
    assert [angle.name for angle in model.tree.angles] == ["q1", "q1 - q2", "q1 - q2 - q3"]
    assert base_counts(model).structural == 9
    assert_agreement(RandomRobot(document(*rows, convention=convention), {}, 2))


def test_decimals_of_the_file_are_exact():
    """0.1 + 0.2 is 0.3 in a file: a joint whose offsets cancel has nothing left of them."""
    rows = [{}, {"a": 0.1}, {"a": 0.2}, {"a": -0.3, "link": {"mass": 1, "center_of_mass": [0, 0, 0], "inertia": POINT}}]
    for row in rows[1:3]:
        row["type"] = "fixed"
        row["link"] = {"mass": 0}
    rows[0]["link"] = {"mass": 0}
    model = derived(*rows, gravity=[0, -9.81, 0])
    assert not model.mass_matrix[0, 0] and not model.gravity[0]

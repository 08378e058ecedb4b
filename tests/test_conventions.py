"""The conventions of the frames against their own formulas, in floats, on random robots."""

import json
import math
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from emdeg.formats import load
from emdeg.robot import BASE

DIGITS = st.floats(-2, 2).map(lambda x: round(x, 3))
ANGLES = st.one_of(DIGITS, st.sampled_from([0.0, 1.5708, -1.5708, 3.1416]))


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


# Direct kinematics in floats, written from the conventions' own formulas.


def rotation(axis, angle):
    c, s = math.cos(angle), math.sin(angle)
    matrix = np.eye(4)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def translation(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def about(axis, angle):
    """Rodrigues' formula."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] += math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
    return matrix


def exact(angle):
    """The angle that the file means by a printed one: right angles are right."""
    quarters = round(angle / (math.pi / 2))
    return quarters * math.pi / 2 if quarters and round(quarters * math.pi / 2, 4) == angle else angle


def placed(placement, values):
    letters = dict(values)
    for name, value in values.items():
        letters[f"cos({name})"], letters[f"sin({name})"] = math.cos(value), math.sin(value)
    matrix = translation(*(entry.evaluate(letters, float) for entry in placement.translation))
    for axis, angle in placement.rotation.factors:
        matrix = matrix @ rotation(axis, angle.radians(values))
    return matrix


def link_frames(robot, q, values=None):
    """The file's link frames in the base frame, from the Robot."""
    values = values or {}
    frames, coordinates = [], iter(q)
    for joint in robot.joints:
        parent = placed(robot.base, values) if joint.parent == BASE else frames[joint.parent]
        frame = parent @ placed(joint.placement, values)
        if joint.type == "revolute":
            frame = frame @ rotation("z", joint.offset.radians(values) + next(coordinates))
        elif joint.type == "prismatic":
            frame = frame @ translation(0, 0, next(coordinates))
        frames.append(frame)
    return [frame @ placed(link.frame, values) for frame, link in zip(frames, robot.links, strict=True)]


TYPES = st.sampled_from(["revolute", "revolute", "prismatic"])
DH_ROWS = st.lists(st.tuples(ANGLES, DIGITS, DIGITS, ANGLES, TYPES, DIGITS), min_size=1, max_size=4)


def dh_joints(rows):
    return [dh(alpha, a, d, theta=theta, type=kind) for alpha, a, d, theta, kind, _ in rows]


@given(DH_ROWS)
@settings(max_examples=60)
def test_modified_dh(rows):
    robot = load(document(joints=dh_joints(rows)))
    frame = np.eye(4)
    for (alpha, a, d, theta, kind, q), found in zip(rows, link_frames(robot, [row[5] for row in rows]), strict=True):
        turn, slide = (q, 0) if kind == "revolute" else (0, q)
        frame = frame @ rotation("x", exact(alpha)) @ translation(a, 0, 0)
        frame = frame @ rotation("z", exact(theta) + turn) @ translation(0, 0, d + slide)
        np.testing.assert_allclose(found, frame, atol=1e-13)


@given(DH_ROWS)
@settings(max_examples=60)
def test_standard_dh(rows):
    robot = load(document("standard-dh", dh_joints(rows)))
    frame = np.eye(4)
    for (alpha, a, d, theta, kind, q), found in zip(rows, link_frames(robot, [row[5] for row in rows]), strict=True):
        turn, slide = (q, 0) if kind == "revolute" else (0, q)
        frame = frame @ rotation("z", exact(theta) + turn) @ translation(0, 0, d + slide)
        frame = frame @ translation(a, 0, 0) @ rotation("x", exact(alpha))
        np.testing.assert_allclose(found, frame, atol=1e-13)


@given(DH_ROWS, ANGLES, DIGITS)
@settings(max_examples=40)
def test_khalil_tree(rows, gamma, b):
    joints = [joint | {"name": f"j{k}", "gamma": gamma, "b": b} for k, joint in enumerate(dh_joints(rows))]
    for joint in joints[2:]:
        joint["parent"] = "j0"
    robot = load(document("khalil", joints))
    frames = []
    for k, (alpha, a, d, theta, kind, q) in enumerate(rows):
        turn, slide = (q, 0) if kind == "revolute" else (0, q)
        frame = (frames[0] if k else np.eye(4)) @ rotation("z", exact(gamma)) @ translation(0, 0, b)
        frame = frame @ rotation("x", exact(alpha)) @ translation(a, 0, 0)
        frames.append(frame @ rotation("z", exact(theta) + turn) @ translation(0, 0, d + slide))
    for found, frame in zip(link_frames(robot, [row[5] for row in rows]), frames, strict=True):
        np.testing.assert_allclose(found, frame, atol=1e-13)


AXES = st.one_of(
    st.sampled_from([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (0, 0.6, 0.8)]),
    st.tuples(DIGITS, DIGITS, DIGITS).filter(lambda v: np.linalg.norm(v) > 0.01),
)
FRAMES = st.lists(
    st.tuples(st.tuples(DIGITS, DIGITS, DIGITS), st.tuples(ANGLES, ANGLES, ANGLES), AXES, TYPES, DIGITS),
    min_size=1, max_size=4,
)  # fmt: skip


def pose(xyz, rpy):
    roll, pitch, yaw = (exact(angle) for angle in rpy)
    return translation(*xyz) @ rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)


@given(FRAMES)
@settings(max_examples=60)
def test_frames_as_urdf(rows):
    joints = [
        {"xyz": list(xyz), "rpy": list(rpy), "axis": list(axis), "type": kind} for xyz, rpy, axis, kind, _ in rows
    ]
    robot = load(document("frames", joints))
    frame = np.eye(4)
    for (xyz, rpy, axis, kind, q), found in zip(rows, link_frames(robot, [row[4] for row in rows]), strict=True):
        unit = np.array(axis) / np.linalg.norm(axis)
        frame = frame @ pose(xyz, rpy) @ (about(axis, q) if kind == "revolute" else translation(*(q * unit)))
        np.testing.assert_allclose(found, frame, atol=1e-13)


@given(st.lists(st.tuples(AXES, st.tuples(DIGITS, DIGITS, DIGITS), TYPES, DIGITS), min_size=1, max_size=4), FRAMES)
@settings(max_examples=60)
def test_screws_by_product_of_exponentials(rows, poses):
    joints, motion, homes = [], np.eye(4), []
    for k, (axis, point, kind, _) in enumerate(rows):
        unit = [Fraction(float(x)).limit_denominator(10**12) for x in np.array(axis) / np.linalg.norm(axis)]
        xyz, rpy = poses[k % len(poses)][:2]
        homes.append((xyz, rpy))
        if kind == "revolute":
            p = [Fraction(str(x)) for x in point]
            v = [unit[2] * p[1] - unit[1] * p[2], unit[0] * p[2] - unit[2] * p[0], unit[1] * p[0] - unit[0] * p[1]]
            joints.append({"w": unit, "v": v, "type": kind, "xyz": list(xyz), "rpy": list(rpy)})
        else:
            joints.append({"v": unit, "type": kind, "xyz": list(xyz), "rpy": list(rpy)})
    robot = load(document("screws", joints, home={"xyz": [0.1, 0.2, 0.3], "rpy": [0, "90 deg", 0.5]}))
    found = link_frames(robot, [row[3] for row in rows])
    for (axis, point, kind, q), (xyz, rpy), frame in zip(rows, homes, found, strict=True):
        unit = np.array(axis) / np.linalg.norm(axis)
        step = translation(*point) @ about(axis, q) @ translation(*(-np.array(point)))
        motion = motion @ (step if kind == "revolute" else translation(*(q * unit)))
        np.testing.assert_allclose(frame, motion @ pose(xyz, rpy), atol=1e-11)
    last = found[-1] @ np.linalg.inv(placed(robot.links[-1].frame, {}))
    np.testing.assert_allclose(
        last @ placed(robot.tool, {}), motion @ pose((0.1, 0.2, 0.3), (0, math.pi / 2, 0.5)), atol=1e-11
    )


def test_symbolic_twist():
    joints = [dh("alpha1", "a1", "d1", theta="2*t1 - pi/2"), dh("alpha1 + pi/2", 0, "d2")]
    robot = load(document("standard-dh", joints, symbols={"alpha1": "30 deg"}))
    values = {"alpha1": 0.3, "t1": 0.2, "a1": 0.5, "d1": 0.7, "d2": -0.4}
    expected = rotation("z", 0.4 - math.pi / 2 + 0.9) @ translation(0.5, 0, 0.7) @ rotation("x", 0.3)
    expected2 = expected @ rotation("z", 0.1) @ translation(0, 0, -0.4) @ rotation("x", 0.3 + math.pi / 2)
    first, second = link_frames(robot, [0.9, 0.1], values)
    np.testing.assert_allclose(first, expected, atol=1e-14)
    np.testing.assert_allclose(second, expected2, atol=1e-14)
    assert robot.symbols["alpha1"].degrees == 30 and robot.symbols["alpha1"].unit == "rad"
    assert robot.symbols["t1"].unit == "rad" and robot.symbols["t1"].value is None
    modified = load(document(joints=joints))
    assert modified.joints[1].placement.translation[1].letters == {"d2", "sin(alpha1)", "cos(alpha1)"} - {"sin(alpha1)"}


def test_axes_and_right_angles_are_exact():
    robot = load(document("frames", [{"rpy": [1.5708, 0, -3.14159], "axis": [0, 0, -1]}, {"axis": [0, 0.6, 0.8]}]))
    assert all(angle.is_right for _, angle in robot.joints[0].placement.rotation.factors)
    (_, tilt) = robot.joints[1].placement.rotation.factors[-1]
    assert tilt.cosine_and_sine({}, Fraction)[0] == Fraction(4, 5)


@given(FRAMES)
@settings(max_examples=30)
def test_document_is_json_and_gives_the_same_robot(rows):
    joints = [
        {"xyz": list(xyz), "rpy": list(rpy), "axis": list(axis), "type": kind} for xyz, rpy, axis, kind, _ in rows
    ]
    robot = load(document("frames", joints, payload=[{"link": "joint1", "mass": 0.1}], coverage=1.5))
    assert load(json.loads(json.dumps(robot.document))) == robot

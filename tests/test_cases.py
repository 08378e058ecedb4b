"""Cases from public reports, by their numbers in the collection of the project."""

import copy
import math
from fractions import Fraction

import numpy as np
import pytest

import emdeg
from agreement import assert_agreement
from case import CONVENTIONS, DOWN, POINT, base_counts, derived, document, same
from emdeg.model.proof import prove
from independent import Arm, bundled_document, inverse, rotation, translation
from robots_at_random import RandomRobot, letter_values, link, physical, with_full_inertias

# One arm in all conventions


def angles(frame):
    """Roll, pitch and yaw; right ones exactly."""
    turn = frame[:3, :3]
    found = (
        math.atan2(turn[2, 1], turn[2, 2]), math.atan2(-turn[2, 0], math.hypot(turn[0, 0], turn[1, 0])),
        math.atan2(turn[1, 0], turn[0, 0]),
    )  # fmt: skip
    quarters = [round(x / (math.pi / 2)) for x in found]
    return [f"{90 * k} deg" if abs(x - k * math.pi / 2) < 1e-12 else x for x, k in zip(found, quarters, strict=True)]


def frame_table(frame):
    return {"xyz": frame[:3, 3].tolist(), "rpy": angles(frame)}


def in_frame(table, frame):
    """A link's table, its inertia about the centre, seen from another frame that stands at `frame` in its own."""
    turn = frame[:3, :3]
    center = turn.T @ (np.array(table["center_of_mass"]) - frame[:3, 3])
    keys = ("xx", "xy", "xz", "yy", "yz", "zz")
    full = np.zeros((3, 3))
    for key in keys:
        i, j = ("xyz".index(letter) for letter in key)
        full[i, j] = full[j, i] = table["inertia"][key]
    moved = turn.T @ full @ turn
    moments = {key: float(moved["xyz".index(key[0]), "xyz".index(key[1])]) for key in keys}
    return {"mass": table["mass"], "center_of_mass": center.tolist(), "inertia": moments}


def in_convention(modified, convention):
    """A chain in modified DH, numbers only, its first alpha and a zero, told in another convention."""
    arm = Arm(modified)
    rows = modified["joint"]
    homes = arm.frames(np.zeros(len(arm.moving)))
    joints = []
    for k, row in enumerate(rows):
        rest = {"type": row.get("type", "revolute"), "link": row["link"]}
        if convention == "khalil":
            joints.append({**row, "gamma": 0.3, "b": 0.2} if k == 0 else row)
        elif convention == "standard-dh":
            after = rows[k + 1] if k + 1 < len(rows) else {"alpha": 0, "a": 0}
            ahead = translation(x=arm.number(after["a"])) @ rotation("x", arm.angle(after["alpha"]))
            moved = {"a": after["a"], "alpha": after["alpha"], "link": in_frame(row["link"], ahead)}
            joints.append({**row, **moved})
        elif convention == "frames":
            joints.append(frame_table(arm.joints[k].placement) | rest)
        elif convention == "screws":
            axis, point = homes[k][:3, 2], homes[k][:3, 3]
            screw = {"w": axis.tolist(), "v": (-np.cross(axis, point)).tolist()}
            screw = screw if rest["type"] == "revolute" else {"v": axis.tolist()}
            joints.append(screw | frame_table(homes[k]) | rest)
        else:
            joints.append(row)
    told = {**modified, "convention": convention, "joint": joints}
    if convention == "khalil":  # undone by the base
        told["base"] = frame_table(inverse(rotation("z", 0.3) @ translation(z=0.2)))
    return told


def puma_with_slide():
    rows = [("0", 0, 0.1, "R"), ("-90 deg", 0, 0.2435, "R"), (0.4, 0.4318, "-90 mm", "P"), ("90 deg", -0.02, 0.43, "R")]
    source = np.random.default_rng(15)
    kinds = {"R": "revolute", "P": "prismatic"}
    joints = [
        {"type": kinds[kind], "alpha": alpha, "a": a, "d": d, "theta": 0.2, "link": link(source)}
        for alpha, a, d, kind in rows
    ]
    return document(*joints)


def panda():
    full = with_full_inertias(bundled_document("panda"), 2)
    read = Arm(full)
    for row in full["joint"]:
        row |= {key: read.number(row[key]) for key in ("a", "d")}
    return full | {"gravity": DOWN, "tool": {}, "symbols": {}}


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("arm", [puma_with_slide, panda])
def test_cases_2_5_15_one_arm_told_in_every_convention_is_one_arm(arm, convention):
    """Also at unit rates of all joints, where published recursions for modified DH went wrong."""
    modified = arm()
    told = in_convention(modified, convention)
    count = len(modified["joint"])
    state = (np.linspace(-1, 2, count), np.ones(count), np.linspace(1, -2, count))
    one, other = (emdeg.derive(emdeg.load(d)).evaluate(*state) for d in (modified, told))
    same(other, one)


def test_case_15_a_fixed_joint_before_the_first_one():
    modified = puma_with_slide()
    told = in_convention(modified, "frames")
    foot = {"name": "foot", "type": "fixed", "xyz": [0.1, 0, 1.2], "rpy": [0, 0, "90 deg"], "link": {"mass": 44}}
    told["joint"].insert(0, foot)
    state = (np.linspace(-1, 2, 4), np.ones(4), np.ones(4))
    same(emdeg.derive(emdeg.load(told)).evaluate(*state), emdeg.derive(emdeg.load(modified)).evaluate(*state))


# Small robots of the reports


def test_case_4_one_vertical_axis_feels_exactly_no_gravity():
    joint = {"alpha": "90 deg", "a": 0.3, "d": 0.1, "link": {}}
    model = derived(joint, convention="standard-dh")
    assert not model.gravity[0] and str(model.gravity[0]) == "0"
    assert ("g1", "vertical") in model.zeros
    found = model.evaluate([0.7], values={"Lzz1": 1, "m1": 2, "hx1": 0.1, "hy1": 3, "hz1": 1, "Lyy1": 1})
    assert found.gravity[0] == 0.0
    tilted = derived(joint, convention="standard-dh", base={"rpy": ["90 deg", 0, 0]})
    assert tilted.gravity[0] and "g1" not in dict(tilted.zeros)


@pytest.mark.parametrize("d", ["d2", 0])
def test_case_6_two_revolute_joints_with_symbolic_length(d):
    rows = [{"alpha": "-pi/2", "theta": "-pi/2"}, {"alpha": "-pi/2", "d": d}]
    model = derived(*rows, gravity=[0, 0, "-g"])
    assert base_counts(model).structural == len(model.base_parameters) == 10
    assert base_counts(derived(*rows, gravity=[0, 0, 0])).structural == 6
    prove(model)


def test_case_8_a_revolute_and_a_prismatic_joint():
    """The textbook's: tau1 = (I1 + m2 q2²) qdd1 + 2 m2 q2 qd1 qd2 + g m2 q2 c1, tau2 = m2 (qdd2 - q2 qd1² + g s1)."""
    arm = {"link": {"mass": 1, "center_of_mass": [0, 0, 0], "inertia": {"xx": 0, "yy": 0, "zz": 0.7}}}
    slide = {"type": "prismatic", "alpha": "90 deg", "theta": "90 deg"}  # z2 along -y1, so that q1 = 0 points down
    slide["link"] = {"mass": 3, "center_of_mass": [0, 0, 0], "inertia": POINT}
    model = derived(arm, slide, gravity=[0, "-g", 0])
    q, qd, qdd, g = np.array([0.4, 0.9]), np.array([0.3, -0.8]), np.array([1.1, 0.6]), 9.81
    found = model.evaluate(q, qd, qdd, values={"g": g})
    s1, c1 = math.sin(q[0] - math.pi / 2), math.cos(q[0] - math.pi / 2)
    first = (0.7 + 3 * q[1] ** 2) * qdd[0] + 2 * 3 * q[1] * qd[0] * qd[1] + g * 3 * q[1] * c1
    second = 3 * (qdd[1] - q[1] * qd[0] ** 2 + g * s1)
    np.testing.assert_allclose(found.torque, [first, second], rtol=1e-14)
    assert str(model.coriolis[0, 0]) == "2*m2*q2" and str(model.centrifugal[1, 0]) == "-m2*q2"
    assert ("a12", "parameters") in model.zeros


def test_case_9_a_flange_is_a_tool_and_no_length_of_the_last_link():
    """With d7 = 0.107 in the last row the centre of mass has z less by 0.107."""
    right, wrong = panda(), panda()
    last = wrong["joint"][-1]
    last["d"] = 0.107
    state = (np.linspace(-1, 2, 7), np.ones(7), np.ones(7))
    one = emdeg.derive(emdeg.load(right)).evaluate(*state)
    assert abs(emdeg.derive(emdeg.load(wrong)).evaluate(*state).mass_matrix - one.mass_matrix).max() > 1e-3
    last["link"]["center_of_mass"][2] -= 0.107
    same(emdeg.derive(emdeg.load(wrong)).evaluate(*state), one)


@pytest.mark.parametrize("name", ["puma560", "panda"])
def test_case_11_a_payload_of_zero_changes_nothing_to_the_bit(name):
    bare = with_full_inertias(bundled_document(name), 4)
    values = letter_values(bare, 4)
    last = bare["joint"][-1]["name"]
    count = len(bare["joint"])
    state = (np.linspace(-1, 2, count), np.ones(count), np.ones(count))

    def evaluated(**payload):
        given = {**bare, "payload": [{"link": last, "center_of_mass": [0, 0, 0.5], "inertia": POINT, **payload}]}
        return emdeg.derive(emdeg.load(given)).evaluate(*state, values=values)

    before = emdeg.derive(emdeg.load(bare)).evaluate(*state, values=values)
    loaded = evaluated(mass=5)
    assert abs(loaded.gravity - before.gravity).max() > 1
    nothing, after = evaluated(mass=0), emdeg.derive(emdeg.load(bare)).evaluate(*state, values=values)
    for part in ("mass_matrix", "coriolis", "centrifugal", "gravity", "coriolis_matrix", "bias", "torque"):
        assert np.array_equal(getattr(nothing, part), getattr(before, part))
        assert np.array_equal(getattr(after, part), getattr(before, part))
    symbolic = {**bare, "payload": [{"link": last, "mass": "load", "center_of_mass": [0, 0, 0.5], "inertia": POINT}]}
    model = emdeg.derive(emdeg.load(symbolic))
    same(model.evaluate(*state, values=values | {"load": 0}), before, 1e-14)
    same(model.evaluate(*state, values=values | {"load": 5}), loaded, 1e-14)


UR10_LINKS = [  # mass, centre of mass; xx, xy, xz, yy, yz, zz
    (7.1, (0.021, 0, 0.027), (0.0341, 0, -0.0043, 0.0353, 0.0001, 0.0216)),
    (12.7, (0.38, 0, 0.158), (0.0281, 0.0001, -0.0156, 0.7707, 0, 0.7694)),
    (4.27, (0.24, 0, 0.068), (0.0101, 0.0001, 0.0092, 0.3093, 0, 0.3065)),
    (2.0, (0, 0.007, 0.018), (0.0030, 0, 0, 0.0022, -0.0002, 0.0026)),
    (2.0, (0, 0.007, 0.018), (0.0030, 0, 0, 0.0022, -0.0002, 0.0026)),
    (0.365, (0, 0, -0.026), (0, 0, 0, 0.0004, 0, 0.0003)),
]


def ur10(inertias=True):
    given = bundled_document("ur10")
    for row, (mass, center, six) in zip(given["joint"], UR10_LINKS, strict=True):
        moments = dict(zip(("xx", "xy", "xz", "yy", "yz", "zz"), six, strict=True)) if inertias else POINT
        row["link"] = {"mass": mass, "center_of_mass": list(center), "inertia": moments}
    return given


def test_case_12_the_last_link_of_the_ur10_has_an_inertia():
    model = emdeg.derive(emdeg.load(ur10()))
    assert str(model.mass_matrix[5, 5]) == "Izz6"
    found = model.evaluate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).mass_matrix
    assert found[5, 5] == 3e-4
    assert abs(np.linalg.det(found) / 1.89e-6 - 1) < 5e-3
    assert_agreement(RandomRobot(ur10(), {}, 12), ["pinocchio"])


def test_case_12_masses_without_inertias_leave_a_zero_on_the_diagonal_that_has_its_reason():
    model = emdeg.derive(emdeg.load(ur10(inertias=False)))
    assert not model.mass_matrix[5, 5]
    assert ("a66", "parameters") in model.zeros
    found = model.evaluate([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert found.mass_matrix[5, 5] == 0.0 and np.isfinite(found.torque).all()


def fetch():
    """A wheeled base, a torso on a slide, bodies fixed to it before, between and after the joints of the arm."""
    source = np.random.default_rng(14)
    masses = [13.2775, 2.5587, 2.6615, 2.3311, 2.1299, 1.6563]
    bodies = []
    for mass in masses:
        _, center, inertia = physical(source)
        diagonal = {"xx": float(inertia[0, 0]), "yy": float(inertia[1, 1]), "zz": float(inertia[2, 2])}
        bodies.append({"mass": mass, "center_of_mass": center.tolist(), "inertia": diagonal})
    places = source.uniform(-0.5, 0.5, (5, 2, 3)).tolist()
    geometry = iter({"xyz": xyz, "rpy": [4 * x for x in rpy]} for xyz, rpy in places)
    joints = [
        {"name": "base_fixed", "type": "fixed", "xyz": [0, 0, 0.2], "link": link(source)},
        {"name": "lift", "type": "prismatic", "xyz": [-0.1, 0, 0.4], "link": bodies[0]},
        {"name": "torso_fixed", "type": "fixed", **next(geometry), "link": bodies[1]},
        {"name": "shoulder", "parent": "lift", **next(geometry), "link": bodies[2]},
        {"name": "cover_fixed", "type": "fixed", **next(geometry), "link": bodies[3]},
        {"name": "elbow", "parent": "cover_fixed", **next(geometry), "link": bodies[4]},
        {"name": "gripper_fixed", "type": "fixed", **next(geometry), "link": bodies[5]},
    ]
    return document(*joints, convention="frames"), sum(map(Fraction, map(str, masses)))


def test_case_14_bodies_on_fixed_joints_are_lifted():
    given, total = fetch()
    model = emdeg.derive(emdeg.load(given))
    found = model.evaluate([0.2, 0.7, -1.1])
    assert abs(found.gravity[0] - float(total) * 9.81) <= 1e-14 * found.gravity[0]
    assert abs(found.mass_matrix[0, 0] - float(total)) <= 1e-14 * float(total)
    lifted = [body for segment in model.tree.segments for _, body in segment.bodies]
    masses = [model.robot.symbols[str(body.inertia.mass)].value for body in lifted]
    assert sum(masses) == total  # exact
    assert_agreement(RandomRobot(given, {}, 14))


def test_case_22_a_link_that_only_turns_about_its_axis_needs_one_number():
    body = {"mass": 850.6, "center_of_mass": [0, 0, 0], "inertia": {"xx": 0, "yy": 6.87e-31, "zz": 108.56}}
    model = derived({"link": body})
    assert str(model.mass_matrix[0, 0]) == "Izz1"
    assert model.evaluate([0.3]).mass_matrix[0, 0] == 108.56
    assert [parameter.definition for parameter in model.base_parameters] == ["Izz1"]


@pytest.mark.parametrize("ratio", [-76.5, 53])
def test_case_29_the_reflected_inertia_counts_once_and_on_the_diagonal(ratio):
    bare = puma_with_slide()
    driven = copy.deepcopy(bare)
    driven["joint"][1]["drive"] = {"rotor_inertia": 2.5e-4, "gear_ratio": ratio}
    state = (np.linspace(-1, 2, 4), np.ones(4), np.ones(4))
    one, other = (emdeg.derive(emdeg.load(d)).evaluate(*state) for d in (bare, driven))
    added = np.zeros((4, 4))
    added[1, 1] = 2.5e-4 * ratio**2
    np.testing.assert_allclose(other.mass_matrix - one.mass_matrix, added, atol=1e-13)
    assert np.array_equal(other.bias, one.bias)


def test_case_30_a_mass_on_the_last_link_weighs_by_its_jacobian():
    """g differs by -Jᵀ m g of the added mass, within 1e-12."""
    bare = puma_with_slide()
    mass, center = 1.7, [0.1, -0.2, 0.05]
    loaded = {**bare, "payload": [{"link": "joint4", "mass": mass, "center_of_mass": center, "inertia": POINT}]}
    for row, number in zip(loaded["joint"], range(1, 5), strict=True):
        row["name"] = f"joint{number}"
    q = np.linspace(-1, 2, 4)
    one, other = (emdeg.derive(emdeg.load(d)).evaluate(q).gravity for d in (bare, loaded))
    arm = Arm(loaded)
    body, linear, _, _ = arm.jacobians(q)[-1]
    assert body.mass == mass
    assert abs(other - one + linear.T @ (mass * arm.gravity)).max() <= 1e-12 * abs(other).max()


def test_case_39_two_cubes_have_their_parallel_axes():
    """Two cubes of 1 kg, 1e-4 kg m², 0.2 m apart: 0.0202 kg m² about the axis between them."""
    cube = {"mass": 1, "center_of_mass": [0, 0, 0], "inertia": {"xx": 1e-4, "yy": 1e-4, "zz": 1e-4}}
    first = {"name": "one", "link": {**cube, "center_of_mass": [-0.1, 0, 0]}}
    second = {"name": "two", "type": "fixed", "xyz": [0.1, 0, 0], "rpy": [0, "90 deg", 0], "link": cube}
    model = derived(first, second, convention="frames")
    assert abs(model.evaluate([0.5]).mass_matrix[0, 0] - 0.0202) < 1e-17
    assert model.evaluate([0.5]).gravity[0] == 0.0


def test_case_40_a_tensor_in_other_axes_than_its_centre():
    """A body's inertia in axes that are turned against the link's: a fixed joint turns it."""
    body = {"mass": 2, "center_of_mass": [0, 0, 0], "inertia": {"xx": 0.3, "yy": 0.2, "zz": 0.4}}
    turned = {"type": "fixed", "xyz": [0, 0.03191, 0.025], "rpy": ["90 deg", 0, 0], "link": body}
    model = derived({"link": {"mass": 0}}, turned, convention="frames")
    assert abs(model.evaluate([0.1]).mass_matrix[0, 0] - (0.2 + 2 * 0.03191**2)) < 1e-16


def test_case_44_products_of_inertia_stay():
    model = emdeg.derive(emdeg.load(with_full_inertias(document({}, {"alpha": "90 deg"}), 3)))
    assert {"Ixz2", "Iyz2", "Ixy2"} <= set(model.parameters.letters.names)
    text = str(model.mass_matrix[0, 1]) + " ".join(c.definition for c in model.constants.values())
    assert "Ixz2" in text and "Iyz2" in text


def test_case_36_seven_joints_with_arbitrary_twists_are_derived():
    """Exact, and A does not depend on q1 though each twist is a rounded number."""
    source = np.random.default_rng(7)
    rows = [
        dict(zip(("alpha", "a", "d"), np.round(source.uniform(0.2, 1.4, 3), 3).tolist(), strict=True)) for _ in range(7)
    ]
    full = with_full_inertias(document(*rows), 7)
    model = emdeg.derive(emdeg.load(full))
    sine, cosine = model.ring.names.index("sin(q1)"), model.ring.names.index("cos(q1)")
    for form in model.inertial.mass.values():
        for polynomial in form.terms.values():
            degrees = polynomial.degrees()
            assert degrees[sine] == degrees[cosine] == 0

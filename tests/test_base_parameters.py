"""Base parameters: the counts of the literature, the rank of Pinocchio's regressor, and that each regroups truly."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import emdeg
from emdeg.model.base_parameters import counts
from emdeg.model.dynamics import general_dynamics
from emdeg.model.evaluation import Numeric, assemble
from emdeg.model.regrouping import regroup
from independent import Arm, bundled_document
from oracles import pinocchio_model
from robots_at_random import letter_values, letters_of, link, robots

pin = pytest.importorskip("pinocchio")

PINOCCHIO_ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # m hx hy hz xx xy xz yy yz zz out of m hx hy hz xx xy yy xz yz zz


def arm(*rows, gravity=(0, 0, "-g"), convention="modified-dh"):
    """Rows of type, alpha, a, d; nothing known of the links."""
    names = {"R": "revolute", "P": "prismatic"}
    joints = [{"type": names[kind], "alpha": alpha, "a": a, "d": d} for kind, alpha, a, d in rows]
    return {"name": "arm", "convention": convention, "gravity": list(gravity), "joint": joints}


def generic(count, gravity=(0, 0, "-g")):
    """Revolute joints in general position; the first axis is the z axis of the base."""
    source = np.random.default_rng(count)
    rows = [("R", 0, 0, 0)]
    rows += [("R", *np.round(source.uniform(0.3, 1.2, 3), 3).tolist()) for _ in range(count - 1)]
    return arm(*rows, gravity=gravity)


def unknown_inertias(document):
    """The geometry alone, of the document's moving joints."""
    rows = [{key: x for key, x in row.items() if key not in ("link", "drive")} for row in document["joint"]]
    return {key: value for key, value in document.items() if key != "constants"} | {"joint": rows}


def with_numbers(document):
    """Numbers in place of the letters of the geometry; the letters without value get some."""
    values = {name: 0.3 + 0.1 * k for k, name in enumerate(emdeg.load(document).symbols)}
    read = Arm({**document, "joint": [], "gravity": [0, 0, 0]}, {})
    read.letters = values | read.letters
    document = copy.deepcopy(document)
    for row in document["joint"]:
        row |= {key: read.number(row[key]) for key in ("a", "d", "b") if key in row}
    document["gravity"] = [read.number(x) for x in document["gravity"]]
    return document


def count(document):
    model = emdeg.derive(emdeg.load(document))
    return counts(model.tree, model.ring, model.parameters)


def regressors(document, values=None, states=40, drives=False):
    """Pinocchio's joint torque regressor at random states, one below the other, the ten of a link as in emdeg."""
    links = {**document, "joint": [{**row, "link": {"mass": 0}} for row in document["joint"]], "payload": []}
    model, places = pinocchio_model(Arm(links, values))
    data = model.createData()
    source = np.random.default_rng(7)
    rows = []
    for _ in range(states):
        q, qd, qdd = source.uniform(-2, 2, (3, model.nv))
        table = pin.computeJointTorqueRegressor(model, data, q, qd, qdd).reshape(model.nv, model.nv, 10)
        table = table[np.ix_(places, places, PINOCCHIO_ORDER)].reshape(model.nv, -1)
        rows.append(np.hstack([table, np.diag(qdd[places])]) if drives else table)
    return np.vstack(rows)


def rank(matrix):
    """The numeric rank; what counts must stand clear of what doesn't."""
    sizes = np.linalg.svd(matrix, compute_uv=False)
    found = int(np.sum(sizes > 1e-8 * sizes[0])) if sizes[0] else 0
    assert found == len(sizes) or sizes[found] < 1e-12 * sizes[0]
    return found


# The counts of the literature

PUBLISHED = {
    "puma560": (36, 34), "stanford": (33, 31), "ur5": (36, 34), "ur10": (36, 34), "panda": (43, 39), "iiwa": (43, 39),
    "scara": (8, 8), "scara-flipped": (8, 8), "planar2": (6, 4), "planar3": (9, 7),
}  # fmt: skip
WITH_DRIVES = {"puma560": 40, "ur5": 40, "panda": 48, "scara": 11}


@pytest.mark.parametrize("numeric", [False, True], ids=["letters", "numbers"])
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_counts(name, numeric):
    document = unknown_inertias(bundled_document(name))
    document = with_numbers(document) if numeric else document
    with_gravity, without = PUBLISHED[name]
    found = count(document)
    assert found.structural == found.as_given == with_gravity
    assert count(document | {"gravity": [0, 0, 0]}).structural == without
    if name in WITH_DRIVES:
        assert found.structural_with_drives == WITH_DRIVES[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_counts_are_the_rank_of_pinocchios_regressor(name):
    document = with_numbers(unknown_inertias(bundled_document(name)))
    with_gravity, without = PUBLISHED[name]
    assert rank(regressors(document)) == with_gravity
    assert rank(regressors(document | {"gravity": [0, 0, 0]})) == without
    if name in WITH_DRIVES:
        assert rank(regressors(document, drives=True)) == WITH_DRIVES[name]


def test_planar_arm_in_a_horizontal_plane():
    document = arm(("R", 0, 0, 0), ("R", 0, "a1", 0))
    assert count(document).structural == 4
    assert count(document | {"gravity": [0, "-g", 0]}).structural == 6


def test_three_orthogonal_prismatic_joints():
    document = arm(("P", 0, 0, 0), ("P", "-90 deg", 0, 0), ("P", "90 deg", 0, 0))
    rows = document["joint"]
    rows[2]["theta"] = "90 deg"
    assert count(document).structural == 3
    assert count(document | {"gravity": [0, 0, 0]}).structural == 3
    assert rank(regressors(document | {"gravity": [0, 0, -9.81]})) == 3


@pytest.mark.parametrize("joints", [2, 3, 4, 5])
def test_generic_revolute_arms(joints):
    """7n - 6 with gravity along the first axis, 7n - 4 otherwise, with arbitrary twists."""
    assert count(generic(joints)).structural == 7 * joints - 6
    assert count(generic(joints, ("g", 0, "-g"))).structural == 7 * joints - 4
    assert count(generic(joints, ("gx", "gy", "gz"))).structural == 7 * joints - 4


def test_generic_revolute_arm_with_letters_for_lengths_and_twists():
    rows = [("R", 0, 0, 0), ("R", "alpha2", "a2", "d2"), ("R", "90 deg", "a3", "d3")]
    assert count(arm(*rows)).structural == 15
    assert count(arm(*rows, gravity=("gx", "gy", "gz"))).structural == 17


def test_planar_arms_have_three_a_link():
    for joints in (3, 4, 6):
        rows = [("R", 0, f"a{k}" if k else 0, 0) for k in range(joints)]
        assert count(arm(*rows, gravity=(0, "-g", 0))).structural == 3 * joints


# Random arms and trees


@settings(max_examples=70)
@given(robots(joints=(1, 4), kinds=("revolute", "revolute", "prismatic"), extras=False, unknown=False))
def test_counts_of_random_robots_are_the_rank_of_pinocchios_regressor(robot):
    document = unknown_inertias(robot.document)
    found = count(document)
    assert rank(regressors(document, robot.values)) == found.structural
    assert rank(regressors(document, robot.values, drives=True)) == found.structural_with_drives
    assert found.as_given == found.structural


@settings(max_examples=40)
@given(robots(conventions=("modified-dh", "khalil"), joints=(1, 4), kinds=("revolute", "revolute", "prismatic"),
              letters=False, extras=False, unknown=False))  # fmt: skip
def test_each_dependent_column_is_the_combination_that_is_stated(robot):
    """In Pinocchio's regressor, where the joint frames are ours."""
    document = unknown_inertias(robot.document) | {"gravity": [0.5, -3, -9.81]}
    for row in document["joint"]:
        if row["type"] == "prismatic":  # a constant angle of a slide turns the segment's axes against Pinocchio's
            row |= {key: 0 for key in ("theta", "gamma") if key in row}
    model = emdeg.derive(emdeg.load(document))
    found = regroup(model.tree, model.ring, general_dynamics(model.tree, model.ring), drives=True)
    matrix = regressors(document, drives=True, states=5)
    for column, combination in found.dependent.items():
        whole = sum((number(model.ring, x) * matrix[:, b] for b, x in combination.items()), np.zeros(len(matrix)))
        assert abs(matrix[:, column] - whole).max() <= 1e-12 * abs(matrix).max()


def number(ring, fraction):
    ((_, numerator),) = ring.items(fraction.numerator)
    ((_, denominator),) = ring.items(fraction.denominator)
    return float(numerator / denominator)


# The base parameters of a model, as it writes them


def letters_and_values(document, seed):
    """All ten of every link as letters in which the dynamics are linear, with physical values; drives too."""
    source = np.random.default_rng(seed)
    document, values = copy.deepcopy(document), {}
    for k, row in enumerate(document["joint"], 1):
        row["link"], own = letters_of(link(source, "first"), k)
        row["drive"] = {"inertia_at_joint": "?"}
        values |= own | {f"Im{k}": float(source.uniform(0.1, 1))}
    return document, values


@pytest.mark.parametrize(
    "document",
    [
        unknown_inertias(bundled_document("puma560")),
        unknown_inertias(bundled_document("stanford")),
        unknown_inertias(bundled_document("scara")),
        arm(("R", 0, 0, 0), ("R", "alpha2", "a2", "d2"), ("P", "35 deg", "a3", 0)),
        arm(("R", 0, 0, 0), ("P", "180 deg", 0.2, 0), ("R", "0.4", "a3", "d3"), gravity=("gx", 0, "gz")),
    ],
    ids=["puma560", "stanford", "scara", "symbolic twist", "antiparallel slide"],
)
def test_base_equivalent_parameters_give_the_same_torques(document):
    """Values that differ, but give all base parameters the same values, can't be told apart; any other can."""
    document, values = letters_and_values(document, 11)
    geometry = {n: 0.3 + 0.07 * k for k, n in enumerate(emdeg.load(document).symbols) if n not in values}
    model = emdeg.derive(emdeg.load(document))
    definitions = [parameter.definition for parameter in model.base_parameters]
    zeros = dict.fromkeys(values, 0.0)
    functions = {"sin": np.sin, "cos": np.cos}

    def base(given):
        return np.array([eval(text, {"__builtins__": {}}, functions | geometry | given) for text in definitions])

    matrix = np.array([base(zeros | {name: 1.0}) for name in values]).T  # linear in the letters of the links
    np.testing.assert_allclose(base(values), matrix @ np.array(list(values.values())), rtol=1e-12, atol=1e-12)
    assert rank(matrix) == len(definitions)
    source = np.random.default_rng(3)
    unseen = np.linalg.svd(matrix)[2][len(definitions) :]
    assert len(unseen) == len(values) - len(definitions)
    other = np.array(list(values.values())) + source.normal(size=len(unseen)) @ unseen
    states = source.uniform(-2, 2, (3, 4, len(model.tree)))
    one = model.evaluate(*states, values=geometry | values)
    two = model.evaluate(*states, values=geometry | dict(zip(values, map(float, other), strict=True)))
    for name in ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque"):
        first, second = getattr(one, name), getattr(two, name)
        assert abs(first - second).max() <= 1e-12 * max(abs(first).max(), 1)
    for row in matrix:  # along a base parameter the torques do change
        changed = np.array(list(values.values())) + row
        three = model.evaluate(*states, values=geometry | dict(zip(values, map(float, changed), strict=True)))
        assert abs(three.torque - one.torque).max() > 1e-6


def felt(model, values):
    """The rank of the torques in the model's own parameters, in floats at random states."""
    chosen, letters = model.parameters, model.parameters.letters
    numbers = {name: float(symbol.value) for name, symbol in model.robot.symbols.items() if symbol.value is not None}
    source = np.random.default_rng(5)
    states = source.uniform(-2, 2, (3, 30, len(model.tree)))
    columns = []
    for key in range(len(chosen.names)):
        units = tuple(letters.one if k == key else letters.zero for k in range(len(chosen.names)))
        numeric = Numeric.of(model.tree, model.ring, replace(chosen, definitions=units), model.forms, numbers | values)
        columns.append(assemble(numeric(states[0]), len(model.tree), *states[1:]).torque.ravel())
    return rank(np.array(columns).T)


@pytest.mark.parametrize("name", ["puma560", "puma3", "scara", "planar3"])
def test_base_parameters_of_a_robot_as_given(name):
    """Zeros and symmetries of the file leave fewer than the structure; as many as the torques feel."""
    model = emdeg.derive(name)
    found = counts(model.tree, model.ring, model.parameters)
    assert len(model.base_parameters) == found.as_given <= found.structural_with_drives
    assert len({parameter.name for parameter in model.base_parameters}) == found.as_given
    assert felt(model, letter_values(model.robot.document, 1)) == found.as_given


@settings(max_examples=40)
@given(robots(joints=(1, 3)))
def test_base_parameters_of_random_robots_as_given(robot):
    """With letters and numbers mixed, shapes, payloads and bodies on fixed joints."""
    model = emdeg.derive(emdeg.load(robot.document))
    assert felt(model, robot.values) == len(model.base_parameters)

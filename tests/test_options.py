"""Friction, a link's frame, the regressor by base parameters: right, and refused where they have no meaning."""

import numpy as np
import pytest

import emdeg
from case import POINT, document
from emdeg.compiler.build import build
from emdeg.compiler.options import Options
from emdeg.compiler.plan import Plan
from emdeg.compiler.proof import prove
from emdeg.compiler.task import task
from emdeg.errors import InputError, ProofError
from emdeg.model.substitution import substituted
from emdeg.program import Graph, Input, Program, linearize
from emdeg.quantity import parse_expression

PUMA = emdeg.load("puma560")
SOURCE = np.random.default_rng(7)
Q, QD, QDD = SOURCE.uniform(-2, 2, (3, 9, 6))
QD[0] = [0, -1, 1, -0.0, 0.5, -2]
COULOMB = np.array([float(joint.friction.coulomb.as_fraction()) for joint in PUMA.joints])
LINK = {"mass": 1, "center_of_mass": [0.3, 0, 0], "inertia": POINT}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EMDEG_CACHE", str(tmp_path / "cache"))


def rubbed_arm():
    joints = [
        {"name": "a", "a": 0, "friction": {"viscous": 0.5, "coulomb": 2}, "link": LINK},
        {"name": "b", "a": 1, "link": LINK},
        {"name": "c", "a": 1, "friction": {"viscous": "f3"}, "link": LINK},
    ]
    return emdeg.load(document(*joints, symbols={"f3": 0.25}))


# friction


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_friction_is_viscous_and_coulomb(backend, dtype):
    assert COULOMB.any()
    friction = emdeg.compile(PUMA, "friction", backend=backend, dtype=dtype)
    expected = (COULOMB * np.sign(QD)).astype(dtype)
    np.testing.assert_array_equal(friction(QD), expected)
    np.testing.assert_array_equal(friction(QD[0]), expected[0])  # one at a time
    own = emdeg.compile(rubbed_arm(), "friction", backend=backend, dtype=dtype)
    np.testing.assert_array_equal(own([[2, 3, 4], [-2, 3, 0], [0, 0, -4]]), [[3, 0, 1], [-3, 0, 0], [0, 0, -1]])


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_the_sign_of_no_number_is_none(backend):
    friction = emdeg.compile(PUMA, "friction", backend=backend)
    rates = np.tile(QD[0], (33, 1))
    rates[::2, 1] = np.nan
    found = friction(rates)
    assert np.isnan(found[::2, 1]).all() and np.isfinite(np.delete(found, 1, axis=1)).all()
    assert np.isnan(friction([0, np.nan, 0, 0, 0, 0])[1])
    assert friction([0, np.inf, 0, -np.inf, 0, 0])[1] == COULOMB[1]


def test_friction_is_added_where_it_is_asked_for():
    plain, rubbed = (emdeg.compile(PUMA, friction=friction) for friction in (False, True))
    np.testing.assert_allclose(rubbed(Q, QD, QDD) - plain(Q, QD, QDD), COULOMB * np.sign(QD), rtol=0, atol=1e-12)
    assert rubbed.cost.signs == 6 and plain.cost.signs == 0


def test_forward_dynamics_takes_friction_off():
    robot = rubbed_arm()
    torque, motion = (emdeg.compile(robot, name, friction=True) for name in ("inverse_dynamics", "forward_dynamics"))
    q, qd, qdd = Q[:, :3], QD[:, :3], QDD[:, :3]
    np.testing.assert_allclose(motion(q, qd, torque(q, qd, qdd)), qdd, rtol=1e-9, atol=1e-9)


def test_derivatives_hold_viscous_friction():
    plain, rubbed = (emdeg.compile(rubbed_arm(), "inverse_dynamics_derivatives", friction=x) for x in (False, True))
    state = Q[:, :3], QD[:, :3], QDD[:, :3]
    np.testing.assert_allclose(
        rubbed(*state)[1] - plain(*state)[1], np.broadcast_to(np.diag([0.5, 0, 0.25]), (9, 3, 3))
    )
    np.testing.assert_array_equal(rubbed(*state)[0], plain(*state)[0])


@pytest.mark.parametrize(
    "function", ["inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives", "friction"]
)
def test_friction_is_proven(function):
    options = Options(("f3",), friction=function != "friction")
    wanted = task(rubbed_arm(), function, options=options)
    prove(wanted.program(Plan.plain(3)), wanted)
    frictionless = task(rubbed_arm(), function if function != "friction" else "gravity", options=Options(("f3",)))
    with pytest.raises((ProofError, KeyError)):
        prove(frictionless.program(Plan.plain(3)), wanted)


def test_programs_with_signs_are_remembered_and_found_again():
    first, again = (build(rubbed_arm(), "friction") for _ in range(2))
    assert (first.origin, again.origin) == ("searched", "remembered")
    assert again.program == first.program and again.program.cost.signs == 1


def test_the_search_does_without_friction():
    """What was found for torques serves with friction, too."""
    bare, rubbed = (build(PUMA, "inverse_dynamics", options=Options(friction=x)) for x in (False, True))
    assert (bare.origin, rubbed.origin) == ("shipped", "shipped")
    assert rubbed.program.cost.total <= bare.program.cost.total + 12


def test_letters_of_friction_can_be_replaced():
    robot = substituted(rubbed_arm(), {"f3": 3})
    np.testing.assert_array_equal(emdeg.compile(robot, "friction")([0, 0, 2.0]), [0, 0, 6])


def test_signs_in_graphs_are_odd_and_have_no_slope():
    graph = Graph()
    x = graph.input("q", 0)
    assert graph.sign(graph.negated(x)) == graph.negated(graph.sign(x))
    assert graph.sign(graph.zero) == graph.zero
    program = linearize(graph, "f", [Input("q", 1)], {"tau": ((1,), [graph.sign(x)])})
    assert program.cost.signs == 1 and program.cost.total == 0 and str(program.cost).endswith("1 signs")


# links


def differences(function, q):
    """The slopes of poses, by central differences: linear rows, then angular ones."""
    rows = np.zeros((6, len(q)))
    for j, step in enumerate(1e-6 * np.eye(len(q))):
        change = (function(q + step) - function(q - step)) / 2e-6
        spin = change[:3, :3] @ function(q)[:3, :3].T
        rows[:, j] = *change[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]
    return rows


@pytest.mark.parametrize("link", [None, *(link.name for link in PUMA.links)])
def test_the_jacobian_of_a_link_is_the_slope_of_its_pose(link):
    pose, jacobian = (emdeg.compile(PUMA, name, link=link) for name in ("forward_kinematics", "jacobian"))
    np.testing.assert_allclose(jacobian(Q[1]), differences(pose, Q[1]), atol=1e-8)


def test_links_stand_where_their_files_say():
    last = PUMA.links[-1].name
    np.testing.assert_allclose(
        emdeg.compile(PUMA, "forward_kinematics", link=last)(Q),
        emdeg.compile(PUMA, "forward_kinematics")(Q),
        atol=1e-15,
    )
    arm = document(
        {"name": "a", "link": LINK}, {"name": "b", "a": 0.7, "link": LINK}, {"name": "c", "a": 0.2, "link": LINK}
    )
    pose = emdeg.compile(emdeg.load(arm), "forward_kinematics", link="b")
    c, s = np.cos(0.5), np.sin(0.5)
    np.testing.assert_allclose(pose([0.5, 0, 9])[:3, 3], [0.7 * c, 0.7 * s, 0], atol=1e-15)


def test_a_link_fixed_to_the_base_stands_still():
    fixed = {"name": "stand", "type": "fixed", "a": 0.4}
    robot = emdeg.load(document(fixed, {"name": "arm", "link": LINK}))
    pose, jacobian = (emdeg.compile(robot, name, link="stand") for name in ("forward_kinematics", "jacobian"))
    expected = np.eye(4)
    expected[0, 3] = 0.4
    np.testing.assert_array_equal(pose([0.3]), expected)
    np.testing.assert_array_equal(jacobian([0.3]), np.zeros((6, 1)))


def test_kinematics_and_regressors_need_no_inertia():
    robot = emdeg.load(document({"name": "a"}, {"name": "b", "a": 0.7}))
    for function in ("forward_kinematics", "jacobian", "regressor"):
        emdeg.compile(robot, function)
    with pytest.raises(InputError, match="no value is known of"):
        emdeg.compile(robot, "gravity")


# base parameters


@pytest.mark.parametrize("name", ["puma560", "planar2", "scara"])
def test_the_regressor_by_base_parameters_has_those_of_the_model(name):
    robot = emdeg.load(name)
    model = emdeg.derive(robot)
    n, base = len(robot.moving), model.base_parameters
    free = [letter for letter, symbol in robot.symbols.items() if symbol.value is None]
    values = {letter: SOURCE.uniform(0.1, 1) for letter in robot.symbols}  # any numbers: the combinations hold for all
    regressor = emdeg.compile(robot, "regressor", base=True, parameters=list(robot.symbols), optimize="none").at(values)
    parameters = [parse_expression(b.definition, where=b.name).evaluate(values, float) for b in base]
    rows = regressor(Q[:, :n], QD[:, :n], QDD[:, :n])
    assert rows.shape == (9, n, len(base))
    expected = model.evaluate(Q[:, :n], QD[:, :n], QDD[:, :n], values=values).torque
    np.testing.assert_allclose(rows @ parameters, expected, rtol=1e-10, atol=1e-10)
    plain = emdeg.compile(robot, "regressor", parameters=free, optimize="none")
    assert plain.cost.total > regressor.cost.total


def test_a_wrong_column_is_caught():
    wanted = task(PUMA, "regressor", options=Options(base=True))
    program = wanted.program(Plan.plain(6))
    (output,) = program.outputs
    n, width = output.shape
    last = [(i + 1) * width - 1 for i in range(n)]
    values = list(output.values)
    for k in last:
        values[k], values[k - 1] = values[k - 1], values[k]
    swapped = Program(
        program.name,
        program.inputs,
        program.constants,
        program.code,
        (type(output)(output.name, output.shape, tuple(values)),),
    )
    with pytest.raises(ProofError, match="regressor"):
        prove(swapped, wanted)


# wrong calls


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        ("gravity", {"friction": True}, "friction has no meaning for gravity\n.*inverse_dynamics"),
        ("bias", {"friction": True}, "friction has no meaning for bias"),
        ("gravity", {"link": "hand"}, "link has no meaning for gravity\n.*jacobian"),
        ("gravity", {"base": True}, "base has no meaning for gravity\n.*regressor"),
        ("jacobian", {"link": "waste"}, "there is no link 'waste'\n.*its links are waist.*did you mean waist"),
    ],
)
def test_options_without_a_meaning_are_refused(function, options, message):
    with pytest.raises(InputError, match=message):
        emdeg.compile(PUMA, function, **options)


def test_friction_without_a_value_is_named():
    robot = emdeg.load(document({"friction": {"viscous": "f1"}, "link": LINK}))
    assert emdeg.compile(robot).cost.total >= 1  # nothing of friction is asked for
    for function, options in (("friction", {}), ("inverse_dynamics", {"friction": True})):
        with pytest.raises(InputError, match="no value is known of f1"):
            emdeg.compile(robot, function, **options)

"""Parameters that stay free: right at all values, computed once, at no cost for a state; wrong ones told."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import emdeg
from case import document
from emdeg.compiler import constants
from emdeg.compiler.build import build
from emdeg.compiler.constants import Constant, Parameters
from emdeg.compiler.factoring import Factoring
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.letters import lettered
from emdeg.compiler.options import Options
from emdeg.compiler.parametric import ParametricFunction
from emdeg.compiler.plan import MENU, Plan
from emdeg.compiler.proof import prove
from emdeg.compiler.splitting import joined, running_cost, split
from emdeg.compiler.task import task
from emdeg.errors import InputError, ProofError
from robots_at_random import letter_values, robots

PUMA = emdeg.load("puma560")
ALL = Options(tuple(PUMA.symbols))
SOURCE = np.random.default_rng(1986)
Q, QD, QDD = SOURCE.uniform(-2, 2, (3, 5, 6))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EMDEG_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_is_proven_with_all_letters_free(function):
    wanted = task(PUMA, function, options=ALL)
    program = wanted.program(Plan.plain(6))
    assert prove(program, wanted).probability < 1e-60
    first, state = split(program)
    prove(joined(first, state), wanted)
    assert state.cost == running_cost(program)


@settings(max_examples=15)
@given(robots(joints=(1, 4)), st.data())
def test_every_plan_is_right_for_random_robots(robot, data):
    """Letters of lengths, twists, offsets and inertias at once, in any gauge and choice of axes."""
    loaded = emdeg.load(robot.document)
    wanted = task(loaded, "inverse_dynamics", "mass_matrix", options=Options(tuple(loaded.symbols)))
    plan = Plan.plain(len(wanted.robot.tree))
    for k in range(len(plan.gauge)):
        for what, choices in MENU:
            plan = plan.changed(k, what, data.draw(st.sampled_from(choices)))
    program = wanted.program(plan)
    prove(program, wanted)
    prove(joined(*split(program)), wanted)


@settings(max_examples=10)
@given(robots(joints=(1, 3)))
def test_closed_forms_are_right_for_random_robots(robot):
    loaded = emdeg.load(robot.document)
    wanted = task(loaded, "inverse_dynamics", "mass_matrix", "gravity", options=Options(tuple(loaded.symbols)))
    prove(wanted.program(replace(Plan.plain(len(wanted.robot.tree)), closed=Factoring())), wanted)


@settings(max_examples=10)
@given(robots(joints=(1, 3)))
def test_random_robots_agree_with_the_model(robot):
    """The two programs, run after each other in doubles, beside the explicit model at the same values."""
    loaded = emdeg.load(robot.document)
    values = letter_values(robot.document, robot.seed, known=True)
    names = tuple(loaded.symbols)
    program = build(loaded, "inverse_dynamics", optimize="none", options=Options(names)).program
    function = ParametricFunction.of(program, loaded, names, "numpy", "float64")
    q, qd, qdd = robot.state()
    expected = emdeg.derive(loaded).evaluate(q, qd, qdd, values=values).torque
    found = function.at(values)(q, qd, qdd)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(expected).max()))


def test_a_state_costs_no_more_than_with_numbers():
    """What the paper's comparison leaves to Newton-Euler: I1 and its like are not computed anew for each state."""
    program = build(PUMA, "inverse_dynamics", options=ALL).program
    first, state = split(program)
    assert state.cost.total <= 300 and state.cost.divisions == 0
    assert program.cost.total == state.cost.total + first.cost.total
    once = build(PUMA, "inverse_dynamics", options=Options(("m2",))).program
    assert running_cost(once).total <= 300


def test_short_arms_use_their_closed_form():
    robot = emdeg.load("scara")
    program = build(robot, "inverse_dynamics", options=Options(tuple(robot.symbols))).program
    assert running_cost(program).total <= 30  # the recursions alone: 42


def test_what_does_not_depend_on_parameters_takes_none():
    program = build(PUMA, "forward_kinematics", options=Options(("m2",)), optimize="none").program
    first, state = split(program)
    assert first.outputs[0].values == ()
    assert [entry.name for entry in state.inputs] == ["q"]
    function = emdeg.compile(PUMA, "forward_kinematics", parameters=["m2"], optimize="none")
    np.testing.assert_array_equal(function(Q), emdeg.compile(PUMA, "forward_kinematics", optimize="none")(Q))


@pytest.mark.parametrize("part", ["constants", "state"])
def test_a_wrong_part_is_caught(part):
    wanted = task(PUMA, "inverse_dynamics", options=Options(("m2", "a2")))
    parts = dict(zip(("constants", "state"), split(wanted.program(Plan.plain(6))), strict=True))
    program = parts[part]
    place = next(k for k, step in enumerate(program.code) if step.kind == "add")
    code = list(program.code)
    code[place] = replace(code[place], kind="sub")
    parts[part] = replace(program, code=tuple(code))
    with pytest.raises(ProofError, match="component"):
        prove(joined(parts["constants"], parts["state"]), wanted)


def test_constants_that_are_taken_for_each_other_are_caught(monkeypatch):
    """Equal residues of unlike constants, as a small prime has them: the proof uses other primes at other points."""
    monkeypatch.setattr(constants, "PRIME", 103)
    wanted = task(PUMA, "inverse_dynamics", options=ALL)
    with pytest.raises(ProofError, match="component"):
        prove(wanted.program(Plan.plain(6)), wanted)


def test_constants_know_zero_and_one():
    free = Parameters(["a", "b"]).letters
    a, b = free["a"], free["b"]
    assert (a + b) * (a - b) - a * a + b * b == 0
    assert (a / b) * (b / a) == 1
    assert a - b == -(b - a) and hash(a - b) == hash(-(b - a))
    assert abs(a - b) == abs(b - a)
    assert free["cos(a)"] * free["cos(a)"] + free["sin(a)"] * free["sin(a)"] == 1
    assert isinstance(a + Fraction(1, 2), Constant) and 2 * a != a


# calls


def test_a_function_takes_the_values_of_the_file_or_others():
    torque = emdeg.compile(PUMA, parameters=["m2", "rx2", "a2"])
    reference = emdeg.compile(PUMA)
    np.testing.assert_allclose(torque(Q, QD, QDD), reference(Q, QD, QDD), rtol=1e-12, atol=1e-12)
    other = {"m2": 4.0, "rx2": 0.1}
    expected = emdeg.derive(PUMA).evaluate(Q, QD, QDD, values=other).torque
    bound = torque.at(other)
    np.testing.assert_allclose(bound(Q, QD, QDD), expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(bound(Q, qd=QD, qdd=QDD), bound(Q, QD, QDD))
    out = np.empty((5, 6))
    assert bound(Q, QD, QDD, out=out) is out
    np.testing.assert_array_equal(out, bound(Q, QD, QDD))
    assert bound.cost == torque.cost == torque.state.cost
    assert bound.parameters == {"m2": 4.0, "rx2": 0.1, "a2": 0.4318}
    assert "m2" in repr(torque) and "m2 = 4" in repr(bound)


def test_functions_with_parameters_can_be_sent_to_other_processes():
    gravity = pickle.loads(pickle.dumps(emdeg.compile(PUMA, "gravity", parameters=["m2"])))
    bound = pickle.loads(pickle.dumps(gravity.at({"m2": 4.0})))
    np.testing.assert_array_equal(bound(Q), gravity.at({"m2": 4.0})(Q))


def test_many_robots_at_once():
    torque = emdeg.compile(PUMA, parameters=["m2", "rx2"])
    sets = np.array([[17.4, 0.068], [4.0, 0.1], [20.0, -0.1]])
    found = torque.state(Q[0], QD[0], QDD[0], torque.constants(sets))
    for (mass, center), row in zip(sets, found, strict=True):
        np.testing.assert_allclose(row, torque.at({"m2": mass, "rx2": center})(Q[0], QD[0], QDD[0]), rtol=1e-12)


@pytest.mark.parametrize(("backend", "dtype"), [("numpy", "float64"), ("llvm", "float32")])
def test_other_back_ends_and_types(backend, dtype):
    gravity = emdeg.compile(PUMA, "gravity", parameters=["m2"], backend=backend, dtype=dtype)
    found = gravity.at({"m2": 4.0})(Q)
    assert found.dtype == dtype
    expected = emdeg.derive(PUMA).evaluate(Q, values={"m2": 4.0}).gravity
    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == "float32" else 1e-12, atol=1e-4)


def test_twists_and_offsets_may_be_free():
    joints = [{"alpha": "twist", "a": "a1", "theta": "lag", "link": {"mass": 1, "center_of_mass": [0.1, 0.2, 0.3]}}] * 3
    rows = [
        {**joint, "link": {**joint["link"], "inertia": {"xx": 0.1, "yy": 0.2, "zz": 0.3}}, "name": f"joint{k}"}
        for k, joint in enumerate(joints)
    ]
    robot = emdeg.load(document(*rows))
    torque = emdeg.compile(robot, parameters=["twist", "lag", "a1"])
    values = {"twist": 0.4, "lag": -0.7, "a1": 0.3}
    q, qd, qdd = Q[:, :3], QD[:, :3], QDD[:, :3]
    expected = emdeg.derive(robot).evaluate(q, qd, qdd, values=values).torque
    np.testing.assert_allclose(torque.at(values)(q, qd, qdd), expected, rtol=1e-10, atol=1e-10)


def test_programs_with_parameters_are_remembered_apart():
    first = build(PUMA, "gravity", options=Options(("m2",)))
    again = build(PUMA, "gravity", options=Options(("m2",)))
    assert (first.origin, again.origin) == ("searched", "remembered")
    assert again.program == first.program
    assert build(PUMA, "gravity", options=Options(("m3",))).origin == "searched"
    assert build(PUMA, "gravity").origin == "shipped"


# wrong calls


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (["m9"], r"does not have the parameter 'm9'\n.*its letters are g, a2.*"),
        (["m2", "mm", "x"], "does not have the parameters 'mm', 'x'"),
        (["rx22"], "did you mean rx2"),
        (["m2", "m2"], "m2 is named twice"),
    ],
)
def test_unknown_parameters_are_named(parameters, message):
    with pytest.raises(InputError, match=message):
        emdeg.compile(PUMA, parameters=parameters)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"m3": 1.0}, "'m3' is no parameter of the function\n.*m2"),
        ({"m2": float("nan")}, "nan is no value for m2"),
        ({"m2": float("inf")}, "inf is no value for m2"),
        ({"m2": "heavy"}, "'heavy' is no value for m2"),
        ({"m2": 1j}, "1j is no value for m2"),
    ],
)
def test_wrong_values_are_told(values, message):
    with pytest.raises(InputError, match=message):
        emdeg.compile(PUMA, "gravity", parameters=["m2"]).at(values)


def test_letters_without_values_must_be_parameters():
    with pytest.raises(InputError, match=r"no value is known of .*\n.*parameters="):
        emdeg.compile("planar2", "gravity")
    free = [name for name, symbol in emdeg.load("planar2").symbols.items() if symbol.value is None]
    gravity = emdeg.compile("planar2", "gravity", parameters=free)
    with pytest.raises(InputError, match=r"no value is known of .*\n.*at\("):
        gravity([0.1, 0.2])
    assert gravity.at(dict.fromkeys(free, 0.5))([0.1, 0.2]).shape == (2,)


def test_a_bound_function_refuses_what_it_does_not_take():
    bound = emdeg.compile(PUMA, "gravity", parameters=["m2"]).at({})
    with pytest.raises(TypeError, match=r"gravity\(q\) takes 1 argument"):
        bound(Q, Q)
    with pytest.raises(TypeError, match="constants are bound"):
        bound(Q, constants=[1.0])
    with pytest.raises(TypeError, match="lacks q"):
        bound()
    with pytest.raises(InputError, match=r"q has the shape \(5,\)"):
        bound(np.zeros(5))


def test_a_constant_that_is_not_finite_is_told():
    rows = document({"friction": {"viscous": "f/k"}, "link": {"mass": 1, "center_of_mass": [0.1, 0, 0]}})
    friction = emdeg.compile(emdeg.load(rows), "friction", parameters=["f", "k"])
    assert friction.at({"f": 1.0, "k": 4.0})([2.0]) == 0.5
    with pytest.raises(InputError, match="not finite"):
        friction.at({"f": 1.0, "k": 0.0})


# automatic letters


@pytest.mark.parametrize(
    "names",
    [
        ["rx3", "Ixy2", "m2"],  # zeros of the file
        ["hx2", "hy2", "hz2", "m2", "Lxx2", "Lyz2"],  # linear parameters of a link that is stated by its centre of mass
        ["Im4", "rx6", "Ixz6", "Lxx3", "hz4"],
    ],
)
def test_automatic_letters_that_the_file_gave_no_occasion_for(names):
    torque = emdeg.compile(PUMA, parameters=names, optimize="none")
    reference = emdeg.compile(PUMA, optimize="none")
    np.testing.assert_allclose(torque.at({})(Q, QD, QDD), reference(Q, QD, QDD), rtol=1e-11, atol=1e-11)
    robot = lettered(PUMA, names)
    values = {name: 0.25 + 0.1 * k for k, name in enumerate(names)}
    expected = emdeg.derive(robot).evaluate(Q, QD, QDD, values=values | {"m1": 0.0}).torque
    found = torque.at(values)(Q, QD, QDD)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)
    assert np.abs(found - reference(Q, QD, QDD)).max() > 1e-3


def test_linear_parameters_shift_the_torques_linearly():
    torque = emdeg.compile(PUMA, parameters=["hx2", "Lyy2"], optimize="none")
    own = lettered(PUMA, ["hx2", "Lyy2"]).symbols
    assert own["hx2"].value == PUMA.symbols["m2"].value * PUMA.symbols["rx2"].value
    found = [torque.at({"hx2": x, "Lyy2": y})(Q, QD, QDD) for x, y in ((0, 0), (1, 0), (0, 1), (2, 3))]
    np.testing.assert_allclose(
        found[3] - found[0], 2 * (found[1] - found[0]) + 3 * (found[2] - found[0]), rtol=1e-9, atol=1e-9
    )


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["hx2", "rx2"], "rx2 can't be free with first moments.*\n.*choose one kind"),
        (["Ixx2", "Lxx2"], "Ixx2 can't be free with"),
        (["hx9"], "does not have the parameter 'hx9'"),
    ],
)
def test_letters_that_do_not_go_together(names, message):
    with pytest.raises(InputError, match=message):
        emdeg.compile(PUMA, parameters=names)


def test_letters_that_an_expression_stands_for():
    inertia = {"xx": 0.1, "yy": 0.1, "zz": 0.1}
    rows = document(
        {"a": 0, "link": {"mass": 1, "center_of_mass": ["r/2", 0, 0], "inertia": inertia}}, symbols={"r": 0.4}
    )
    robot = emdeg.load(rows)
    with pytest.raises(InputError, match=r"rx1 is given as 1?/?2?.*r.*\n.*let r stay free"):
        emdeg.compile(robot, parameters=["rx1"])
    about = document(
        {"a": 0, "link": {"mass": 1, "first_moments": [0.1, 0, 0], "inertia": inertia, "inertia_about": "origin"}}
    )
    with pytest.raises(InputError, match=r"has no rx1\n.*states the link by m1, hx1, hy1, hz1, Lxx1"):
        emdeg.compile(emdeg.load(about), parameters=["rx1"])

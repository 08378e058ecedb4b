"""What one does with a model: index it, put numbers in, replace letters, save it, make exact vectors of it."""

import json
from fractions import Fraction

import numpy as np
import pytest

import emdeg
from emdeg import Model
from emdeg.model.stages import STAGES, stage
from emdeg.model.vectors import vectors
from emdeg.model.zeros import REASONS


def test_elements_print_as_an_expert_writes_them():
    model = emdeg.derive("puma560")
    assert str(model.mass_matrix[1, 2]).startswith("I5*s3 + I6 + I12*c3")
    assert "2*I5*c2*s23" in str(model.mass_matrix[0, 0])
    assert str(model.mass_matrix[5, 5]) == "Im6 + I23"
    assert str(model.gravity[3]) == "-g5*s23*s4*s5"
    assert str(model.mass_matrix[3, 4]) == "0"


def test_terms_stand_in_order_of_size_where_values_are_known():
    """|I3| = 1.6, |I1| = 1.55, Im1 = 1.14, 2 |I5| = 0.74, |I7| = 0.3, ..."""
    text = str(emdeg.derive("puma560").mass_matrix[0, 0])
    assert text.startswith("I3*c2**2 + I1 + Im1 + 2*I5*c2*s23 + I7*s23**2")


def test_velocity_products_with_the_same_coefficient_are_gathered():
    text = str(emdeg.derive("puma560").torque[0])
    assert "*(qd2*qd4 + qd3*qd4)" in text
    assert "qd3*qd6" in text and text.count("qd3*qd6") == 1


def test_indices_outside_are_refused():
    model = emdeg.derive("planar2")
    with pytest.raises(IndexError):
        model.mass_matrix[2, 0]
    with pytest.raises(IndexError):
        model.gravity[0, 0]
    assert str(model.mass_matrix[-1, -1]) == str(model.mass_matrix[1, 1])


def test_evaluation_is_consistent_and_batched():
    model = emdeg.derive("puma560")
    source = np.random.default_rng(1)
    q, qd, qdd = source.normal(size=(3, 2, 5, 6))
    result = model.evaluate(q, qd, qdd)
    assert result.mass_matrix.shape == (2, 5, 6, 6) and result.coriolis.shape == (2, 5, 6, 15)
    one = model.evaluate(q[1, 3], qd[1, 3], qdd[1, 3])
    np.testing.assert_allclose(result.torque[1, 3], one.torque, rtol=1e-14)
    products = np.array([qd[1, 3][j] * qd[1, 3][k] for j, k in model.pairs])
    bias = one.coriolis @ products + one.centrifugal @ qd[1, 3] ** 2 + one.gravity
    np.testing.assert_allclose(one.bias, bias, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(one.coriolis_matrix @ qd[1, 3] + one.gravity, bias, rtol=1e-12, atol=1e-14)


def test_what_is_evaluated_is_what_is_printed():
    model = emdeg.derive("puma560")
    q = np.array([0.3, -0.4, 0.5, 0.7, -0.9, 1.1])
    constants = {name: constant.value for name, constant in model.constants.items()}

    def atom(factor):
        angle = sum(times * q[coordinate] for coordinate, times in factor.angle)
        return np.sin(angle) if factor.kind == "s" else np.cos(angle)

    result = model.evaluate(q)
    for i in range(6):
        for j in range(6):
            value = model.mass_matrix[i, j].entry.evaluate(constants, atom)
            assert value == pytest.approx(result.mass_matrix[i, j], rel=1e-12, abs=1e-15)


def test_wrong_states_are_refused():
    model = emdeg.derive("puma560")
    for q, message in (([0, 0], "6 entries"), ([0, 0, 0, 0, 0, float("nan")], "finite"), ("abc", "6 numbers")):
        with pytest.raises(emdeg.InputError, match=message):
            model.evaluate(q)


def test_letters_without_a_value_are_named_and_can_be_given():
    model = emdeg.derive("planar2")
    with pytest.raises(emdeg.InputError, match="no value is known of Izz1, Izz2, a1"):
        model.evaluate([0, 0])
    with pytest.raises(emdeg.InputError, match="no letter 'mass1'"):
        model.evaluate([0, 0], values={"mass1": 1})
    values = {"m1": 1, "m2": 2, "a1": 0.5, "rx1": 0.2, "rx2": 0.3, "Izz1": 0.01, "Izz2": 0.02, "g": 9.81}
    result = model.evaluate([0, np.pi / 2], values=values)
    assert result.mass_matrix[1, 1] == pytest.approx(0.02 + 2 * 0.3**2)


def test_substitution_is_exact():
    model = emdeg.derive("puma560").substitute({"a3": 0, "m2": 17.4})
    assert "I10" not in model.constants  # 2 a3 (...) has become zero
    assert model.constants["I2"].definition == "Izz2 + 87*(rx2**2 + ry2**2)/5 + (m3 + m4 + m5 + m6)*a2**2"
    full, short = emdeg.derive("puma560").evaluate([0.1] * 6, values={"a3": 0}), model.evaluate([0.1] * 6)
    np.testing.assert_allclose(full.mass_matrix, short.mass_matrix, rtol=1e-14)
    with pytest.raises(emdeg.InputError, match="no letter 'b3'"):
        model.substitute({"b3": 1})


def test_a_letter_can_become_another_letter_or_an_angle_a_number():
    same = emdeg.derive("scara").substitute({"a1": "a2"})
    assert "a1" not in same.constants["I1"].definition
    joints = [{"type": "revolute", "alpha": f"alpha{k}", "a": "0.1 m", "d": "0.2 m"} for k in range(3)]
    robot = {"schema": 1, "name": "twisted", "convention": "modified-dh", "gravity": [0, 0, "-9.81"], "joint": joints}
    symbolic = emdeg.derive(robot)
    numeric = symbolic.substitute({"alpha0": 0, "alpha1": 0.7, "alpha2": -0.4})
    letters = {name: 0.1 * (k + 1) for k, name in enumerate(sorted(numeric.robot.symbols))}
    one = numeric.evaluate([0.1, 0.2, 0.3], [1, 2, 3], values=letters)
    two = symbolic.evaluate([0.1, 0.2, 0.3], [1, 2, 3], values=letters | {"alpha0": 0, "alpha1": 0.7, "alpha2": -0.4})
    np.testing.assert_allclose(one.bias, two.bias, rtol=1e-12)


def test_a_saved_model_comes_back_as_it_was(tmp_path):
    path = tmp_path / "model.json"
    for model in (emdeg.derive("puma560"), emdeg.derive("scara", "lagrange").substitute({"a1": 2})):
        model.save(path)
        back = Model.load(path)
        assert back.formulation == model.formulation
        assert all(one.terms == two.terms for one, two in zip(model.forms, back.forms, strict=True))
        assert [str(t) for t in back.torque] == [str(t) for t in model.torque]
        assert back.constants == model.constants
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]


def test_a_saved_model_keeps_the_rule_for_right_angles(tmp_path):
    joint = {"type": "revolute", "alpha": 1.5708, "a": "0.1 m", "d": 0}
    robot = {"schema": 1, "name": "arm", "convention": "modified-dh", "gravity": [0, 0, "-g"], "joint": [joint] * 2}
    for snap in (None, 0, "0.01"):
        model = emdeg.derive(emdeg.load(robot, snap=snap))
        model.save(tmp_path / "model.json")
        assert Model.load(tmp_path / "model.json").robot == model.robot


def test_a_file_that_is_no_model_is_refused(tmp_path):
    path = tmp_path / "x.json"
    for text, message in (("{", "no JSON"), ("[]", "no model"), ('{"kind": "other"}', "no model")):
        path.write_text(text)
        with pytest.raises(emdeg.InputError, match=message):
            Model.load(path)
    with pytest.raises(emdeg.InputError, match="can't read"):
        Model.load(tmp_path / "missing.json")


@pytest.mark.parametrize("name", ["puma560", "scara", "panda"])
def test_exact_vectors_agree_with_the_numbers(name: str):
    model = emdeg.derive(name)
    table = json.loads(json.dumps(vectors(model, 3)))
    letters = {key: float(Fraction(value)) for key, value in table["letters"].items()}
    assert len(table["states"]) == 3
    for state in table["states"]:
        floats = {key: _floats(value) for key, value in state.items()}
        result = model.evaluate(floats["q"], floats["qd"], floats["qdd"], values=letters)
        for key in ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque"):
            scale = np.abs(floats[key]).max() + 1
            np.testing.assert_allclose(getattr(result, key), floats[key], atol=1e-12 * scale)


def _floats(value):
    return np.array([_floats(x) for x in value]) if isinstance(value, list) else float(Fraction(value))


def test_vectors_are_the_same_each_time_and_at_least_one():
    model = emdeg.derive("planar2")
    assert vectors(model, 2) == vectors(model, 2)
    with pytest.raises(emdeg.InputError, match="0 test vectors"):
        vectors(model, 0)


def test_every_reason_is_in_the_vocabulary():
    for robot in emdeg.bundled():
        model = emdeg.derive(robot.name)
        assert {reason for _, reason in model.zeros} <= set(REASONS)


def test_stages():
    model = emdeg.derive("puma560")
    found = {name: stage(model, name) for name in STAGES}
    assert found["christoffel"].elements["b412"] == "-b214"
    assert found["christoffel"].elements["b112"] == "d(a11)/d(q2)"
    assert found["final"].elements["c13"] == "(1/2)*b123"
    assert found["combined"].total().total < found["raw"].total().total
    with pytest.raises(emdeg.InputError, match="no stage 'cooked'"):
        stage(model, "cooked")

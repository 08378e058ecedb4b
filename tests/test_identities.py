"""Identities of mechanics on random robots: as polynomials where they are polynomial identities."""

import math

import numpy as np
import pytest
from hypothesis import given, settings

import emdeg
from emdeg.algebra import LinearForm
from emdeg.model.dynamics import derivative
from emdeg.model.printing.json import to_json
from emdeg.model.proof import prove
from joint_angles import JointAngles
from robots_at_random import arbitrary_arm, robots

NAMES = [entry.name for entry in emdeg.bundled()]
SMALL = {"joints": (1, 3), "kinds": ("revolute", "revolute", "prismatic", "fixed")}


def symbol(model, i, j, k):
    """(i, jk) of a model."""
    return model.symbols_of_christoffel[i, min(j, k), max(j, k)]


def element(model, i, j):
    return model.inertial.mass[min(i, j), max(i, j)]


@settings(max_examples=80)
@given(robots())
def test_mass_matrix_is_symmetric_and_positive_definite(robot):
    q, qd, _ = robot.state()
    found = emdeg.derive(emdeg.load(robot.document)).evaluate(q, qd, values=robot.values)
    assert np.array_equal(found.mass_matrix, found.mass_matrix.T)
    assert np.linalg.eigvalsh(found.mass_matrix)[0] > 0


@settings(max_examples=60)
@given(robots())
def test_torque_is_the_sum_of_its_parts(robot):
    """tau = A qdd + B[qd qd] + C[qd²] + g, and the Coriolis matrix is in Christoffel form."""
    q, qd, qdd = robot.state()
    model = emdeg.derive(emdeg.load(robot.document))
    found = model.evaluate(q, qd, qdd, values=robot.values)
    products = np.array([qd[j] * qd[k] for j, k in model.pairs])
    bias = found.coriolis @ products + found.centrifugal @ qd**2 + found.gravity
    torque = found.mass_matrix @ qdd + bias
    scale = abs(found.mass_matrix).max() * (1 + qd @ qd + abs(qdd).max()) + abs(found.gravity).max()
    assert abs(found.bias - bias).max() <= 1e-14 * scale
    assert abs(found.torque - torque).max() <= 1e-14 * scale
    assert abs(found.coriolis_matrix @ qd + found.gravity - bias).max() <= 1e-14 * scale


@settings(max_examples=40)
@given(robots(conventions=("modified-dh", "standard-dh", "khalil", "frames"), joints=(1, 3), right=7))
def test_what_is_printed_is_what_is_evaluated(robot):
    """The equations as text, over the constants' definitions and the abbreviations, run by Python alone."""
    q, qd, qdd = robot.state()
    model = emdeg.derive(emdeg.load(robot.document))
    printed = to_json(model)
    names = {"sin": math.sin, "cos": math.cos, "atan": math.atan, "pi": math.pi, "__builtins__": {}} | robot.values
    names |= {name: s.value for name, s in model.robot.symbols.items() if s.value is not None}
    for k, rates in enumerate(zip(q, qd, qdd, strict=True), 1):
        names |= dict(zip((f"q{k}", f"qd{k}", f"qdd{k}"), rates, strict=True))
    names = {name: float(x) if hasattr(x, "numerator") else x for name, x in names.items()}
    names |= {name: eval(constant["definition"], names) for name, constant in printed["constants"].items()}
    names |= {name: eval(text, names) for name, text in printed["abbreviations"].items()}
    found = model.evaluate(q, qd, qdd, values=robot.values)
    for part in ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque"):
        numbers = getattr(found, part)
        texts = np.array(printed[part], dtype=object).reshape(numbers.shape)
        values = np.array([eval(text, names) for text in texts.flat], float).reshape(numbers.shape)
        assert abs(values - numbers).max(initial=0) <= 1e-12 * (abs(numbers).max(initial=0) or 1), part


@settings(max_examples=30)
@given(robots(joints=(2, 3)))
def test_many_states_at_once_are_those_states_one_by_one(robot):
    model = emdeg.derive(emdeg.load(robot.document))
    q, qd, qdd = np.random.default_rng(robot.seed).uniform(-2, 2, (3, 2, 5, robot.count))
    many = model.evaluate(q, qd, qdd, values=robot.values)
    one = model.evaluate(q[1, 3], qd[1, 3], qdd[1, 3], values=robot.values)
    for name in ("mass_matrix", "coriolis", "centrifugal", "gravity", "coriolis_matrix", "bias", "torque"):
        np.testing.assert_allclose(getattr(many, name)[1, 3], getattr(one, name), rtol=1e-13, atol=1e-13)


@settings(max_examples=50)
@given(robots(**SMALL))
def test_gravity_is_the_gradient_of_the_potential_energy(robot):
    """As polynomials over the plain joint angles: g_k = ∂V/∂q_k with V = -sum of m gᵀ p."""
    model = emdeg.derive(emdeg.load(robot.document))
    exact = JointAngles(model)
    potential = exact.potential()
    for k, form in enumerate(model.inertial.gravity):
        assert exact.of(form) == exact.derivative(potential, k)


@settings(max_examples=40)
@given(robots(**SMALL))
def test_mass_matrix_is_that_of_the_traces(robot):
    """As polynomials over the plain joint angles: a_ij = sum of tr(∂T/∂q_i J ∂Tᵀ/∂q_j)."""
    model = emdeg.derive(emdeg.load(robot.document))
    exact = JointAngles(model)
    assert {pair: exact.of(form) for pair, form in model.inertial.mass.items()} == exact.mass_matrix()


@settings(max_examples=40)
@given(robots(**SMALL))
def test_christoffel_symbols_over_plain_joint_angles(robot):
    """(i, jk) = ½ (∂a_ij/∂q_k + ∂a_ik/∂q_j - ∂a_jk/∂q_i), derivatives taken in another ring."""
    model = emdeg.derive(emdeg.load(robot.document))
    exact = JointAngles(model)
    mass = {pair: exact.of(form) for pair, form in model.inertial.mass.items()}

    def slope(i, j, k):
        return exact.derivative(mass[min(i, j), max(i, j)], k)

    for (i, j, k), form in model.symbols_of_christoffel.items():
        assert exact.of(form) * 2 == slope(i, j, k) + slope(i, k, j) - slope(j, k, i)


def assert_skew(model):
    """Ȧ - 2 C is skew for every motion: ∂a_ij/∂q_k = (i, jk) + (j, ik)."""
    count = len(model.tree)
    for i in range(count):
        for j in range(i, count):
            for k in range(count):
                slope = derivative(model.tree, model.ring, element(model, i, j), k)
                assert slope == symbol(model, i, j, k) + symbol(model, j, i, k)


@settings(max_examples=80)
@given(robots())
def test_rate_of_mass_matrix_less_twice_coriolis_matrix_is_skew(robot):
    assert_skew(emdeg.derive(emdeg.load(robot.document)))


@pytest.mark.parametrize("name", NAMES)
def test_skew_symmetry_of_the_bundled_robots(name):
    assert_skew(emdeg.derive(name))


def test_skew_symmetry_with_arbitrary_twists():
    assert_skew(emdeg.derive(emdeg.load(arbitrary_arm("standard-dh", 5, seed=9).document)))


@settings(max_examples=50)
@given(robots())
def test_elements_of_the_mass_matrix_depend_on_later_joints_only(robot):
    """Eq. (8): ∂a_ij/∂q_k = 0 for i, j >= k; exact also with arbitrary twists."""
    model = emdeg.derive(emdeg.load(robot.document))
    for (i, j), form in model.inertial.mass.items():
        for k in range(min(i, j) + 1):
            assert derivative(model.tree, model.ring, form, k) == LinearForm()


@settings(max_examples=50)
@given(robots(joints=(1, 3)))
def test_kane_lagrange_and_newton_euler_agree(robot):
    """As polynomials, element by element; trees too."""
    prove(emdeg.derive(emdeg.load(robot.document)))


@pytest.mark.parametrize("convention", ["modified-dh", "standard-dh"])
def test_the_formulations_agree_with_arbitrary_twists(convention):
    prove(emdeg.derive(emdeg.load(arbitrary_arm(convention, 4, seed=4).document)))


@pytest.mark.parametrize("formulation", ["kane", "lagrange", "newton-euler"])
@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "planar3"])
def test_each_formulation_gives_the_same_model(name, formulation):
    one, other = emdeg.derive(name), emdeg.derive(name, formulation)
    assert other.formulation == formulation
    assert one.inertial == other.inertial
    assert one.symbols_of_christoffel == other.symbols_of_christoffel

"""Kane's, Lagrange's and Newton-Euler's equations are the same polynomials."""

import pytest

import emdeg
from emdeg.algebra import LinearForm
from emdeg.errors import ProofError
from emdeg.model.formulations import FORMULATIONS
from emdeg.model.proof import prove

ROBOTS = [robot.name for robot in emdeg.bundled()]


@pytest.mark.parametrize("name", ROBOTS)
def test_all_formulations_agree_as_polynomials(name: str):
    proof = prove(emdeg.derive(name))
    assert proof.formulations == ("kane", "lagrange", "newton-euler")
    assert proof.elements > 0


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_each_formulation_reads_the_same(formulation: str):
    kane, other = emdeg.derive("puma560"), emdeg.derive("puma560", formulation)
    assert other.formulation == formulation
    for one, two in zip(kane.mass_matrix.flat(), other.mass_matrix.flat(), strict=True):
        assert str(one) == str(two)
    assert [str(t) for t in kane.torque] == [str(t) for t in other.torque]


def test_a_branching_robot():
    link = {"type": "revolute", "alpha": "90 deg", "a": "0.3 m", "d": "0.1 m"}
    joints = [dict(link, name=f"j{k}") for k in range(5)]
    joints[3]["parent"] = "j1"
    robot = {"schema": 1, "name": "tree", "convention": "modified-dh", "gravity": [0, 0, "-g"], "joint": joints}
    model = emdeg.derive(robot)
    prove(model)
    zeros = dict(model.zeros)
    assert zeros["a34"] == "separate" and zeros["a35"] == "separate"


def test_fixed_angles_that_are_not_right_and_symbolic_twists():
    joints = [
        {"type": "revolute", "alpha": "20 deg", "a": "a0", "d": "0.1 m", "theta": "0.3 rad"},
        {"type": "prismatic", "alpha": "alpha1", "a": "0.2 m", "d": "d1", "theta": "30 deg"},
        {"type": "revolute", "alpha": 0, "a": "0.2 m", "d": 0, "theta": "theta3"},
        {"type": "revolute", "alpha": "180 deg", "a": "0.1 m", "d": "d3", "theta": "-90 deg"},
    ]
    robot = {"schema": 1, "name": "odd", "convention": "modified-dh", "gravity": ["gx", "gy", "-g"], "joint": joints}
    prove(emdeg.derive(robot))


def test_a_difference_is_named():
    model = emdeg.derive("planar2")
    mass = dict(model.inertial.mass)
    mass[0, 1] = mass[0, 1] + LinearForm({0: model.ring.one})
    wrong = type(model)(
        model.robot,
        model.tree,
        model.ring,
        model.parameters,
        type(model.inertial)(mass, model.inertial.gravity),
        model.symbols_of_christoffel,
    )
    with pytest.raises(ProofError, match="lagrange and kane differ in a1,2"):
        prove(wrong)


def test_an_unknown_formulation_is_refused_with_the_list():
    with pytest.raises(emdeg.InputError, match="no formulation 'hamilton'") as caught:
        emdeg.derive("planar2", "hamilton")
    assert "kane, lagrange, newton-euler" in caught.value.advice

"""A, bias and g against Pinocchio and MuJoCo, and numpy's Jacobians: within 1e-12 of the largest element."""

import numpy as np
import pytest
from hypothesis import given, settings

import emdeg
from agreement import ORACLES, TOLERANCE, assert_agreement
from independent import Arm, bundled_document
from robots_at_random import RandomRobot, arbitrary_arm, letter_values, robots, with_full_inertias

pytest.importorskip("pinocchio")

UNPHYSICAL = {"planar2", "planar3", "puma3", "puma560", "scara", "scara-flipped"}
NAMES = [entry.name for entry in emdeg.bundled()]


@settings(max_examples=150)
@given(robots())
def test_random_arms_and_trees(robot):
    assert_agreement(robot)


@settings(max_examples=25)
@given(robots(joints=(5, 6), right=9, kinds=("revolute", "revolute", "revolute", "prismatic")))
def test_random_larger_arms(robot):
    assert_agreement(robot)


@settings(max_examples=40)
@given(robots(joints=(2, 4), right=0, kinds=("revolute", "revolute", "prismatic")))
def test_random_arms_without_any_right_angle(robot):
    assert_agreement(robot)


@pytest.mark.parametrize("convention", ["modified-dh", "standard-dh"])
def test_five_joints_with_arbitrary_twists(convention):
    assert_agreement(arbitrary_arm(convention, 5, seed=5))


def test_six_joints_with_arbitrary_twists():
    assert_agreement(arbitrary_arm("modified-dh", 6, seed=6))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_bundled_robots_with_random_full_inertias(name, seed):
    document = with_full_inertias(bundled_document(name), seed)
    assert_agreement(RandomRobot(document, letter_values(document, seed), seed))


@pytest.mark.parametrize("name", NAMES)
def test_bundled_robots_as_they_are(name):
    """Masses without extent and rods without thickness are nothing for MuJoCo."""
    document = bundled_document(name)
    oracles = ["pinocchio"] if name in UNPHYSICAL else list(ORACLES)
    assert_agreement(RandomRobot(document, letter_values(document, 3), 3), oracles)


@pytest.mark.parametrize("name", NAMES)
def test_bundled_robots_with_other_values_for_all_letters(name):
    document = bundled_document(name)
    values = letter_values(document, 4, known=True)
    assert_agreement(RandomRobot(document, values, 4), ["pinocchio"])


@settings(max_examples=60)
@given(robots(joints=(1, 3)))
def test_energy_and_gravity_against_the_jacobians(robot):
    """½ qdᵀ A qd is the sum over the bodies, and g = -sum of Jᵀ m g."""
    q, qd, _ = robot.state()
    ours = emdeg.derive(emdeg.load(robot.document)).evaluate(q, qd, values=robot.values)
    arm = Arm(robot.document, robot.values)
    energy = arm.kinetic_energy(q, qd)
    assert abs(qd @ ours.mass_matrix @ qd / 2 - energy) <= TOLERANCE * energy
    largest = abs(ours.gravity).max() or arm.total_mass * np.linalg.norm(arm.gravity)
    assert abs(ours.gravity - arm.gravity_torque(q)).max() <= TOLERANCE * largest

"""emdeg against the oracles: within 1e-12 of the largest element."""

import numpy as np

import emdeg
from independent import Arm
from oracles import mujoco_answer, pinocchio_answer

TOLERANCE = 1e-12
ORACLES = {"pinocchio": pinocchio_answer, "mujoco": mujoco_answer}


def assert_agreement(robot, oracles=tuple(ORACLES)):
    """emdeg's A, bias and g of a robot against the oracles' at one state."""
    q, qd, _ = robot.state()
    ours = emdeg.derive(emdeg.load(robot.document)).evaluate(q, qd, values=robot.values)
    arm = Arm(robot.document, robot.values)
    scale = arm.total_mass * (np.linalg.norm(arm.gravity) + qd @ qd)
    for name in oracles:
        theirs = ORACLES[name](arm, q, qd)
        for what in ("mass_matrix", "bias", "gravity"):
            mine, other = getattr(ours, what), getattr(theirs, what)
            largest = abs(other).max() if mine.any() else scale  # what is exactly zero in emdeg is rounding there
            assert abs(mine - other).max() <= TOLERANCE * largest, (name, what, mine, other)

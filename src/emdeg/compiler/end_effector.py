"""Where the tool is and how it moves, over any scalar."""

from typing import Any

from emdeg.compiler.numbers import NumericRobot
from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.kinematics import Pose, poses, turned
from emdeg.mechanics.rotation import matrix
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.robot import BASE


def tool_pose(robot: NumericRobot, frames: Frames) -> tuple[Matrix, Vector]:
    """The tool's axes, as columns, and its origin, in the base frame."""
    segment, placement = robot.tool
    state = frames.state
    pose = Pose(frames.units, frames.units, frames.nought) if segment == BASE else poses(frames)[segment]
    axes = vector.product(pose.axes, matrix(placement.rotation, state.letters, state.number))
    arm = turned(frames, pose.axes, frames.evaluate(placement.translation))
    return axes, vector.add(pose.origin, arm)


def tool_jacobian(robot: NumericRobot, frames: Frames) -> list[list[Any]]:
    """Six rows, linear velocity of the tool's origin first, in base axes."""
    found = poses(frames)
    _, point = tool_pose(robot, frames)
    nothing = (*frames.nought, *frames.nought)
    columns = [nothing for _ in robot.tree.segments]
    for k in () if robot.tool[0] == BASE else robot.tree.ancestors(robot.tool[0]):
        axis = turned(frames, found[k].carrier, frames.axis(k))
        if robot.tree.segments[k].revolute:
            columns[k] = (*vector.cross(axis, vector.subtract(point, found[k].origin)), *axis)
        else:
            columns[k] = (*axis, *frames.nought)
    return [[column[row] for column in columns] for row in range(6)]

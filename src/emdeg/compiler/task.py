"""What is wanted of a robot: one or several functions in one program, whose plan is still to be chosen."""

from dataclasses import dataclass
from functools import cached_property

from emdeg.compiler.closed_form import ClosedForm, closed_form
from emdeg.compiler.functions import FUNCTIONS, Arrays, Recorded
from emdeg.compiler.gauge import Joints, joints, regauged, slid
from emdeg.compiler.numbers import NumericRobot, numeric
from emdeg.compiler.plan import Plan
from emdeg.compiler.tracing import record
from emdeg.errors import InputError
from emdeg.program import Program, linearize
from emdeg.robot import Robot

ARGUMENTS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class Task:
    """A robot in numbers and the functions that one program is to compute."""

    robot: NumericRobot
    where: Joints
    functions: tuple[str, ...]

    @property
    def name(self) -> str:
        return "_and_".join(self.functions)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The inputs that the functions take, in the usual order."""
        taken = {name for function in self.functions for name in FUNCTIONS[function].arguments}
        return tuple(name for name in ARGUMENTS if name in taken)

    @cached_property
    def form(self) -> ClosedForm:
        """The closed form, over base parameters."""
        return closed_form(self.robot, *regauged(self.robot, self.where, Plan.plain(len(self.robot.tree)).gauge))

    def program(self, plan: Plan) -> Program:
        """The program of a plan; what the functions share is computed once."""
        placed = any(FUNCTIONS[function].placed for function in self.functions)
        robot, where = slid(self.robot, self.where, plan.slides)
        recording = record(robot, placed=placed)
        bodies, drives = regauged(robot, where, plan.gauge)
        form = None if plan.closed is None else self.form
        numbers = [recording.number(x) for x in drives]
        on = Recorded(recording, robot, plan, recording.bodies(bodies), numbers, form)
        arrays: Arrays = {}
        for function in self.functions:
            arrays |= FUNCTIONS[function].record(on)
        outputs = {name: (shape, [x.reference for x in entries]) for name, (shape, entries) in arrays.items()}
        return linearize(recording.graph, self.name, recording.inputs(self.arguments), outputs)


def task(robot: Robot, *functions: str) -> Task:
    """The task of computing functions of a robot; InputError for an unknown function or a letter without a value."""
    for function in functions:
        if function not in FUNCTIONS:
            raise InputError(f"there is no function {function!r}", advice=f"choose {', '.join(FUNCTIONS)}")
    known = numeric(robot)
    return Task(known, joints(known), functions)

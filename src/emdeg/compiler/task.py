"""What is wanted of a robot: one or several functions in one program, whose plan is still to be chosen."""

from dataclasses import dataclass

from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.gauge import Joints, joints
from emdeg.compiler.numbers import NumericRobot, numeric
from emdeg.compiler.plan import Plan
from emdeg.compiler.recorder import Recorder
from emdeg.errors import InputError
from emdeg.mechanics.customized import Call, direct
from emdeg.program import Program
from emdeg.robot import Robot

GUIDES = {"inverse_dynamics_derivatives": "inverse_dynamics", "coriolis_matrix": "bias"}
GUIDES |= {"explicit_model": "bias", "explicit_model_absolute": "bias"}
"""For functions that are slow to record, others that a plan is good for at once."""
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

    @property
    def guide(self) -> "Task | None":
        """A task that is recorded quickly and whose best plan is good for this one, where this one is slow."""
        guides = tuple(dict.fromkeys(GUIDES.get(function, function) for function in self.functions))
        return None if guides == self.functions else Task(self.robot, self.where, guides)

    def recorder(self, call: Call = direct) -> Recorder:
        """What records plans of this task; with a memory for `call`, what they have in common once."""
        return Recorder(self.robot, self.where, self.functions, call)

    def program(self, plan: Plan) -> Program:
        """The program of a plan; what the functions share is computed once."""
        return self.recorder().program(plan, self.name, self.arguments)


def task(robot: Robot, *functions: str) -> Task:
    """The task of computing functions of a robot; InputError for an unknown function or a letter without a value."""
    for function in functions:
        if function not in FUNCTIONS:
            raise InputError(f"there is no function {function!r}", advice=f"choose {', '.join(FUNCTIONS)}")
    known = numeric(robot)
    return Task(known, joints(known), functions)

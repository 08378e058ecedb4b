"""What is wanted of a robot: one or several functions in one program, whose plan is still to be chosen."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from emdeg.compiler.base_regressor import BaseForms
from emdeg.compiler.constants import Parameters
from emdeg.compiler.friction import with_friction
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.gauge import Joints, joints
from emdeg.compiler.letters import lettered
from emdeg.compiler.numbers import NumericRobot, numeric, valued
from emdeg.compiler.options import FRICTION, PLAIN, Options, checked, link_index
from emdeg.compiler.plan import Plan
from emdeg.compiler.price import PRICES, Price
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
    """A robot in numbers and the functions that one program is to compute; letters named as parameters stay free."""

    robot: NumericRobot
    functions: tuple[str, ...]
    described: Robot
    options: Options = PLAIN
    base: BaseForms | None = None

    @property
    def name(self) -> str:
        return "_and_".join(self.functions)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The inputs that the functions take, in the usual order."""
        taken = {name for function in self.functions for name in FUNCTIONS[function].arguments}
        return tuple(name for name in ARGUMENTS if name in taken)

    @property
    def price(self) -> Price:
        """What the cheapest program is the cheapest by."""
        return PRICES[self.options.minimize]

    @property
    def guide(self) -> "Task | None":
        """A task that is recorded quickly and whose best plan is good for this one, where this one is slow."""
        guides = tuple(dict.fromkeys(GUIDES.get(function, function) for function in self.functions))
        return None if guides == self.functions else replace(self, functions=guides)

    @cached_property
    def where(self) -> Joints:
        """The joints in exact numbers."""
        return joints(self.robot)

    def recorder(self, call: Call = direct) -> Recorder:
        """What records plans of this task; with a memory for `call`, what they have in common once."""
        return Recorder(self.robot, self.where, self.functions, call, self.base, self.price)

    def program(self, plan: Plan) -> Program:
        """The program of a plan; what the functions share is computed once."""
        program = self.recorder().program(plan, self.name, self.arguments, len(self.options.parameters))
        return with_friction(program, self.robot) if self.options.friction else program

    def valued(self, free: Mapping[str, Any], number: Callable[[Any], Any]) -> NumericRobot:
        """The robot in scalars of another kind; `free` gives those of the parameters, with sin(name) and cos(name)."""
        choices = _choices(self.described, self.functions, self.options)
        return valued(self.described, free, number, friction=choices["friction"], link=choices["link"])


def task(robot: Robot, *functions: str, options: Options = PLAIN) -> Task:
    """The task of computing functions of a robot.

    InputError for an unknown function, for letters without a value that do not stay free, and for options that don't
    go with them.
    """
    for function in functions:
        if function not in FUNCTIONS:
            raise InputError(f"there is no function {function!r}", advice=f"choose {', '.join(FUNCTIONS)}")
    robot = lettered(robot, options.parameters)
    checked(robot, functions, options)
    free = Parameters(options.parameters).letters
    known = numeric(robot, free, **_choices(robot, functions, options))
    base = None
    if options.base and "regressor" in functions:
        base = BaseForms.of(robot)
    return Task(known, functions, robot, options, base)


def _choices(robot: Robot, functions: tuple[str, ...], options: Options) -> dict[str, Any]:
    """What the numbers of a robot must hold."""
    rubs = "friction" in functions or (options.friction and bool(set(functions) & set(FRICTION)))
    inertial = any(FUNCTIONS[function].inertial for function in functions)
    return {
        "inertial": inertial,
        "friction": rubs,
        "link": None if options.link is None else link_index(robot, options.link),
    }

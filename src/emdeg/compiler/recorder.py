"""Recording plans of a task: into a graph of its own each, or many into one graph, what they have in common once."""

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import fmpq

from emdeg.compiler.base_regressor import BaseForms
from emdeg.compiler.closed_form import ClosedForm, closed_form
from emdeg.compiler.constants import PARAMETERS, Constant, written_out
from emdeg.compiler.explicit import Arrays
from emdeg.compiler.functions import FUNCTIONS, Recorded
from emdeg.compiler.gauge import Joints, LinkGauge, regauged, slid
from emdeg.compiler.numbers import NumericRobot
from emdeg.compiler.plan import Plan
from emdeg.compiler.price import PRICES, Price
from emdeg.compiler.tracing import record
from emdeg.mechanics.customized import Call, direct
from emdeg.mechanics.frames import Frames
from emdeg.program import Input, Program, Scalar, linearize

BY_VALUE = frozenset({int, bool, str, Fraction, fmpq, Constant, LinkGauge, type(None)})


class Memory:
    """Takes steps and remembers them: by the values of scalars, numbers and words, by the identity of all else.

    Frames are left out of account: those of one task turn alike, and steps use them for nothing else.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[Any, tuple[Any, ...]]] = {}

    def __call__(self, step: Callable[..., Any], *arguments: Any) -> Any:
        key = (step, *map(_key, arguments))
        found = self._known.get(key)
        if found is None:  # the arguments are kept, so that no other object gets their identity
            found = self._known[key] = (step(*arguments), arguments)
        return found[0]


def _key(argument: Any) -> Any:
    kind = type(argument)
    if kind is Scalar:
        return argument.reference
    if kind is tuple:
        return tuple(map(_key, argument))
    if kind in BY_VALUE:
        return argument
    return None if kind is Frames else id(argument)


class Recorder:
    """Records plans for some functions of a robot into one graph; `base`: the regressor by base parameters."""

    def __init__(
        self,
        robot: NumericRobot,
        where: Joints,
        functions: tuple[str, ...],
        call: Call = direct,
        base: BaseForms | None = None,
        price: Price = PRICES["operations"],
    ) -> None:
        self.price = price
        self.robot = robot
        self.base = base
        self.where = where
        self.functions = functions
        self.call = call
        placed = any(FUNCTIONS[function].placed for function in functions)
        self.recording = record(robot, placed=placed)

    @cached_property
    def form(self) -> ClosedForm:
        """The closed form, over base parameters."""
        gauge = (LinkGauge(),) * len(self.robot.tree)
        return closed_form(self.robot, *regauged(self.robot, self.where, gauge))

    def arrays(self, plan: Plan) -> Arrays:
        """The outputs of a plan."""
        robot, where, recording = self.call(self._slid, plan.slides)
        bodies, drives = regauged(robot, where, plan.gauge, self.call)
        scalars = [self.call(recording.body, body) for body in bodies]
        form = None if plan.closed is None else self.form
        made = [recording.number(x) for x in drives]
        on = Recorded(recording, robot, plan, scalars, made, self.call, form, self.base)
        arrays: Arrays = {}
        for function in self.functions:
            arrays |= FUNCTIONS[function].record(on)
        return arrays

    def _slid(self, slides: tuple[bool, ...]) -> Any:
        robot, where = slid(self.robot, self.where, slides)
        return robot, where, self.recording.moved(robot)

    def program(self, plan: Plan, name: str, arguments: tuple[str, ...], parameters: int = 0) -> Program:
        """The program of a plan; so many parameters are an input, too."""
        arrays = self.arrays(plan)
        graph, flat = written_out(self.recording.graph, [x.reference for _, xs in arrays.values() for x in xs])
        references = iter(flat)
        outputs = {label: (shape, [next(references) for _ in xs]) for label, (shape, xs) in arrays.items()}
        inputs = self.recording.inputs(arguments) + [Input(PARAMETERS, parameters)] * bool(parameters)
        return linearize(graph, name, inputs, outputs)

    def cost(self, plan: Plan) -> float:
        """What is minimized: the price of a plan's operations, then sine-cosine pairs.

        What depends on parameters alone is a number in the graph: it costs nothing.
        """
        wanted = [x.reference for _, entries in self.arrays(plan).values() for x in entries]
        return self.recording.graph.price(wanted, self.price.multiplication, self.price.addition)

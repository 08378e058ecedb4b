"""Functions whose parameters stay free: what depends on these alone is computed once, before the states."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Real
from typing import Any

import flint
import numpy as np

from emdeg.compiler.calling import Array
from emdeg.compiler.constants import PARAMETERS
from emdeg.compiler.function import Function
from emdeg.compiler.splitting import CONSTANTS, split
from emdeg.errors import InputError
from emdeg.program import Cost, Program
from emdeg.robot import Robot


@dataclass(frozen=True)
class ParametricFunction:
    """A function of a robot in which some letters have no value yet.

    `at` gives them values: the function that it returns is called as any other. Called itself, it takes the values of
    the robot's file. Its two parts are functions, too: `constants` takes `(..., k)` values of `parameters` in their
    order, `state` takes the arguments and, last, the `(..., c)` constants, so that many robots can be computed at once.
    Where nothing depends on the parameters, there are no constants, and `state` takes none. `cost` is what a state
    costs; the constants' is `constants.cost`.
    """

    parameters: tuple[str, ...]
    known: Mapping[str, Fraction]
    program: Program
    state: Function

    @staticmethod
    def of(
        program: Program, robot: Robot, parameters: tuple[str, ...], backend: str, dtype: str
    ) -> "ParametricFunction":
        """The function of a program with these parameters as an input."""
        constants, state = split(program, parameters)
        symbols = {name: robot.symbols[name].value for name in parameters}
        known = {name: value for name, value in symbols.items() if value is not None}
        return ParametricFunction(parameters, known, constants, Function(state, backend, dtype))

    @cached_property
    def constants(self) -> Function:
        """The constants `(..., c)` of parameters `(..., k)`."""
        return Function(self.program, self.state.backend, self.state.dtype)

    def at(self, values: Mapping[str, float]) -> "BoundFunction":
        """The function with values of the parameters in SI; those left out have their value from the robot's file.

        Constants are computed to 256 bits and rounded once. InputError for a parameter that is none, that is not a
        finite number, or that has no value at all.
        """
        name = self.state.program.name
        strange = [key for key in values if key not in self.parameters]
        if strange:
            message = f"{', '.join(map(repr, strange))} is no parameter of the function"
            raise InputError(message, where=name, advice=f"its parameters are {', '.join(self.parameters)}")
        given = {**self.known} | {key: _exact(key, value) for key, value in values.items()}
        missing = [key for key in self.parameters if key not in given]
        some = {key: Fraction(89 + 2 * k, 64) for k, key in enumerate(missing)}
        numbers = {key: given[key] if key in given else some[key] for key in self.parameters}
        found = self._constants(numbers)
        missing = [key for key in missing if self._constants(numbers | {key: Fraction(97, 89)}) != found]
        if missing:
            call = ", ".join(f"{key!r}: ..." for key in missing)
            message = f"no value is known of {', '.join(missing)}"
            raise InputError(message, where=name, advice=f"give values: at({{{call}}})")
        rounded = np.array(found, dtype=self.state.dtype)
        rounded.flags.writeable = False
        return BoundFunction(self.state, {key: float(given[key]) for key in self.parameters if key in given}, rounded)

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """The results with the values of the robot's file; InputError where it has none for a parameter."""
        return self._as_filed(*arguments, out=out, **named)

    def _constants(self, numbers: Mapping[str, Fraction]) -> list[float]:
        return rounded_constants(self.program, list(numbers.values()))

    @cached_property
    def _as_filed(self) -> "BoundFunction":
        return self.at({})

    @property
    def cost(self) -> Cost:
        """Operations of one call on one state."""
        return self.state.cost

    def __repr__(self) -> str:
        return f"<{self.state.program.name} with {', '.join(self.parameters)} free; {self.cost}>"


@dataclass(frozen=True, eq=False)
class BoundFunction:
    """A function with values of its parameters; called as `Function` is.

    `parameters` are the values that are known (one that nothing depends on may have none), `constants` what was
    computed of them.
    """

    state: Function
    parameters: Mapping[str, float]
    constants: Array

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """The results for arrays of states."""
        if len(arguments) == self._own and not named:
            arguments = (*arguments, *self._last)
            return self.state(*arguments) if out is None else self.state(*arguments, out=out)
        if CONSTANTS in named or len(arguments) > self._own:
            names = ", ".join(entry.name for entry in self.state.program.inputs[: self._own])
            message = f"{self.state.program.name}({names}) takes {self._own} arguments; the constants are bound"
            raise TypeError(message)
        if self._last:
            named[CONSTANTS] = self.constants
        return self.state(*arguments, out=out, **named)

    @cached_property
    def _last(self) -> tuple[Array, ...]:
        """What comes after the caller's arguments."""
        return (self.constants,) if len(self.constants) else ()

    @cached_property
    def _own(self) -> int:
        """How many arguments the caller gives."""
        return len(self.state.program.inputs) - len(self._last)

    @property
    def cost(self) -> Cost:
        """Operations of one call on one state."""
        return self.state.cost

    @property
    def source(self) -> str:
        """What the back end made of the state's program."""
        return self.state.source

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:g}" for name, value in self.parameters.items())
        return f"<{self.state.program.name} at {values}; {self.cost}>"


def rounded_constants(program: Program, values: list[Fraction]) -> list[float]:
    """The constants at exact values of the parameters, rounded once; InputError where one is not finite."""
    with flint.ctx.workprec(256):

        def number(value: Fraction) -> Any:
            return flint.arb(flint.fmpq(value.numerator, value.denominator))

        waves = {"sin": lambda x: x.sin(), "cos": lambda x: x.cos()}
        found = program.evaluate({PARAMETERS: [number(value) for value in values]}, number, waves)[CONSTANTS]
        numbers = [float(x.mid()) if x.is_finite() else np.nan for x in found]
    if not np.isfinite(numbers).all():
        raise InputError("a constant is not finite at these values of the parameters", where=program.name)
    return numbers


def _exact(name: str, value: Any) -> Fraction:
    """A number as a fraction."""
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if not isinstance(value, Real) or not np.isfinite(float(value)):
        raise InputError(f"{value!r} is no value for {name}", advice="give a finite number in SI")
    return Fraction(float(value))

"""Programs on numpy arrays, without a compiler: slower, everywhere; what the other back ends are compared with.

The program is written out as a Python function over columns, one statement an operation; it runs on some hundred
states at a time, so that its columns stay in the processor's cache.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np

from emdeg.errors import UnsupportedError
from emdeg.program import Program
from emdeg.program.program import NAMED
from emdeg.version import __version__

Array = np.ndarray[Any, Any]

STATES = 512
"""States that are computed together."""
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class NumpyProgram:
    """A program as a Python function over numpy arrays."""

    def __init__(self, program: Program, dtype: Literal["float64", "float32"] = "float64") -> None:
        self.program = program
        self.dtype = dtype
        self._constants = [_nearest(constant, dtype) for constant in program.constants]

    @cached_property
    def source(self) -> str:
        """The function's text: `inputs` and `constants` are sequences of columns and numbers."""
        return _text(self.program)

    @cached_property
    def _function(self) -> Callable[..., list[list[Any]]]:
        names: dict[str, Any] = {"sin": np.sin, "cos": np.cos, "sign": np.sign}
        exec(compile(self.source, "<emdeg program>", "exec"), names)  # nothing but numbers and our own names is in it
        function: Callable[..., list[list[Any]]] = names["program"]
        return function

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Compute states: rows of `inputs` to rows of `outputs`."""
        with np.errstate(all="ignore"):
            for first in range(0, len(outputs[0]), STATES):
                columns = [column for rows in inputs for column in rows[first : first + STATES].T]
                for rows, results in zip(outputs, self._function(columns, self._constants), strict=True):
                    for place, column in enumerate(results):
                        rows[first : first + STATES, place] = column

    def entry(self, otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
        """There is no quicker way to single states."""
        return None


def _nearest(constant: Any, dtype: str) -> Any:
    """A number of that kind, close to an exact one."""
    try:
        with np.errstate(over="raise"):
            return np.dtype(dtype).type(float(constant))
    except (OverflowError, FloatingPointError):
        message = f"the constant {constant} is beyond {dtype}"
        raise UnsupportedError(message, advice="choose other units, or float64") from None


def _text(program: Program) -> str:
    """The function; variables are used again once their value is no longer needed."""
    last: dict[int, int] = {value: len(program.code) for output in program.outputs for value in output.values}
    for k, instruction in enumerate(program.code):
        for operand in (instruction.a, instruction.b):
            last[operand] = max(last.get(operand, 0), k)
    names = [f"inputs[{k}]" for k in range(program.first_constant)]
    names += [f"constants[{k}]" for k in range(len(program.constants))]
    free: list[str] = []
    made = 0
    lines = [f"# {program.cost}; emdeg {__version__}", "def program(inputs, constants):"]
    for k, instruction in enumerate(program.code):
        a, b = names[instruction.a], names[instruction.b] if instruction.b >= 0 else ""
        for operand in {instruction.a, instruction.b}:
            if operand >= program.first_result and last[operand] == k:
                free.append(names[operand])
        if not free:
            free.append(f"x{made}")
            made += 1
        name = free.pop()
        names.append(name)
        if instruction.kind in NAMED:
            lines.append(f"    {name} = {instruction.kind}({a})")
        elif instruction.kind == "neg":
            lines.append(f"    {name} = -{a}")
        else:
            lines.append(f"    {name} = {a} {_SIGNS[instruction.kind]} {b}")
    results = ", ".join(f"[{', '.join(names[value] for value in output.values)}]" for output in program.outputs)
    return "\n".join([*lines, f"    return [{results}]", ""])

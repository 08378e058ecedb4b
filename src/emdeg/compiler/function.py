"""Functions: programs made callable on arrays."""

from collections.abc import Callable, Mapping
from typing import Any

from emdeg.backends.llvm import LlvmProgram
from emdeg.backends.numpy import NumpyProgram
from emdeg.compiler.calling import ArrayCall, Executable
from emdeg.errors import InputError
from emdeg.program import Cost, Program

BACKENDS: Mapping[str, Callable[..., Executable]] = {"llvm": LlvmProgram, "numpy": NumpyProgram}
"""The back ends whose programs run here."""


class Function:
    """A program that is called with arrays.

    Each input is an array `(..., n)`, its leading axes broadcast against those of the others; each result `(...,
    shape)`, more than one result as a tuple. Real numbers of any type are converted to `dtype` once. `out=` takes
    arrays for the results, contiguous and of that type. May be called from several threads at once.
    """

    __slots__ = ("_call", "_executable", "backend", "dtype", "program")
    program: Program
    backend: str
    dtype: str
    _call: ArrayCall
    _executable: Executable

    def __new__(cls, program: Program, backend: str = "llvm", dtype: str = "float64", **options: Any) -> "Function":
        if backend not in BACKENDS:
            raise InputError(f"there is no back end {backend!r}", advice=f"there are: {', '.join(BACKENDS)}")
        if dtype not in ("float64", "float32"):
            raise InputError(f"there is no type {dtype!r}", advice="there are: float64, float32")
        executable = BACKENDS[backend](program, dtype, **options)
        call = ArrayCall(executable)
        entry = executable.entry(call) or call
        # Python looks a call up in the type of what is called, and is quickest if it finds a built-in function there
        own = type(cls.__name__, (cls,), {"__slots__": (), "__call__": entry, "__doc__": _signature(program)})
        self: Function = object.__new__(own)
        values = {"program": program, "backend": backend, "dtype": dtype, "_executable": executable, "_call": call}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a function is frozen: {name} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a function is frozen: {name} can't be deleted")

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        """The results for arrays of states."""
        return self._call(*arguments, out=out, **named)

    @property
    def cost(self) -> Cost:
        """Operations of one call on one state."""
        return self.program.cost

    @property
    def source(self) -> str:
        """What the back end made of the program."""
        return self._executable.source

    def __reduce__(self) -> tuple[Any, ...]:
        return Function, (self.program, self.backend, self.dtype)

    def __repr__(self) -> str:
        return f"<{_signature(self.program)}; {self.backend}, {self.dtype}; {self.cost}>"


def _signature(program: Program) -> str:
    """A program's name, with the shapes of what goes in and comes out."""
    inputs = ", ".join(f"{entry.name} (..., {entry.size})" for entry in program.inputs)
    outputs = ", ".join(f"{output.name} ({', '.join(['...', *map(str, output.shape)])})" for output in program.outputs)
    return f"{program.name}({inputs}) -> {outputs}"

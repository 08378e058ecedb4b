"""What a call may bring: arrays of any layout and kind, broadcast against each other, and what is refused."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from emdeg.errors import InputError
from emdeg.program import Program

Array = np.ndarray[Any, Any]


class Executable(Protocol):
    """A program made ready by a back end."""

    program: Program
    dtype: Any

    @property
    def source(self) -> str: ...

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None: ...

    def entry(self, otherwise: Callable[..., Any]) -> Callable[..., Any] | None: ...


class ArrayCall:
    """Checks arrays and lays them out as rows for an executable; the results in new arrays or in those given."""

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        self.program = executable.program
        self.dtype = np.dtype(executable.dtype)
        self._names = [entry.name for entry in self.program.inputs]

    def __call__(self, *arguments: Any, out: Any = None, **named: Any) -> Any:
        arrays = [self._array(*pair) for pair in zip(self.program.inputs, self._ordered(arguments, named), strict=True)]
        shapes = {array.shape[:-1] for array in arrays}
        lead = shapes.pop() if len(shapes) == 1 else self._broadcast(arrays)
        count = 1
        for extent in lead:
            count *= extent
        results = self._results(lead, out)
        if out is not None:
            arrays = [array.copy() if _overlaps(array, results) else array for array in arrays]
        rows = [self._rows(array, lead, count) for array in arrays]
        places = [_flat(result, count) for result in results]
        if count:
            self.executable.run(rows, places)
        if out is not None:
            return out
        results = [result if result.ndim else result[()] for result in results]
        return results[0] if len(results) == 1 else tuple(results)

    def _ordered(self, arguments: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        """The arguments in the order of the inputs."""
        names = self._names
        wanted = f"{self.program.name}({', '.join(names)})"
        if len(arguments) > len(names):
            raise TypeError(f"{wanted} takes {len(names)} arguments, not {len(arguments)}")
        rest = names[len(arguments) :]
        for name in named:
            if name not in rest:
                raise TypeError(f"{wanted} takes no further argument {name!r}")
        missing = [name for name in rest if name not in named]
        if missing:
            raise TypeError(f"{wanted} lacks {' and '.join(missing)}")
        return [*arguments, *(named[name] for name in rest)]

    def _array(self, entry: Any, argument: Any) -> Array:
        """An argument as an array of the function's type."""
        try:
            array = np.asarray(argument)
        except ValueError as error:
            raise InputError(f"{entry.name} is not an array of numbers: {error}") from None
        if array.dtype != self.dtype:
            if array.dtype.kind not in "fiu":
                kind = "complex numbers" if array.dtype.kind == "c" else f"elements of type {array.dtype}"
                advice = f"give {entry.name} as real numbers, shape (..., {entry.size})"
                raise InputError(f"{entry.name} holds {kind}", advice=advice)
            with np.errstate(over="ignore"):
                array = array.astype(self.dtype)
        if array.ndim == 0 or array.shape[-1] != entry.size:
            raise InputError(
                f"{entry.name} has the shape {array.shape}, where (..., {entry.size}) is needed",
                where=self.program.name,
                advice=f"the last axis of {entry.name} has {entry.size} components",
            )
        return array

    def _broadcast(self, arrays: Sequence[Array]) -> tuple[int, ...]:
        """The common leading shape."""
        try:
            return np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        except ValueError:
            pairs = zip(self._names, arrays, strict=True)
            listed = ", ".join(f"{name} {array.shape}" for name, array in pairs)
            message = f"the leading axes don't broadcast: {listed}"
            raise InputError(message, where=self.program.name) from None

    def _results(self, lead: tuple[int, ...], out: Any) -> list[Array]:
        """New arrays, or the buffers given if they are fit."""
        outputs = self.program.outputs
        if out is None:
            return [np.empty(lead + output.shape, self.dtype) for output in outputs]
        given = (out,) if len(outputs) == 1 else out
        if len(outputs) > 1 and not (isinstance(out, tuple | list) and len(out) == len(outputs)):
            names = ", ".join(output.name for output in outputs)
            raise InputError(f"out must be a tuple of {len(outputs)} arrays ({names})", where=self.program.name)
        for output, buffer in zip(outputs, given, strict=True):
            wanted = lead + output.shape
            what = "out" if len(outputs) == 1 else f"out for {output.name}"
            if not isinstance(buffer, np.ndarray):
                raise InputError(f"{what} is not an array but {type(buffer).__name__}", where=self.program.name)
            if buffer.shape != wanted or buffer.dtype != self.dtype:
                raise InputError(
                    f"{what} has the shape {buffer.shape} and the type {buffer.dtype}, "
                    f"where {wanted} and {self.dtype} are needed",
                    where=self.program.name,
                )
            flags = buffer.flags
            by_columns = flags.f_contiguous and buffer.ndim == 2 and len(lead) == 1
            if not ((flags.c_contiguous or by_columns) and flags.writeable and flags.aligned):
                advice = "give an array as numpy.empty makes it"
                raise InputError(
                    f"{what} is not contiguous, aligned and writable", where=self.program.name, advice=advice
                )
        return list(given)

    def _rows(self, array: Array, lead: tuple[int, ...], count: int) -> Array:
        """An array as `count` rows, one of its axes contiguous; a row for all states is repeated, not copied."""
        size = array.shape[-1]
        if array.shape[:-1] != lead:
            if array.size == size:  # one row for all
                array = np.broadcast_to(array.reshape(size), (count, size))
            else:
                array = np.broadcast_to(array, (*lead, size))
        rows = array.reshape(count, size)
        flags = rows.flags
        if not (flags.c_contiguous or flags.f_contiguous) and rows.strides[1] != rows.itemsize:
            rows = np.ascontiguousarray(rows)
        return rows if rows.flags.aligned else rows.copy()


def _flat(result: Array, count: int) -> Array:
    """A result's array, contiguous by rows or by columns, as one row a state."""
    return result if result.ndim == 2 and len(result) == count else result.reshape(count, result.size // max(count, 1))


def _overlaps(array: Array, results: Sequence[Array]) -> bool:
    return any(np.may_share_memory(array, result) for result in results)

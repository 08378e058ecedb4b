"""Calls from Python without a detour: machine code that reads numpy arrays as any extension module does.

A call with one-dimensional arrays of the right type, size and layout reads their data and computes; whatever else a
call may hold goes to an ordinary Python function. Where objects lie in memory is fixed by the binary interfaces of
CPython and numpy, and is looked at on live objects before it is relied on; if anything is not as expected, there is no
such entry, and the Python function is called always.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from emdeg.backends.llvm_text import Body

TYPE, DATA, RANK, EXTENTS, STRIDES, DESCRIPTION, FLAGS = 8, 16, 24, 32, 40, 56, 64
"""Offsets in an array object; the type's is that of any object."""
COUNT, ITEMS = 16, 24
"""Offsets in a tuple."""
READABLE, WRITABLE = 0x101, 0x501
"""Flags of contiguous, aligned and writable arrays."""
FASTCALL, FASTCALL_WITH_KEYWORDS = 0x80, 0x82

_NEEDED = (
    *("PyObject_Vectorcall", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef", "Py_DecRef", "PyCFunction_NewEx"),
    *("PyEval_SaveThread", "PyEval_RestoreThread", "PyLong_FromSsize_t"),
)


class _Method(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


@cache
def possible() -> bool:
    """Whether objects lie in memory as this file expects."""
    if sys.implementation.name != "cpython" or "free-threading" in sys.version:
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or object.__basicsize__ != 16:
        return False
    if not all(hasattr(ctypes.pythonapi, name) for name in _NEEDED):
        return False
    return all(_as_expected(np.zeros(shape, kind)) for shape in ((3,), (2, 5)) for kind in (np.float64, np.float32))


def _as_expected(array: np.ndarray[Any, Any]) -> bool:
    """Whether the fields of an array and a tuple stand at their offsets."""
    pair = (array, "out")

    def word(thing: Any, offset: int) -> int:
        return ctypes.c_int64.from_address(id(thing) + offset).value

    def half(thing: Any, offset: int) -> int:
        return ctypes.c_int32.from_address(id(thing) + offset).value

    frozen = array.copy()
    frozen.flags.writeable = False
    turned = np.asfortranarray(np.zeros((2, 3), array.dtype))
    extents = [ctypes.c_int64.from_address(word(array, EXTENTS) + 8 * k).value for k in range(array.ndim)]
    strides = [ctypes.c_int64.from_address(word(array, STRIDES) + 8 * k).value for k in range(array.ndim)]
    return (
        word(array, TYPE) == id(np.ndarray)
        and word(array, DATA) == array.ctypes.data
        and half(array, RANK) == array.ndim
        and extents == list(array.shape)
        and strides == list(array.strides)
        and word(array, DESCRIPTION) == id(np.dtype(array.dtype.name))
        and all(half(x, FLAGS) == x.flags.num for x in (array, frozen, turned))
        and array.flags.num & WRITABLE == WRITABLE
        and frozen.flags.num & WRITABLE == READABLE
        and turned.flags.num & READABLE != READABLE
        and word(pair, TYPE) == id(tuple)
        and word(pair, COUNT) == 2
        and [word(pair, ITEMS + 8 * k) for k in (0, 1)] == [id(array), id("out")]
    )


def wrap(address: int, name: str, flags: int, otherwise: Any, keep: Any) -> Callable[..., Any]:
    """Machine code at an address as a Python function; `keep` lives as long as that does."""
    method = _Method(name.encode(errors="replace"), address, flags, None)
    make = ctypes.pythonapi["PyCFunction_NewEx"]
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.py_object, ctypes.py_object]
    made: Callable[..., Any] = make(ctypes.addressof(method), otherwise, (method, keep))
    return made


class Addresses:
    """What machine code knows of this process: functions and objects of Python, by a table that is filled once loaded.

    So the code itself holds no address, and is the same in every process.
    """

    NAME = "addresses"

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self._known: dict[str | int, int] = {}
        self._values: list[int] = []

    def _place(self, key: str | int, value: int) -> str:
        if key not in self._known:
            self._known[key] = len(self._values)
            self._values.append(value)
        return f"getelementptr (i8, ptr @{self.NAME}, i64 {8 * self._known[key]})"

    def function(self, body: Body, name: str) -> str:
        """A function of Python's binary interface."""
        address = ctypes.cast(ctypes.pythonapi[name], ctypes.c_void_p).value or 0
        return body.let(f"load ptr, ptr {self._place(name, address)}")

    def object(self, body: Body, thing: Any) -> str:
        """An object, which lives as long as this table does."""
        self.kept.append(thing)
        return body.let(f"load ptr, ptr {self._place(id(thing), id(thing))}")

    def later(self, body: Body, name: str, kind: str = "ptr") -> str:
        """A value that is `set` after the code is loaded, zero before."""
        return body.let(f"load {kind}, ptr {self._place(name, 0)}")

    def text(self) -> str:
        """The table's declaration."""
        return f"@{self.NAME} = dso_local global [{len(self._values)} x i64] zeroinitializer, align 8\n"

    def fill(self, address: int) -> None:
        """Write all values to where the table was loaded."""
        for k, value in enumerate(self._values):
            ctypes.c_int64.from_address(address + 8 * k).value = value

    def set(self, address: int, name: str, value: int) -> None:
        """Write one value, at once for every thread."""
        ctypes.c_int64.from_address(address + 8 * self._known[name]).value = value


def field(body: Body, base: str, offset: int, kind: str) -> str:
    """What stands at an offset in an object."""
    address = body.let(f"getelementptr i8, ptr {base}, i64 {offset}")
    return body.let(f"load {kind}, ptr {address}")

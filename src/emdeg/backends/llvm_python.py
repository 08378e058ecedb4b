"""Calls from Python without a detour: machine code that reads numpy arrays as any extension module does.

A call with one-dimensional arrays of the right type, size and layout reads their data and computes; whatever else a
call may hold goes to an ordinary Python function. Where objects lie in memory is fixed by the binary interfaces of
CPython and numpy, and is looked at on live objects before it is relied on; if anything is not as expected, there is no
such entry, and the Python function is called always.
"""

import ctypes
import sys
import sysconfig
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from emdeg.backends.llvm_kernel import ATTRIBUTES, Kernel
from emdeg.backends.llvm_text import Body

ENTRY = "entry"
TYPE, DATA, RANK, EXTENTS, STRIDES, DESCRIPTION, FLAGS = 8, 16, 24, 32, 40, 56, 64
"""Offsets in an array object; the type's is that of any object."""
COUNT, ITEMS = 16, 24
"""Offsets in a tuple."""
READABLE, WRITABLE = 0x101, 0x501
"""Flags of contiguous, aligned and writable arrays."""
FASTCALL, FASTCALL_WITH_KEYWORDS = 0x80, 0x82

_NEEDED = (
    *("PyObject_Vectorcall", "PyTuple_New", "PyTuple_SetItem", "Py_IncRef", "Py_DecRef", "PyCFunction_NewEx"),
    *("PyEval_SaveThread", "PyEval_RestoreThread"),
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
    if sys.implementation.name != "cpython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
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


def entry_text(single: Kernel) -> tuple[str, Any]:
    """The function `entry` with the signature of a fast call, and the objects that it names by their addresses."""
    return _Entry(single).text()


def rows_text(kernel: Kernel, function: str) -> str:
    """`function`_rows(inputs ..., outputs ..., scratch): calls `batch` or `each` with arrays of two axes, as they are.

    It is called with arrays that were checked; other threads of Python run meanwhile.
    """
    n, m = len(kernel.program.inputs), len(kernel.program.outputs)
    body = Body()
    tables = [body.let(f"alloca [{size} x i64]") for size in (n, n + m, m)]
    for k in range(n + m):
        place = body.let(f"getelementptr ptr, ptr %arguments, i64 {k}")
        thing = body.let(f"load ptr, ptr {place}")
        data, strides = _field(body, thing, DATA, "ptr"), _field(body, thing, STRIDES, "ptr")
        table, index = (tables[0], k) if k < n else (tables[2], k - n)
        where = body.let(f"getelementptr ptr, ptr {table}, i64 {index}")
        body.do(f"store ptr {data}, ptr {where}")
        where = body.let(f"getelementptr i64, ptr {tables[1]}, i64 {k}")
        body.do(f"store i64 {_field(body, strides, 0, 'i64')}, ptr {where}")
    count = _field(body, _field(body, thing, EXTENTS, "ptr"), 0, "i64")
    scratch = _field(body, _field(body, "%arguments", 8 * (n + m), "ptr"), DATA, "ptr")
    up = body.let(f"getelementptr i8, ptr {scratch}, i64 63")
    aligned = body.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {up}, i64 -64)")
    state = body.let(f"call ptr {_function('PyEval_SaveThread')}()")
    passed = f"ptr {tables[0]}, ptr {tables[1]}, ptr {tables[2]}, i64 {count}, ptr {aligned}"
    body.do(f"call void @{function}({passed})")
    body.do(f"call void {_function('PyEval_RestoreThread')}(ptr {state})")
    nothing = f"inttoptr (i64 {id(None)} to ptr)"
    body.do(f"call void {_function('Py_IncRef')}(ptr {nothing})")
    body.do(f"ret ptr {nothing}")
    head = f"define ptr @{function}_rows(ptr %self, ptr %arguments, i64 %given) {ATTRIBUTES}"
    return f"{head} {{\n" + "\n".join(body.lines) + "\n}\n"


def _function(name: str) -> str:
    """A function of Python as a constant."""
    address = ctypes.cast(ctypes.pythonapi[name], ctypes.c_void_p).value
    return f"inttoptr (i64 {address} to ptr)"


def _field(body: Body, base: str, offset: int, kind: str) -> str:
    address = body.let(f"getelementptr i8, ptr {base}, i64 {offset}")
    return body.let(f"load {kind}, ptr {address}")


class _Entry:
    def __init__(self, single: Kernel) -> None:
        self.single = single
        self.program = single.program
        self.body = Body()
        self.kept: list[Any] = []
        self.passed: list[str] = []

    def text(self) -> tuple[str, Any]:
        inputs, outputs = self.program.inputs, self.program.outputs
        body, spilled = self.body, self.single.spilled * self.single.lanes.bytes
        self._require(f"icmp eq i64 %count, {len(inputs)}")
        for k, entry in enumerate(inputs):
            self.passed.append(self._array(self._word("%arguments", 8 * k), (entry.size,), READABLE))
        body.let("icmp eq ptr %names, null")
        body.do(f"br i1 {body.lines[-1].split()[0]}, label %make, label %given")
        body.label("given")
        self._given()
        body.label("make")
        if all(output.shape for output in outputs):
            self._make()
        else:
            body.do("br label %otherwise")  # a number is returned as one
        body.label("otherwise")
        call = f"{_function('PyObject_Vectorcall')}(ptr %self, ptr %arguments, i64 %count, ptr %names)"
        body.do(f"ret ptr {body.let(f'call ptr {call}')}")
        head = f"define ptr @{ENTRY}(ptr %self, ptr %arguments, i64 %count, ptr %names) {ATTRIBUTES} {{\nentry:\n"
        reserve = f"  %spill = alloca [{spilled} x i8], align 64\n"
        return head + reserve + "\n".join(body.lines) + "\n}\n", self.kept

    def _object(self, thing: Any) -> str:
        """An object of Python as a constant."""
        self.kept.append(thing)
        return f"inttoptr (i64 {id(thing)} to ptr)"

    def _word(self, base: str, offset: int) -> str:
        return _field(self.body, base, offset, "ptr")

    def _require(self, condition: str) -> None:
        """Go on if a condition holds, otherwise to Python."""
        held = self.body.let(condition)
        label = f"ok{held[1:]}"
        self.body.do(f"br i1 {held}, label %{label}, label %otherwise")
        self.body.label(label)

    def _array(self, thing: str, shape: Sequence[int], flags: int) -> str:
        """The data of an argument that is an array of the right kind."""
        kind = np.dtype(self.single.lanes.precision)
        self._require(f"icmp eq ptr {self._word(thing, TYPE)}, {self._object(np.ndarray)}")
        self._require(f"icmp eq ptr {self._word(thing, DESCRIPTION)}, {self._object(kind)}")
        self._require(f"icmp eq i32 {_field(self.body, thing, RANK, 'i32')}, {len(shape)}")
        masked = self.body.let(f"and i32 {_field(self.body, thing, FLAGS, 'i32')}, {flags}")
        self._require(f"icmp eq i32 {masked}, {flags}")
        extents = self._word(thing, EXTENTS)
        for k, extent in enumerate(shape):
            self._require(f"icmp eq i64 {_field(self.body, extents, 8 * k, 'i64')}, {extent}")
        return self._word(thing, DATA)

    def _given(self) -> None:
        """The call names `out`: an array, or a tuple of as many as there are outputs."""
        outputs = self.program.outputs
        self._require(f"icmp eq i64 {_field(self.body, '%names', COUNT, 'i64')}, 1")
        self._require(f"icmp eq ptr {self._word('%names', ITEMS)}, {self._object(sys.intern('out'))}")
        out = self._word("%arguments", 8 * len(self.program.inputs))
        if len(outputs) == 1:
            data = [self._array(out, outputs[0].shape, WRITABLE)]
        else:
            self._require(f"icmp eq ptr {self._word(out, TYPE)}, {self._object(tuple)}")
            self._require(f"icmp eq i64 {_field(self.body, out, COUNT, 'i64')}, {len(outputs)}")
            data = [
                self._array(self._word(out, ITEMS + 8 * k), output.shape, WRITABLE) for k, output in enumerate(outputs)
            ]
        self.body.do(f"call void {_function('Py_IncRef')}(ptr {out})")
        self._compute(data)
        self.body.do(f"ret ptr {out}")

    def _make(self) -> None:
        """The call names no `out`: new arrays, alone or in a tuple."""
        body, outputs = self.body, self.program.outputs
        whole = ""
        if len(outputs) > 1:
            whole = body.let(f"call ptr {_function('PyTuple_New')}(i64 {len(outputs)})")
            self._require_made(whole, "")
        data = []
        for k, output in enumerate(outputs):
            arguments = body.let("alloca [2 x ptr]")
            second = body.let(f"getelementptr i8, ptr {arguments}, i64 8")
            body.do(f"store ptr {self._object(output.shape)}, ptr {arguments}")
            body.do(f"store ptr {self._object(np.dtype(self.single.lanes.precision))}, ptr {second}")
            call = f"{_function('PyObject_Vectorcall')}(ptr {self._object(np.empty)}, ptr {arguments}, i64 2, ptr null)"
            made = body.let(f"call ptr {call}")
            self._require_made(made, whole)
            if whole:
                body.do(f"call i32 {_function('PyTuple_SetItem')}(ptr {whole}, i64 {k}, ptr {made})")
            data.append(self._word(made, DATA))
        self._compute(data)
        body.do(f"ret ptr {whole or made}")

    def _require_made(self, made: str, whole: str) -> None:
        """Return with Python's error if there is no memory."""
        failed = self.body.let(f"icmp eq ptr {made}, null")
        label = failed[1:]
        self.body.do(f"br i1 {failed}, label %no{label}, label %ok{label}")
        self.body.label(f"no{label}")
        if whole:
            self.body.do(f"call void {_function('Py_DecRef')}(ptr {whole})")
        self.body.do("ret ptr null")
        self.body.label(f"ok{label}")

    def _compute(self, data: Sequence[str]) -> None:
        passed = ", ".join(f"ptr {x}" for x in [*self.passed, *data, "%spill"])
        self.body.do(f"call void @{self.single.name}({passed})")

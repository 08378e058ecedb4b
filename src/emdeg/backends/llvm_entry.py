"""What Python calls, in LLVM: `entry` for arrays as they come, `rows` for arrays that were checked before.

    ptr entry(ptr self, ptr arguments, i64 count, ptr names)       a fast call with keywords
    ptr each_rows / batch_rows(ptr self, ptr arguments, i64 count) a fast call

`entry` computes one state, or a batch that one thread is enough for once there is a kernel for batches; it takes
arrays of the right type that are contiguous (of a batch also by columns), and `out=` or nothing. All else is left to
the Python function that it was made with.
"""

import sys
from collections.abc import Callable, Sequence

import numpy as np

from emdeg.backends.llvm_kernel import ATTRIBUTES, Kernel
from emdeg.backends.llvm_python import (
    COUNT,
    DATA,
    DESCRIPTION,
    EXTENTS,
    FLAGS,
    ITEMS,
    RANK,
    STRIDES,
    TYPE,
    Addresses,
    field,
)
from emdeg.backends.llvm_text import Body
from emdeg.program import Program

BY_ROWS, BY_COLUMNS, ALIGNED, WRITABLE = 1, 2, 0x100, 0x400
"""Flags of arrays that are contiguous by rows and by columns, aligned and writable."""
ROWS, COLUMNS, MOST = "rows", "columns", "most"
"""What `entry` learns once batches are compiled: functions for arrays by rows only and for any, and below how many
states it is to call them."""


def rows_text(program: Program, function: str, addresses: Addresses) -> str:
    """`function`_rows(inputs ..., outputs ..., scratch): calls `batch` or `each` with arrays of two axes, as they are.

    Other threads of Python run meanwhile.
    """
    n, m = len(program.inputs), len(program.outputs)
    body = Body()
    tables = _tables(body, n, m)
    for k in range(n + m):
        place = body.let(f"getelementptr ptr, ptr %arguments, i64 {k}")
        thing = body.let(f"load ptr, ptr {place}")
        data, strides = field(body, thing, DATA, "ptr"), field(body, thing, STRIDES, "ptr")
        steps = [field(body, strides, 8 * axis, "i64") for axis in (0, 1)]
        _enter(body, tables, k if k < n else k - n, k < n, data, steps, n)
    count = field(body, field(body, thing, EXTENTS, "ptr"), 0, "i64")
    scratch = field(body, field(body, "%arguments", 8 * (n + m), "ptr"), DATA, "ptr")
    up = body.let(f"getelementptr i8, ptr {scratch}, i64 63")
    aligned = body.let(f"call ptr @llvm.ptrmask.p0.i64(ptr {up}, i64 -64)")
    passed = f"ptr {tables[0]}, ptr {tables[1]}, ptr {tables[2]}, i64 {count}, ptr {aligned}"
    _meanwhile(body, addresses, f"call void @{function}({passed})")
    nothing = addresses.object(body, None)
    body.do(f"call void {addresses.function(body, 'Py_IncRef')}(ptr {nothing})")
    body.do(f"ret ptr {nothing}")
    head = f"define ptr @{function}_rows(ptr %self, ptr %arguments, i64 %given) {ATTRIBUTES}"
    return f"{head} {{\n" + "\n".join(body.lines) + "\n}\n"


def _tables(body: Body, n: int, m: int) -> list[str]:
    """Room for the addresses of the inputs, two steps of each array, and the addresses of the outputs."""
    return [body.let(f"alloca [{size} x i64]") for size in (n, 2 * (n + m), m)]


def _enter(
    body: Body, tables: Sequence[str], k: int, given: bool, data: str, steps: Sequence[str], inputs: int
) -> None:
    """Write input or output k, and its steps from row to row and from column to column, into the tables."""
    where = body.let(f"getelementptr ptr, ptr {tables[0] if given else tables[2]}, i64 {k}")
    body.do(f"store ptr {data}, ptr {where}")
    for axis, step in enumerate(steps):
        place = 2 * (k if given else inputs + k) + axis
        where = body.let(f"getelementptr i64, ptr {tables[1]}, i64 {place}")
        body.do(f"store i64 {step}, ptr {where}")


def _meanwhile(body: Body, addresses: Addresses, call: str) -> None:
    """A call during which other threads of Python run."""
    state = body.let(f"call ptr {addresses.function(body, 'PyEval_SaveThread')}()")
    body.do(call)
    body.do(f"call void {addresses.function(body, 'PyEval_RestoreThread')}(ptr {state})")


def entry_text(single: Kernel, width: int, addresses: Addresses) -> str:
    """The function `entry`, which calls a kernel for one state, for at least `width` what it is told later."""
    return _Entry(single, width, addresses).text()


def _flags(shape: Sequence[int | str]) -> int:
    """What an array for a result must be: writable, and contiguous unless it is a table that may be so by columns."""
    table = len(shape) == 2 and isinstance(shape[0], str)
    return ALIGNED | WRITABLE | (0 if table else BY_ROWS)


class _Entry:
    def __init__(self, single: Kernel, width: int, addresses: Addresses) -> None:
        self.single, self.width = single, width
        self.program = single.program
        self.addresses = addresses
        self.kind = np.dtype(single.lanes.precision)
        self.body = Body()

    def text(self) -> str:
        inputs, body = self.program.inputs, self.body
        spilled = self.single.spilled * self.single.lanes.bytes
        body.do(f"%spill = alloca [{spilled} x i8], align 64")
        body.do("%pair = alloca [2 x ptr]")
        tables = _tables(body, len(inputs), len(self.program.outputs))
        self._require(f"icmp eq i64 %count, {len(inputs)}")
        things = [self._word("%arguments", 8 * k) for k in range(len(inputs))]
        if things:
            self._require(f"icmp eq ptr {self._word(things[0], TYPE)}, {self._object(np.ndarray)}")
            one = body.let(f"icmp eq i32 {field(body, things[0], RANK, 'i32')}, 1")
            body.do(f"br i1 {one}, label %single, label %several")
            body.label("single")
        self._single(things)
        if things:
            body.label("several")
            self._several(things, tables)
        body.label("otherwise")
        call = f"{self._function('PyObject_Vectorcall')}(ptr %self, ptr %arguments, i64 %count, ptr %names)"
        body.do(f"ret ptr {body.let(f'call ptr {call}')}")
        head = f"define ptr @entry(ptr %self, ptr %arguments, i64 %count, ptr %names) {ATTRIBUTES} {{\nentry:\n"
        return head + "\n".join(body.lines) + "\n}\n"

    # one state

    def _single(self, things: Sequence[str]) -> None:
        body, outputs = self.body, self.program.outputs
        passed = [
            self._array(thing, [entry.size], BY_ROWS | ALIGNED, known=k == 0)
            for k, (thing, entry) in enumerate(zip(things, self.program.inputs, strict=True))
        ]

        def compute(things: Sequence[str], data: Sequence[str], new: bool) -> None:
            listed = ", ".join(f"ptr {x}" for x in [*passed, *data, "%spill"])
            body.do(f"call void @{self.single.name}({listed})")

        self._delivered("one", [list(output.shape) for output in outputs], compute)

    # a batch

    def _several(self, things: Sequence[str], tables: Sequence[str]) -> None:
        body, inputs, outputs = self.body, self.program.inputs, self.program.outputs
        size = self.single.lanes.bytes
        extents = self._word(things[0], EXTENTS)
        count = field(body, extents, 0, "i64")
        self._require(f"icmp uge i64 {count}, {self.width}")
        self._require(f"icmp ult i64 {count}, {self.addresses.later(body, MOST, 'i64')}")
        ranges, whole = [], "true"
        for k, (thing, entry) in enumerate(zip(things, inputs, strict=True)):
            data = self._array(thing, [count, entry.size], ALIGNED)
            by_rows, steps = self._steps(thing, count, entry.size)
            whole = body.let(f"and i1 {whole}, {by_rows}")
            _enter(body, tables, k, True, data, steps, len(inputs))
            ranges.append((data, self._end(data, count, entry.size)))
        functions = [self.addresses.later(body, name) for name in (ROWS, COLUMNS)]
        function = body.let(f"select i1 {whole}, ptr {functions[0]}, ptr {functions[1]}")
        self._require(f"icmp ne ptr {function}, null")

        def compute(things: Sequence[str], data: Sequence[str], new: bool) -> None:
            chosen = function
            for k, (thing, start, output) in enumerate(zip(things, data, outputs, strict=True)):
                values = len(output.values)
                steps = [f"{values * size}", f"{size}"]
                if not new:
                    self._apart(start, self._end(start, count, values), ranges)
                if not new and len(output.shape) == 1:
                    by_rows, steps = self._steps(thing, count, values)
                    chosen = body.let(f"select i1 {by_rows}, ptr {chosen}, ptr {functions[1]}")
                    self._require(f"icmp ne ptr {chosen}, null")
                _enter(body, tables, k, False, start, steps, len(inputs))
            passed = f"ptr {tables[0]}, ptr {tables[1]}, ptr {tables[2]}, i64 {count}"
            _meanwhile(body, self.addresses, f"call void {chosen}({passed})")

        self._delivered("many", [[count, *output.shape] for output in outputs], compute)

    def _steps(self, thing: str, count: str, size: int) -> tuple[str, list[str]]:
        """Whether a table is contiguous by rows, not only by columns; its steps between rows and columns."""
        body, bytes_ = self.body, self.single.lanes.bytes
        flags = field(body, thing, FLAGS, "i32")
        self._require(f"icmp ne i32 {body.let(f'and i32 {flags}, {BY_ROWS | BY_COLUMNS}')}, 0")
        by_rows = body.let(f"icmp ne i32 {body.let(f'and i32 {flags}, {BY_ROWS}')}, 0")
        length = body.let(f"mul i64 {count}, {bytes_}")
        row = body.let(f"select i1 {by_rows}, i64 {size * bytes_}, i64 {bytes_}")
        return by_rows, [row, body.let(f"select i1 {by_rows}, i64 {bytes_}, i64 {length}")]

    def _end(self, start: str, count: str, values: int) -> str:
        length = self.body.let(f"mul i64 {count}, {values * self.single.lanes.bytes}")
        return self.body.let(f"getelementptr i8, ptr {start}, i64 {length}")

    def _apart(self, start: str, end: str, ranges: Sequence[tuple[str, str]]) -> None:
        """An output lies over no input: its rows are written before later rows of those are read."""
        for first, last in ranges:
            before = self.body.let(f"icmp ule ptr {end}, {first}")
            behind = self.body.let(f"icmp uge ptr {start}, {last}")
            self._require(f"or i1 {before}, {behind}")

    # both

    def _delivered(
        self,
        name: str,
        shapes: Sequence[Sequence[int | str]],
        compute: Callable[[Sequence[str], Sequence[str], bool], None],
    ) -> None:
        """Compute into `out` if it is given, and return it; otherwise into new arrays."""
        body = self.body
        none = body.let("icmp eq ptr %names, null")
        body.do(f"br i1 {none}, label %{name}_make, label %{name}_given")
        body.label(f"{name}_given")
        out, things, data = self._given(shapes)
        compute(things, data, False)
        body.do(f"call void {self._function('Py_IncRef')}(ptr {out})")
        body.do(f"ret ptr {out}")
        body.label(f"{name}_make")
        if all(shapes):
            made, things, data = self._made(shapes)
            compute(things, data, True)
            body.do(f"ret ptr {made}")
        else:
            body.do("br label %otherwise")  # a number is returned as one

    def _given(self, shapes: Sequence[Sequence[int | str]]) -> tuple[str, list[str], list[str]]:
        """The call names `out`: an array, or a tuple of as many as there are outputs."""
        self._require(f"icmp eq i64 {field(self.body, '%names', COUNT, 'i64')}, 1")
        self._require(f"icmp eq ptr {self._word('%names', ITEMS)}, {self._object(sys.intern('out'))}")
        out = self._word("%arguments", 8 * len(self.program.inputs))
        if len(shapes) == 1:
            return out, [out], [self._array(out, shapes[0], _flags(shapes[0]))]
        self._require(f"icmp eq ptr {self._word(out, TYPE)}, {self._object(tuple)}")
        self._require(f"icmp eq i64 {field(self.body, out, COUNT, 'i64')}, {len(shapes)}")
        things = [self._word(out, ITEMS + 8 * k) for k in range(len(shapes))]
        data = [self._array(thing, shape, _flags(shape)) for thing, shape in zip(things, shapes, strict=True)]
        return out, things, data

    def _made(self, shapes: Sequence[Sequence[int | str]]) -> tuple[str, list[str], list[str]]:
        """New arrays, alone or in a tuple."""
        body, whole, things = self.body, "", []
        if len(shapes) > 1:
            whole = body.let(f"call ptr {self._function('PyTuple_New')}(i64 {len(shapes)})")
            self._require_made(whole, "")
        second = body.let("getelementptr i8, ptr %pair, i64 8")
        for k, shape in enumerate(shapes):
            fixed = all(isinstance(extent, int) for extent in shape)
            wanted = self._object(tuple(shape)) if fixed else self._shape(shape, whole)
            body.do(f"store ptr {wanted}, ptr %pair")
            body.do(f"store ptr {self._object(self.kind)}, ptr {second}")
            call = f"{self._function('PyObject_Vectorcall')}(ptr {self._object(np.empty)}, ptr %pair, i64 2, ptr null)"
            made = body.let(f"call ptr {call}")
            if not fixed:
                body.do(f"call void {self._function('Py_DecRef')}(ptr {wanted})")
            self._require_made(made, whole)
            if whole:
                body.do(f"call i32 {self._function('PyTuple_SetItem')}(ptr {whole}, i64 {k}, ptr {made})")
            things.append(made)
        return whole or made, things, [self._word(thing, DATA) for thing in things]

    def _shape(self, shape: Sequence[int | str], whole: str) -> str:
        """A new tuple of extents, the first of them not known here."""
        body = self.body
        first = body.let(f"call ptr {self._function('PyLong_FromSsize_t')}(i64 {shape[0]})")
        self._require_made(first, whole)
        made = body.let(f"call ptr {self._function('PyTuple_New')}(i64 {len(shape)})")
        self._require_made(made, whole)
        body.do(f"call i32 {self._function('PyTuple_SetItem')}(ptr {made}, i64 0, ptr {first})")
        for k, extent in enumerate(shape[1:], 1):
            number = self._object(extent)
            body.do(f"call void {self._function('Py_IncRef')}(ptr {number})")
            body.do(f"call i32 {self._function('PyTuple_SetItem')}(ptr {made}, i64 {k}, ptr {number})")
        return made

    def _function(self, name: str) -> str:
        return self.addresses.function(self.body, name)

    def _object(self, thing: object) -> str:
        return self.addresses.object(self.body, thing)

    def _word(self, base: str, offset: int) -> str:
        return field(self.body, base, offset, "ptr")

    def _require(self, condition: str) -> None:
        """Go on if a condition holds, otherwise to Python."""
        held = self.body.let(condition)
        label = f"ok{held[1:]}"
        self.body.do(f"br i1 {held}, label %{label}, label %otherwise")
        self.body.label(label)

    def _array(self, thing: str, shape: Sequence[int | str], flags: int, known: bool = False) -> str:
        """The data of an argument that is an array of the right kind; type and rank may be `known`."""
        if not known:
            self._require(f"icmp eq ptr {self._word(thing, TYPE)}, {self._object(np.ndarray)}")
            self._require(f"icmp eq i32 {field(self.body, thing, RANK, 'i32')}, {len(shape)}")
        self._require(f"icmp eq ptr {self._word(thing, DESCRIPTION)}, {self._object(self.kind)}")
        masked = self.body.let(f"and i32 {field(self.body, thing, FLAGS, 'i32')}, {flags}")
        self._require(f"icmp eq i32 {masked}, {flags}")
        extents = self._word(thing, EXTENTS)
        for k, extent in enumerate(shape):
            self._require(f"icmp eq i64 {field(self.body, extents, 8 * k, 'i64')}, {extent}")
        return self._word(thing, DATA)

    def _require_made(self, made: str, whole: str) -> None:
        """Return with Python's error if there is no memory."""
        failed = self.body.let(f"icmp eq ptr {made}, null")
        label = failed[1:]
        self.body.do(f"br i1 {failed}, label %no{label}, label %ok{label}")
        self.body.label(f"no{label}")
        if whole:
            self.body.do(f"call void {self._function('Py_DecRef')}(ptr {whole})")
        self.body.do("ret ptr null")
        self.body.label(f"ok{label}")

"""Batches in LLVM: rows of states, transposed a block at a time into structures of arrays, computed, and put back.

    void batch(ptr inputs, ptr steps, ptr outputs, i64 count, ptr scratch)

`inputs` and `outputs` point to the addresses of the first rows, `steps` to two distances in bytes for each array: from
row to row (zero repeats one row) and from column to column. Either the numbers of a row are adjacent, or those of a
column, which need not be transposed. A last block that is not full goes back so far that it is; `each`, with the same
arguments, is for fewer states than there are lanes.
"""

from collections.abc import Sequence

from emdeg.backends.llvm_kernel import ATTRIBUTES, Kernel
from emdeg.backends.llvm_text import Body, Lanes

GROUP = 4
"""Columns that one transposition takes at a time."""
LONG_ROW = 32
"""Rows longer than that are transposed in a loop."""


def scratch_bytes(kernel: Kernel) -> int:
    """What a batch needs in `scratch`, with room to align it."""
    program, lanes = kernel.program, kernel.lanes
    values = sum(entry.size for entry in program.inputs) + sum(len(output.values) for output in program.outputs)
    return (values + kernel.spilled) * lanes.width * lanes.bytes


def batch_text(wide: Kernel) -> str:
    """The function `batch`, for at least as many states as there are lanes, and its transpositions."""
    program, lanes = wide.program, wide.lanes
    inputs = [entry.size for entry in program.inputs]
    outputs = [len(output.values) for output in program.outputs]
    texts = [_transposition(lanes, size, True) for size in dict.fromkeys(inputs)]
    texts += [_transposition(lanes, size, False) for size in dict.fromkeys(outputs)]
    texts += [_columns_text(lanes, size, True) for size in dict.fromkeys(inputs)]
    texts += [_columns_text(lanes, size, False) for size in dict.fromkeys(outputs)]
    return "\n".join([*texts, _batch(wide, inputs, outputs)])


def _transposition(lanes: Lanes, size: int, gather: bool) -> str:
    """From `width` rows of `size` numbers to `size` vectors (gather), or back."""
    body = Body()
    most = min(GROUP, lanes.width)
    turns = size // most if size > LONG_ROW else 0
    start, block = "%rows", "%block"
    if turns:
        body.do("br label %next")
        body.label("next")
        turn, after = body.fresh(), body.fresh()
        body.do(f"{turn} = phi i64 [ 0, %entry ], [ {after}, %next ]")
        offset = body.let(f"mul i64 {turn}, {most}")
        start = body.let(f"getelementptr {lanes.element}, ptr %rows, i64 {offset}")
        block = body.let(f"getelementptr {lanes.real}, ptr %block, i64 {offset}")
        _transpose(body, lanes, start, block, most, gather)
        body.do(f"{after} = add i64 {turn}, 1")
        more = body.let(f"icmp ult i64 {after}, {turns}")
        body.do(f"br i1 {more}, label %next, label %rest")
        body.label("rest")
        start = body.let(f"getelementptr {lanes.element}, ptr %rows, i64 {turns * most}")
        block = body.let(f"getelementptr {lanes.real}, ptr %block, i64 {turns * most}")
    _transpose(body, lanes, start, block, size - turns * most, gather)
    name = "gather" if gather else "scatter"
    head = f"define internal void @{name}{size}(ptr %rows, i64 %step, ptr %block) noinline {ATTRIBUTES}"
    return f"{head} {{\nentry:\n" + "\n".join(body.lines) + "\n  ret void\n}\n"


def _transpose(body: Body, lanes: Lanes, start: str, block: str, size: int, gather: bool) -> None:
    """`size` columns, from the first row's address on."""
    rows = [start]
    for _ in range(lanes.width - 1):
        rows.append(body.let(f"getelementptr i8, ptr {rows[-1]}, i64 %step"))
    first = 0
    while first < size:
        wide = min(GROUP, lanes.width, 1 << (size - first).bit_length() - 1)
        if gather:
            for column, vector in enumerate(_columns(body, lanes, rows, first, wide)):
                body.store(lanes, vector, block, first + column)
        else:
            _store_rows(body, lanes, rows, first, [body.load(lanes, block, first + k) for k in range(wide)])
        first += wide


def _columns(body: Body, lanes: Lanes, rows: Sequence[str], first: int, wide: int) -> list[str]:
    """`wide` columns as vectors; the pieces of rows that make up one vector are `wide` apart."""
    part = f"<{wide} x {lanes.element}>" if wide > 1 else lanes.element
    vectors = []
    for start in range(wide):
        pieces = []
        for row in rows[start::wide]:
            address = body.let(f"getelementptr i8, ptr {row}, i64 {first * lanes.bytes}")
            pieces.append(body.let(f"load {part}, ptr {address}, align {lanes.bytes}"))
        vectors.append(_joined(body, lanes.element, pieces, wide))
    step = 1
    while step < wide:
        vectors = _butterfly(body, lanes, vectors, step, wide)
        step *= 2
    return vectors


def _joined(body: Body, element: str, pieces: list[str], wide: int) -> str:
    """Short vectors side by side."""
    if wide == 1:
        whole = "poison"
        for k, piece in enumerate(pieces):
            whole = body.let(f"insertelement <{len(pieces)} x {element}> {whole}, {element} {piece}, i64 {k}")
        return whole
    while len(pieces) > 1:
        pieces = [
            _shuffle(body, f"<{wide} x {element}>", one, two, range(2 * wide))
            for one, two in zip(pieces[::2], pieces[1::2], strict=True)
        ]
        wide *= 2
    return pieces[0]


def _shuffle(body: Body, kind: str, one: str, two: str, order: Sequence[int]) -> str:
    listed = ", ".join(f"i32 {k}" for k in order)
    return body.let(f"shufflevector {kind} {one}, {kind} {two}, <{len(order)} x i32> <{listed}>")


def _butterfly(body: Body, lanes: Lanes, vectors: list[str], step: int, wide: int) -> list[str]:
    """Exchange one bit of the row with that bit of the column."""
    width = lanes.width
    low = [k if not k & step else width + k - step for k in range(width)]
    high = [k + step if not k & step else width + k for k in range(width)]
    result = list(vectors)
    for k in range(wide):
        if not k & step:
            one, two = vectors[k], vectors[k + step]
            result[k] = _shuffle(body, lanes.real, one, two, low)
            result[k + step] = _shuffle(body, lanes.real, one, two, high)
    return result


def _store_rows(body: Body, lanes: Lanes, rows: Sequence[str], first: int, vectors: list[str]) -> None:
    """The reverse: vectors of columns become pieces of rows."""
    wide = len(vectors)
    step = 1
    while step < wide:
        vectors = _butterfly(body, lanes, vectors, step, wide)
        step *= 2
    for start, vector in enumerate(vectors):
        for k, row in enumerate(rows[start::wide]):
            address = body.let(f"getelementptr i8, ptr {row}, i64 {first * lanes.bytes}")
            if wide == 1:
                value = body.let(f"extractelement {lanes.real} {vector}, i64 {k}")
                body.do(f"store {lanes.element} {value}, ptr {address}, align {lanes.bytes}")
            else:
                part = _shuffle(body, lanes.real, vector, "poison", range(k * wide, k * wide + wide))
                body.do(f"store <{wide} x {lanes.element}> {part}, ptr {address}, align {lanes.bytes}")


def _columns_text(lanes: Lanes, size: int, gather: bool) -> str:
    """From `size` columns of adjacent numbers to as many vectors (gather), or back."""
    body = Body()
    column = "%columns"
    for k in range(size):
        if gather:
            vector = body.let(f"load {lanes.real}, ptr {column}, align {lanes.bytes}")
            body.store(lanes, vector, "%block", k)
        else:
            vector = body.load(lanes, "%block", k)
            body.do(f"store {lanes.real} {vector}, ptr {column}, align {lanes.bytes}")
        if k + 1 < size:
            column = body.let(f"getelementptr i8, ptr {column}, i64 %step")
    name = "take" if gather else "put"
    head = f"define internal void @{name}{size}(ptr %columns, i64 %step, ptr %block) noinline {ATTRIBUTES}"
    return f"{head} {{\n" + "\n".join(body.lines) + "\n  ret void\n}\n"


def _pointers(body: Body, n: int, m: int) -> list[tuple[str, str, str]]:
    """Each array's first address, and its steps from row to row and from column to column."""
    arrays = []
    for k in range(n + m):
        table, index = ("%inputs", k) if k < n else ("%outputs", k - n)
        start = body.let(f"load ptr, ptr {body.let(f'getelementptr ptr, ptr {table}, i64 {index}')}")
        steps = [body.let(f"getelementptr i64, ptr %steps, i64 {2 * k + axis}") for axis in (0, 1)]
        row, column = (body.let(f"load i64, ptr {place}") for place in steps)
        arrays.append((start, row, column))
    return arrays


def _row(body: Body, arrays: Sequence[tuple[str, str, str]], row: str) -> list[str]:
    """The addresses of a row."""
    places = []
    for start, step, _ in arrays:
        far = body.let(f"mul i64 {row}, {step}")
        places.append(body.let(f"getelementptr i8, ptr {start}, i64 {far}"))
    return places


def each_text(single: Kernel) -> str:
    """The function `each`, with the arguments of `batch`: states one after another, contiguous rows."""
    body = Body()
    arrays = _pointers(body, len(single.program.inputs), len(single.program.outputs))
    body.do("br label %next")
    body.label("next")
    body.do("%row = phi i64 [ 0, %entry ], [ %after, %next ]")
    listed = ", ".join(f"ptr {place}" for place in [*_row(body, arrays, "%row"), "%scratch"])
    body.do(f"call void @{single.name}({listed})")
    body.do("%after = add i64 %row, 1")
    return _function("each", ", ptr %scratch", _ended(body))


def _function(name: str, more: str, body: Body) -> str:
    head = f"define void @{name}(ptr %inputs, ptr %steps, ptr %outputs, i64 %count{more}) {ATTRIBUTES}"
    return f"{head} {{\nentry:\n" + "\n".join(body.lines) + "\n}\n"


def _ended(body: Body) -> Body:
    """The end of a loop over %after."""
    body.do("%more = icmp slt i64 %after, %count")
    body.do("br i1 %more, label %next, label %end")
    body.label("end")
    body.do("ret void")
    return body


def _batch(wide: Kernel, inputs: Sequence[int], outputs: Sequence[int]) -> str:
    lanes, body = wide.lanes, Body()
    sizes = [*inputs, *outputs]
    arrays = _pointers(body, len(inputs), len(outputs))
    by_columns = [
        body.let(f"icmp ne i64 {column}, {lanes.bytes}") if size > 1 else "false"
        for (_, _, column), size in zip(arrays, sizes, strict=True)
    ]
    blocks, offset = [], 0
    for size in [*sizes, 0]:
        blocks.append(body.let(f"getelementptr i8, ptr %scratch, i64 {offset}"))
        offset += size * lanes.width * lanes.bytes
    last = body.let(f"sub i64 %count, {lanes.width}")
    body.do("br label %next")
    body.label("next")
    body.do(f"%first = phi i64 [ 0, %entry ], [ %after, %{'done' + str(len(sizes) - 1) if sizes else 'next'} ]")
    row = body.let(f"call i64 @llvm.smin.i64(i64 %first, i64 {last})")
    places = _row(body, arrays, row)
    for k, size in enumerate(sizes):
        if k == len(inputs):
            body.do(f"call void @{wide.name}({', '.join(f'ptr {block}' for block in blocks)})")
        names = ("take", "gather") if k < len(inputs) else ("put", "scatter")
        body.do(f"br i1 {by_columns[k]}, label %{names[0]}_{k}, label %{names[1]}_{k}")
        for name, step in zip(names, (arrays[k][2], arrays[k][1]), strict=True):
            body.label(f"{name}_{k}")
            body.do(f"call void @{name}{size}(ptr {places[k]}, i64 {step}, ptr {blocks[k]})")
            body.do(f"br label %done{k}")
        body.label(f"done{k}")
    body.do(f"%after = add i64 %first, {lanes.width}")
    return _function("batch", ", ptr %scratch", _ended(body))


def alone_text(wide: Kernel) -> str:
    """The function `batch_alone`, which has its scratch memory on the stack."""
    body = Body()
    room = body.let(f"alloca [{scratch_bytes(wide)} x i8], align 64")
    body.do(f"call void @batch(ptr %inputs, ptr %steps, ptr %outputs, i64 %count, ptr {room})")
    body.do("ret void")
    return _function("batch_alone", "", body)

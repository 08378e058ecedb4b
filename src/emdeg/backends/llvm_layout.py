"""Batches in LLVM: rows of states, transposed a block at a time into structures of arrays, computed, and put back.

    void batch(ptr inputs, ptr steps, ptr outputs, i64 count, ptr scratch)

`inputs` and `outputs` point to the addresses of the first rows, `steps` to the distances of rows in bytes (zero
repeats one row). A last block that is not full goes back so far that it is; `each`, with the same arguments, is for
fewer states than there are lanes.
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


def _pointers(count_in: int, count_out: int) -> list[str]:
    """Load the addresses of the first rows, and the distances between rows."""
    lines = []
    for name, table, count in (("in", "inputs", count_in), ("out", "outputs", count_out)):
        for k in range(count):
            lines.append(f"  %at_{name}{k} = getelementptr ptr, ptr %{table}, i64 {k}")
            lines.append(f"  %{name}{k} = load ptr, ptr %at_{name}{k}")
    for k in range(count_in + count_out):
        lines.append(f"  %at_step{k} = getelementptr i64, ptr %steps, i64 {k}")
        lines.append(f"  %step{k} = load i64, ptr %at_step{k}")
    return lines


def _rows(count_in: int, count_out: int) -> list[str]:
    """The addresses of row %row."""
    lines = []
    for k in range(count_in + count_out):
        base = f"in{k}" if k < count_in else f"out{k - count_in}"
        lines.append(f"  %far{k} = mul i64 %row, %step{k}")
        lines.append(f"  %row_{base} = getelementptr i8, ptr %{base}, i64 %far{k}")
    return lines


def each_text(single: Kernel) -> str:
    """The function `each`, with the arguments of `batch`: states one after another."""
    n, m = len(single.program.inputs), len(single.program.outputs)
    passed = [f"ptr %row_in{k}" for k in range(n)] + [f"ptr %row_out{k}" for k in range(m)] + ["ptr %scratch"]
    lines = [
        f"define void @each(ptr %inputs, ptr %steps, ptr %outputs, i64 %count, ptr %scratch) {ATTRIBUTES} {{",
        "entry:",
        *_pointers(n, m),
        "  br label %next",
        "next:",
        "  %row = phi i64 [ 0, %entry ], [ %after, %next ]",
        *_rows(n, m),
        f"  call void @{single.name}({', '.join(passed)})",
        "  %after = add i64 %row, 1",
        "  %more = icmp slt i64 %after, %count",
        "  br i1 %more, label %next, label %end",
        "end:",
        "  ret void",
        "}\n",
    ]
    return "\n".join(lines)


def _batch(wide: Kernel, inputs: Sequence[int], outputs: Sequence[int]) -> str:
    lanes, n = wide.lanes, len(inputs)
    places, passed, offset = [], [], 0
    names = [f"in{k}" for k in range(n)] + [f"out{k}" for k in range(len(outputs))]
    for name, size in zip([*names, "spill"], [*inputs, *outputs, 0], strict=True):
        places.append(f"  %block_{name} = getelementptr i8, ptr %scratch, i64 {offset}")
        passed.append(f"ptr %block_{name}")
        offset += size * lanes.width * lanes.bytes
    gathers = [
        f"  call void @gather{size}(ptr %row_in{k}, i64 %step{k}, ptr %block_in{k})" for k, size in enumerate(inputs)
    ]
    scatters = [
        f"  call void @scatter{size}(ptr %row_out{k}, i64 %step{n + k}, ptr %block_out{k})"
        for k, size in enumerate(outputs)
    ]
    lines = [
        f"define void @batch(ptr %inputs, ptr %steps, ptr %outputs, i64 %count, ptr %scratch) {ATTRIBUTES} {{",
        "entry:",
        *_pointers(n, len(outputs)),
        *places,
        f"  %last = sub i64 %count, {lanes.width}",
        "  br label %next",
        "next:",
        "  %first = phi i64 [ 0, %entry ], [ %after, %next ]",
        "  %row = call i64 @llvm.smin.i64(i64 %first, i64 %last)",
        *_rows(n, len(outputs)),
        *gathers,
        f"  call void @{wide.name}({', '.join(passed)})",
        *scatters,
        f"  %after = add i64 %first, {lanes.width}",
        "  %more = icmp slt i64 %after, %count",
        "  br i1 %more, label %next, label %end",
        "end:",
        "  ret void",
        "}\n",
    ]
    return "\n".join(lines)

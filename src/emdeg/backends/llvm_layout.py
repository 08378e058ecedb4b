"""Batches in LLVM: rows of states, transposed a block at a time into structures of arrays, computed, and put back.

    void batch(ptr inputs, ptr steps, ptr outputs, i64 count, ptr scratch)

`inputs` and `outputs` point to the addresses of the first rows, `steps` to two distances in bytes for each array: from
row to row (zero repeats one row) and from column to column. Either the numbers of a row are adjacent, or those of a
column, which need not be transposed. A last block that is not full goes back so far that it is; `each`, with the same
arguments, is for fewer states than there are lanes.
"""

from collections.abc import Sequence

from emdeg.backends.llvm_kernel import ATTRIBUTES, Kernel
from emdeg.backends.llvm_text import Body
from emdeg.backends.llvm_transpose import transposition_text


def scratch_bytes(kernel: Kernel) -> int:
    """What a batch needs in `scratch`, with room to align it."""
    return (sum(kernel.sizes) + kernel.spilled) * kernel.lanes.width * kernel.lanes.bytes


def batch_texts(wide: Kernel) -> list[str]:
    """The function `batch`, for at least as many states as there are lanes, and what it calls."""
    lanes, n = wide.lanes, len(wide.program.inputs)
    texts = [transposition_text(lanes, size, True) for size in dict.fromkeys(wide.sizes[:n])]
    texts += [transposition_text(lanes, size, False) for size in dict.fromkeys(wide.sizes[n:])]
    return [*texts, wide.text(), _batch(wide)]


def pointers(body: Body, kernel: Kernel) -> list[tuple[str, str, str]]:
    """Each array's first address, and its steps from row to row and from column to column."""
    arrays, n = [], len(kernel.program.inputs)
    for k in range(len(kernel.sizes)):
        table, index = ("%inputs", k) if k < n else ("%outputs", k - n)
        start = body.let(f"load ptr, ptr {body.let(f'getelementptr ptr, ptr {table}, i64 {index}')}")
        steps = [body.let(f"getelementptr i64, ptr %steps, i64 {2 * k + axis}") for axis in (0, 1)]
        row, column = (body.let(f"load i64, ptr {place}") for place in steps)
        arrays.append((start, row, column))
    return arrays


def row_addresses(body: Body, arrays: Sequence[tuple[str, str, str]], row: str) -> list[str]:
    """The addresses of a row."""
    places = []
    for start, step, _ in arrays:
        far = body.let(f"mul i64 {row}, {step}")
        places.append(body.let(f"getelementptr i8, ptr {start}, i64 {far}"))
    return places


def each_text(single: Kernel) -> str:
    """The function `each`, with the arguments of `batch`: states one after another, contiguous rows."""
    body = Body()
    arrays = pointers(body, single)
    body.do("br label %next")
    body.label("next")
    body.do("%row = phi i64 [ 0, %entry ], [ %after, %next ]")
    listed = ", ".join(f"ptr {place}" for place in [*row_addresses(body, arrays, "%row"), "%scratch"])
    body.do(f"call void @{single.name}({listed})")
    body.do("%after = add i64 %row, 1")
    return function_text("each", ", ptr %scratch", ended(body))


def function_text(name: str, more: str, body: Body) -> str:
    head = f"define void @{name}(ptr %inputs, ptr %steps, ptr %outputs, i64 %count{more}) {ATTRIBUTES}"
    return f"{head} {{\nentry:\n" + "\n".join(body.lines) + "\n}\n"


def ended(body: Body) -> Body:
    """The end of a loop over %after."""
    body.do("%more = icmp slt i64 %after, %count")
    body.do("br i1 %more, label %next, label %end")
    body.label("end")
    body.do("ret void")
    return body


def _batch(wide: Kernel) -> str:
    lanes, body, sizes, n = wide.lanes, Body(), wide.sizes, len(wide.program.inputs)
    arrays = pointers(body, wide)
    adjacent = str(lanes.width * lanes.bytes)
    blocks, steps, offset = [], [], 0
    turned = []
    for (_, _, column), size in zip(arrays, sizes, strict=True):
        turned.append(body.let(f"icmp eq i64 {column}, {lanes.bytes}") if size > 1 else "true")
        blocks.append(body.let(f"getelementptr i8, ptr %scratch, i64 {offset}"))
        steps.append(body.let(f"select i1 {turned[-1]}, i64 {adjacent}, i64 {column}"))
        offset += size * lanes.width * lanes.bytes
    spill = body.let(f"getelementptr i8, ptr %scratch, i64 {offset}")
    last = body.let(f"sub i64 %count, {lanes.width}")
    body.do("br label %next")
    body.label("next")
    body.do(f"%first = phi i64 [ 0, %entry ], [ %after, %{f'done{len(sizes) - 1}' if sizes else 'next'} ]")
    row = body.let(f"call i64 @llvm.smin.i64(i64 %first, i64 {last})")
    places = row_addresses(body, arrays, row)
    columns = [
        body.let(f"select i1 {one}, ptr {block}, ptr {place}")
        for one, block, place in zip(turned, blocks, places, strict=True)
    ]
    for k, size in enumerate(sizes):
        if k == n:
            listed = [*(f"ptr {x}" for x in columns), *(f"i64 {x}" for x in steps), f"ptr {spill}"]
            body.do(f"call void @{wide.name}({', '.join(listed)})")
        body.do(f"br i1 {turned[k]}, label %turn{k}, label %done{k}")
        body.label(f"turn{k}")
        name = "gather" if k < n else "scatter"
        body.do(f"call void @{name}{size}(ptr {places[k]}, i64 {arrays[k][1]}, ptr {blocks[k]})")
        body.do(f"br label %done{k}")
        body.label(f"done{k}")
    body.do(f"%after = add i64 %first, {lanes.width}")
    return function_text("batch", ", ptr %scratch", ended(body))


def alone_text(wide: Kernel) -> str:
    """The function `batch_alone`, which has its scratch memory on the stack."""
    body = Body()
    room = body.let(f"alloca [{scratch_bytes(wide)} x i8], align 64")
    body.do(f"call void @batch(ptr %inputs, ptr %steps, ptr %outputs, i64 %count, ptr {room})")
    body.do("ret void")
    return function_text("batch_alone", "", body)

"""Rows of states to vectors of their components, and back, in registers.

A vector's rows are read in pieces of a few adjacent components, the pieces joined, and the components exchanged among
the vectors. Where a row is no multiple of a piece, its last piece lies over the one before.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from emdeg.backends.llvm_kernel import ATTRIBUTES
from emdeg.backends.llvm_text import Body, Lanes

GROUP = 4
"""Components of a piece at most."""
LONG_ROW = 32
"""Rows longer than that are transposed in a loop."""


@dataclass(frozen=True)
class Tile:
    """`wide` components from the `first` on, of which some before were in another tile."""

    first: int
    wide: int
    skipped: int = 0


def tiles(lanes: Lanes, size: int) -> list[Tile]:
    """The tiles of a row of `size` components."""
    most = min(GROUP, lanes.width)
    made = [Tile(first, most) for first in range(0, size - most + 1, most)]
    first = len(made) * most
    if made and (rest := size - first) and (rest % 2 or lanes.bits == 32):
        return [*made, Tile(size - most, most, most - rest)]
    while first < size:
        wide = 1 << (size - first).bit_length() - 1
        made.append(Tile(first, wide))
        first += wide
    return made


def row_starts(body: Body, lanes: Lanes, start: str, step: str) -> list[str]:
    """The addresses of as many rows as there are lanes, from the first one's on."""
    rows = [start]
    for _ in range(lanes.width - 1):
        rows.append(body.let(f"getelementptr i8, ptr {rows[-1]}, i64 {step}"))
    return rows


def transposition_text(lanes: Lanes, size: int, gather: bool) -> str:
    """The function `gather`size, from `width` rows of numbers to vectors, or `scatter`size, back."""
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
    rows = row_starts(body, lanes, start, "%step")
    for tile in tiles(lanes, size):
        if gather:
            for place, vector in gathered(body, lanes, rows, tile):
                body.store(lanes, vector, block, place)
        else:
            scattered(body, lanes, rows, tile, [body.load(lanes, block, tile.first + k) for k in range(tile.wide)])


def gathered(body: Body, lanes: Lanes, rows: Sequence[str], tile: Tile) -> list[tuple[int, str]]:
    """The components of a tile that were in none before, as vectors, each with its number."""
    part = f"<{tile.wide} x {lanes.element}>" if tile.wide > 1 else lanes.element
    vectors = []
    for start in range(tile.wide):  # the pieces of rows that make up one vector are `wide` apart
        pieces = []
        for row in rows[start :: tile.wide]:
            address = body.let(f"getelementptr i8, ptr {row}, i64 {tile.first * lanes.bytes}")
            pieces.append(body.let(f"load {part}, ptr {address}, align {lanes.bytes}"))
        vectors.append(_joined(body, lanes.element, pieces, tile.wide))
    step = 1
    while step < tile.wide:
        vectors = _butterfly(body, lanes, vectors, step, tile.wide)
        step *= 2
    return list(enumerate(vectors, tile.first))[tile.skipped :]


def scattered(body: Body, lanes: Lanes, rows: Sequence[str], tile: Tile, vectors: list[str]) -> None:
    """The reverse: all vectors of a tile become pieces of rows."""
    wide = len(vectors)
    step = 1
    while step < wide:
        vectors = _butterfly(body, lanes, vectors, step, wide)
        step *= 2
    for start, vector in enumerate(vectors):
        for k, row in enumerate(rows[start::wide]):
            address = body.let(f"getelementptr i8, ptr {row}, i64 {tile.first * lanes.bytes}")
            if wide == 1:
                value = body.let(f"extractelement {lanes.real} {vector}, i64 {k}")
                body.do(f"store {lanes.element} {value}, ptr {address}, align {lanes.bytes}")
            else:
                part = _shuffle(body, lanes.real, vector, "poison", range(k * wide, k * wide + wide))
                body.do(f"store <{wide} x {lanes.element}> {part}, ptr {address}, align {lanes.bytes}")


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

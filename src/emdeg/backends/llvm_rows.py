"""Batches of contiguous rows in LLVM, quicker than by `llvm_layout`: transposed in registers while sines are computed.

A processor looks a few hundred instructions ahead. Transpositions are many instructions that multiply nothing, so they
stand between the evaluations of sines, which multiply a lot: those of the inputs that the angles don't need, and those
of the results of the block before. LLVM would bring instructions into an order of its own, but only within a basic
block; so each of these phases is one, ended by a branch that is never taken.
"""

from collections.abc import Callable, Sequence

from emdeg.backends.llvm_kernel import Kernel, Values
from emdeg.backends.llvm_layout import function_text, pointers, row_addresses
from emdeg.backends.llvm_steps import Step
from emdeg.backends.llvm_text import Body
from emdeg.backends.llvm_transpose import gathered, row_starts, scattered, tiles
from emdeg.backends.llvm_trig import evaluated, reduced

MOST = 128
"""Components of all arrays together at most."""
TILES = 2
"""Tiles that are transposed at once."""
Task = Callable[[], None]


def fits(kernel: Kernel) -> bool:
    """Whether a program is short enough to be computed so."""
    return len(kernel.pieces) == 1 and not kernel.called and sum(kernel.sizes) <= MOST


def contiguous_batch_text(kernel: Kernel) -> str:
    """The function `batch`, for at least as many states as there are lanes, whose rows are all contiguous."""
    return _Rows(kernel).text()


class _Rows:
    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.lanes, self.program = kernel, kernel.lanes, kernel.program
        self.body = Body()
        self.values = Values(kernel, self.body, {})
        self.n = len(self.program.inputs)
        self.firsts = [sum(kernel.sizes[:k]) for k in range(self.n)]
        self.phases = 0

    def text(self) -> str:
        body, lanes = self.body, self.lanes
        steps = self.kernel.pieces[0].steps
        turn = next((k for k, step in enumerate(steps) if step.kind == "trig"), None)
        if turn is not None:
            body.do(self.kernel.room)
        self.arrays = pointers(body, self.kernel)
        last = body.let(f"sub i64 %count, {lanes.width}")
        body.do("%never = icmp slt i64 %count, 0")
        body.do("br label %next")
        body.label("next")
        hole = len(body.lines)
        row = body.let(f"call i64 @llvm.smin.i64(i64 %first, i64 {last})")
        places = row_addresses(body, self.arrays, row)
        if turn is None:
            self._directly(steps, places)
        else:
            self._meanwhile(steps[: turn + 1], steps[turn + 1 :], places)
        body.do(f"%after = add i64 %first, {lanes.width}")
        body.lines[hole:hole] = [
            f"  %first = phi i64 [ 0, %entry ], [ %after, %{body.block} ]",
            f"  %before = phi i64 [ 0, %entry ], [ {row}, %{body.block} ]",
        ]
        body.do("%more = icmp slt i64 %after, %count")
        body.do("br i1 %more, label %next, label %end")
        body.label("end")
        for task in [] if turn is None else self._scatters(places, self._delivered):
            task()
        body.do("ret void")
        if self.phases:
            body.label("nowhere")
            body.do("store i8 0, ptr %scratch")
            body.do("ret void")
        return function_text("batch", ", ptr %scratch", body)

    def _directly(self, steps: Sequence[Step], places: Sequence[str]) -> None:
        """Without sines: gather, compute, scatter."""
        for task in self._gathers(range(self.n), places):
            task()
        for step in steps:
            self.kernel.compute(self.body, step, self.values)
        for task in self._scatters(places, lambda k, j: self.values[self.program.outputs[k].values[j]]):
            task()

    def _meanwhile(self, before: Sequence[Step], behind: Sequence[Step], places: Sequence[str]) -> None:
        """The steps before and with the first sines, the transpositions that can be among them, and the other steps."""
        body = self.body
        used = {operand for step in before for operand in step.operands}
        needed = [
            k for k, (first, size) in enumerate(zip(self.firsts, self.kernel.sizes, strict=False))
            if used.intersection(range(first, first + size))
        ]  # fmt: skip
        for task in self._gathers(needed, places):
            task()
        for step in before[:-1]:
            self.kernel.compute(body, step, self.values)
        tasks = self._scatters(row_addresses(body, self.arrays, "%before"), self._delivered)
        tasks += self._gathers([k for k in range(self.n) if k not in needed], places)
        self._sines(before[-1], tasks)
        for step in behind:
            self.kernel.compute(body, step, self.values)
        for place, value in enumerate(value for output in self.program.outputs for value in output.values):
            body.store(self.lanes, self.values[value], "%scratch", place)

    def _sines(self, step: Step, tasks: list[Task]) -> None:
        """Evaluate sines, with tasks between them."""
        angles = reduced(self.body, self.lanes, [self.values[x] for x in step.operands], self.kernel.fma)
        done = 0
        for k, angle in enumerate(angles, 1):
            pair = evaluated(self.body, self.lanes, angle)
            for result, text in zip(step.results[2 * k - 2 : 2 * k], pair, strict=True):
                self.values[result] = text
            self._split()
            for task in tasks[done : k * len(tasks) // len(angles)]:
                task()
                self._split()
            done = k * len(tasks) // len(angles)

    def _split(self) -> None:
        """Another basic block."""
        self.phases += 1
        self.body.do(f"br i1 %never, label %nowhere, label %phase{self.phases}")
        self.body.label(f"phase{self.phases}")

    def _delivered(self, k: int, j: int) -> str:
        """Component j of output k of the block before."""
        return self.body.load(self.lanes, "%scratch", sum(self.kernel.sizes[self.n : self.n + k]) + j)

    def _gathers(self, inputs: Sequence[int], places: Sequence[str]) -> list[Task]:
        """Tasks that make the components of inputs known."""

        def task(k: int, start: int) -> None:
            rows = row_starts(self.body, self.lanes, places[k], self.arrays[k][1])
            for tile in tiles(self.lanes, self.kernel.sizes[k])[start : start + TILES]:
                for place, vector in gathered(self.body, self.lanes, rows, tile):
                    self.values[self.firsts[k] + place] = vector

        return [
            lambda k=k, start=start: task(k, start)  # type: ignore[misc]
            for k in inputs
            for start in range(0, len(tiles(self.lanes, self.kernel.sizes[k])), TILES)
        ]

    def _scatters(self, places: Sequence[str], value: Callable[[int, int], str]) -> list[Task]:
        """Tasks that write components of outputs to rows."""

        def task(k: int, start: int) -> None:
            rows = row_starts(self.body, self.lanes, places[self.n + k], self.arrays[self.n + k][1])
            for tile in tiles(self.lanes, self.kernel.sizes[self.n + k])[start : start + TILES]:
                vectors = [value(k, tile.first + j) for j in range(tile.wide)]
                scattered(self.body, self.lanes, rows, tile, vectors)

        return [
            lambda k=k, start=start: task(k, start)  # type: ignore[misc]
            for k in range(len(self.program.outputs))
            for start in range(0, len(tiles(self.lanes, self.kernel.sizes[self.n + k])), TILES)
        ]

"""Native code from LLVM, compiled in memory for the processor that runs it: the default back end.

Single states run through a scalar kernel, batches through one that computes as many states at once as a vector holds.
Both round alike: the same operations, fused alike, in the same order; so a state's result does not depend on the batch
that it is in.
"""

import ctypes
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from emdeg.backends.llvm_entry import COLUMNS, MOST, ROWS, entry_text, rows_text
from emdeg.backends.llvm_kernel import Kernel, module_text
from emdeg.backends.llvm_layout import alone_text, batch_texts, each_text, scratch_bytes
from emdeg.backends.llvm_machine import Machine, load
from emdeg.backends.llvm_python import FASTCALL, FASTCALL_WITH_KEYWORDS, Addresses, possible, wrap
from emdeg.backends.llvm_rows import contiguous_batch_text, fits
from emdeg.backends.llvm_text import Lanes, Precision
from emdeg.program import Program

Array = np.ndarray[Any, Any]

WORTH_A_THREAD = 500e-6
"""Seconds of work below which a thread costs more than it gives."""
ON_STACK = 64_000
"""Bytes of scratch memory at most that a batch may have on the stack."""
_SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


class LlvmProgram:
    """A program compiled by LLVM: the kernel for single states at once, the one for batches when first needed."""

    def __init__(
        self,
        program: Program,
        dtype: Precision = "float64",
        *,
        machine: Machine | None = None,
        threads: int | None = None,
        direct: bool = True,
    ) -> None:
        """`threads` at most for one batch; `direct` calls from Python through its binary interface, where possible."""
        self.program = program
        self.dtype: Precision = dtype
        self.threads = threads if threads is not None else _processors()
        self._machine = machine or Machine()
        self._direct = direct and possible()
        lanes = Lanes(dtype)
        self._single = Kernel(program, lanes, self._machine.fma)
        self._width = self._machine.vector_bits // lanes.bits
        cost = program.cost
        work = 1 + cost.total + 25 * cost.sincos + 10 * cost.divisions
        self._seconds = work * 0.25e-9 / self._width  # about what one state of a batch takes
        texts = [self._single.text(), each_text(self._single)]
        self._library, self._addresses = self._load(self._single, "each", texts)
        self._each = self._caller(self._library, self._addresses, "each")
        self._scratch = scratch_bytes(self._single) + 64
        self._batches: dict[str, Callable[..., None]] = {}
        self._lock = threading.Lock()

    def _load(self, kernel: Kernel, name: str, texts: list[str]) -> tuple[Any, Addresses]:
        """Machine code of `name`, which calls a kernel, and of what Python calls."""
        addresses, exports = Addresses(), [name]
        if self._direct:
            texts = [*texts, rows_text(self.program, name, addresses)]
            texts.append(entry_text(kernel, self._width, addresses) if name == "each" else alone_text(kernel))
            texts.append(addresses.text())
            exports += [f"{name}_rows", "entry" if name == "each" else "batch_alone", Addresses.NAME]
        library = load(self._machine, module_text(kernel, texts), exports)
        if self._direct:
            addresses.fill(library[Addresses.NAME])
        return library, addresses

    @property
    def source(self) -> str:
        """The scalar kernel in LLVM's intermediate representation."""
        return module_text(self._single, [self._single.text(), each_text(self._single)])

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Compute states: rows of `inputs` to rows of `outputs`.

        Of each array's two axes, one is contiguous: the last, or with several rows the first.
        """
        count = len(outputs[0])
        if count < self._width:
            rows, places = [np.ascontiguousarray(x) for x in inputs], [np.ascontiguousarray(x) for x in outputs]
            self._each(*rows, *places, np.empty(self._scratch, np.uint8))
            for place, output in zip(places, outputs, strict=True):
                if place is not output:
                    output[...] = place
            return
        whole = all(x.shape[1] < 2 or x.strides[1] == x.itemsize for x in (*inputs, *outputs))
        layout = ROWS if whole else COLUMNS
        batch = self._batches.get(layout) or self._compile_batch(layout)
        parts = min(self.threads, int(count * self._seconds / WORTH_A_THREAD))
        if parts < 2:
            batch(*inputs, *outputs, np.empty(self._scratch, np.uint8))
            return
        bounds = [count * k // parts for k in range(parts + 1)]
        work = [
            threading.Thread(
                target=batch, args=[*(x[a:b] for x in (*inputs, *outputs)), np.empty(self._scratch, np.uint8)]
            )
            for a, b in itertools.pairwise(bounds)
        ]
        for thread in work:
            thread.start()
        for thread in work:
            thread.join()

    def _compile_batch(self, layout: str) -> Callable[..., None]:
        """The function for batches of a layout, compiled by whoever needs it first."""
        with self._lock:
            if layout not in self._batches:
                wide = Kernel(self.program, Lanes(self.dtype, self._width), self._machine.fma)
                self._scratch = scratch_bytes(wide) + 64
                short = fits(wide)
                texts = [contiguous_batch_text(wide)] if short and layout == ROWS else batch_texts(wide)
                library, addresses = self._load(wide, "batch", texts)
                for served in [layout] if short else [ROWS, COLUMNS]:
                    self._batches[served] = self._caller(library, addresses, "batch")
                    if self._direct and self.program.inputs and self._scratch <= ON_STACK:
                        table, most = self._library[Addresses.NAME], 2**62
                        if self.threads > 1:
                            most = int(2 * WORTH_A_THREAD / self._seconds)
                        self._addresses.set(table, served, library["batch_alone"])
                        self._addresses.set(table, MOST, most)
            return self._batches[layout]

    def _caller(self, library: Any, addresses: Addresses, name: str) -> Callable[..., None]:
        """A compiled `batch` or `each` as a function of arrays of two axes and scratch memory."""
        if self._direct:
            return wrap(library[f"{name}_rows"], name, FASTCALL, None, (library, addresses))
        function = _SIGNATURE(library[name])
        n = len(self.program.inputs)

        def call(*arrays: Array, keep: Any = library) -> None:
            *rows, scratch = arrays
            addresses = [x.ctypes.data for x in rows]
            steps = (ctypes.c_int64 * (2 * len(rows)))(*[step for x in rows for step in x.strides])
            sources = (ctypes.c_void_p * n)(*addresses[:n])
            targets = (ctypes.c_void_p * len(self.program.outputs))(*addresses[n:])
            function(sources, steps, targets, len(rows[-1]), (scratch.ctypes.data + 63) & ~63)

        return call

    def entry(self, otherwise: Callable[..., Any]) -> Callable[..., Any] | None:
        """A function that computes single states at once and leaves any other call to `otherwise`, where possible."""
        if not self._direct:
            return None
        keep = (self, self._library, self._addresses)
        return wrap(self._library["entry"], self.program.name, FASTCALL_WITH_KEYWORDS, otherwise, keep)


def _processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

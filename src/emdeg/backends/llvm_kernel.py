"""From steps to LLVM functions: `block` computes the outputs of one state, or of as many as a vector has lanes.

    void block(ptr input ..., ptr output ..., ptr spill)                        of one state, whose numbers are adjacent
    void block(ptr input ..., ptr output ..., i64 step ..., ptr spill)          of several

Of several states, component k of an array is a vector of adjacent numbers, and lies k times its step behind the first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from emdeg.backends.llvm_steps import Chunk, Step, chunks, fused, without_twins
from emdeg.backends.llvm_text import Body, Lanes
from emdeg.backends.llvm_trig import angles_place, called, cold_functions, sines_and_cosines, waves_function
from emdeg.program import Program

ATTRIBUTES = '"min-legal-vector-width"="512" "prefer-vector-width"="512" nounwind'
WRITTEN_OUT = 4
"""Groups of sines at most that stand where they are needed; more of them are calls."""
_BINARY = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}


class Kernel:
    """The functions of a program for one kind of lanes."""

    def __init__(self, program: Program, lanes: Lanes, fma: bool) -> None:
        self.program = without_twins(program)
        self.lanes = lanes
        self.fma = fma
        steps = fused(self.program)
        self.pieces, self.spilled = chunks(self.program, steps)
        groups = Counter(len(step.operands) for step in steps if step.kind == "trig")
        self.called = sorted(groups) if groups.total() > WRITTEN_OUT else []

    @property
    def name(self) -> str:
        return f"block{self.lanes.width}"

    @property
    def arrays(self) -> list[str]:
        """The names of inputs and outputs."""
        program = self.program
        return [f"in{k}" for k in range(len(program.inputs))] + [f"out{k}" for k in range(len(program.outputs))]

    @property
    def sizes(self) -> list[int]:
        """How many components each input and output has."""
        program = self.program
        return [entry.size for entry in program.inputs] + [len(output.values) for output in program.outputs]

    @property
    def room(self) -> str:
        """What stands before a function's first label: the room on the stack that sines need."""
        most = max(
            (len(step.operands) for piece in self.pieces for step in piece.steps if step.kind == "trig"), default=0
        )
        return angles_place(self.lanes, most) if most else ""

    def step(self, name: str) -> str:
        """The parameter that is the step of an array."""
        return f"%step_{name}" if self.lanes.width > 1 else ""

    def text(self) -> str:
        """The functions, the last of them `block`."""
        steps = [f"i64 {self.step(name)}" for name in self.arrays] if self.lanes.width > 1 else []
        listed = ", ".join([*(f"ptr %{name}" for name in self.arrays), *steps, "ptr %spill"])
        texts = [waves_function(self.lanes, n, self.fma, ATTRIBUTES) for n in self.called]
        if len(self.pieces) == 1:
            return "\n".join([*texts, self._function(f"void @{self.name}({listed})", self.pieces[0])])
        calls = []
        for k, piece in enumerate(self.pieces):
            head = f"void @{self.name}_{k}({listed}) noinline"
            texts.append(self._function(head, piece))
            calls.append(f"  call void @{self.name}_{k}({listed})\n")
        whole = f"define internal void @{self.name}({listed}) {ATTRIBUTES} {{\n{''.join(calls)}  ret void\n}}\n"
        return "\n".join([*texts, whole])

    def _function(self, head: str, piece: Chunk) -> str:
        body = Body()
        lanes = self.lanes
        if any(step.kind == "trig" for step in piece.steps):
            body.do(self.room)
        values = Values(self, body, piece.loads)
        for step in piece.steps:
            self.compute(body, step, values)
        for value, slot in piece.stores.items():
            body.store(lanes, values[value], "%spill", slot)
        for value, _, _ in piece.delivered:
            if value < self.program.first_constant:
                values[value]  # inputs are read before anything is stored: outputs may lie in their place
        for value, k, place in piece.delivered:
            body.store(lanes, values[value], f"%out{k}", place, step=self.step(f"out{k}"))
        body.do("ret void")
        return f"define internal {head} {ATTRIBUTES} {{\nentry:\n" + "\n".join(body.lines) + "\n}\n"

    def compute(self, body: Body, step: Step, values: "Values") -> None:
        """Write down what one step does."""
        operands = [values[operand] for operand in step.operands]
        for result, text in zip(step.results, self._results(body, step.kind, operands), strict=True):
            values[result] = text

    def _results(self, body: Body, kind: str, operands: Sequence[str]) -> list[str]:
        lanes = self.lanes
        if kind == "trig":
            if len(operands) in self.called:
                pairs = called(body, lanes, operands)
            else:
                pairs = sines_and_cosines(body, lanes, operands, self.fma)
            return [x for pair in pairs for x in pair]
        if kind in _BINARY:
            return [body.let(f"{_BINARY[kind]} {lanes.real} {operands[0]}, {operands[1]}")]
        if kind == "neg":
            return [body.let(f"fneg {lanes.real} {operands[0]}")]
        if kind == "sign":
            return [_sign(body, lanes, operands[0])]
        a, b, c = operands
        if kind == "fms":
            c = body.let(f"fneg {lanes.real} {c}")
        if kind == "fnma":
            a = body.let(f"fneg {lanes.real} {a}")
        return [body.call(lanes, "fmuladd", [a, b, c])]


def _sign(body: Body, lanes: Lanes, x: str) -> str:
    """1, -1, or x itself, which is then zero or no number."""
    chosen = x
    for comparison, value in (("olt", -1.0), ("ogt", 1.0)):
        true = body.let(f"fcmp {comparison} {lanes.real} {x}, {lanes.number(0.0)}")
        number = lanes.number(value)
        chosen = body.let(f"select {lanes.truth} {true}, {lanes.real} {number}, {lanes.real} {chosen}")
    return chosen


class Values:
    """The text of each value inside one function: constants written out, inputs loaded when first needed."""

    def __init__(self, kernel: Kernel, body: Body, slots: Mapping[int, int]) -> None:
        self._kernel = kernel
        self._program = program = kernel.program
        self._body = body
        self._lanes = kernel.lanes
        self._slots = slots
        self._known: dict[int, str] = {}
        self._places = [(k, j) for k, entry in enumerate(program.inputs) for j in range(entry.size)]

    def __setitem__(self, value: int, text: str) -> None:
        self._known[value] = text

    def __getitem__(self, value: int) -> str:
        if value not in self._known:
            if value < len(self._places):
                k, j = self._places[value]
                self._known[value] = self._body.load(self._lanes, f"%in{k}", j, step=self._kernel.step(f"in{k}"))
            elif value < self._program.first_result:
                constant = self._program.constants[value - len(self._places)]
                self._known[value] = self._lanes.number(constant)
            else:
                self._known[value] = self._body.load(self._lanes, "%spill", self._slots[value])
        return self._known[value]


def module_text(kernel: Kernel, functions: Sequence[str]) -> str:
    """A module of functions that compute a kernel's program."""
    lanes = kernel.lanes
    real, suffix = lanes.real, lanes.suffix
    declared = f"declare {real} @llvm.fmuladd.{suffix}({real}, {real}, {real})\n"
    declared += f"declare {real} @llvm.fabs.{suffix}({real})\n"
    cold = cold_functions(lanes.precision, kernel.fma) if kernel.program.cost.sincos else ""
    weights = '!0 = !{!"branch_weights", i32 1, i32 1000000}\n'
    return "\n".join([cold, *functions, declared, weights])

"""Programs: pure functions of vectors as straight-line code, with their cost and their verifier."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from emdeg.errors import EmdegError

Kind = Literal["add", "sub", "mul", "div", "neg", "sin", "cos", "sign"]
UNARY = ("neg", "sin", "cos", "sign")
NAMED = ("sin", "cos", "sign")
"""The operations that `Program.evaluate` is given as functions."""


class ProgramError(EmdegError):
    """A program breaks its own rules."""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One operation on earlier values, by their numbers; `b` is -1 where there is one operand.

    `sign` is 1, -1, or 0 at 0, and not a number for what is none.
    """

    kind: Kind
    a: int
    b: int = -1


@dataclass(frozen=True)
class Input:
    """A named vector of `size` components; `labels` say what each is, where that is not its number."""

    name: str
    size: int
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Output:
    """A named array: its shape, and the number of the value of each component, the last index fastest."""

    name: str
    shape: tuple[int, ...]
    values: tuple[int, ...]


@dataclass(frozen=True)
class Cost:
    """Operations by the strict convention: each binary * and each + or - is one, sign changes are free.

    Divisions, sine-cosine pairs and the signs of friction are counted apart; an angle whose sine or cosine is taken
    counts once.
    """

    multiplications: int
    additions: int
    divisions: int
    sincos: int
    signs: int = 0

    @staticmethod
    def of(code: Iterable[Instruction]) -> "Cost":
        """The cost of instructions."""
        steps = list(code)
        kinds = [step.kind for step in steps]
        angles = {step.a for step in steps if step.kind in ("sin", "cos")}
        added = kinds.count("add") + kinds.count("sub")
        return Cost(kinds.count("mul"), added, kinds.count("div"), len(angles), kinds.count("sign"))

    @property
    def total(self) -> int:
        """Multiplications and additions."""
        return self.multiplications + self.additions

    def __str__(self) -> str:
        text = f"{self.multiplications} multiplications, {self.additions} additions"
        if self.divisions:
            text += f", {self.divisions} divisions"
        text += f", {self.sincos} sine-cosine pairs"
        return f"{text}, {self.signs} signs" if self.signs else text


@dataclass(frozen=True)
class Program:
    """Straight-line code.

    Values are numbered: first the components of the inputs in their order, then the constants, then the result of each
    instruction. Whatever an instruction or an output uses stands before it. Constants are exact.
    """

    name: str
    inputs: tuple[Input, ...]
    constants: tuple[Fraction, ...]
    code: tuple[Instruction, ...]
    outputs: tuple[Output, ...]

    def __post_init__(self) -> None:
        verify(self)

    @property
    def first_constant(self) -> int:
        """The number of the first constant."""
        return sum(entry.size for entry in self.inputs)

    @property
    def first_result(self) -> int:
        """The number of the first instruction's result."""
        return self.first_constant + len(self.constants)

    @property
    def cost(self) -> Cost:
        """Counted on the code."""
        return Cost.of(self.code)

    @property
    def instructions(self) -> int:
        """Multiplications, additions and divisions, where a product that only one addition uses is one with it."""
        used = Counter(value for output in self.outputs for value in output.values)
        for step in self.code:
            used.update((step.a,) if step.kind in UNARY else (step.a, step.b))
        first = self.first_result
        products = {first + k for k, step in enumerate(self.code) if step.kind == "mul" and used[first + k] == 1}
        sums = [step for step in self.code if step.kind in ("add", "sub")]
        return self.cost.total + self.cost.divisions - sum(s.a in products or s.b in products for s in sums)

    def evaluate(
        self,
        inputs: Mapping[str, Sequence[Any]],
        number: Callable[[Fraction], Any],
        functions: Mapping[str, Callable[[Any], Any]],
    ) -> dict[str, list[Any]]:
        """The outputs, flat, over any scalar; `functions` holds sin and cos, and sign where it is used."""
        values = [component for entry in self.inputs for component in inputs[entry.name]]
        values += [number(constant) for constant in self.constants]
        for instruction in self.code:
            a = values[instruction.a]
            if instruction.kind in NAMED:
                values.append(functions[instruction.kind](a))
            elif instruction.kind == "neg":
                values.append(-a)
            else:
                values.append(_BINARY[instruction.kind](a, values[instruction.b]))
        return {output.name: [values[k] for k in output.values] for output in self.outputs}


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
}


def verify(program: Program) -> None:
    """Raise ProgramError where operands don't stand before their users, or names or shapes don't fit."""
    names = [entry.name for entry in program.inputs] + [output.name for output in program.outputs]
    if len(set(names)) < len(names):
        raise ProgramError(f"two inputs or outputs of {program.name} have one name")
    ready = program.first_result
    for instruction in program.code:
        if instruction.kind not in UNARY and instruction.kind not in _BINARY:
            raise ProgramError(f"{program.name} has the unknown operation {instruction.kind!r}")
        operands = [instruction.a] if instruction.kind in UNARY else [instruction.a, instruction.b]
        if not all(0 <= operand < ready for operand in operands):
            raise ProgramError(f"value {ready} of {program.name} uses a value that stands after it")
        ready += 1
    for output in program.outputs:
        size = 1
        for extent in output.shape:
            size *= extent
        if size != len(output.values) or not all(0 <= value < ready for value in output.values):
            raise ProgramError(f"output {output.name} of {program.name} does not fit its shape or the code")

"""A program as a processor wants it: multiply-adds fused, sines gathered, long code cut into chunks.

Which products are fused into a sum is decided here, once, so that scalars and vectors of any width round alike.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from emdeg.program import Instruction, Program
from emdeg.program.program import Kind

CHUNK = 6000
"""Operations of a function at most; a compiler's time grows faster than the length of what it compiles at once."""
OPERATIONS_OF_SINES = 40
"""What a sine and a cosine count in this."""
OPERATIONS_OF_AN_OUTPUT = 8
"""What an output counts in this, beside its computation."""
DELIVERED = 100
"""Outputs of a function at most; the time for stores that could be joined grows with their square."""
TOGETHER = 8
"""Angles whose sines and cosines are computed at once."""


@dataclass(frozen=True, slots=True)
class Step:
    """Results from operands, by numbers of values. fma: a b + c; fms: a b - c; fnma: c - a b; trig: many angles."""

    kind: Literal[Kind, "fma", "fms", "fnma", "trig"]
    operands: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(frozen=True)
class Chunk:
    """Steps of one function; values from before that it loads, and values for later that it stores, with slots.

    Then what it delivers: values, each to a component of an output.
    """

    steps: tuple[Step, ...]
    loads: dict[int, int]
    stores: dict[int, int]
    delivered: tuple[tuple[int, int, int], ...]


def without_twins(program: Program) -> Program:
    """The program with equal instructions used once; their twins are left, unused."""
    first: dict[Instruction, int] = {}
    same: dict[int, int] = {}
    code = []
    for value, instruction in enumerate(program.code, program.first_result):
        a, b = same.get(instruction.a, instruction.a), same.get(instruction.b, instruction.b)
        code.append(Instruction(instruction.kind, a, b))
        found = first.setdefault(code[-1], value)
        if found != value:
            same[value] = found
    if not same:
        return program
    outputs = tuple(
        replace(output, values=tuple(same.get(value, value) for value in output.values)) for output in program.outputs
    )
    return replace(program, code=tuple(code), outputs=outputs)


def fused(program: Program) -> list[Step]:
    """The steps that the outputs need, in an order that takes the sines of as many angles at once as possible.

    No two instructions of the program are equal.
    """
    return _gathered(program, *_contracted(program))


def _contracted(program: Program) -> tuple[list[Step], dict[tuple[str, int], int]]:
    """Steps without sines, and the value of the sine or cosine of each angle."""
    start = program.first_result
    uses = Counter(value for output in program.outputs for value in output.values)
    for value, instruction in reversed(list(enumerate(program.code, start))):
        if uses[value]:
            uses.update([instruction.a, instruction.b])
    depth = [0] * start
    products: dict[int, tuple[int, int]] = {}
    steps: dict[int, Step] = {}
    waves: dict[tuple[str, int], int] = {}
    for value, instruction in enumerate(program.code, start):
        kind, a, b = instruction.kind, instruction.a, instruction.b
        depth.append(1 + max(depth[a], depth[b] if b >= 0 else 0))
        if not uses[value]:
            continue
        if kind in ("sin", "cos"):
            waves[kind, a] = value
            depth[value] += 9
            continue
        step = Step(kind, (a,) if b < 0 else (a, b), (value,))
        if kind == "mul" and uses[value] == 1:
            products[value] = (a, b)
        elif kind in ("add", "sub") and a != b:
            chosen = max((x for x in (a, b) if x in products), key=lambda x: depth[x], default=None)
            if chosen is not None:
                x, y = products.pop(chosen)
                del steps[chosen]
                name: Literal["fma", "fms", "fnma"]
                name = "fma" if kind == "add" else "fms" if chosen == a else "fnma"
                step = Step(name, (x, y, b if chosen == a else a), (value,))
        steps[value] = step
    return list(steps.values()), waves


def _gathered(program: Program, steps: Sequence[Step], waves: dict[tuple[str, int], int]) -> list[Step]:
    """The steps with the sines among them, each round of angles as early as can be."""
    makers = {result: step for step in steps for result in step.results}
    angle_of = {value: angle for (_, angle), value in waves.items()}
    rounds: dict[int, int] = {}  # how many rounds of sines a value needs before it
    for value in range(program.first_result, program.first_result + len(program.code)):
        if value in angle_of:
            rounds[value] = rounds.get(angle_of[value], 0) + 1
        elif value in makers:
            rounds[value] = max(rounds.get(operand, 0) for operand in makers[value].operands)
    turns: dict[int, list[int]] = {}
    for angle in dict.fromkeys(angle_of.values()):
        turns.setdefault(rounds.get(angle, 0), []).append(angle)
    spare = program.first_result + len(program.code)
    ordered: list[Step] = []
    done: set[int] = set()
    for turn in sorted(turns):
        angles = turns[turn]
        for value in sorted(_needed(angles, makers, done)):
            done.add(value)
            ordered.append(makers[value])
        for first in range(0, len(angles), TOGETHER):
            group = angles[first : first + TOGETHER]
            results = []
            for angle in group:
                for kind in ("sin", "cos"):
                    results.append(waves.get((kind, angle), spare))
                    spare += (kind, angle) not in waves
            ordered.append(Step("trig", tuple(group), tuple(results)))
            done.update(results)
    ordered += [step for step in steps if step.results[0] not in done]
    return ordered


def _needed(wanted: Iterable[int], makers: dict[int, Step], done: set[int]) -> set[int]:
    """The steps' results that `wanted` needs and that are not done."""
    found: set[int] = set()
    stack = list(wanted)
    while stack:
        value = stack.pop()
        if value in makers and value not in done and value not in found:
            found.add(value)
            stack += makers[value].operands
    return found


def chunks(program: Program, steps: Sequence[Step], limit: int = CHUNK) -> tuple[list[Chunk], int]:
    """The steps in pieces of about `limit` operations, and how many values must be kept between them at once.

    Inputs and constants are at hand everywhere. Outputs are delivered after all is computed, by pieces of their own if
    there is more than one piece.
    """
    delivered = [
        (value, k, place) for k, output in enumerate(program.outputs) for place, value in enumerate(output.values)
    ]
    pieces = _pieces(steps, limit, {value for value, _, _ in delivered})
    if len(pieces) < 2 and len(delivered) <= DELIVERED:
        return [Chunk(tuple(steps), {}, {}, tuple(delivered))], 0
    groups = [delivered[k : k + DELIVERED] for k in range(0, len(delivered), DELIVERED)]
    return _Spilling(pieces, groups).chunks()


def _pieces(steps: Sequence[Step], limit: int, wanted: set[int]) -> list[list[Step]]:
    pieces: list[list[Step]] = []
    room = 0
    for step in steps:
        if room <= 0:
            pieces.append([])
            room = limit
        pieces[-1].append(step)
        room -= OPERATIONS_OF_SINES * len(step.operands) if step.kind == "trig" else 1
        room -= OPERATIONS_OF_AN_OUTPUT * len(wanted.intersection(step.results))
    return pieces


class _Spilling:
    """Slots for the values that later pieces need; a slot is used again after the last of them."""

    def __init__(self, pieces: Sequence[Sequence[Step]], groups: Sequence[Sequence[tuple[int, int, int]]]) -> None:
        self.pieces = [*pieces, *([] for _ in groups)]
        self.groups = [*([] for _ in pieces), *groups]
        self.used = [
            {operand for step in piece for operand in step.operands} | {value for value, _, _ in group}
            for piece, group in zip(self.pieces, self.groups, strict=True)
        ]
        self.last = {value: k for k, used in enumerate(self.used) for value in used}
        self.slots: dict[int, int] = {}
        self.free: list[int] = []
        self.size = 0

    def chunks(self) -> tuple[list[Chunk], int]:
        made = []
        for k, (piece, group) in enumerate(zip(self.pieces, self.groups, strict=True)):
            loads = {value: self.slots[value] for value in sorted(self.used[k]) if value in self.slots}
            self.free += [self.slots.pop(value) for value in loads if self.last[value] == k]
            kept = [result for step in piece for result in step.results if self.last.get(result, -1) > k]
            stores = {value: self._slot(value) for value in kept}
            made.append(Chunk(tuple(piece), loads, stores, tuple(group)))
        return made, self.size

    def _slot(self, value: int) -> int:
        if not self.free:
            self.free.append(self.size)
            self.size += 1
        self.slots[value] = self.free.pop()
        return self.slots[value]

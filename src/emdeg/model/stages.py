"""The paper's steps made visible: the model before and after constants are combined and symbols reduced.

raw         every parameter with its own coefficient, as a program generates them (step 1)
combined    A and g over inertia constants (step 2); B and C still raw
christoffel B and C as combinations of the distinct derivatives of A that the relations leave (step 3)
final       everything expanded over the constants (step 4)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from emdeg.algebra import LinearForm
from emdeg.errors import InputError
from emdeg.model.element import Element, element_name
from emdeg.model.entry import Operations, operations
from emdeg.model.model import Model
from emdeg.model.raw import RawEntry, raw_entry

STAGES = ("raw", "combined", "christoffel", "final")
Convention = Literal["strict", "paper"]


@dataclass(frozen=True)
class Stage:
    """A model at one stage: its elements as text, and the operations to compute each of A, B, C and g."""

    name: str
    elements: Mapping[str, str]
    strict: Mapping[str, Operations]
    paper: Mapping[str, Operations]

    def total(self, convention: Convention = "strict") -> Operations:
        """All operations of the stage."""
        counted = self.strict if convention == "strict" else self.paper
        return sum(counted.values(), Operations())


def stage(model: Model, name: str) -> Stage:
    """The model at a stage. Elements that are equal to another up to sign are counted once from `christoffel` on."""
    if name not in STAGES:
        raise InputError(f"there is no stage {name!r}", advice=f"choose {', '.join(STAGES)}")
    parts = list(_parts(model, name))
    elements = {label: text for label, text, _, _ in parts}
    strict = {letter: _sum(s for label, _, s, _ in parts if label[0] == letter) for letter in "abcg"}
    paper = {letter: _sum(p for label, _, _, p in parts if label[0] == letter) for letter in "abcg"}
    names = {"a": "A", "b": "B", "c": "C", "g": "g"}
    return Stage(name, elements, {names[k]: v for k, v in strict.items()}, {names[k]: v for k, v in paper.items()})


def _sum(counts: Iterator[Operations]) -> Operations:
    return sum(counts, Operations())


_Part = tuple[str, str, Operations, Operations]


def _parts(model: Model, name: str) -> Iterator[_Part]:
    """(element, text, strict, paper) of each element that is not zero, A's upper triangle only."""
    n = len(model.tree)
    for i in range(n):
        for j in range(i, n):
            if form := model.inertial.mass[i, j]:
                yield _raw(model, _name(model, "a", i, j), form) if name == "raw" else _read(model.mass_matrix[i, j])
    for i in range(n):
        if form := model.inertial.gravity[i]:
            yield _raw(model, _name(model, "g", i), form) if name == "raw" else _read(model.gravity[i])
    two = model.ring.number(2)
    for row in model.christoffel_table.rows:
        i, j, k = row.index
        form = model.symbols_of_christoffel[row.index]
        label = _name(model, "c", i, j) if j == k else _name(model, "b", i, j, k)
        if not form:
            continue
        if name in ("raw", "combined"):
            yield _raw(model, label, form if j == k else form * two)
        elif row.equals is not None:
            yield label, _reference(model, row.equals, row.sign, j == k), Operations(), Operations()
        elif name == "christoffel":
            yield _derivatives(model, label, row.index)
        else:
            yield _read(model.centrifugal[i, j] if j == k else model.coriolis[i, model.pairs.index((j, k))])


def _read(element: Element) -> _Part:
    return element.name, str(element), operations(element.entry), operations(element.entry, "paper")


def _raw(model: Model, label: str, form: LinearForm) -> _Part:
    entry: RawEntry = raw_entry(model.reading, form)
    return label, str(entry), entry.operations("strict"), entry.operations("paper")


def _reference(model: Model, other: tuple[int, int, int], sign: int, square: bool) -> str:
    """b = 2 (i, jk), c = (i, jj): an element in terms of one that is already computed."""
    i, j, k = other
    known = _name(model, "c", i, j) if j == k else _name(model, "b", i, j, k)
    factor = {(True, False): "(1/2)*", (False, True): "2*"}.get((square, j == k), "")
    return ("-" if sign < 0 else "") + factor + known


def _derivatives(model: Model, label: str, index: tuple[int, int, int]) -> _Part:
    """b = 2 (i, jk) or c = (i, jj) as a sum of those derivatives of A that are not zero, written as derivatives."""
    i, j, k = index
    scale = Fraction(1, 2) if j == k else Fraction(1)
    factors: dict[str, Fraction] = {}
    for (a, b, c), sign in (((i, j, k), 1), ((i, k, j), 1), ((j, k, i), -1)):
        a, b = min(a, b), max(a, b)
        if model.reasons.depends(a, b, c):
            slope = f"d({_name(model, 'a', a, b)})/d(q{c + 1})"
            factors[slope] = factors.get(slope, Fraction(0)) + sign * scale
    text = ""
    kept = {slope: factor for slope, factor in factors.items() if factor}
    for slope, factor in kept.items():
        size = "" if abs(factor) == 1 else f"({abs(factor)})*" if factor.denominator > 1 else f"{abs(factor)}*"
        mark = "-" if factor < 0 else "+"
        text += f" {mark} {size}{slope}" if text else f"{'-' if factor < 0 else ''}{size}{slope}"
    count = Operations(sum(abs(factor) != 1 for factor in kept.values()), max(0, len(kept) - 1))
    return label, text, count, count


def _name(model: Model, letter: str, *indices: int) -> str:
    return element_name(letter, len(model.tree), *indices)

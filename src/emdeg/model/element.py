"""The elements of a model as a user holds them: named entries in grids, written when they are first looked at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from emdeg.model.entry import Entry, Operations, operations
from emdeg.model.printing import latex

T = TypeVar("T")


def element_name(letter: str, count: int, *indices: int) -> str:
    """a11, b112, g2 from indices that count from 0; from ten joints on with underscores: a1_10."""
    return letter + ("_" if count > 9 else "").join(str(index + 1) for index in indices)


def symbol_name(count: int, i: int, j: int, k: int) -> str:
    """(1,23), from indices that count from 0."""
    return f"({i + 1},{element_name('', count, j, k)})"


@dataclass(frozen=True)
class Element:
    """One element: its name in the paper's letters (a11, b112, c12, g2), and what it is."""

    name: str
    entry: Entry

    def __str__(self) -> str:
        return str(self.entry)

    def __bool__(self) -> bool:
        return bool(self.entry)

    def operations(self, convention: Literal["strict", "paper"] = "strict") -> Operations:
        """Multiplications and additions of the entry as printed."""
        return operations(self.entry, convention)

    def to_latex(self) -> str:
        return latex.entry(self.entry)

    def _repr_latex_(self) -> str:
        return f"${latex.name(self.name)} = {latex.entry(self.entry)}$"


@dataclass(frozen=True)
class Rates:
    """A sum of products of rates with signs: ((1, ("qd1", "qd2")), (-1, ("qd1", "qd3")))."""

    terms: tuple[tuple[int, tuple[str, ...]], ...]

    def __str__(self) -> str:
        text = ""
        for sign, factors in self.terms:
            square = len(factors) == 2 and factors[0] == factors[1]
            product = f"{factors[0]}**2" if square else "*".join(factors)
            mark = (" - " if sign < 0 else " + ") if text else ("-" if sign < 0 else "")
            text += mark + product
        return text


@dataclass(frozen=True)
class Torque:
    """The torque or force of a joint, like rates gathered: sum of entry × rates, plus gravity."""

    name: str
    terms: tuple[tuple[Entry, Rates], ...]
    gravity: Entry

    def __str__(self) -> str:
        text = ""
        for entry, rates in self.terms:
            body = str(entry)
            factor = f"({rates})" if len(rates.terms) > 1 else str(rates)
            if entry.is_sum:
                body = f"({body})"
            term = factor if body == "1" else f"{body}*{factor}"
            text += f" - {term[1:]}" if text and term.startswith("-") else f" + {term}" if text else term
        if self.gravity:
            body = str(self.gravity)
            text += f" - {body[1:]}" if text and body.startswith("-") else f" + {body}" if text else body
        return text or "0"

    def __bool__(self) -> bool:
        return bool(self.terms) or bool(self.gravity)

    def operations(self, convention: Literal["strict", "paper"] = "strict") -> Operations:
        """Operations of the assembled equation: entries, products of rates, and their sum."""
        count = operations(self.gravity, convention)
        for entry, rates in self.terms:
            making = sum(len(factors) - 1 for _, factors in rates.terms)
            unit = str(entry) in ("1", "-1")
            count += operations(entry, convention) + Operations(making + (0 if unit else 1), len(rates.terms) - 1)
        return count + Operations(0, max(0, len(self.terms) + bool(self.gravity) - 1))


class Grid(Generic[T]):
    """An indexable array of elements, each made when it is first asked for."""

    def __init__(self, shape: tuple[int, ...], make: Callable[..., T]) -> None:
        self.shape = shape
        self._make = make
        self._made: dict[tuple[int, ...], T] = {}

    def __getitem__(self, index: Any) -> T:
        key = index if isinstance(index, tuple) else (index,)
        if len(key) != len(self.shape) or not all(isinstance(k, int) for k in key):
            raise IndexError(f"an index of {len(self.shape)} integers is needed, not {index!r}")
        key = tuple(k + size if k < 0 else k for k, size in zip(key, self.shape, strict=True))
        if not all(0 <= k < size for k, size in zip(key, self.shape, strict=True)):
            raise IndexError(f"index {index!r} is outside the shape {self.shape}")
        if key not in self._made:
            self._made[key] = self._make(*key)
        return self._made[key]

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        """The elements of a vector, or the rows of a matrix."""
        if len(self.shape) == 1:
            return (self[k] for k in range(self.shape[0]))
        return (self._row(k) for k in range(self.shape[0]))

    def _row(self, first: int) -> "Grid[T]":
        return Grid(self.shape[1:], lambda *rest: self[(first, *rest)])

    def flat(self) -> Iterator[T]:
        """All elements, the last index fastest."""
        if len(self.shape) == 1:
            return iter(self)
        return (element for row in self for element in row.flat())

    def __repr__(self) -> str:
        return f"Grid of shape {self.shape}"

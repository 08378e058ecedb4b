"""What a printed model says, in which order; the media only set it.

Elements that equal another are given as references, zeros by their reasons, elements too long for a screen by the
number of their terms.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from emdeg.algebra import LinearForm
from emdeg.model.dynamics import Triple
from emdeg.model.element import Torque, element_name
from emdeg.model.entry import Atom, Entry
from emdeg.model.printing.subject import Subject
from emdeg.model.zeros import REASONS

SCREEN = 600  # letters of an element that a screen can bear
MANY = 2000  # terms of a model beyond which only short elements are written on a screen
SHORT = 12  # terms of such a short element


@dataclass(frozen=True)
class Line:
    """An element: `entry` is None where it is too long to be written; `terms` counts its expanded polynomial."""

    name: str
    entry: Entry | None
    terms: int


@dataclass(frozen=True)
class Equality:
    """An element that is a multiple of another one."""

    name: str
    factor: Fraction
    other: str


@dataclass(frozen=True)
class Section:
    """One of A, B, C, g: its elements that are not zero."""

    letter: str
    title: str
    lines: tuple[Line, ...]
    equal: tuple[Equality, ...]

    @property
    def empty(self) -> bool:
        return not self.lines and not self.equal


@dataclass(frozen=True)
class Outline:
    """All elements of a model. `torques` is None where they are too long to be written."""

    sections: tuple[Section, ...]
    torques: tuple[Torque, ...] | None
    zeros: dict[str, list[str]]
    elements: int

    @property
    def left_out(self) -> bool:
        """Whether anything is counted instead of written."""
        return self.torques is None or any(line.entry is None for s in self.sections for line in s.lines)

    @property
    def entries(self) -> list[Entry]:
        found = [line.entry for section in self.sections for line in section.lines if line.entry is not None]
        for torque in self.torques or ():
            found += [*(entry for entry, _ in torque.terms), torque.gravity]
        return found


Progress = Callable[[str], None]


def outline(model: Subject, *, whole: bool, progress: Progress = lambda step: None) -> Outline:
    """The outline of a model: everything written if `whole`, else only what fits on a screen."""
    table = {row.index: row for row in model.christoffel_table.rows}
    different = [i for i, row in table.items() if row.status == "expression"]
    forms = [*model.inertial.mass.values(), *model.inertial.gravity]
    forms += [model.symbols_of_christoffel[index] for index in different]
    crowded = sum(map(terms_of, forms)) > MANY
    writer = _Writer(model, None if whole else SHORT if crowded else SCREEN, progress)
    sections = (writer.mass(), writer.velocity("B"), writer.velocity("C"), writer.gravity())
    n = len(model.tree)
    count = n * (n + 1) // 2 + n * len(model.pairs) + n * n + n
    return Outline(sections, _torques(model, whole), _zeros(model), count)


def terms_of(form: LinearForm) -> int:
    """The number of terms of a form's expanded polynomial."""
    return sum(len(polynomial) for polynomial in form.terms.values())


def _torques(model: Subject, whole: bool) -> tuple[Torque, ...] | None:
    """The assembled equations, if all are written or short; what is certainly long is not even looked at."""
    if not whole and any(_torque_terms(model, i) > SCREEN // 4 for i in range(len(model.tree))):
        return None
    torques = tuple(model.torque)
    return torques if whole or all(len(str(torque)) <= SCREEN for torque in torques) else None


def _torque_terms(model: Subject, i: int) -> int:
    mass = [form for pair, form in model.inertial.mass.items() if i in pair]
    symbols = [form for index, form in model.symbols_of_christoffel.items() if index[0] == i]
    return sum(map(terms_of, [*mass, *symbols, model.inertial.gravity[i]]))


@dataclass(frozen=True)
class _Writer:
    """Makes the sections. `limit` is the number of terms or letters up to which an element is written."""

    model: Subject
    limit: int | None
    progress: Progress

    def _line(self, name: str, form: LinearForm, write: Callable[[], Entry]) -> Line:
        terms = terms_of(form)
        if self.limit is not None and terms > self.limit:
            return Line(name, None, terms)
        self.progress(f"writing {name}")
        entry = write()
        if self.limit is not None and len(str(entry)) > SCREEN:
            return Line(name, None, terms)
        return Line(name, entry, terms)

    def mass(self) -> Section:
        model, n = self.model, len(self.model.tree)
        parts = [
            (element_name("a", n, i, j), model.inertial.mass[i, j], partial(_mass_entry, model, i, j))
            for i in range(n)
            for j in range(i, n)
        ]
        return self._section("A", "mass matrix A", parts)

    def gravity(self) -> Section:
        model, n = self.model, len(self.model.tree)
        parts = [
            (element_name("g", n, i), form, partial(_gravity_entry, model, i))
            for i, form in enumerate(model.inertial.gravity)
        ]
        return self._section("g", "gravity g", parts)

    def _section(
        self, letter: str, title: str, parts: Iterable[tuple[str, LinearForm, Callable[[], Entry]]]
    ) -> Section:
        lines: list[Line] = []
        equal: list[Equality] = []
        seen: dict[str, LinearForm] = {}
        for name, form, write in parts:
            if not form:
                continue
            other = next(((o, s) for o, f in seen.items() for s in (1, -1) if _same(form, f, s)), None)
            if other is not None:
                equal.append(Equality(name, Fraction(other[1]), other[0]))
            else:
                seen[name] = form
                lines.append(self._line(name, form, write))
        return Section(letter, title, tuple(lines), tuple(equal))

    def velocity(self, letter: str) -> Section:
        """B (pairs of different rates) or C (squares)."""
        model, n = self.model, len(self.model.tree)
        lines, equal = [], []
        for row in model.christoffel_table.rows:
            i, j, k = row.index
            if (j == k) != (letter == "C") or row.status == "zero":
                continue
            name = velocity_name(row.index, n)
            if row.equals is not None:
                factor = row.sign * _doubled(row.index) / _doubled(row.equals)
                equal.append(Equality(name, factor, velocity_name(row.equals, n)))
                continue
            form = model.symbols_of_christoffel[row.index]
            lines.append(self._line(name, form, partial(_velocity_entry, model, i, j, k)))
        title = "velocity products B" if letter == "B" else "squared velocities C"
        return Section(letter, title, tuple(lines), tuple(equal))


def _mass_entry(model: Subject, i: int, j: int) -> Entry:
    return model.mass_matrix[i, j].entry


def _gravity_entry(model: Subject, i: int) -> Entry:
    return model.gravity[i].entry


def _velocity_entry(model: Subject, i: int, j: int, k: int) -> Entry:
    return model.centrifugal[i, j].entry if j == k else model.coriolis[i, model.pairs.index((j, k))].entry


def velocity_name(index: Triple, count: int) -> str:
    """The element of B or C that a Christoffel symbol makes."""
    i, j, k = index
    return element_name("c", count, i, j) if j == k else element_name("b", count, i, j, k)


def _doubled(index: Triple) -> Fraction:
    """The element of B or C is this multiple of the symbol: eqs. (4) and (5)."""
    return Fraction(1 if index[1] == index[2] else 2)


def _same(one: LinearForm, other: LinearForm, sign: int) -> bool:
    return one.terms == (other.terms if sign > 0 else (-other).terms)


def _zeros(model: Subject) -> dict[str, list[str]]:
    """Reason -> the elements that vanish for it, in the order of the vocabulary; of A the upper triangle."""
    n = len(model.tree)
    lower = {element_name("a", n, i, j) for i in range(n) for j in range(i)}
    found: dict[str, list[str]] = {reason: [] for reason in REASONS}
    for name, reason in model.zeros:
        if name not in lower:
            found.setdefault(reason, []).append(name)
    return {reason: names for reason, names in found.items() if names}


def atoms_of(entries: Iterable[Entry]) -> list[Atom]:
    """The sines and cosines that entries are written with, by their angles."""
    found = {atom for entry in entries for atom in entry.atoms if atom.kind != "q"}
    return sorted(found, key=lambda a: ([(c, m) for c, m in a.angle], a.name[1:], a.kind != "s"))


def angles_of(entries: Iterable[Entry]) -> list[tuple[Atom, ...]]:
    """The atoms of entries, the sine and the cosine of one angle together."""
    groups: dict[str, list[Atom]] = {}
    for atom in atoms_of(entries):
        groups.setdefault(atom.name[1:], []).append(atom)
    ordered = sorted(groups.values(), key=lambda atoms: (len(atoms[0].name), atoms[0].name[1:]))
    return [tuple(atoms) for atoms in ordered]

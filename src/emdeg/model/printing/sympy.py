"""A model for SymPy: as its objects, and as a Python file that builds them."""

import keyword
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from emdeg.errors import UnsupportedError
from emdeg.model.element import Element, Torque
from emdeg.model.entry import Atom, Entry
from emdeg.model.printing import facts
from emdeg.model.printing.json import letters
from emdeg.model.printing.notation import Notation
from emdeg.model.printing.outline import Progress, atoms_of
from emdeg.model.printing.pieces import entry_pieces, filled, text_pieces
from emdeg.model.printing.subject import Subject
from emdeg.model.printing.torques import element_pieces
from emdeg.version import __version__

_IMPORTS = ("Matrix", "Rational", "atan", "cos", "pi", "sin", "symbols", "zeros")
_MATRICES = ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque", "definitions", "values", "elements")
_TAKEN = frozenset((*keyword.kwlist, *_IMPORTS, *_MATRICES))


@dataclass(frozen=True)
class SympyModel:
    """A model as SymPy objects, over the constants as symbols.

    mass_matrix is A (n × n), coriolis B (n × n(n-1)/2), centrifugal C (n × n), gravity g (n × 1). `definitions` gives
    the constants in the letters of the robot, `values` the values of letters and constants as far as they are known.
    """

    mass_matrix: Any
    coriolis: Any
    centrifugal: Any
    gravity: Any
    coordinates: tuple[Any, ...]
    symbols: Mapping[str, Any]
    constants: Mapping[str, Any]
    definitions: Mapping[Any, Any]
    values: Mapping[Any, float]


def to_sympy(model: Subject) -> SympyModel:
    """The model as SymPy objects; UnsupportedError where SymPy is not installed."""
    sympy = _sympy()
    n = len(model.tree)
    symbols = {name: sympy.Symbol(name, real=True) for name in [*model.coordinates, *letters(model), *model.constants]}
    writer = _Writer(sympy, symbols)
    constants = {name: symbols[name] for name in model.constants}
    definitions = {
        symbols[name]: writer.polynomial(model.parameters.letters.names, vector)
        for name, vector in model.reading.vectors.items()
        if name in constants and symbols[name].name not in model.parameters.letters.names
    }
    known = facts.known(model)
    return SympyModel(
        mass_matrix=sympy.Matrix(n, n, lambda i, j: writer.entry(model.mass_matrix[int(i), int(j)].entry)),
        coriolis=sympy.Matrix(n, len(model.pairs), lambda i, m: writer.entry(model.coriolis[int(i), int(m)].entry)),
        centrifugal=sympy.Matrix(n, n, lambda i, j: writer.entry(model.centrifugal[int(i), int(j)].entry)),
        gravity=sympy.Matrix(n, 1, lambda i, _: writer.entry(model.gravity[int(i)].entry)),
        coordinates=tuple(symbols[name] for name in model.coordinates),
        symbols={name: symbols[name] for name in letters(model)},
        constants=constants,
        definitions=definitions,
        values={symbols[name]: value for name, value in known.items() if name in symbols},
    )


def _sympy() -> Any:
    try:
        import sympy
    except ImportError:
        advice = "install it with: python -m pip install sympy"
        raise UnsupportedError("SymPy is not installed", advice=advice) from None
    return sympy


@dataclass(frozen=True)
class _Writer:
    """Builds SymPy expressions."""

    sympy: Any
    symbols: Mapping[str, Any]

    def entry(self, entry: Entry) -> Any:
        return self.sympy.sympify(entry.evaluate(self.symbols, self.atom))

    def atom(self, atom: Atom) -> Any:
        angle = sum((times * self.symbols[f"q{index + 1}"] for index, times in atom.angle), self.sympy.Integer(0))
        if atom.kind == "q":
            return angle
        constant = atom.constant
        angle += constant.quarters * self.sympy.pi / 2 + 2 * self.sympy.atan(self.rational(constant.tangent))
        angle += sum(times * self.symbols[name] for name, times in constant.letters)
        return (self.sympy.sin if atom.kind == "s" else self.sympy.cos)(angle)

    def rational(self, value: Fraction) -> Any:
        return self.sympy.Rational(value.numerator, value.denominator)

    def polynomial(self, names: Iterable[str], vector: Mapping[tuple[int, ...], Fraction]) -> Any:
        """A polynomial in letters."""
        generators = [self.generator(name) for name in names]
        terms = []
        for monomial, factor in vector.items():
            powers = [g**e for g, e in zip(generators, monomial, strict=True) if e]
            terms.append(self.sympy.Mul(self.rational(factor), *powers))
        return self.sympy.Add(*terms)

    def generator(self, name: str) -> Any:
        if name[3:4] != "(":
            return self.symbols[name]
        return (self.sympy.sin if name.startswith("sin") else self.sympy.cos)(self.symbols[name[4:-1]])


@dataclass(frozen=True)
class _Source(Notation):
    """Python source that runs: whole numbers, Rational(1, 2), names that are no keywords."""

    def name(self, text: str) -> str:
        return f"{text}_" if text.rstrip("_") in _TAKEN else text

    def fraction(self, value: Fraction) -> str:
        return f"Rational({value.numerator}, {value.denominator})"


_SOURCE = _Source()


def source(model: Subject, progress: Progress = lambda step: None) -> str:
    """A Python file that builds the model with SymPy."""
    n = len(model.tree)
    names = [*model.coordinates, *letters(model), *model.constants]
    progress("writing elements")
    grids = (model.mass_matrix, model.coriolis, model.centrifugal, model.gravity)
    entries = [element.entry for grid in grids for element in grid.flat()]
    lines = [*_preamble(model), *_symbols(names), ""]
    lines += [f"{a.name} = {_function(a)}" for a in atoms_of(entries)] + [""]
    for label, shape in (("mass_matrix", (n, n)), ("coriolis", (n, len(model.pairs))), ("centrifugal", (n, n))):
        progress(f"writing {label}")
        lines.append(f"{label} = zeros{shape}")
        for i in range(shape[0]):
            for j in range(shape[1]):
                lines += _assignment(f"{label}[{i}, {j}]", entry_pieces(getattr(model, label)[i, j].entry, _SOURCE))
        lines.append("")
    lines.append(f"gravity = zeros({n}, 1)")
    for i in range(n):
        lines += _assignment(f"gravity[{i}]", entry_pieces(model.gravity[i].entry, _SOURCE))
    lines += ["", *_definitions(model)]
    return "\n".join(lines) + "\n"


def elements_source(model: Subject, elements: Iterable[Element | Torque]) -> str:
    """Single elements as assignments, with the symbols that they are written in."""
    elements = list(elements)
    entries, rates = [], []
    for element in elements:
        if isinstance(element, Torque):
            entries += [*(entry for entry, _ in element.terms), element.gravity]
            rates = [f"{d}{k + 1}" for d in ("qd", "qdd") for k in range(len(model.tree))]
        else:
            entries.append(element.entry)
    used = list(dict.fromkeys(name for entry in entries for name in entry.constants))
    lines = [*_preamble(model), *_symbols([*model.coordinates, *rates, *used]), ""]
    lines += [f"{a.name} = {_function(a)}" for a in atoms_of(entries)] + ["", "elements = {}"]
    for element in elements:
        lines += _assignment(f'elements["{element.name}"]', element_pieces(element, _SOURCE))
    return "\n".join(lines) + "\n"


def _preamble(model: Subject) -> list[str]:
    name = "".join(c for c in model.robot.name if c.isprintable() and c not in "\\\"'")
    return [
        f"# Equations of motion of {name}, derived by emdeg {__version__}:",
        "# mass_matrix*qdd + coriolis*[qd1*qd2, qd1*qd3, ...] + centrifugal*[qd1**2, ...] + gravity = torque",
        f"from sympy import {', '.join(_IMPORTS)}",
        "",
    ]


def _symbols(names: Iterable[str]) -> list[str]:
    unique = dict.fromkeys(names)
    return [f'{_SOURCE.name(name)} = symbols("{name}", real=True)' for name in unique]


def _function(atom: Atom) -> str:
    argument = " ".join(text_pieces(atom.argument, _SOURCE))
    return f"{'sin' if atom.kind == 's' else 'cos'}({argument})"


def _assignment(left: str, pieces: list[str]) -> list[str]:
    lines = filled(pieces, _SOURCE, 110)
    if len(lines) == 1:
        return [f"{left} = {lines[0]}"]
    return [f"{left} = (", *(f"    {line}" for line in lines), ")"]


def _definitions(model: Subject) -> list[str]:
    """The constants over the letters, and all known values."""
    own = {name: c.definition for name, c in model.constants.items() if c.definition != name}
    lines = ["definitions = {"]
    lines += [f"    {_SOURCE.name(name)}: {' '.join(text_pieces(text, _SOURCE))}," for name, text in own.items()]
    known = facts.known(model)
    lines += ["}", "values = {", *(f"    {_SOURCE.name(name)}: {value!r}," for name, value in known.items()), "}"]
    return lines

"""A model as an object for JSON: every expression an exact text in Python syntax."""

from collections.abc import Iterable, Mapping
from typing import Any

from emdeg.model.element import Element, Torque
from emdeg.model.entry import Entry
from emdeg.model.printing.outline import Progress, atoms_of
from emdeg.model.printing.subject import Subject
from emdeg.version import __version__

HEAD: Mapping[str, Any] = {"emdeg": __version__, "schema": 1}
"""What every JSON object of emdeg begins with."""

_FUNCTIONS = {"s": "sin", "c": "cos"}


def to_json(model: Subject, progress: Progress = lambda step: None) -> dict[str, Any]:
    """The whole model."""
    n = len(model.tree)
    grids = {}
    for label, grid in (
        ("mass_matrix", model.mass_matrix), ("coriolis", model.coriolis), ("centrifugal", model.centrifugal)
    ):  # fmt: skip
        progress(f"writing {label}")
        grids[label] = [list(row) for row in grid]
    progress("writing torques")
    gravity, torques = list(model.gravity), list(model.torque)
    every = [element.entry for grid in grids.values() for row in grid for element in row]
    every += [element.entry for element in gravity]
    table, symbols = _christoffel(model, progress)
    return {
        **HEAD,
        "robot": model.robot.name,
        "formulation": model.formulation,
        "seconds": model.seconds,
        "coordinates": list(model.coordinates),
        "symbols": _symbols(model),
        "abbreviations": _abbreviations([*every, *symbols]),
        "constants": _constants(model),
        "mass_matrix": _texts(grids["mass_matrix"]),
        "velocity_products": [f"qd{j + 1}*qd{k + 1}" for j, k in model.pairs],
        "coriolis": _texts(grids["coriolis"]) if model.pairs else [[] for _ in range(n)],
        "centrifugal": _texts(grids["centrifugal"]),
        "gravity": [str(element) for element in gravity],
        "torque": [str(torque) for torque in torques],
        "base_parameters": [{"name": b.name, "definition": b.definition} for b in model.base_parameters],
        "christoffel": table,
        "zeros": [{"element": element, "reason": reason} for element, reason in model.zeros],
    }


def elements_json(model: Subject, elements: Iterable[Element | Torque]) -> dict[str, Any]:
    """Single elements, with what they are written in."""
    elements = list(elements)
    entries = []
    for element in elements:
        if isinstance(element, Torque):
            entries += [*(entry for entry, _ in element.terms), element.gravity]
        else:
            entries.append(element.entry)
    return {
        **HEAD,
        "robot": model.robot.name,
        "formulation": model.formulation,
        "seconds": model.seconds,
        "coordinates": list(model.coordinates),
        "symbols": _symbols(model),
        "abbreviations": _abbreviations(entries),
        "constants": _constants(model),
        "elements": {element.name: str(element) for element in elements},
    }


def _texts(rows: list[list[Element]]) -> list[list[str]]:
    return [[str(element) for element in row] for row in rows]


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def letters(model: Subject) -> list[str]:
    """All letters of a model: those of its file, and any that it needs beside them."""
    needed = [name[4:-1] if name[3:4] == "(" else name for name in model.parameters.letters.names]
    needed += [name for angle in model.tree.angles for name, _ in angle.constant.letters]
    return list(dict.fromkeys([*model.robot.symbols, *needed]))


def _symbols(model: Subject) -> dict[str, Any]:
    found = {}
    for name in letters(model):
        symbol = model.robot.symbols.get(name)
        found[name] = {
            "value": _number(symbol.value) if symbol else None,
            "tolerance": _number(symbol.tolerance) if symbol else None,
            "unit": symbol.unit if symbol else "",
            "what": symbol.what if symbol else "",
        }
    return found


def _abbreviations(entries: Iterable[Entry]) -> dict[str, str]:
    return {atom.name: f"{_FUNCTIONS[atom.kind]}({atom.argument})" for atom in atoms_of(entries)}


def _constants(model: Subject) -> dict[str, Any]:
    return {
        name: {"value": c.value, "tolerance": c.tolerance, "unit": c.unit, "definition": c.definition}
        for name, c in model.constants.items()
    }


def _christoffel(model: Subject, progress: Progress) -> tuple[dict[str, Any], list[Entry]]:
    table = model.christoffel_table
    rows, entries = [], []
    for row in table.rows:
        i, j, k = row.index
        expression = None
        if row.status == "expression":
            progress(f"writing ({i + 1},{j + 1}{k + 1})")
            entry = model.christoffel[i, j, k].entry
            entries.append(entry)
            expression = str(entry)
        equals = None
        if row.equals is not None:
            equals = dict(zip("ijk", (index + 1 for index in row.equals), strict=True)) | {"sign": row.sign}
        rows.append(
            {"i": i + 1, "j": j + 1, "k": k + 1, "status": row.status, "equals": equals,
             "reason": row.reason or None, "expression": expression}
        )  # fmt: skip
    counts = {"total": table.total, "zero": table.zero, "nonzero": table.nonzero, "unique": table.unique}
    return {**counts, "after": dict(table.after), "table": rows}, entries

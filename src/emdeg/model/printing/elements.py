"""Elements by their names: a11, b112, c12, g2, tau1, and Christoffel symbols (1,23)."""

import re

from emdeg.errors import InputError
from emdeg.model.element import Element, Torque, element_name, symbol_name
from emdeg.model.printing.subject import Subject

_NAME = re.compile(r"(?P<letter>[abcg]|tau)(?P<indices>\d+(?:_\d+)*)", re.ASCII)
_SYMBOL = re.compile(r"\(\s*(\d+)\s*,\s*(\d+)[\s_,]*(\d+)\s*\)", re.ASCII)
_COUNT = {"a": 2, "b": 3, "c": 2, "g": 1, "tau": 1}


def find_element(model: Subject, name: str) -> Element | Torque:
    """The element of this name, indices from 1; InputError with what there is for any other name."""
    count = len(model.tree)
    text = name.strip()
    if match := re.fullmatch(r"\((\d)\s*,\s*(\d)(\d)\)", text) or _SYMBOL.fullmatch(text):
        i, j, k = (int(index) - 1 for index in match.groups())
        if all(0 <= index < count for index in (i, j, k)):
            return model.christoffel[i, j, k]
    if match := _NAME.fullmatch(text):
        digits = match["indices"]
        numbers = digits.split("_") if "_" in digits or match["letter"] in ("g", "tau") else list(digits)
        indices = [int(number) - 1 for number in numbers]
        if len(indices) == _COUNT[match["letter"]] and all(0 <= i < count for i in indices):
            found = _found(model, match["letter"], indices)
            if found is not None:
                return found
    raise InputError(f"there is no element {name!r}", where=model.robot.name, advice=_advice(count))


def _found(model: Subject, letter: str, indices: list[int]) -> Element | Torque | None:
    if letter == "a":
        return model.mass_matrix[tuple(indices)]
    if letter == "b":
        i, j, k = indices
        pair = (min(j, k), max(j, k))
        return None if j == k else model.coriolis[i, model.pairs.index(pair)]
    if letter == "c":
        return model.centrifugal[tuple(indices)]
    return model.gravity[indices[0]] if letter == "g" else model.torque[indices[0]]


def _advice(count: int) -> str:
    last = count - 1
    ranges = [
        f"{element_name(letter, count, *first)} ... {element_name(letter, count, *final)}"
        for letter, first, final in (
            ("a", (0, 0), (last, last)),
            ("b", (0, 0, 1), (last, last - 1, last)),
            ("c", (0, 0), (last, last)),
            ("g", (0,), (last,)),
            ("tau", (0,), (last,)),
        )
        if min(final) >= 0 and (letter != "b" or count > 1)
    ]
    symbols = f"Christoffel symbols {symbol_name(count, 0, 0, 0)} ... {symbol_name(count, last, last, last)}"
    return f"there are {', '.join(ranges)}, and the {symbols}"

"""The order of a robot's joints: parents first, otherwise as in the file."""

from collections.abc import Mapping, Sequence
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.conventions import Row
from emdeg.formats.grammar import nearest
from emdeg.formats.place import Place
from emdeg.robot import BASE

BASE_NAME = "base"


def joint_rows(tables: Sequence[Mapping[str, Any]], place: Place) -> list[Row]:
    """The joints of a document as a tree; InputError where it is cyclic or disconnected, or names are not unique."""
    names = [str(table.get("name", f"joint{number}")) for number, table in enumerate(tables, 1)]
    places = [place.entry("joint", number, table.get("name", "")) for number, table in enumerate(tables, 1)]
    known: dict[str, int] = {}
    for index, name in enumerate(names):
        if name == BASE_NAME:
            raise InputError("no joint may be called base", where=str(places[index].key("name")))
        if name in known:
            message = f"two joints are called {name!r}: number {known[name] + 1} and number {index + 1}"
            raise InputError(message, where=str(places[index].key("name")), advice="give each its own name")
        known[name] = index
    parents = [_parent(table, index, known, places[index]) for index, table in enumerate(tables)]
    order = _order(parents, names, places)
    new_index = {old: new for new, old in enumerate(order)} | {BASE: BASE}
    return [
        Row(tables[old], new_index[parents[old]], tables[old].get("type", "revolute"), names[old], old + 1, places[old])
        for old in order
    ]


def _parent(table: Mapping[str, Any], index: int, known: Mapping[str, int], place: Place) -> int:
    name = table.get("parent")
    if name is None:
        return index - 1 if index else BASE
    if name == BASE_NAME:
        return BASE
    if name not in known:
        names = (BASE_NAME, *known)
        advice = f"one of: {', '.join(names)}{nearest(name, names)}"
        message = f"the tree is disconnected: there is no joint {name!r}"
        raise InputError(message, where=str(place.key("parent")), advice=advice)
    return known[name]


def _order(parents: Sequence[int], names: Sequence[str], places: Sequence[Place]) -> list[int]:
    """Indices, parents first, otherwise in the order of the file."""
    done: set[int] = {BASE}
    order: list[int] = []
    for start in range(len(parents)):
        path: list[int] = []
        index = start
        while index not in done:
            if index in path:
                loop = [*path[path.index(index) :], index] if len(path) < 20 else path[:20]
                text = " -> ".join(names[i] for i in loop)
                advice = "each joint's parent must lead to the base"
                raise InputError(f"the tree is cyclic: {text}", where=str(places[start].key("parent")), advice=advice)
            path.append(index)
            index = parents[index]
        done.update(path)
        order.extend(reversed(path))
    return order

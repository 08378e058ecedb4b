"""What may stand in a robot file, as declarations that both check a document and write its JSON Schema."""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol

from emdeg.errors import InputError
from emdeg.formats.place import Place

Schema = dict[str, Any]


class Node(Protocol):
    """One kind of entry."""

    @property
    def what(self) -> str: ...

    def check(self, value: Any, place: Place) -> None:
        """Raise InputError where `value` has not this form."""

    def schema(self) -> Schema: ...


@dataclass(frozen=True)
class Text:
    what: str

    def check(self, value: Any, place: Place) -> None:
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"expected a text, found {shown(value)}", where=str(place), advice=self.what)

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1, "description": self.what}


@dataclass(frozen=True)
class Choice:
    what: str
    options: tuple[str, ...]

    def check(self, value: Any, place: Place) -> None:
        if value not in self.options:
            advice = f"one of: {', '.join(self.options)}{nearest(value, self.options)}"
            raise InputError(f"expected {self.what}, found {shown(value)}", where=str(place), advice=advice)

    def schema(self) -> Schema:
        return {"enum": list(self.options), "description": self.what}


@dataclass(frozen=True)
class Value:
    """A number in SI, a quantity, or an expression; its text is read where the robot is built."""

    what: str
    unit: str = ""
    unknown: bool = False

    def check(self, value: Any, place: Place) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal | Fraction):
            due = f"a value in {self.unit}" if self.unit else "a number"
            raise InputError(f"expected {due} for {self.what}, found {shown(value)}", where=str(place))

    def schema(self) -> Schema:
        unit = f" [{self.unit}]" if self.unit else ""
        unknown = '; "?" for unknown' if self.unknown else ""
        return {"type": ["number", "string"], "description": f"{self.what}{unknown}{unit}"}


@dataclass(frozen=True)
class Values:
    """A fixed number of values."""

    item: Value
    length: int = 3

    @property
    def what(self) -> str:
        return self.item.what

    def check(self, value: Any, place: Place) -> None:
        if not isinstance(value, list | tuple):
            message = f"expected a list of {self.length} values for {self.what}, found {shown(value)}"
            raise InputError(message, where=str(place), advice=f"as in [{', '.join('0' * self.length)}]")
        if len(value) != self.length:
            message = f"expected {self.length} values for {self.what}, found {len(value)}"
            raise InputError(message, where=str(place), advice=f"as in [{', '.join('0' * self.length)}]")
        for number, entry in enumerate(value, 1):
            self.item.check(entry, place.key(str(number)))

    def schema(self) -> Schema:
        return {
            "type": "array", "items": self.item.schema(), "minItems": self.length, "maxItems": self.length,
            "description": self.what,
        }  # fmt: skip


@dataclass(frozen=True)
class Either:
    """Anything that one of the options allows; the message of the last one is given."""

    options: tuple[Node, ...]

    @property
    def what(self) -> str:
        return self.options[-1].what

    def check(self, value: Any, place: Place) -> None:
        chosen = self.options[0] if isinstance(value, Mapping) else self.options[-1]
        chosen.check(value, place)

    def schema(self) -> Schema:
        return {"anyOf": [option.schema() for option in self.options]}


@dataclass(frozen=True)
class Table:
    """Named entries, some of them required; at most one of each group in `exclusive`.

    A table with a `shared` name stands once in the schema, under $defs.
    """

    what: str
    fields: Mapping[str, Node]
    required: tuple[str, ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = field(default=())
    shared: str = ""

    def check(self, value: Any, place: Place) -> None:
        check_mapping(value, self.what, place)
        for key in value:
            if key not in self.fields:
                advice = f"known here: {', '.join(self.fields)}{nearest(key, tuple(self.fields))}"
                raise InputError(f"unknown key {shown(key)}", where=str(place), advice=advice)
        for key in self.required:
            if key not in value:
                raise InputError(
                    f"{key} is missing: {self.fields[key].what}", where=str(place), advice=_hint(key, self)
                )
        for group in self.exclusive:
            given = [key for key in group if key in value]
            if len(given) > 1:
                raise InputError(
                    f"{' and '.join(given)} exclude each other", where=str(place), advice="give one of them"
                )
        for key, entry in value.items():
            self.fields[key].check(entry, place.key(key))

    def schema(self) -> Schema:
        return {"$ref": f"#/$defs/{self.shared}"} if self.shared else self.definition()

    def definition(self) -> Schema:
        """The schema itself, where `schema` refers to a shared one."""
        result: Schema = {
            "type": "object", "description": self.what, "additionalProperties": False,
            "properties": {key: node.schema() for key, node in self.fields.items()},
        }  # fmt: skip
        if self.required:
            result["required"] = list(self.required)
        pairs = [(a, b) for group in self.exclusive for i, a in enumerate(group) for b in group[i + 1 :]]
        if pairs:
            result["allOf"] = [{"not": {"required": list(pair)}} for pair in pairs]
        return result


@dataclass(frozen=True)
class Names:
    """A table with free names and one kind of entry."""

    what: str
    item: Node

    def check(self, value: Any, place: Place) -> None:
        check_mapping(value, self.what, place)
        for key, entry in value.items():
            if not isinstance(key, str):
                raise InputError(f"the name {shown(key)} is no text", where=str(place))
            self.item.check(entry, place.key(key))

    def schema(self) -> Schema:
        return {"type": "object", "description": self.what, "additionalProperties": self.item.schema()}


@dataclass(frozen=True)
class Tables:
    """A list of tables, as TOML's [[joint]]."""

    kind: str
    item: Table

    @property
    def what(self) -> str:
        return self.item.what

    def check(self, value: Any, place: Place) -> None:
        if not isinstance(value, list | tuple):
            advice = f"write [[{self.kind}]] with double brackets, once for each"
            raise InputError(
                f"{self.kind} must be a list of tables, found {shown(value)}", where=str(place), advice=advice
            )
        for number, entry in enumerate(value, 1):
            name = entry.get("name", "") if isinstance(entry, Mapping) else ""
            self.item.check(entry, place.entry(self.kind, number, name if isinstance(name, str) else ""))

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema(), "description": f"[[{self.kind}]]: {self.what}"}


def check_mapping(value: Any, what: str, place: Place) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"expected a table for {what}, found {shown(value)}", where=str(place))


def nearest(given: Any, known: tuple[str, ...]) -> str:
    """`; did you mean X?` where one of the known names is near."""
    close = difflib.get_close_matches(str(given)[:60], known, n=1, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def shown(value: Any) -> str:
    text = str(value) if isinstance(value, Decimal) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _hint(key: str, table: Table) -> str:
    node = table.fields[key]
    return f"one of: {', '.join(node.options)}" if isinstance(node, Choice) else ""

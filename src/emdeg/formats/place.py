"""Where in a robot file something stands, for messages."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Place:
    """A source, a part of it such as `joint 2 (elbow)`, and the keys inside that part."""

    source: str
    part: str = ""
    keys: tuple[str, ...] = ()

    def key(self, *keys: str) -> "Place":
        return replace(self, keys=self.keys + keys)

    def entry(self, kind: str, number: int, name: str = "") -> "Place":
        """The number-th entry (from 1) of a list of tables, such as the joints."""
        return Place(self.source, f"{kind} {number} ({name})" if name else f"{kind} {number}")

    def __str__(self) -> str:
        return ", ".join(text for text in (self.source, self.part, ".".join(self.keys)) if text)

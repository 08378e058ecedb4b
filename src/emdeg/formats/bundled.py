"""The robots that come with emdeg."""

from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.document import parse_document
from emdeg.formats.grammar import nearest


@dataclass(frozen=True)
class BundledRobot:
    """A robot that comes with emdeg: name, one line, sources (short name -> full text)."""

    name: str
    description: str
    sources: dict[str, str]


def bundled() -> tuple[BundledRobot, ...]:
    """All bundled robots, by name."""
    robots = []
    for name in bundled_names():
        document = read_bundled(name)
        robots.append(BundledRobot(name, document.get("description", ""), dict(document.get("sources", {}))))
    return tuple(robots)


def bundled_names() -> tuple[str, ...]:
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    )


def read_bundled(name: str) -> dict[str, Any]:
    """The document of a bundled robot; InputError with the list for any other name."""
    names = bundled_names()
    if name not in names:
        advice = f"bundled robots: {', '.join(names)}{nearest(name, names)}"
        raise InputError(f"there is no robot and no file {name!r}", advice=advice)
    return parse_document((_folder() / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")


def _folder() -> Traversable:
    return files("emdeg") / "robots"

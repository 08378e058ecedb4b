"""Where a robot comes from: a bundled name, a path, a document."""

from collections.abc import Mapping
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from emdeg.errors import InputError, UnsupportedError
from emdeg.formats.bundled import read_bundled
from emdeg.formats.dh import read_robot
from emdeg.formats.document import read_document
from emdeg.robot import Robot

_LATER = {".urdf": "URDF", ".xacro": "xacro", ".xml": "MJCF and URDF"}


def load(
    source: "Robot | str | PathLike[str] | Mapping[str, Any]", *, snap: Fraction | int | float | str | None = None
) -> Robot:
    """A robot from a bundled name, a path, or a document.

    `snap` rules rounded right angles: None takes an angle as k·90° where its printed decimals, at least four, are the
    correct rounding; 0 never; a number within that many rad. A Robot is given back as it is. Raises InputError where
    the description is wrong, UnsupportedError for formats that emdeg can't read yet.

    >>> load("puma560").joints[1].name
    'shoulder'
    """
    if isinstance(source, Robot):
        return source
    rule = _snap(snap)
    if isinstance(source, Mapping):
        name = source.get("name")
        return read_robot(source, name if isinstance(name, str) and name else "robot", rule)
    try:
        text = fspath(source)
    except TypeError:
        kind = type(source).__name__
        raise InputError(
            f"can't load a robot from {kind}", advice="give a name, a path, a document or a Robot"
        ) from None
    path = Path(text)
    if path.suffix.lower() in _LATER:
        advice = "a robot file in TOML is read today: see `emdeg schema`"
        raise UnsupportedError(f"{_LATER[path.suffix.lower()]} comes with a later version", where=text, advice=advice)
    if isinstance(source, PathLike) or _is_path(text):
        return read_robot(read_document(path), path.name, rule)
    return read_robot(read_bundled(text), f"{text}.toml", rule)


def _is_path(text: str) -> bool:
    if "\0" in text:
        raise InputError(f"{text!r} is no name of a robot or file")
    try:
        exists = Path(text).is_file()
    except OSError:
        exists = False
    return exists or text.endswith(".toml") or "/" in text or "\\" in text


def _snap(snap: Fraction | int | float | str | None) -> Fraction | None:
    if snap is None:
        return None
    try:
        value = Fraction(repr(snap)) if isinstance(snap, float) else Fraction(snap)
    except (ValueError, ZeroDivisionError, OverflowError):
        value = Fraction(-1)
    if not 0 <= value < Fraction(7, 10):
        raise InputError(
            f"the snapping tolerance {snap!r} can't be", advice="an angle in rad between 0 and 0.7, as 1e-3"
        )
    return value

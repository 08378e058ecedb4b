"""Where results go: standard output or a file, written whole or not at all; and messages to standard error."""

import os
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

from emdeg.errors import InputError

NARROW, BROAD, FILE = 60, 120, 100
"""Least and greatest width of text on a terminal, width in a file."""

Progress = Callable[[str], None]


def width(output: str | None) -> int:
    """The width that text is set in: the terminal's, within limits; of a pipe that of COLUMNS."""
    return FILE if output else max(NARROW, min(BROAD, get_terminal_size((FILE, 24)).columns))


def plain_ascii(output: str | None) -> bool:
    """Whether standard output can't show what mathematics needs."""
    try:
        "·²±−".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return output is None
    return False


def heading(output: str | None) -> Callable[[str], str]:
    """How headings are set off: bold on a terminal."""
    dull = output is not None or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return str if dull or not sys.stdout.isatty() else lambda text: f"\033[1m{text}\033[0m"


def safe(text: str) -> str:
    """Text from files without what could steer a terminal."""
    return "".join(c if c in "\n\t" or unicodedata.category(c)[0] != "C" else "?" for c in text)


def deliver(text: str, output: str | None, *, quiet: bool) -> None:
    """Print a result, or write it to a file and say so."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    write(text, Path(output))
    note(f"wrote {output}", quiet=quiet)


def write(text: str, path: Path) -> None:
    """Write a file at once: under another name in the same folder first, then renamed."""
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise InputError("is a folder", where=str(path), advice="give --output the name of a file")
            path.write_text(text, encoding="utf-8")  # a device or a pipe
            return
        _replace(text, path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"can't be written: {reason}", where=str(path), advice="give --output another file") from None


def write_all(texts: Mapping[str, str], folder: Path) -> None:
    """Write files into a folder, made if it is missing: all of them under other names first, then renamed."""
    try:
        folder = folder.resolve()
        if folder.exists() and not folder.is_dir():
            raise InputError("is no folder", where=str(folder), advice="give --output the name of a folder")
        folder.mkdir(exist_ok=True)
        for name in texts:
            if (folder / name).is_dir():
                raise InputError("is a folder", where=str(folder / name), advice="give --output another folder")
        _replace_all({folder / name: text for name, text in texts.items()})
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        advice = "give --output another folder"
        raise InputError(f"can't be written: {reason}", where=str(folder), advice=advice) from None


def _replace(text: str, path: Path) -> None:
    _replace_all({path: text})


def _replace_all(texts: Mapping[Path, str]) -> None:
    others = {path: path.with_name(f".{path.name}.{os.getpid()}.part") for path in texts}
    try:
        for path, text in texts.items():
            with open(others[path], "x", encoding="utf-8", newline="\n") as file:
                file.write(text)
            if path.exists():
                os.chmod(others[path], path.stat().st_mode & 0o7777)
        for path, other in others.items():
            os.replace(other, path)
    finally:
        for other in others.values():
            with suppress(FileNotFoundError):
                other.unlink()


def as_json(result: Any) -> str:
    """JSON as it is printed: exact texts as they are, numbers with all their digits, short lists on one line."""
    import json

    def written(value: Any, indent: str, room: int) -> str:
        whole = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if len(whole) <= room or not value or not isinstance(value, dict | list | tuple):
            return whole
        deeper, left = indent + "  ", BROAD - len(indent) - 2
        if isinstance(value, dict):
            keys = ((json.dumps(str(key), ensure_ascii=False) + ": ", item) for key, item in value.items())
            lines = [deeper + key + written(item, deeper, left - len(key)) for key, item in keys]
            return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
        return "[\n" + ",\n".join(deeper + written(item, deeper, left) for item in value) + f"\n{indent}]"

    return written(result, "", 0) + "\n"


def note(text: str, *, quiet: bool) -> None:
    """A message beside the result."""
    if not quiet:
        message(text)


def message(text: str) -> None:
    """A line on standard error."""
    with suppress(OSError, ValueError):
        print(safe(text), file=sys.stderr, flush=True)


@contextmanager
def progress(*, quiet: bool) -> Iterator[Progress]:
    """A line on a terminal that says what is being done, and is gone when it is done."""
    if quiet or not sys.stderr.isatty():
        yield lambda step: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text("reading the robot")) as status:
        yield lambda step: status.update(Text(step))

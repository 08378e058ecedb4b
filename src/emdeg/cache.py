"""What is kept on the user's disk between processes: where, how it is written, and whom it may come from.

EMDEG_CACHE names the folder in place of the system's place for caches; EMDEG_CACHE=off keeps and reads nothing.
"""

import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

OFF = "off"


def folder(kind: str) -> Path | None:
    """The folder for one kind of things, whether it is there or not; None where nothing is to be kept."""
    if given := os.environ.get("EMDEG_CACHE"):
        return None if given == OFF else Path(given) / kind
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "emdeg" / kind
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "emdeg" / kind
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "emdeg" / kind


def write(place: Path, content: bytes) -> None:
    """Make a file, whole or not at all, readable and writable by its user alone; OSError where that can't be."""
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(suffix=".part", dir=place.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise


def read_own(place: Path, largest: int) -> bytes | None:
    """A file that nobody but this user (and the system's) can have written; None for any other, or none, or a larger.

    On POSIX that is looked up: the open file and each folder above it belong to this user or to root, and neither
    group nor others may write there; a sticky folder like /tmp will do, as nobody removes others' files from it. On
    Windows it is so below the user's own folder.
    """
    with suppress(OSError):
        whole = place.resolve(strict=True)
        if not _own_folders(whole.parent):
            return None
        with open(
            os.open(whole, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)), "rb"
        ) as file:
            known = os.fstat(file.fileno())
            if stat.S_ISREG(known.st_mode) and known.st_size <= largest and _ours(known, sticky=False):
                return file.read()
    return None


def _own_folders(last: Path) -> bool:
    if sys.platform == "win32":
        return last.is_relative_to(Path.home().resolve())
    return _ours(last.stat(), sticky=False) and all(_ours(above.stat(), sticky=True) for above in last.parents)


def _ours(known: os.stat_result, sticky: bool) -> bool:
    """Whether others can't write what has this status; in a `sticky` folder they may add files, but not change any."""
    if sys.platform == "win32":
        return True
    writable = known.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return known.st_uid in (0, os.geteuid()) and (not writable or (sticky and bool(known.st_mode & stat.S_ISVTX)))


def trim(place: Path, files: int, size: int) -> None:
    """Remove the files of a folder that were not used for longest, until so many of that size in all are left."""
    with suppress(OSError):
        known = [(entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(place)]
        for _, length, path in sorted(known, reverse=True):
            files -= 1
            size -= length
            if files < 0 or size < 0:
                with suppress(OSError):
                    os.unlink(path)

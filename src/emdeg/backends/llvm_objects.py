"""Object code on disk, so that another process need not compile the same module again.

An entry is found by a digest of all that object code depends on, and holds a digest of itself. It is only loaded from
a file and folders that nobody else can write; what is damaged, foreign or not there is compiled, and written anew.
"""

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from emdeg import cache
from emdeg.version import __version__

FORMAT = b"emdeg object 1\n"
LARGEST = 32_000_000
FILES, BYTES = 500, 200_000_000
"""How many entries are kept, and how large they may be together."""


@dataclass(frozen=True)
class Entry:
    """The place of a module's object code; None where nothing is kept."""

    key: bytes
    place: Path | None

    @classmethod
    def of(cls, text: str, *target: str) -> "Entry":
        """By the module's text and all that tells one target and compiler from another."""
        parts = (__version__, *target, text)
        key = hashlib.sha256("\0".join(parts).encode()).digest()
        folder = cache.folder("objects")
        return cls(key, folder and folder / f"{key.hex()[:40]}.bin")

    def _seal(self, code: bytes) -> bytes:
        return hashlib.sha256(FORMAT + self.key + code).digest()

    def read(self) -> bytes | None:
        """The object code, if this very entry is there, sound, and surely ours."""
        content = None if self.place is None else cache.read_own(self.place, LARGEST)
        if content is None or self.place is None:
            return None
        head = len(FORMAT) + len(self.key)
        code = content[head:]
        if content[:head] != FORMAT + self._seal(code):
            return None
        with suppress(OSError):
            os.utime(self.place)  # what is used stays longest
        return code

    def write(self, code: bytes) -> None:
        """Keep object code for the next process; nothing happens where that can't be."""
        if self.place is None or len(code) > LARGEST:
            return
        with suppress(OSError):
            cache.write(self.place, FORMAT + self._seal(code) + code)
            cache.trim(self.place.parent, FILES, BYTES)

"""Names and remarks from robot files, made safe: nothing else of them reaches a generated text."""

import re
import unicodedata
from collections.abc import Iterable

# Files of these names can't be made on Windows.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(10))}
# What the back ends call the values of a program.
_VALUE = re.compile(r"[ckstv]\d+", re.IGNORECASE)
# M_PI and its like are macros in C.
_MACRO = re.compile(r"[A-Z]+_[A-Z0-9_]+")
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (\w+)")


def ascii_letters(text: str) -> str:
    """The text with accents taken off and Greek letters spelt out; other foreign letters become `_`."""
    pieces = []
    for letter in unicodedata.normalize("NFKD", text):
        if letter.isascii():
            pieces.append(letter)
        elif greek := _GREEK.match(unicodedata.name(letter, "")):
            pieces.append(greek[1].lower())
        elif not unicodedata.combining(letter):
            pieces.append("_")
    return "".join(pieces)


def identifier(text: str, limit: int = 63) -> str:
    """A name that is an identifier in every target: letters, digits, single underscores, a letter in front."""
    name = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", ascii_letters(text))).strip("_")
    if not name[:1].isalpha():
        name = f"x_{name}".rstrip("_")
    return name[:limit].rstrip("_")


def remark(text: str, limit: int = 400) -> str:
    """One line of harmless characters: no quotes, stars, backslashes, question marks, backticks, percent signs."""
    words = " ".join(ascii_letters(text[: 4 * limit]).split())
    safe = re.sub(r"[^A-Za-z0-9 .,:;()+_@/=&-]", "_", words)
    return safe if len(safe) <= limit else safe[:limit] + " ..."


class Names:
    """Gives each wanted name once, as an identifier; reserved and taken ones get a `_` or a number behind.

    Two names that differ only in the size of letters count as one: some languages and file systems think so.
    """

    def __init__(self, reserved: Iterable[str] = (), limit: int = 63) -> None:
        self.limit = limit
        self._reserved = {name.lower() for name in reserved} | _DEVICES
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        base = identifier(wanted, self.limit)
        clash = base.lower() in self._reserved or _VALUE.fullmatch(base) or _MACRO.fullmatch(base)
        name = self._behind(base, "_") if clash else base
        number = 2
        while name.lower() in self._taken:
            name = self._behind(base, f"_{number}")
            number += 1
        self._taken.add(name.lower())
        return name

    def _behind(self, base: str, suffix: str) -> str:
        return base[: self.limit - len(suffix)].rstrip("_") + suffix

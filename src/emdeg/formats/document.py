"""Reading a robot file's text: TOML with exact decimals, and messages instead of surprises."""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from emdeg.errors import InputError

MAX_BYTES = 1_000_000


def read_document(path: Path) -> dict[str, Any]:
    """The document in a TOML file, decimals exact."""
    where = str(path)
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise InputError("is a folder", where=where, advice="give the robot file itself")
        if size > MAX_BYTES:
            advice = f"at most {MAX_BYTES // 1_000_000} MB: a robot file holds a table, not data"
            raise InputError(f"the file has {size / 1e6:.1f} MB", where=where, advice=advice)
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise InputError("there is no such file", where=where) from None
    except UnicodeDecodeError:
        raise InputError("is not a text in UTF-8", where=where, advice="a robot file is a TOML text") from None
    except (OSError, ValueError) as error:
        raise InputError(f"can't be read: {getattr(error, 'strerror', None) or error}", where=where) from None
    return parse_document(text, where)


def parse_document(text: str, where: str) -> dict[str, Any]:
    """The document that a TOML text holds; InputError with line and column where it is broken."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"), parse_float=Decimal)
    except RecursionError:
        raise InputError("its brackets are nested too deeply", where=where) from None
    except ValueError as error:
        advice = "a robot file is TOML: texts in quotes, key = value, one [[joint]] for each joint"
        raise InputError(f"broken TOML: {error}", where=where, advice=advice) from None


def plain(value: Any) -> Any:
    """The same document with values that JSON can hold: exact decimals and fractions as texts."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, Decimal | Fraction):
        return str(value)
    return value if value is None or isinstance(value, str | int) else str(value)

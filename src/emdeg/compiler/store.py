"""Programs on disk: those that ship for the bundled robots, and those that the user's machine found before.

Only programs are stored here, as text. Whatever is read is verified and proven again before it is used;
an entry that is damaged, foreign or no longer right is passed over.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from importlib.resources import files
from typing import Any

from emdeg import cache
from emdeg.errors import EmdegError
from emdeg.program import Input, Instruction, Output, Program
from emdeg.robot import Robot
from emdeg.version import __version__

FORMAT = 1
LARGEST = 20_000_000
RATIONAL = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?")


def key(robot: Robot, functions: tuple[str, ...]) -> str:
    """What a program depends on: the robot's geometry, inertia and letters' values, and the functions."""
    values = sorted((name, str(symbol.value), str(symbol.degrees)) for name, symbol in robot.symbols.items())
    parts = (robot.gravity, robot.base, robot.joints, robot.links, robot.payloads, robot.tool, values)
    return hashlib.sha256(repr((FORMAT, functions, parts)).encode()).hexdigest()


def packed(program: Program) -> dict[str, Any]:
    """A program as JSON-able data; constants are exact."""
    return {
        "name": program.name,
        "inputs": [[entry.name, entry.size] for entry in program.inputs],
        "constants": [str(constant) for constant in program.constants],
        "code": [[step.kind, step.a, step.b] for step in program.code],
        "outputs": [[output.name, list(output.shape), list(output.values)] for output in program.outputs],
    }


def unpacked(data: Any) -> Program:
    """The program of such data; ProgramError, or any of the errors of wrong data, where it is none."""
    return Program(
        str(data["name"]),
        tuple(Input(str(name), int(size)) for name, size in data["inputs"]),
        tuple(_rational(text) for text in data["constants"]),
        tuple(Instruction(kind, int(a), int(b)) for kind, a, b in data["code"]),
        tuple(Output(str(name), tuple(shape), tuple(values)) for name, shape, values in data["outputs"]),
    )


def _rational(text: str) -> Fraction:
    """A fraction as we write it; anything else, such as an exponent that would fill the memory, is refused."""
    if not RATIONAL.fullmatch(text):
        raise ValueError(f"{text[:20]!r} is no fraction")
    return Fraction(text)


def shipped(robot: Robot, functions: tuple[str, ...]) -> Program | None:
    """What a thorough search found for a bundled robot, if it is this one."""
    place = files("emdeg").joinpath("robots", "programs", f"{robot.name}.json")
    if not robot.name.replace("-", "").isalnum() or not place.is_file():
        return None
    return _entry(json.loads(place.read_text(encoding="utf-8")), robot, functions)


def remembered(robot: Robot, functions: tuple[str, ...], effort: str) -> Program | None:
    """What was found on this machine before, with at least this effort."""
    folder = cache.folder("programs")
    if folder is None:
        return None
    for name in _names(robot, functions, effort):
        place = folder / name
        with suppress(OSError, ValueError, KeyError, TypeError, EmdegError):
            if place.stat().st_size <= LARGEST:
                found = _entry(json.loads(place.read_text(encoding="utf-8")), robot, functions)
                if found is not None:
                    return found
    return None


def remember(robot: Robot, functions: tuple[str, ...], effort: str, program: Program) -> None:
    """Keep a program for the next time; nothing happens where the folder can't be written."""
    if (folder := cache.folder("programs")) is not None:
        record = {"emdeg": __version__, "programs": {key(robot, functions): packed(program)}}
        with suppress(OSError):
            cache.write(folder / next(_names(robot, functions, effort)), json.dumps(record).encode())


def _names(robot: Robot, functions: tuple[str, ...], effort: str) -> Iterator[str]:
    """File names for this effort and for greater ones."""
    stem = hashlib.sha256(f"{__version__} {key(robot, functions)}".encode()).hexdigest()[:32]
    efforts = ("fast", "thorough")
    for name in efforts[efforts.index(effort) :]:
        yield f"{stem}-{name}.json"


def _entry(record: Any, robot: Robot, functions: tuple[str, ...]) -> Program | None:
    data = record["programs"].get(key(robot, functions))
    return None if data is None else unpacked(data)

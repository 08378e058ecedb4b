"""Automatic letters that a robot's file gave no occasion for: entries that are zero, linear parameters of a link."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from emdeg.errors import InputError
from emdeg.mechanics.inertia import LINEAR_PARAMETERS, linear_parameters
from emdeg.quantity import Expression, Symbol
from emdeg.robot import Body, Drive, Inertia, Robot

_LETTER = re.compile(r"(m|[rh][xyz]|[IL](?:xx|xy|xz|yy|yz|zz)|Im)([1-9]\d*)")
_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")
_UNITS = {"m": "kg", "r": "m", "h": "kg m", "I": "kg m²", "L": "kg m²"}


def lettered(robot: Robot, names: Sequence[str]) -> Robot:
    """The robot with these automatic letters where it has them not, their values as its file has them.

    m2, rx2, Ixx2 (about the centre of mass), hx2, Lxx2 (about the origin), Im2 belong to link 2, in the frame of the
    file. A zero of the file becomes a letter of that value. Where a file gives the centre of mass, and hx2 or Lxx2 is
    asked for, the link is stated by its linear parameters. Other names are left alone. Raises InputError where an entry
    is an expression, or both kinds are asked for.
    """
    for name in names:
        found = _LETTER.fullmatch(name)
        if name in robot.symbols or found is None or int(found[2]) > len(robot.moving):
            continue
        kind, index = found[1], robot.moving[int(found[2]) - 1]
        robot = _with_drive(robot, index, name) if kind == "Im" else _with_entry(robot, index, kind, name, names)
    return robot


def _with_drive(robot: Robot, index: int, name: str) -> Robot:
    joint = robot.joints[index]
    drive = joint.drive or Drive(Expression.number(0))
    unit = "kg m²" if joint.type == "revolute" else "kg"
    symbol = _symbol(robot, name, drive.reflected, unit, f"drive inertia of {joint.name}")
    joints = list(robot.joints)
    joints[index] = replace(joint, drive=replace(drive, reflected=Expression.letter(name)))
    return replace(robot, joints=tuple(joints), symbols={**robot.symbols, name: symbol})


def _with_entry(robot: Robot, index: int, kind: str, name: str, names: Sequence[str]) -> Robot:
    body = robot.links[index]
    number = name.removeprefix(kind)
    if kind not in _entries(body.inertia):
        if kind[0] not in "hL":
            advice = f"its file states the link by {', '.join(f'{entry}{number}' for entry in _entries(body.inertia))}"
            raise InputError(f"the link {body.name} has no {name}", where=robot.name, advice=advice)
        robot = _linear(robot, index, number, names)
        if name in robot.symbols:
            return robot
        body = robot.links[index]
    entries = _entries(body.inertia)
    symbol = _symbol(robot, name, entries[kind], _UNITS[kind[0]], f"{kind} of link {number}")
    stated = _stated(body.inertia, {**entries, kind: Expression.letter(name)})
    return _with_body(robot, index, replace(body, inertia=stated), {name: symbol})


def _entries(inertia: Inertia) -> dict[str, Expression]:
    """The ten entries by the letters that they have or would have."""
    first = "r" if inertia.center_of_mass is not None else "h"
    second = "I" if inertia.about == "center_of_mass" else "L"
    kinds = ["m", *(first + axis for axis in "xyz"), *(second + moment for moment in _MOMENTS)]
    return dict(zip(kinds, inertia.entries, strict=True))


def _stated(inertia: Inertia, entries: dict[str, Expression]) -> Inertia:
    mass, x, y, z, xx, xy, xz, yy, yz, zz = entries.values()
    first = (x, y, z)
    second = (xx, xy, xz, yy, yz, zz)
    if inertia.center_of_mass is None:
        return Inertia(mass, second, inertia.about, first_moments=first)
    return Inertia(mass, second, inertia.about, center_of_mass=first)


def _linear(robot: Robot, index: int, number: str, names: Sequence[str]) -> Robot:
    """The robot with a link stated by mass, first moments, second moments about the origin: letters, but for zeros."""
    body = robot.links[index]
    own = {letter for entry in body.inertia.entries[1:] for letter in entry.letters}
    both = [
        name
        for name in names
        if name in own or name in {f"{kind}{number}" for kind in _entries(body.inertia)} - {f"m{number}"}
    ]
    if both:
        message = f"{', '.join(both)} can't be free with first moments or moments about the origin of the same link"
        raise InputError(message, where=robot.name, advice="choose one kind: r and I, or h and L")
    values = {name: symbol.value for name, symbol in robot.symbols.items() if symbol.value is not None}
    known = {letter for entry in body.inertia.entries for letter in entry.letters} <= values.keys()
    ten = linear_parameters(body.inertia, values, Fraction).ten if known else (None,) * 10
    entries = {"m": body.inertia.mass}
    symbols = {}
    for kind, value in zip(LINEAR_PARAMETERS[1:], ten[1:], strict=True):
        name = f"{kind}{number}"
        entries[kind] = Expression.number(0) if value == 0 else Expression.letter(name)
        if value != 0:
            symbols[name] = Symbol(name, value, None, _UNITS[kind[0]], f"{kind} of link {number}", body.source)
    mass, hx, hy, hz, xx, xy, xz, yy, yz, zz = entries.values()
    stated = Inertia(mass, (xx, xy, xz, yy, yz, zz), "origin", first_moments=(hx, hy, hz))
    return _with_body(robot, index, replace(body, inertia=stated), symbols)


def _with_body(robot: Robot, index: int, body: Body, symbols: dict[str, Symbol]) -> Robot:
    links = list(robot.links)
    links[index] = body
    return replace(robot, links=tuple(links), symbols={**robot.symbols, **symbols})


def _symbol(robot: Robot, name: str, entry: Expression, unit: str, what: str) -> Symbol:
    """A letter for an entry that is a number."""
    if not entry.is_number:
        letters = ", ".join(sorted(entry.letters))
        advice = f"let {letters} stay free instead"
        raise InputError(f"{name} is given as {entry}", where=robot.name, advice=advice)
    return Symbol(name, entry.as_fraction(), None, unit, what)

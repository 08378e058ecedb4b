"""Exact test vectors: A, B, C, g and torques as rational numbers, by which any tool can be judged.

The states are those whose half angles have rational tangents, so that every sine and cosine is rational.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import atan
from random import Random
from typing import Any

from emdeg.algebra import LinearForm, Polynomial
from emdeg.errors import InputError
from emdeg.model.model import Model
from emdeg.model.values import plain_names
from emdeg.quantity import Angle, Symbol
from emdeg.version import __version__

Pair = tuple[Fraction, Fraction]


def vectors(model: Model, number: int = 5, seed: int = 0) -> dict[str, Any]:
    """`number` exact states of a model with their results, as a JSON-able mapping; rationals are strings such as 3/7.

    Letters without a value get small rational ones, which are listed with all others under `letters`. `tangent` is
    the tangent of half a revolute coordinate, the coordinate itself where the joint is prismatic.
    """
    if number < 1:
        raise InputError(f"{number} test vectors can't be made", advice="ask for one or more")
    source = Random(seed)
    values, angles = _letters(model, source)
    parameters = _parameters(model, values, angles)
    states = [_state(model, source, values, angles, parameters) for _ in range(number)]
    shown = {name: str(value) for name, value in sorted(values.items())}
    shown |= {
        name: f"{Fraction(angle.quarters)}*pi/2 + 2*atan({angle.tangent})" for name, angle in sorted(angles.items())
    }
    return {"emdeg": __version__, "schema": 1, "robot": model.robot.name, "letters": shown, "states": states}


def _letters(model: Model, source: Random) -> tuple[dict[str, Fraction], dict[str, Angle]]:
    """Exact values of all letters; those of angles as angles with rational tangents of their halves."""
    names = sorted(plain_names(model.parameters.letters.names))
    turning = {name[4:-1] for name in model.parameters.letters.names if name[3:4] == "("}
    turning |= {name for angle in model.tree.angles for name, _ in angle.constant.letters}
    values: dict[str, Fraction] = {}
    angles: dict[str, Angle] = {}
    for name in sorted({*names, *turning}):
        symbol = model.robot.symbols.get(name)
        if name in turning:
            angles[name] = _angle(symbol, source)
        else:
            known = symbol is not None and symbol.value is not None
            values[name] = symbol.value if known else Fraction(source.randrange(1, 20), source.randrange(2, 9))  # type: ignore[union-attr,assignment]
    return values, angles


def _angle(symbol: Symbol | None, source: Random) -> Angle:
    if symbol is None or symbol.value is None:
        return Angle(0, Fraction(source.randrange(1, 4), 9), ())
    return Angle.from_radians(symbol.value) if symbol.degrees is None else Angle.from_degrees(symbol.degrees)


def _cosine_and_sine(angle: Angle, angles: Mapping[str, Angle]) -> Pair:
    whole = Angle(angle.quarters, angle.tangent, ())
    for name, times in angle.letters:
        for _ in range(abs(times)):
            whole = whole + angles[name] if times > 0 else whole - angles[name]
    return whole.cosine_and_sine({}, Fraction)


def _generators(names: tuple[str, ...], values: Mapping[str, Fraction], angles: Mapping[str, Pair]) -> list[Fraction]:
    """Values of a ring's generators: letters from `values`, sines and cosines of named angles from `angles`."""
    result = []
    for name in names:
        if name[3:4] == "(":
            cosine, sine = angles[name[4:-1]]
            result.append(sine if name.startswith("sin") else cosine)
        else:
            result.append(values[name])
    return result


def _value(polynomial: Polynomial, generators: list[Any]) -> Fraction:
    result = polynomial(*generators)
    return Fraction(int(result.p), int(result.q))


def _flint(values: list[Fraction]) -> list[Any]:
    from flint import fmpq

    return [fmpq(value.numerator, value.denominator) for value in values]


def _parameters(model: Model, values: Mapping[str, Fraction], angles: Mapping[str, Angle]) -> list[Fraction]:
    """The independent parameters."""
    letters = model.parameters.letters
    pairs = {name: _cosine_and_sine(angle, {}) for name, angle in angles.items()}
    generators = _flint(_generators(letters.names, values, pairs))
    return [_value(definition, generators) for definition in model.parameters.definitions]


def _state(
    model: Model,
    source: Random,
    values: Mapping[str, Fraction],
    angles: Mapping[str, Angle],
    parameters: list[Fraction],
) -> dict[str, Any]:
    n = len(model.tree)
    tangents = [_small(source) for _ in range(n)]
    qd, qdd = [_small(source) for _ in range(n)], [_small(source) for _ in range(n)]
    turns = [Angle(0, t, ()) for t in tangents]
    pairs = {name: _cosine_and_sine(angle, {}) for name, angle in angles.items()}
    for angle in model.tree.angles:
        whole = angle.constant
        for coordinate, sign in angle.coordinates:
            whole = whole + turns[coordinate] if sign > 0 else whole - turns[coordinate]
        pairs[angle.name] = _cosine_and_sine(whole, angles)
    slides = {f"q{s.coordinate + 1}": tangents[s.coordinate] for s in model.tree.segments if not s.revolute}
    generators = _flint(_generators(model.ring.names, {**values, **slides}, pairs))

    def number(form: LinearForm) -> Fraction:
        return sum((_value(p, generators) * parameters[key] for key, p in form.terms.items()), Fraction(0))

    mass = [[number(model.inertial.mass[min(i, j), max(i, j)]) for j in range(n)] for i in range(n)]
    gravity = [number(form) for form in model.inertial.gravity]
    symbols = {index: number(form) for index, form in model.symbols_of_christoffel.items()}
    coriolis = [[2 * symbols[i, j, k] for j, k in model.pairs] for i in range(n)]
    centrifugal = [[symbols[i, j, j] for j in range(n)] for i in range(n)]
    torque = [
        sum(mass[i][j] * qdd[j] + centrifugal[i][j] * qd[j] ** 2 for j in range(n))
        + sum(b * qd[j] * qd[k] for b, (j, k) in zip(coriolis[i], model.pairs, strict=True))
        + gravity[i]
        for i in range(n)
    ]
    position = [2 * atan(t) if s.revolute else float(t) for t, s in zip(tangents, model.tree.segments, strict=True)]
    exact = {
        "tangent": tangents,
        "qd": qd,
        "qdd": qdd,
        "mass_matrix": mass,
        "coriolis": coriolis,
        "centrifugal": centrifugal,
        "gravity": gravity,
        "torque": torque,
    }
    return {"q": position} | {name: _texts(value) for name, value in exact.items()}


def _small(source: Random) -> Fraction:
    return Fraction(source.randrange(-9, 10), source.randrange(5, 12))


def _texts(value: Any) -> Any:
    return [_texts(entry) for entry in value] if isinstance(value, list) else str(value)

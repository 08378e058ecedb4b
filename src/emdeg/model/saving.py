"""A model on disk: the robot's document, and the exact polynomials, so that loading derives nothing anew."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flint import fmpq

from emdeg.algebra import LinearForm, TrigRing
from emdeg.errors import InputError
from emdeg.formats import load
from emdeg.model.derivation import Derivation, grounds
from emdeg.model.dynamics import Inertial
from emdeg.model.substitution import substituted
from emdeg.version import __version__

KIND = "emdeg model"


def save(model: Derivation, path: "str | os.PathLike[str]") -> None:
    """Write a model as JSON: to a temporary name first, so that a file is there whole or not at all."""
    target = Path(path)
    record = {
        "emdeg": __version__,
        "schema": 1,
        "kind": KIND,
        "document": dict(model.robot.document),
        "snap": None if model.robot.snap is None else str(model.robot.snap),
        "substituted": [dict(step) for step in model.substitutions],
        "formulation": model.formulation,
        "generators": model.ring.names,
        "parameters": model.parameters.names,
        "mass_matrix": [[list(pair), _packed(form)] for pair, form in model.inertial.mass.items()],
        "gravity": [_packed(form) for form in model.inertial.gravity],
        "christoffel": [[list(index), _packed(form)] for index, form in model.symbols_of_christoffel.items()],
    }
    try:
        handle, name = tempfile.mkstemp(prefix=target.name, suffix=".part", dir=target.parent)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                json.dump(record, file)
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise InputError(f"can't write the model: {error.strerror}", where=str(target)) from None


def read_saved(path: "str | os.PathLike[str]") -> Derivation:
    """Read a model that `save` wrote; InputError where the file is something else or does not fit."""
    where = str(path)
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"can't read the model: {error.strerror}", where=where) from None
    except ValueError:
        raise InputError("the file is no JSON", where=where, advice="give a file that model.save wrote") from None
    if not isinstance(record, Mapping) or record.get("kind") != KIND:
        raise InputError("the file holds no model", where=where, advice="give a file that model.save wrote")
    robot = load(record["document"], snap=record["snap"])
    for step in record["substituted"]:
        robot = substituted(robot, step)
    tree, ring, chosen = grounds(robot)
    if list(ring.names) != record["generators"] or list(chosen.names) != record["parameters"]:
        raise InputError(
            f"the model was saved by emdeg {record['emdeg']} in letters that {__version__} chooses differently",
            where=where,
            advice="derive it again from its robot file",
        )
    mass = {tuple(pair): _unpacked(ring, table) for pair, table in record["mass_matrix"]}
    gravity = tuple(_unpacked(ring, table) for table in record["gravity"])
    symbols = {tuple(index): _unpacked(ring, table) for index, table in record["christoffel"]}
    steps = tuple(record["substituted"])
    put = Inertial(mass, gravity)
    return Derivation(robot, tree, ring, chosen, put, symbols, record["formulation"], 0.0, steps)


def _packed(form: LinearForm) -> list[Any]:
    """[parameter, [[exponents, coefficient], ...]] per parameter."""
    return [
        [key, [[[int(e) for e in m], str(c)] for m, c in polynomial.to_dict().items()]]
        for key, polynomial in form.terms.items()
    ]


def _unpacked(ring: TrigRing, table: list[Any]) -> LinearForm:
    return LinearForm({key: ring.context.from_dict({tuple(m): _rational(c) for m, c in terms}) for key, terms in table})


def _rational(text: str) -> fmpq:
    numerator, _, denominator = text.partition("/")
    return fmpq(int(numerator), int(denominator or 1))

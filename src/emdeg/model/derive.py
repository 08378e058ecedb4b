"""The public way in: a robot's explicit model."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from emdeg.formats import load
from emdeg.model.derivation import Formulation, derivation
from emdeg.model.model import Model
from emdeg.robot import Robot


def derive(
    robot: "Robot | str | os.PathLike[str] | Mapping[str, Any]",
    formulation: Formulation = "kane",
    *,
    progress: Callable[[str], None] = lambda step: None,
) -> Model:
    """The exact explicit model of a robot (a Robot, a bundled name, a path, or a document).

    `formulation` chooses how the equations are generated; the result is the same polynomials for all three. `progress`
    is called with the name of each step. Raises InputError where the description is wrong, UnsupportedError where a
    robot can't be derived yet.

    >>> model = derive("planar2")
    >>> print(model.mass_matrix[0, 0])
    I1 + 2*I2*c2
    """
    return Model.of(derivation(load(robot), formulation, progress))

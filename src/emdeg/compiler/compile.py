"""The public way to a callable: a robot's function at native speed."""

import os
from collections.abc import Callable, Mapping
from typing import Any, Literal

from emdeg.compiler.build import Effort, build
from emdeg.compiler.function import Function
from emdeg.formats import load
from emdeg.robot import Robot


def compile(
    robot: "Robot | str | os.PathLike[str] | Mapping[str, Any]",
    function: str = "inverse_dynamics",
    *,
    backend: Literal["llvm", "numpy"] = "llvm",
    dtype: Literal["float64", "float32"] = "float64",
    optimize: Effort = "fast",
    progress: Callable[[str], None] = lambda step: None,
) -> Function:
    """A function of a robot, callable on arrays (..., n) in SI units; fewest operations, proven.

    `function` is one of inverse_dynamics (q, qd, qdd), mass_matrix (q), coriolis_matrix (q, qd), bias (q, qd), gravity
    (q), forward_dynamics (q, qd, tau), kinetic_energy (q, qd), potential_energy (q), regressor (q, qd, qdd),
    forward_kinematics (q), jacobian (q), inverse_dynamics_derivatives (q, qd, qdd), explicit_model (q): the elements
    A (n, n), B (n, n (n-1)/2), C (n, n), g (n) of A qdd + B [qd qd] + C [qd²] + g = tau; explicit_model_absolute (q):
    the same in absolute angles of parallel joints. `optimize` is none, fast, or thorough. Raises InputError for an
    unknown function, back end or type, and for letters of the robot without values.

    >>> torque = compile("puma560", "inverse_dynamics")
    >>> torque([0] * 6, [0] * 6, [1] * 6).shape
    (6,)
    """
    built = build(load(robot), function, optimize=optimize, progress=progress)
    return Function(built.program, backend, dtype)

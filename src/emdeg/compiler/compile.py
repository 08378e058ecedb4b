"""The public way to a callable: a robot's function at native speed."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Unpack, overload

from emdeg.compiler.build import Effort, build
from emdeg.compiler.function import Function
from emdeg.compiler.letters import lettered
from emdeg.compiler.options import Options
from emdeg.compiler.parametric import ParametricFunction
from emdeg.compiler.price import Minimized
from emdeg.formats import load
from emdeg.robot import Robot

_Robot = Robot | str | os.PathLike[str] | Mapping[str, Any]


class _Choices(TypedDict, total=False):
    backend: Literal["llvm", "numpy"]
    dtype: Literal["float64", "float32"]
    optimize: Effort
    friction: bool
    link: str | None
    base: bool
    minimize: Minimized
    progress: Callable[[str], None]


@overload
def compile(
    robot: _Robot, function: str = ..., *, parameters: tuple[()] = ..., **choices: Unpack[_Choices]
) -> Function: ...
@overload
def compile(
    robot: _Robot,
    function: str = ...,
    *,
    parameters: list[str] | tuple[str, *tuple[str, ...]],
    **choices: Unpack[_Choices],
) -> ParametricFunction: ...
@overload
def compile(
    robot: _Robot, function: str = ..., *, parameters: Sequence[str], **choices: Unpack[_Choices]
) -> Function | ParametricFunction: ...
def compile(
    robot: _Robot,
    function: str = "inverse_dynamics",
    *,
    backend: Literal["llvm", "numpy"] = "llvm",
    dtype: Literal["float64", "float32"] = "float64",
    parameters: Sequence[str] = (),
    optimize: Effort = "fast",
    friction: bool = False,
    link: str | None = None,
    base: bool = False,
    minimize: Minimized = "operations",
    progress: Callable[[str], None] = lambda step: None,
) -> Function | ParametricFunction:
    """A function of a robot, callable on arrays (..., n) in SI units; fewest operations, proven.

    `function` is one of inverse_dynamics (q, qd, qdd), mass_matrix (q), coriolis_matrix (q, qd), bias (q, qd), gravity
    (q), forward_dynamics (q, qd, tau), kinetic_energy (q, qd), potential_energy (q), regressor (q, qd, qdd),
    forward_kinematics (q), jacobian (q), inverse_dynamics_derivatives (q, qd, qdd), friction (qd), explicit_model (q):
    the elements A (n, n), B (n, n (n-1)/2), C (n, n), g (n) of A qdd + B [qd qd] + C [qd²] + g = tau;
    explicit_model_absolute (q): the same in absolute angles of parallel joints. `optimize` is none, fast, or thorough.

    `parameters` names letters of the robot that stay free: what depends on them alone is computed once, when values
    are given, and a state costs hardly more than with numbers. `friction` adds the joints' friction to
    inverse_dynamics and its derivatives, and takes it off in forward_dynamics. `link` names the link whose frame
    forward_kinematics and jacobian are of, in place of the tool's. With `base` the regressor's columns belong to the
    base parameters of `derive(robot).base_parameters`. `minimize` is operations, or instructions: then a product that
    one addition uses is one with it.

    Raises InputError for an unknown function, back end, type, link or parameter, for letters of the robot that have no
    value and don't stay free, and for an option that has no meaning for the function.

    >>> torque = compile("puma560", "inverse_dynamics")
    >>> torque([0] * 6, [0] * 6, [1] * 6).shape
    (6,)
    >>> heavier = compile("puma560", "gravity", parameters=["m6"]).at({"m6": 2.5})
    >>> heavier([0] * 6).shape
    (6,)
    """
    names = tuple([parameters] if isinstance(parameters, str) else parameters)
    described = lettered(load(robot), names)
    options = Options(names, friction, link, base, minimize)
    program = build(described, function, optimize=optimize, options=options, progress=progress).program
    if not names:
        return Function(program, backend, dtype)
    return ParametricFunction.of(program, described, names, backend, dtype)

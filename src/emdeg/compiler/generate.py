"""The public way to source text: a robot's functions in another language, with a self-test where there can be one."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from emdeg.backends.targets import target as find_target
from emdeg.backends.vectors import Vector, exact_vectors, random_states
from emdeg.compiler.build import Effort, build
from emdeg.compiler.constants import PARAMETERS
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.letters import lettered
from emdeg.compiler.options import PLAIN, Options, checked
from emdeg.compiler.price import Minimized
from emdeg.compiler.splitting import CONSTANTS, split
from emdeg.errors import InputError
from emdeg.formats import load
from emdeg.program import Program
from emdeg.robot import Robot

STATES = 5
"""States that a self-test tries; they are doubles and singles at once, their results correctly rounded."""


@dataclass(frozen=True)
class Generated:
    """Texts by file name, and the programs that they contain."""

    files: Mapping[str, str]
    programs: Sequence[Program]


def generated(
    robot: Robot,
    target: str,
    functions: Sequence[str],
    *,
    optimize: Effort = "fast",
    options: Options = PLAIN,
    float32: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Generated:
    """The texts of functions of a robot, with what was found for each; errors as `generate` raises them."""
    write = find_target(target)
    if not functions:
        raise InputError("no function is wanted", advice=f"choose of {', '.join(FUNCTIONS)}")
    write([], robot.name, "", float32=float32)  # a target without single precision says so before the search
    robot = lettered(robot, options.parameters)
    checked(robot, tuple(functions), options)
    programs: list[Program] = []
    vectors: dict[str, list[Vector]] = {}
    for function in dict.fromkeys(functions):
        progress(f"searching {function}")
        made = build(robot, function, optimize=optimize, options=options.on(function), progress=progress)
        for part, tested in _parts(made.program, robot, options.parameters):
            programs.append(part)
            vectors[part.name] = tested
    progress(f"writing {target}")
    source = "; ".join(robot.sources.values())
    return Generated(write(programs, robot.name, source, float32=float32, vectors=vectors), programs)


def _parts(program: Program, robot: Robot, parameters: tuple[str, ...]) -> Iterator[tuple[Program, list[Vector]]]:
    """A program with its vectors; one with parameters as two, the first one's constants put into the second."""
    states = random_states(program, STATES)
    if not parameters:
        yield program, exact_vectors(program, states)
        return
    constants, state = split(program, parameters)
    if constants.outputs[0].values:
        chosen = [{PARAMETERS: values} for values in _parameter_values(robot, parameters)]
        found = exact_vectors(constants, chosen)
        yield constants, found
        for given, vector in zip(states, found, strict=True):
            given[CONSTANTS] = [float(np.float32(x)) for x in vector.outputs[CONSTANTS]]
    names = {entry.name for entry in state.inputs}
    yield state, exact_vectors(state, [{n: x for n, x in given.items() if n in names} for given in states])


def _parameter_values(robot: Robot, parameters: tuple[str, ...]) -> list[list[float]]:
    """Values of the parameters, exact in single precision: about those of the robot's file, any where it has none."""
    draw = Random(0)
    own = [robot.symbols[name].value or Fraction(draw.randint(16, 48), 16) for name in parameters]
    return [[float(np.float32(float(x * draw.randint(48, 80) / 64))) for x in own] for _ in range(STATES)]


def generate(
    robot: "Robot | str | os.PathLike[str] | Mapping[str, Any]",
    target: str,
    functions: "str | Sequence[str]" = "inverse_dynamics",
    *,
    parameters: Sequence[str] = (),
    optimize: Effort = "fast",
    friction: bool = False,
    link: str | None = None,
    base: bool = False,
    minimize: Minimized = "operations",
    float32: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, str]:
    """Source text of functions of a robot by file name: c, cuda, jax, casadi, sympy, matlab, rust, numpy.

    `functions` are names as in `compile`, and so are `minimize`, and `friction`, `link` and `base`, which bear on the
    functions that they have a meaning for. With `parameters`, letters of the robot that stay free, each function that
    depends on them becomes two: `<function>_constants` (parameters -> constants), to be called once, and `<function>`
    with the constants as its last argument. With `float32` single precision. Raises InputError for an unknown target,
    function, link or parameter, for letters of the robot without values and for options without a meaning,
    UnsupportedError for single precision where there is none.

    >>> files = generate("puma560", "c", ["gravity"])
    >>> sorted(files)
    ['puma560.c', 'puma560.h', 'puma560_selftest.c']
    """
    wanted = (functions,) if isinstance(functions, str) else tuple(functions)
    names = tuple([parameters] if isinstance(parameters, str) else parameters)
    made = generated(
        load(robot),
        target,
        wanted,
        optimize=optimize,
        options=Options(names, friction, link, base, minimize),
        float32=float32,
        progress=progress,
    )
    return dict(made.files)

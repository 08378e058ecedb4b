"""The public way to source text: a robot's functions in another language, with a self-test where there can be one."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emdeg.backends.targets import target as find_target
from emdeg.backends.vectors import exact_vectors, random_states
from emdeg.compiler.build import Effort, build
from emdeg.compiler.functions import FUNCTIONS
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
    float32: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> Generated:
    """The texts of functions of a robot, with what was found for each; errors as `generate` raises them."""
    write = find_target(target)
    if not functions:
        raise InputError("no function is wanted", advice=f"choose of {', '.join(FUNCTIONS)}")
    write([], robot.name, "", float32=float32)  # a target without single precision says so before the search
    programs = []
    for function in dict.fromkeys(functions):
        progress(f"searching {function}")
        programs.append(build(robot, function, optimize=optimize, progress=progress).program)
    progress(f"writing {target}")
    vectors = {program.name: exact_vectors(program, random_states(program, STATES)) for program in programs}
    source = "; ".join(robot.sources.values())
    return Generated(write(programs, robot.name, source, float32=float32, vectors=vectors), programs)


def generate(
    robot: "Robot | str | os.PathLike[str] | Mapping[str, Any]",
    target: str,
    functions: "str | Sequence[str]" = "inverse_dynamics",
    *,
    optimize: Effort = "fast",
    float32: bool = False,
    progress: Callable[[str], None] = lambda step: None,
) -> dict[str, str]:
    """Source text of functions of a robot by file name: c, cuda, jax, casadi, sympy, matlab, rust, numpy.

    `functions` are names as in `compile`. With `float32` single precision. Raises InputError for an unknown target or
    function and for letters of the robot without values, UnsupportedError for single precision where there is none.

    >>> files = generate("puma560", "c", ["gravity"])
    >>> sorted(files)
    ['puma560.c', 'puma560.h', 'puma560_selftest.c']
    """
    wanted = (functions,) if isinstance(functions, str) else tuple(functions)
    made = generated(load(robot), target, wanted, optimize=optimize, float32=float32, progress=progress)
    return dict(made.files)

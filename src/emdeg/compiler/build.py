"""From a robot and the names of functions to the cheapest program that was found and proven."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

from emdeg.compiler import store
from emdeg.compiler.built import Built
from emdeg.compiler.candidates import cheapest
from emdeg.compiler.friction import with_friction
from emdeg.compiler.options import PLAIN, Options
from emdeg.compiler.proof import prove
from emdeg.compiler.task import Task, task
from emdeg.errors import EmdegError, InputError
from emdeg.robot import Robot

Effort = Literal["none", "fast", "thorough"]
Progress = Callable[[str], None]


def build(
    robot: Robot,
    *functions: str,
    optimize: Effort = "fast",
    options: Options = PLAIN,
    seed: int = 0,
    progress: Progress = lambda step: None,
) -> Built:
    """The cheapest proven program for functions of a robot.

    `none` records as it stands; `fast` searches downhill; `thorough` anneals and resubstitutes, the same for the same
    seed, and keeps what is best so far when interrupted. With `options.parameters` the program takes these letters as
    an input, and is cheapest for a state: what depends on them alone costs nothing, as `split` puts it apart. Raises
    InputError for unknown functions, for letters without values, and for options that don't go with them.
    """
    if optimize not in ("none", "fast", "thorough"):
        raise InputError(f"there is no effort {optimize!r}", advice="choose none, fast, thorough")
    wanted = task(robot, *functions, options=options)
    if options.friction:  # the search does without
        bare = build(
            robot,
            *functions,
            optimize=optimize,
            options=replace(options, friction=False),
            seed=seed,
            progress=progress,
        )
        program = with_friction(bare.program, wanted.robot)
        return Built(program, prove(program, wanted), bare.origin)
    words = options.words(functions)
    if optimize != "none":
        for stored in _stored(robot, words, optimize, wanted, progress):
            return stored
    usual = replace(options, minimize="operations").words(functions)
    known = []
    if optimize != "none" and usual != words:
        known = [other.program for other in _stored(robot, usual, optimize, wanted, progress)]
    best = cheapest(wanted, known, optimize, seed=seed, progress=progress)
    if optimize != "none":
        store.remember(robot, words, optimize, best.program)
    return best


def _stored(
    robot: Robot, words: tuple[str, ...], optimize: Effort, wanted: Task, progress: Progress
) -> Iterator[Built]:
    """What was found before, where it is proven still."""
    found = (("shipped", store.shipped(robot, words)), ("remembered", store.remembered(robot, words, optimize)))
    for origin, program in found:
        if program is not None:
            try:
                yield Built(program, prove(program, wanted), origin)
            except (EmdegError, KeyError, ValueError) as error:
                progress(f"{origin} program passed over: {error}")

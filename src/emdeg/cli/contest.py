"""A fair race: entrants that compute the same, in turns, many rounds, medians; and what machine it was."""

import gc
import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter_ns
from typing import Any, Literal

import numpy as np

from emdeg.compiler.numbers import NumericRobot, felt_parameters
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.kinematics import poses

Array = np.ndarray[Any, Any]
Mode = Literal["scalar", "batch"]
ROUNDS = 11
SECONDS = 0.01
"""How long one entrant runs in one round, about."""


@dataclass(frozen=True)
class States:
    """The arguments of a function, each (count, n); each state also by itself, for calls with single states."""

    arguments: tuple[Array, ...]

    @property
    def rows(self) -> list[tuple[Array, ...]]:
        """A copy of each state, so that none is a view into a larger array."""
        return [tuple(x[k].copy() for x in self.arguments) for k in range(len(self.arguments[0]))]


@dataclass(frozen=True)
class Entrant:
    """One way to compute a function: `run` computes `states` states; `answer` says what it computes at the first."""

    implementation: str
    mode: Mode
    dtype: str
    states: int
    run: Callable[[], Any]
    answer: Callable[[], Array]


def medians(entrants: Sequence[Entrant], *, rounds: int = ROUNDS, seconds: float = SECONDS) -> list[float]:
    """Nanoseconds per state of each entrant; they take turns, so that what else the machine does hits all alike."""
    repeats = []
    for entrant in entrants:
        entrant.run()
        repeats.append(max(1, int(seconds * 1e9 / max(_nanoseconds(entrant, 1), 1))))
    samples: list[list[float]] = [[] for _ in entrants]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for entrant, repeat, found in zip(entrants, repeats, samples, strict=True):
                found.append(_nanoseconds(entrant, repeat) / (repeat * entrant.states))
    finally:
        if collecting:
            gc.enable()
    return [median(found) for found in samples]


def _nanoseconds(entrant: Entrant, repeat: int) -> int:
    run = entrant.run
    start = perf_counter_ns()
    for _ in range(repeat):
        run()
    return perf_counter_ns() - start


def machine() -> str:
    """The processor, how many of it this process may use, the system, the Python."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            name = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), name)
    except OSError:
        pass
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{name}, {count} logical processors, {platform.system()}, Python {platform.python_version()}"


@dataclass(frozen=True)
class Link:
    """A moving link in floats: where its axes stand in its parent's at q = 0, its inertia about its centre of mass."""

    parent: int
    revolute: bool
    axes: Array
    origin: Array
    mass: float
    center: Array
    inertia: Array
    armature: float


@dataclass(frozen=True)
class Arm:
    """A robot as other programs want it: links that move about or along their own z axis, parents first."""

    links: tuple[Link, ...]
    gravity: Array

    @property
    def depth_first(self) -> bool:
        """Whether the links stand in the order in which a walk along the branches meets them."""
        open_branch: list[int] = []
        for k, link in enumerate(self.links):
            while open_branch and open_branch[-1] != link.parent:
                open_branch.pop()
            if link.parent >= 0 and not open_branch:
                return False
            open_branch.append(k)
        return True


def arm(robot: NumericRobot) -> Arm:
    """A robot in floats. What no motion can feel is changed where a link would be no possible body."""
    tree = robot.tree
    turns = [offset.cosine_and_sine({}, float) for offset in robot.offsets]
    letters = {name: float(value) for name, value in robot.letters.items()}
    state = State(float, letters, [c for c, _ in turns], [s for _, s in turns], [0.0] * len(tree))
    frames = Frames(tree, state)
    found = poses(frames)
    felt = felt_parameters(tree)
    links = []
    for k, segment in enumerate(tree.segments):
        before = np.eye(3) if segment.parent < 0 else np.array(found[segment.parent].axes, float)
        start = np.zeros(3) if segment.parent < 0 else np.array(found[segment.parent].origin, float)
        axes = before.T @ np.array(found[k].axes, float)
        origin = before.T @ (np.array(found[k].origin, float) - start)
        body = _possible([float(x) for x in robot.bodies[k].ten], [10 * k + p in felt for p in range(10)])
        links.append(Link(segment.parent, segment.revolute, axes, origin, *body, float(robot.drives[k])))
    return Arm(tuple(links), np.array(frames.gravity, float))


def _possible(ten: Sequence[float], felt: Sequence[bool]) -> tuple[float, Array, Array]:
    """Mass, centre, inertia about the centre; where no body is like that, what is not felt is changed."""
    mass = ten[0] if ten[0] or felt[0] else 1.0
    center = np.array(ten[1:4]) / mass if mass else np.zeros(3)
    xx, xy, xz, yy, yz, zz = ten[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    inertia -= mass * (center @ center * np.eye(3) - np.outer(center, center))
    if np.linalg.eigvalsh(inertia)[0] <= 0:
        largest = np.max(np.abs(inertia), initial=1e-3)
        for p, (i, j) in enumerate([(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)], start=4):
            if not felt[p]:
                inertia[i, j] = inertia[j, i] = largest if i == j else 0.0
    return mass, center, inertia

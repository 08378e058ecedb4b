"""Where the segments stand: orientations and origins, over any scalar."""

from dataclasses import dataclass

from emdeg.mechanics import vector
from emdeg.mechanics.frames import Frames
from emdeg.mechanics.vector import Matrix, Vector
from emdeg.robot import BASE


@dataclass(frozen=True)
class Pose:
    """A segment in some reference axes: its carrier's axes, its own axes (as columns), its origin."""

    carrier: Matrix
    axes: Matrix
    origin: Vector


def poses(frames: Frames, start: int = BASE) -> dict[int, Pose]:
    """The poses in base axes; or, from segment `start` on, in its carrier and from its origin."""
    one, zero = frames.one, frames.zero
    units: Matrix = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
    found: dict[int, Pose] = {BASE: Pose(units, units, frames.nought)} if start == BASE else {}
    for k in range(max(start, 0), len(frames.tree)):
        parent = frames.tree.segments[k].parent
        if k == start:
            carrier, origin = units, frames.nought
        elif parent in found:
            before = found[parent]
            carrier = _columns(frames, before.carrier, tuple(frames.to_parent(k, unit) for unit in units))  # type: ignore[arg-type]
            origin = vector.add(before.origin, turned(frames, carrier, frames.offset(k)))
        else:
            continue
        axes = _columns(frames, carrier, tuple(frames.from_segment(k, unit) for unit in units))  # type: ignore[arg-type]
        found[k] = Pose(carrier, axes, origin)
    found.pop(BASE, None)
    return found


def turned(frames: Frames, turn: Matrix, x: Vector) -> Vector:
    """turn × x, in normal form."""
    reduce = frames.state.reduce
    y = vector.apply(turn, x)
    return (reduce(y[0]), reduce(y[1]), reduce(y[2]))


def _columns(frames: Frames, turn: Matrix, columns: Matrix) -> Matrix:
    moved = [turned(frames, turn, column) for column in columns]
    return vector.transpose((moved[0], moved[1], moved[2]))

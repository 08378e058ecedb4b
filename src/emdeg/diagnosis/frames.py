"""Where the frames stand, in words: the axis and origin of each joint in the base frame at q = 0."""

from fractions import Fraction

from emdeg.algebra import Polynomial, TrigRing
from emdeg.mechanics.frames import Frames, State
from emdeg.mechanics.kinematics import poses
from emdeg.mechanics.tree import Tree
from emdeg.mechanics.vector import Vector, transpose
from emdeg.robot import BASE, Robot


def describe_frames(robot: Robot, tree: Tree, ring: TrigRing) -> tuple[str, ...]:
    """One line a moving joint."""
    found = poses(Frames(tree, _home(tree, ring)))
    lines = []
    for k, segment in enumerate(tree.segments):
        columns = transpose(found[k].axes)
        parent = "base" if segment.parent == BASE else tree.segments[segment.parent].name
        kind = "turns about" if segment.revolute else "slides along"
        lines.append(
            f"q{k + 1} {segment.name}, on {parent}: {kind} z = {_direction(ring, columns[2])}, "
            f"x = {_direction(ring, columns[0])}, origin at {_point(ring, found[k].origin)}{_parallel(tree, k)}"
        )
    return tuple(lines)


def _home(tree: Tree, ring: TrigRing) -> State:
    """The state q = 0; constant parts of angles stay."""
    letters = ring.letters
    pairs = []
    for angle in tree.angles:
        known = {name: (letters.get(f"cos({name})"), letters.get(f"sin({name})")) for name, _ in angle.constant.letters}
        if any(c is None for c, _ in known.values()):  # an offset letter alone: described as if it were zero
            known = dict.fromkeys(known, (ring.one, ring.zero))
        pairs.append(angle.constant.cosine_and_sine(known, ring.number))
    slides = [ring.zero for _ in tree.segments]
    return State(ring.number, letters, [c for c, _ in pairs], [s for _, s in pairs], slides, ring.reduce)


def _parallel(tree: Tree, k: int) -> str:
    segment = tree.segments[k]
    if segment.turn is not None or segment.parent == BASE:
        return ""
    other = "opposite to" if segment.within.flipped != tree.segments[segment.parent].within.flipped else "parallel to"
    return f"; its axis is {other} that of q{segment.parent + 1}"


def _direction(ring: TrigRing, x: Vector) -> str:
    for name, entry in zip("xyz", x, strict=True):
        others = [other for other in x if other is not entry]
        if (entry == 1 or entry == -1) and all(other == 0 for other in others):
            return f"{'+' if entry == 1 else '-'}{name}"
    return _point(ring, x)


def _point(ring: TrigRing, x: Vector) -> str:
    return "(" + ", ".join(_text(ring, entry) for entry in x) + ")"


def _text(ring: TrigRing, polynomial: Polynomial) -> str:
    """A polynomial in the letters of the geometry; plain numbers as decimals."""
    text = ""
    for monomial, factor in sorted(ring.items(polynomial), key=lambda item: (-sum(item[0]), [-e for e in item[0]])):
        powers = [n if e == 1 else f"{n}**{e}" for n, e in zip(ring.names, monomial, strict=True) if e]
        size = abs(factor)
        number = [] if size == 1 and powers else [_decimal(size)]
        term = "*".join([*number, *powers])
        text += (" - " if factor < 0 else " + ") + term if text else ("-" if factor < 0 else "") + term
    return text or "0"


def _decimal(value: Fraction) -> str:
    return f"{float(value):.6g}"

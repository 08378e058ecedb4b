"""The robot: a tree of joints and links, parents first, exact, in SI units.

Every number and letter is an `Expression` over letters; what is known of a letter stands in `symbols`. The mechanics
see one convention only: each joint's own frame stands at `placement` in its parent link's frame and moves about
(revolute) or along (prismatic) its own z axis; the link's frame is the moved joint frame. The frame in which a file
states a link's inertia stands at `Body.frame` in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal

from emdeg.errors import InputError
from emdeg.quantity import Angle, Expression, Symbol

Matrix = tuple[tuple[Fraction, Fraction, Fraction], ...]
Vector = tuple[Expression, Expression, Expression]
Moments = tuple[Expression, Expression, Expression, Expression, Expression, Expression]
Factor = tuple[Literal["x", "y", "z"], Angle] | Matrix

JOINT_TYPES = ("revolute", "prismatic", "fixed")
BASE = -1


@dataclass(frozen=True)
class Rotation:
    """A constant rotation: the product, left to right, of turns about an axis and of rational rotation matrices."""

    factors: tuple[Factor, ...] = ()

    def then(self, other: "Rotation") -> "Rotation":
        return Rotation(self.factors + other.factors)


@dataclass(frozen=True)
class Placement:
    """Where a frame stands in another one: its axes (`rotation`) and its origin (`translation`, m)."""

    rotation: Rotation
    translation: Vector


@dataclass(frozen=True)
class Inertia:
    """Mass [kg], centre [m] or first moments [kg m], second moments [kg m²] of a body, as its file states them.

    Exactly one of `center_of_mass` and `first_moments` is given. `second_moments` are the elements xx, xy, xz, yy, yz,
    zz of the inertia matrix (so xy is minus the product of inertia) `about` the centre of mass or the origin.
    Unphysical values are allowed: they are a finding of the check, not a failure.
    """

    mass: Expression
    second_moments: Moments
    about: Literal["center_of_mass", "origin"]
    center_of_mass: Vector | None = None
    first_moments: Vector | None = None

    def __post_init__(self) -> None:
        if (self.center_of_mass is None) == (self.first_moments is None):
            raise ValueError("an Inertia needs either center_of_mass or first_moments")

    @property
    def entries(self) -> tuple[Expression, ...]:
        """All ten numbers: mass, center or first moments, second moments."""
        return (self.mass, *(self.center_of_mass or self.first_moments or ()), *self.second_moments)


@dataclass(frozen=True)
class Body:
    """An inertia in its own frame, which stands at `frame` in the frame of the link that carries it."""

    name: str
    inertia: Inertia
    frame: Placement
    source: str | None = None


@dataclass(frozen=True)
class Drive:
    """Motor and gear of a joint.

    `reflected` is what they add to the joint's inertia, ratio² × rotor inertia [kg m², or kg for a prismatic joint].
    `axis` is a unit vector in the axes of the link that carries the motor, `mounted_on` or else the joint's parent.
    """

    reflected: Expression
    rotor_inertia: Expression | None = None
    gear_ratio: Expression | None = None
    axis: Vector | None = None
    mounted_on: int | None = None


@dataclass(frozen=True)
class Friction:
    """Viscous [N m s or N s/m] and Coulomb [N m or N] friction of a joint."""

    viscous: Expression
    coulomb: Expression


@dataclass(frozen=True)
class Limits:
    """Limits of a joint, in rad or m, per s, per s², N m or N; None where the file says nothing."""

    position: tuple[float, float] | None = None
    velocity: float | None = None
    acceleration: float | None = None
    effort: float | None = None


@dataclass(frozen=True)
class Mimic:
    """This joint's coordinate is `ratio` times that of `joint` plus `offset`."""

    joint: str
    ratio: Fraction
    offset: Expression


@dataclass(frozen=True)
class Joint:
    """A joint of one degree (or none): `placement` in the parent link's frame, motion about or along its own z.

    The angle of a revolute joint is `offset` + q; the displacement of a prismatic joint is q, its constant part stands
    in `placement`.
    """

    name: str
    parent: int
    type: Literal["revolute", "prismatic", "fixed"]
    placement: Placement
    offset: Angle
    limits: Limits = Limits()
    friction: Friction | None = None
    drive: Drive | None = None
    mimic: Mimic | None = None


@dataclass(frozen=True)
class Robot:
    """A robot, checked when it is built. `joints[i]` carries `links[i]`; a parent is an index, or `BASE`.

    `tool` stands in the frame of the last link. `snap` is the rule by which angles were taken as right ones (None: by
    their printed decimals), `snapped` says of which.
    """

    name: str
    convention: str
    gravity: Vector
    base: Placement
    joints: tuple[Joint, ...]
    links: tuple[Body, ...]
    payloads: tuple[tuple[int, Body], ...] = ()
    tool: Placement | None = None
    symbols: Mapping[str, Symbol] = field(default_factory=dict)
    constants: Mapping[str, Expression] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    snapped: tuple[str, ...] = ()
    snap: Fraction | None = None
    document: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("symbols", "constants", "sources"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))
        if len(self.joints) != len(self.links):
            raise ValueError("a Robot needs one link per joint")
        names: set[str] = set()
        for index, joint in enumerate(self.joints):
            if not BASE <= joint.parent < index:
                raise ValueError(f"joint {joint.name!r} stands before its parent")
            if joint.type not in JOINT_TYPES:
                raise ValueError(f"joint {joint.name!r} has the unknown type {joint.type!r}")
            if joint.name in names:
                raise InputError(
                    f"two joints are called {joint.name!r}", where=self.name, advice="give each its own name"
                )
            names.add(joint.name)

    @property
    def moving(self) -> tuple[int, ...]:
        """Indices of the joints that move: coordinate q1 belongs to the first of them."""
        return tuple(index for index, joint in enumerate(self.joints) if joint.type != "fixed")

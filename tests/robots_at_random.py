"""Random robots as documents: every convention, joint, twist, way to state an inertia; numbers, or letters and values.

What matters for a failure (the structure) is drawn by Hypothesis, which makes it small; lengths, inertias and states
come from a seed.
"""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

settings.register_profile("emdeg", derandomize=True, deadline=None, database=None)
settings.load_profile("emdeg")

CONVENTIONS = ("modified-dh", "standard-dh", "khalil", "frames", "screws")
RIGHT = ("0", "90 deg", "-90 deg", "180 deg")
SEEDS = st.integers(0, 2**32 - 1)


@dataclass
class RandomRobot:
    """A document, numbers for its letters, and the source of the states at which it is looked at."""

    document: dict
    values: dict = field(default_factory=dict)
    seed: int = 0

    @property
    def count(self):
        return sum(joint.get("type") != "fixed" for joint in self.document["joint"])

    def state(self):
        """q, qd, qdd."""
        source = np.random.default_rng(self.seed)
        return source.uniform(-3, 3, self.count), *source.uniform(-2, 2, (2, self.count))


def physical(source, size=0.3):
    """Mass, centre and inertia about it of eight mass points: always physically consistent."""
    points = source.uniform(-size, size, (8, 3)) + source.uniform(-size, size, 3)
    masses = source.uniform(0.1, 1, 8)
    mass = masses.sum()
    center = masses @ points / mass
    about = points - center
    inertia = np.einsum("p,pi,pj->ij", masses, about, about)
    return mass, center, np.trace(inertia) * np.eye(3) - inertia


def moments(matrix):
    pairs = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2), "zz": (2, 2)}
    return {key: float(matrix[i, j]) for key, (i, j) in pairs.items()}


def link(source, how="center"):
    """A link's or payload's table with a full inertia, stated about the centre, the origin, or with first moments."""
    mass, r, about_center = physical(source)
    about_origin = about_center + mass * ((r @ r) * np.eye(3) - np.outer(r, r))
    if how == "center":
        return {"mass": float(mass), "center_of_mass": r.tolist(), "inertia": moments(about_center)}
    first = {"first_moments": (mass * r).tolist()} if how == "first" else {"center_of_mass": r.tolist()}
    return {"mass": float(mass), **first, "inertia": moments(about_origin), "inertia_about": "origin"}


def letters_of(table, suffix):
    """The same link with all its ten parameters unknown, and the values of their letters."""
    names = {f"m{suffix}": table["mass"]}
    first = "first_moments" if "first_moments" in table else "center_of_mass"
    letter = "h" if first == "first_moments" else "r"
    names |= {f"{letter}{axis}{suffix}": x for axis, x in zip("xyz", table[first], strict=True)}
    about = table.get("inertia_about", "center_of_mass")
    second = "L" if about == "origin" else "I"
    names |= {f"{second}{key}{suffix}": x for key, x in table["inertia"].items()}
    unknown = {"mass": "?", first: ["?", "?", "?"], "inertia": dict.fromkeys(table["inertia"], "?")}
    return unknown | ({"inertia_about": about} if about == "origin" else {}), names


def with_full_inertias(document, seed=1):
    """The document with random full inertias, as numbers, on all its links; names of constants fall away."""
    source = np.random.default_rng(seed)
    joints = [{**joint, "link": link(source)} for joint in document["joint"]]
    return {**{key: value for key, value in document.items() if key != "constants"}, "joint": joints}


def letter_values(document, seed, *, known=False):
    """Numbers for the letters of a document without value, or for all: those of a link belong to one physical body."""
    import emdeg

    source = np.random.default_rng(seed)
    symbols = emdeg.load(document).symbols
    bodies = {}
    for k in range(1, len(document["joint"]) + 1):
        mass, r, about_center = physical(source)
        about_origin = about_center + mass * ((r @ r) * np.eye(3) - np.outer(r, r))
        bodies |= {f"m{k}": mass}
        for i, axis in enumerate("xyz"):
            bodies |= {f"r{axis}{k}": r[i], f"h{axis}{k}": mass * r[i]}
        for letter, matrix in (("I", about_center), ("L", about_origin)):
            bodies |= {f"{letter}{key}{k}": x for key, x in moments(matrix).items()}
    others = dict(zip(symbols, source.uniform(0.1, 1, len(symbols)), strict=True))
    wanted = [name for name, symbol in symbols.items() if known or symbol.value is None]
    return {name: float(bodies.get(name, others[name])) for name in wanted}


def arbitrary_arm(convention, count, seed):
    """Revolute joints with arbitrary twists, lengths and full inertias."""
    source = np.random.default_rng(seed)
    joints = []
    for _ in range(count):
        alpha, theta = np.round(source.uniform(-3, 3, 2), 3).tolist()
        a, d = np.round(source.uniform(-0.5, 0.5, 2), 3).tolist()
        joints.append({"alpha": alpha, "a": a, "d": d, "theta": theta, "link": link(source)})
    document = {"name": "arbitrary", "convention": convention, "gravity": [0, 0, -9.81], "joint": joints}
    return RandomRobot(document, {}, seed)


def shape(draw, source):
    m, x, y, z, inner = (float(v) for v in source.uniform(0.1, 0.5, 5))
    sizes = draw(
        st.sampled_from((
            {"type": "box", "x": x, "y": y, "z": z}, {"type": "sphere", "radius": x},
            {"type": "cylinder", "radius": x, "length": y},
            {"type": "hollow_cylinder", "outer_radius": x + inner, "inner_radius": inner, "length": y},
            {"type": "shell", "radius": x, "length": y},
        ))
    )  # fmt: skip
    frame = {"xyz": source.uniform(-0.3, 0.3, 3).tolist(), "rpy": [draw(turns()) for _ in range(3)]}
    return {"mass": m, "shape": sizes | frame}


@st.composite
def turns(draw, right=2):
    """An angle as a file states it: `right` in `right + 1` a right one."""
    if draw(st.integers(0, right)):
        return draw(st.sampled_from(RIGHT))
    number = draw(st.integers(-250, 250))
    return draw(st.sampled_from((round(number / 100 + 0.003, 3), f"{number / 2} deg")))


@st.composite
def lengths(draw):
    return draw(st.sampled_from((0, 0, 0.5, "300 mm", -0.25, 0.137)))


class _Letters:
    """Sometimes puts a letter in place of a number; `values` holds those that the document does not."""

    def __init__(self, draw, often):
        self.draw, self.often = draw, often
        self.symbols, self.values = {}, {}

    def length(self, name):
        value = self.draw(lengths())
        if not self.often or self.draw(st.integers(0, 3)):
            return value
        known = self.draw(st.booleans())
        if known:
            self.symbols[name] = "0.23 m"
        else:
            self.values[name] = 0.41
        return self.draw(st.sampled_from((name, f"-{name}", f"{name}/2 + 1/10")))

    def angle(self, name, right):
        if not self.often or self.draw(st.integers(0, 7)):
            return self.draw(turns(right))
        self.values[name] = 0.83
        return self.draw(st.sampled_from((name, f"pi/2 - {name}", f"{name} + 0.3")))


def _geometry(draw, convention, letters, number, right):
    """The geometric keys of joint `number`, but for screws; often with an axis parallel to the one before."""
    k = number
    along = draw(st.sampled_from((None, "0", "180 deg")))
    if convention == "frames" and along is not None:
        return {
            "xyz": [letters.length(f"{axis}{k}") for axis in ("px", "py", "pz")],
            "rpy": [along, draw(st.sampled_from(("0", "180 deg"))), letters.angle(f"yaw{k}", right)],
            "axis": [0, 0, draw(st.sampled_from((1, -1)))],
        }
    if convention == "frames":
        axes = ((0, 0, 1), (0, 0, 1), (0, 0, -1), (0, 1, 0), (-1, 0, 0), (1, -2, 3))
        return {
            "xyz": [letters.length(f"{axis}{k}") for axis in ("px", "py", "pz")],
            "rpy": [draw(turns(right)), draw(turns(right)), letters.angle(f"yaw{k}", right)],
            "axis": list(draw(st.sampled_from(axes))),
        }
    row = {
        "alpha": letters.angle(f"alpha{k}", right) if along is None else along,
        "a": letters.length(f"a{k}"),
        "d": letters.length(f"d{k}"),
        "theta": letters.angle(f"theta{k}", right),
    }
    if convention == "khalil":
        row |= {"gamma": letters.angle(f"gamma{k}", right), "b": letters.length(f"b{k}")}
    return row


def _screw(draw, kind, source):
    """A screw and the home pose of its link frame."""
    w = source.normal(size=3)
    w = np.round(w) if draw(st.booleans()) and np.round(w).any() else w
    w = w / np.linalg.norm(w)
    point = source.uniform(-0.5, 0.5, 3)
    home = {"xyz": source.uniform(-0.5, 0.5, 3).tolist(), "rpy": [draw(turns()) for _ in range(3)]}
    if kind == "revolute":
        return {"w": w.tolist(), "v": (-np.cross(w, point)).tolist(), **home}
    return {"v": w.tolist(), **home} if kind == "prismatic" else home


@st.composite
def robots(
    draw, conventions=CONVENTIONS, joints=(1, 4), right=3, kinds=("revolute", "revolute", "prismatic", "fixed"),
    letters=True, unknown=True, branches=True, extras=True, gravity=None,
):  # fmt: skip
    """A random robot. `right`: how many right angles there are for an arbitrary one; `joints`: how many move."""
    source = np.random.default_rng(draw(SEEDS))
    convention = draw(st.sampled_from(conventions))
    wanted = draw(st.integers(*joints))
    named = _Letters(draw, letters and convention != "screws")
    tables, moving = [], 0
    while moving < wanted:
        kind = draw(st.sampled_from(kinds))
        if len(tables) > 2 * wanted:
            kind = "revolute"
        moving += kind != "fixed"
        number = len(tables) + 1
        table = {"name": f"joint{number}", "type": kind}
        if convention == "screws":
            table |= _screw(draw, kind, source)
        else:
            table |= _geometry(draw, convention, named, number, right)
            if kind == "fixed":
                table.pop("axis", None)
        if branches and convention != "standard-dh" and tables and not draw(st.integers(0, 4)):
            table["parent"] = draw(st.sampled_from(["base", *(t["name"] for t in tables)]))
        how = draw(st.sampled_from(("center", "origin", "first")))
        table["link"] = link(source, how)
        if unknown and kind != "fixed" and not draw(st.integers(0, 2)):
            table["link"], values = letters_of(table["link"], moving)
            named.values |= values
        elif extras and not draw(st.integers(0, 3)):
            table["link"] = shape(draw, source)
        if kind != "fixed" and extras:
            drive = draw(st.sampled_from((None, None, "joint", "rotor")))
            if drive == "joint":
                table["drive"] = {"inertia_at_joint": 0.37}
            elif drive == "rotor":
                table["drive"] = {"rotor_inertia": 2.5e-4, "gear_ratio": draw(st.sampled_from((53.69, -76, 1)))}
        tables.append(table)
    if extras and draw(st.booleans()):  # fixed joints at the end
        table = {"name": "flange", "type": "fixed", "link": link(source)}
        if convention == "screws":
            table |= _screw(draw, "fixed", source)
        else:
            table |= _geometry(draw, convention, named, len(tables) + 1, right)
            table.pop("axis", None)
        tables.append(table)
    document = {"schema": 1, "name": "random", "convention": convention, "joint": tables}
    document["gravity"] = gravity or draw(
        st.sampled_from(([0, 0, -9.81], [0, 0, -9.81], [1.5, -9, 3.25], ["gx", "gy", "gz"], ["g/2", 0, "-g"]))
    )
    named.values |= {"gx": 3.7, "gy": -8.2, "gz": 1.1} if "gx" in document["gravity"] else {}
    if "-g" in document["gravity"]:
        named.symbols["g"] = "9.81 m/s²"
    if extras and draw(st.booleans()):
        document["base"] = {
            "xyz": source.uniform(-1, 1, 3).tolist(),
            "rpy": [draw(turns(right)) for _ in range(3)],
        }
    if extras and draw(st.booleans()):
        carrier = draw(st.sampled_from([t["name"] for t in tables]))
        document["payload"] = [{"link": carrier, **link(source)}]
    if named.symbols:
        document["symbols"] = named.symbols
    return RandomRobot(document, named.values, draw(SEEDS))

"""A robot's document read a second time: in floats, straight from its convention, without any code of emdeg.

`Arm` holds the joints and bodies with 4×4 matrices of numpy; `oracles` hands it to Pinocchio and MuJoCo.
"""

import math
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files

import numpy as np

UNITS = {"": 1, "m": 1, "mm": 1e-3, "deg": math.pi / 180, "°": math.pi / 180, "rad": 1, "kg": 1, "g": 1e-3}
BIG_UNITS = {"kg m²": 1, "m/s²": 1, "kg*m^2": 1}
QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?:±\s*[\d.]+\s*%?\s*)?([^\d±%*/+-][^±%*]*)?")


def bundled_document(name):
    return tomllib.loads((files("emdeg") / "robots" / f"{name}.toml").read_text(encoding="utf-8"))


# 4×4 matrices


def rotation(axis, angle):
    """Rodrigues' formula about x, y, z or any vector."""
    x, y, z = np.eye(3)["xyz".index(axis)] if isinstance(axis, str) else np.asarray(axis, float) / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    quarters = round(angle / (math.pi / 2))
    exact = abs(angle - quarters * math.pi / 2) < 1e-15 * abs(angle)
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarters % 4] if exact else (math.cos(angle), math.sin(angle))
    matrix = np.eye(4)
    matrix[:3, :3] += s * k + (1 - c) * k @ k
    return matrix


def translation(x=0.0, y=0.0, z=0.0):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return matrix


def inverse(frame):
    matrix = np.eye(4)
    matrix[:3, :3] = frame[:3, :3].T
    matrix[:3, 3] = -frame[:3, :3].T @ frame[:3, 3]
    return matrix


def steiner(mass, r):
    return mass * ((r @ r) * np.eye(3) - np.outer(r, r))


@dataclass
class Body:
    """Mass, centre and inertia about the centre, in the frame of joint `joint` (index into `Arm.joints`)."""

    joint: int
    mass: float
    center: np.ndarray
    inertia: np.ndarray


@dataclass
class Joint:
    """The joint's frame stands at `placement` in the moved frame of its parent joint; `axis` stands in it."""

    name: str
    parent: int
    type: str
    placement: np.ndarray
    axis: np.ndarray
    link: np.ndarray
    armature: float


class Arm:
    """What a document says, with `values` for letters."""

    def __init__(self, document, values=None):
        self.document = document
        self.values = dict(values or {})
        self.letters = {"pi": math.pi}
        for name, entry in document.get("symbols", {}).items():
            value = entry.get("value") if isinstance(entry, dict) else entry
            if value is not None:
                self.letters[name] = self.number(value)
        self.letters |= self.values
        self.gravity = np.array([self.number(x) for x in document["gravity"]])
        self.base = self.frame(document.get("base", {}))
        self.joints = []
        self.bodies = []
        self._read()

    # numbers

    def number(self, value):
        if not isinstance(value, str):
            return float(value)
        match = QUANTITY.fullmatch(value)
        unit = (match[2] or "").strip() if match else None
        if unit in UNITS or unit in BIG_UNITS:
            return float(match[1]) * (UNITS | BIG_UNITS)[unit]
        return float(eval(value, {"__builtins__": {}}, self.letters))

    def angle(self, value):
        """An angle; a decimal of four places or more that is a rounded right angle is the right angle."""
        if isinstance(value, str):
            return self.number(value)
        decimals = len(repr(float(value)).partition(".")[2])
        right = round(value / (math.pi / 2)) * math.pi / 2
        return right if decimals >= 4 and round(right, decimals) == value else float(value)

    def parameter(self, value, letter):
        """A link's parameter: where it is a number or unknown it has a letter, which may stand elsewhere too."""
        if value != "?" and isinstance(value, str) and not QUANTITY.fullmatch(value):
            return self.number(value)
        number = self.values[letter] if letter in self.values else self.number(value)
        self.letters[letter] = number
        return number

    def frame(self, table):
        roll, pitch, yaw = (self.angle(x) for x in table.get("rpy", (0, 0, 0)))
        shift = translation(*(self.number(x) for x in table.get("xyz", (0, 0, 0))))
        return shift @ rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)

    # joints

    def _read(self):
        tables = self.document["joint"]
        names = [table.get("name", f"joint{k + 1}") for k, table in enumerate(tables)]
        read = {
            "modified-dh": self._modified, "khalil": self._modified, "standard-dh": self._standard,
            "frames": self._frames, "screws": self._screws,
        }[self.document["convention"]]  # fmt: skip
        homes, moving = [], 0
        links = {}
        for k, table in enumerate(tables):
            parent = names.index(table["parent"]) if table.get("parent", "base") != "base" else -1
            if "parent" not in table:
                parent = k - 1
            kind = table.get("type", "revolute")
            placement, axis, link = read(table, kind, parent, homes)
            if parent == -1:
                placement = self.base @ placement
            moving += kind != "fixed"
            name = table.get("link", {}).get("name", names[k])
            suffix = str(moving) if kind != "fixed" else "_" + re.sub(r"\W", "_", name)
            drive = table.get("drive", {})
            armature = 0.0
            if "inertia_at_joint" in drive:
                armature = self.parameter(drive["inertia_at_joint"], f"Im{moving}")
            elif drive:
                armature = self.number(drive["rotor_inertia"]) * self.number(drive["gear_ratio"]) ** 2
            self.joints.append(Joint(names[k], parent, kind, placement, axis, link, armature))
            self._body(k, table.get("link", {}), suffix)
            links[names[k]] = links[name] = k
        for number, table in enumerate(self.document.get("payload", ()), 1):
            self._body(links[table["link"]], table, "_" + re.sub(r"\W", "_", table.get("name", f"payload{number}")))

    def _row(self, table):
        return (
            rotation("x", self.angle(table["alpha"])), translation(x=self.number(table["a"])),
            rotation("z", self.angle(table.get("theta", 0))), translation(z=self.number(table["d"])),
        )  # fmt: skip

    def _modified(self, table, kind, parent, homes):
        alpha, a, theta, d = self._row(table)
        gamma = rotation("z", self.angle(table.get("gamma", 0)))
        b = translation(z=self.number(table.get("b", 0)))
        return gamma @ b @ alpha @ a @ theta @ d, np.array([0, 0, 1.0]), np.eye(4)

    def _standard(self, table, kind, parent, homes):
        alpha, a, theta, d = self._row(table)
        before = np.eye(4) if parent == -1 else self.joints[parent].link
        return before @ theta, np.array([0, 0, 1.0]), d @ a @ alpha

    def _frames(self, table, kind, parent, homes):
        axis = np.array([float(self.number(x)) for x in table.get("axis", (0, 0, 1))])
        return self.frame(table), axis / np.linalg.norm(axis), np.eye(4)

    def _screws(self, table, kind, parent, homes):
        link_home = self.frame(table)
        w = np.array([self.number(x) for x in table.get("w", (0, 0, 0))])
        v = np.array([self.number(x) for x in table.get("v", (0, 0, 0))])
        direction = w if kind == "revolute" else v
        home = link_home.copy()
        axis = np.array([0, 0, 1.0])
        if kind == "revolute":
            home[:3, 3] = np.cross(w, v) / (w @ w)
        if kind != "fixed":
            axis = home[:3, :3].T @ direction / np.linalg.norm(direction)
        before = np.eye(4) if parent == -1 else homes[parent]
        homes.append(home)
        return inverse(before) @ home, axis, inverse(home) @ link_home

    # bodies

    def _body(self, joint, table, suffix):
        """The body in the joint's frame."""
        given = {key for key in ("mass", "center_of_mass", "first_moments", "inertia", "shape") if key in table}
        if given == {"mass"} and not isinstance(table["mass"], str) and table["mass"] == 0:
            return
        mass = self.parameter(table.get("mass", "?"), f"m{suffix}")
        if "shape" in table:
            center, inertia = self._shape(mass, table["shape"])
        else:
            about_origin = table.get("inertia_about") == "origin"
            if "first_moments" in table or not given:
                h = self._vector(table.get("first_moments", ["?"] * 3), "h", suffix)
                center = h / mass
                about_origin = "inertia" not in table or about_origin
            else:
                center = self._vector(table.get("center_of_mass", ["?"] * 3), "r", suffix)
            inertia = self._moments(table.get("inertia", "?"), "L" if about_origin else "I", suffix)
            if about_origin:
                inertia = inertia - steiner(mass, center)
        link = self.joints[joint].link
        turn = link[:3, :3]
        self.bodies.append(Body(joint, mass, turn @ center + link[:3, 3], turn @ inertia @ turn.T))

    def _vector(self, entries, letter, suffix):
        return np.array([self.parameter(x, f"{letter}{a}{suffix}") for x, a in zip(entries, "xyz", strict=True)])

    def _moments(self, table, letter, suffix):
        matrix = np.zeros((3, 3))
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            key = "xyz"[i] + "xyz"[j]
            value = "?" if table == "?" else table.get(key, 0)
            matrix[i, j] = matrix[j, i] = self.parameter(value, f"{letter}{key}{suffix}")
        return matrix

    def _shape(self, m, table):
        frame = self.frame(table)
        size = {key: self.number(x) for key, x in table.items() if key not in ("type", "xyz", "rpy")}
        kind = table["type"]
        if kind == "rod":
            moments = np.diag([0, 1, 1]) * m * size["length"] ** 2 / 12
        elif kind == "box":
            s = np.array([size["x"], size["y"], size["z"]]) ** 2
            moments = np.diag(s.sum() - s) * m / 12
        elif kind == "sphere":
            moments = np.eye(3) * 2 / 5 * m * size["radius"] ** 2
        else:
            outer = size.get("outer_radius", size.get("radius"))
            inner = size.get("inner_radius", outer if kind == "shell" else 0)
            across = m * (3 * (outer**2 + inner**2) + size["length"] ** 2) / 12
            moments = np.diag([across, across, m * (outer**2 + inner**2) / 2])
        turn = frame[:3, :3]
        return frame[:3, 3], turn @ moments @ turn.T

    # what follows

    @property
    def moving(self):
        return [k for k, joint in enumerate(self.joints) if joint.type != "fixed"]

    @property
    def total_mass(self):
        return sum(body.mass for body in self.bodies)

    def depth_first(self, parent=-1):
        """The joints in the order in which Pinocchio and MuJoCo walk a tree."""
        for k, joint in enumerate(self.joints):
            if joint.parent == parent:
                yield k
                yield from self.depth_first(k)

    def frames(self, q):
        """The moved joint frames in the base frame."""
        position = dict(zip(self.moving, q, strict=True))
        found = []
        for k, joint in enumerate(self.joints):
            frame = joint.placement if joint.parent == -1 else found[joint.parent] @ joint.placement
            if joint.type == "revolute":
                frame = frame @ rotation(joint.axis, position[k])
            elif joint.type == "prismatic":
                frame = frame @ translation(*(joint.axis * position[k]))
            found.append(frame)
        return found

    def jacobians(self, q):
        """Per body with mass: its Jacobians of the centre of mass and of the rotation, in base axes."""
        frames = self.frames(q)
        result = []
        for body in self.bodies:
            linear, angular = np.zeros((3, len(q))), np.zeros((3, len(q)))
            center = frames[body.joint][:3, :3] @ body.center + frames[body.joint][:3, 3]
            k = body.joint
            while k != -1:
                joint = self.joints[k]
                axis = frames[k][:3, :3] @ joint.axis
                if joint.type == "revolute":
                    angular[:, self.moving.index(k)] = axis
                    linear[:, self.moving.index(k)] = np.cross(axis, center - frames[k][:3, 3])
                elif joint.type == "prismatic":
                    linear[:, self.moving.index(k)] = axis
                k = joint.parent
            result.append((body, linear, angular, frames[body.joint][:3, :3]))
        return result

    def kinetic_energy(self, q, qd):
        """½ sum of m v² + wᵀ I w, and of the drives."""
        energy = sum(self.joints[k].armature * rate**2 for k, rate in zip(self.moving, qd, strict=True))
        for body, linear, angular, turn in self.jacobians(q):
            v, w = linear @ qd, turn.T @ (angular @ qd)
            energy += body.mass * v @ v + w @ body.inertia @ w
        return energy / 2

    def gravity_torque(self, q):
        """-sum of Jᵀ m g."""
        return -sum(linear.T @ (body.mass * self.gravity) for body, linear, _, _ in self.jacobians(q))


# the oracles

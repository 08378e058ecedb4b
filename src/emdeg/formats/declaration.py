"""The robot file, declared once: this checks documents and is printed as JSON Schema."""

from collections.abc import Mapping
from typing import Any

from emdeg.errors import InputError
from emdeg.formats.grammar import Choice, Either, Names, Node, Table, Tables, Text, Value, Values, check_mapping, shown
from emdeg.formats.place import Place

CONVENTIONS = ("modified-dh", "standard-dh", "khalil", "frames", "screws")
CONVENTION = Choice("the convention of the frames, always stated, never guessed", CONVENTIONS)
SHAPES = {
    "rod": ("length",),
    "cylinder": ("radius", "length"),
    "hollow_cylinder": ("outer_radius", "inner_radius", "length"),
    "shell": ("radius", "length"),
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
}
MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")

_SOURCE = Text("where the numbers come from: a name under sources, or a text")
_XYZ = Values(Value("the origin of the frame", "m"))
_RPY = Values(Value("roll, pitch, yaw of the frame about fixed axes", "rad"))
_FRAME = {"xyz": _XYZ, "rpy": _RPY}

_SHAPE = Table(
    "a homogeneous body in place of an inertia, its axis along x (rod) or z, centered where xyz and rpy say",
    {
        "type": Choice("the kind of shape", tuple(SHAPES)),
        **{key: Value(f"{key.replace('_', ' ')} of the shape", "m") for keys in SHAPES.values() for key in keys},
        **_FRAME,
    },
    required=("type",),
    shared="shape",
)
_INERTIA = Table(
    "the inertia matrix, its elements along the axes of the link frame",
    {key: Value(f"element {key} of the inertia matrix", "kg m²", unknown=True) for key in MOMENTS},
    required=("xx", "yy", "zz"),
    shared="inertia",
)
_BODY: dict[str, Node] = {
    "mass": Value("mass", "kg", unknown=True),
    "center_of_mass": Values(Value("center of mass in the link frame", "m", unknown=True)),
    "first_moments": Values(Value("mass times center of mass", "kg m", unknown=True)),
    "inertia": Either((_INERTIA, Choice('a table { xx = , yy = , zz = , ... } or "?"', ("?",)))),
    "inertia_about": Choice("the point about which the inertia is given", ("center_of_mass", "origin")),
    "shape": _SHAPE,
    "source": _SOURCE,
}
_BODY_EXCLUDES = (("center_of_mass", "first_moments", "shape"), ("inertia", "shape"), ("inertia_about", "shape"))
_LINK = Table(
    "the link that the joint moves", {"name": Text("name of the link; else that of its joint"), **_BODY},
    exclusive=_BODY_EXCLUDES,
    shared="link",
)  # fmt: skip
_PAYLOAD = Table(
    "a body fixed to a link",
    {"name": Text("name of the payload"), "link": Text("the link that carries it"), **_BODY},
    required=("link",), exclusive=_BODY_EXCLUDES,
    shared="payload",
)  # fmt: skip
_LIMITS = Table(
    "limits of a joint",
    {
        "position": Values(Value("lowest and highest position", "rad or m"), 2),
        "velocity": Value("greatest speed", "rad/s or m/s"),
        "acceleration": Value("greatest acceleration", "rad/s² or m/s²"),
        "effort": Value("greatest torque or force", "N m or N"),
        "source": _SOURCE,
    },
    shared="limits",
)
_FRICTION = Table(
    "friction of a joint",
    {
        "viscous": Value("viscous friction", "N m s/rad or N s/m"),
        "coulomb": Value("Coulomb friction", "N m or N"),
        "source": _SOURCE,
    },
    shared="friction",
)
_DRIVE = Table(
    "motor and gear of a joint: either inertia_at_joint, or rotor_inertia with gear_ratio",
    {
        "inertia_at_joint": Value("what motor and gear add to the joint's inertia", "kg m² or kg", unknown=True),
        "rotor_inertia": Value("inertia of the rotor about its axis", "kg m²", unknown=True),
        "gear_ratio": Value("turns of the rotor for one of the joint, signed"),
        "axis": Values(Value("axis of the rotor in the frame of the link that carries it")),
        "mounted_on": Text("the link that carries the motor, or base"),
        "source": _SOURCE,
    },
    exclusive=(("inertia_at_joint", "rotor_inertia"), ("inertia_at_joint", "gear_ratio")),
    shared="drive",
)
_MIMIC = Table(
    "this joint follows another one",
    {
        "joint": Text("the joint that is followed"),
        "ratio": Value("this coordinate is ratio × the other one + offset"),
        "offset": Value("constant part of this coordinate", "rad or m"),
    },
    required=("joint",),
    shared="mimic",
)
_JOINT: dict[str, Node] = {
    "name": Text("name of the joint"),
    "parent": Text("the joint before, or base"),
    "type": Choice("the type of a joint", ("revolute", "prismatic", "fixed")),
    "limits": _LIMITS,
    "friction": _FRICTION,
    "drive": _DRIVE,
    "mimic": _MIMIC,
    "link": _LINK,
}
_DH: dict[str, Node] = {
    "alpha": Value("twist angle between the joint axes", "rad"),
    "a": Value("distance between the joint axes", "m"),
    "d": Value("distance along the joint axis", "m"),
    "theta": Value("constant part of the angle about the joint axis", "rad"),
}
_GEOMETRY: dict[str, tuple[dict[str, Node], tuple[str, ...]]] = {
    "modified-dh": (_DH, ("alpha", "a", "d")),
    "standard-dh": (_DH, ("alpha", "a", "d")),
    "khalil": (
        _DH | {"gamma": Value("angle about the antecedent's z axis", "rad"),
               "b": Value("distance along the antecedent's z axis", "m")},
        ("alpha", "a", "d"),
    ),
    "frames": (
        {**_FRAME, "axis": Values(Value("the joint axis in the joint frame; z if left out"))},
        (),
    ),
    "screws": (
        {"w": Values(Value("unit vector of the joint axis in the base frame at home; zeros where prismatic")),
         "v": Values(Value("linear part of the screw, -w × (a point of the axis), in the base frame at home", "m")),
         **_FRAME},
        (),
    ),
}  # fmt: skip
_SYMBOL = Either((
    Table(
        "a letter with its value",
        {"value": Value("its value"), "source": Text("where it comes from"), "what": Text("its meaning"),
         "unit": Text("its SI unit where no value is known")},
    ),
    Value("its value, a number in SI or a quantity"),
))  # fmt: skip
_SHARED = (_SHAPE, _INERTIA, _LINK, _PAYLOAD, _LIMITS, _FRICTION, _DRIVE, _MIMIC)


def joint_table(convention: str) -> Table:
    geometry, required = _GEOMETRY[convention]
    return Table(f"a joint, its geometry by the convention {convention}", _JOINT | geometry, required=required)


def robot_table(convention: str) -> Table:
    """The whole robot file for one convention."""
    fields: dict[str, Node] = {
        "schema": Choice("the version of this format, 1", ("1",)),
        "name": Text("name of the robot"),
        "description": Text("the robot in one line"),
        "convention": CONVENTION,
        "gravity": Values(Value("acceleration of free fall in the base frame", "m/s²")),
        "coverage": Value("how many standard uncertainties a stated tolerance is; 1 if left out"),
        "sources": Names("short names for sources", Text("a source")),
        "symbols": Names("letters and, where known, their values", _SYMBOL),
        "constants": Names("names for inertia constants, with their definitions", Text("an expression over letters")),
        "base": Table(
            "where the first frame stands; inertia of the base link (kept, without effect while the base stands still)",
            _FRAME | {"link": _LINK},
        ),
        "tool": Table("a frame on the last link", _FRAME),
        "payload": Tables("payload", _PAYLOAD),
        "covariance": Names("covariances of parameters, as reduce and identify found them", _Anything("covariances")),
        "joint": Tables("joint", joint_table(convention)),
    }
    if convention == "screws":
        fields["home"] = Table("pose of the tool in the base frame at home", _FRAME)
    return Table("a robot file", fields, ("name", "gravity", "joint"), (("tool", "home"),))


def check_document(document: Mapping[str, Any], place: Place) -> None:
    """Raise InputError at the first thing in a document that may not stand there."""
    check_mapping(document, "the robot", place)
    version = document.get("schema", 1)
    if version not in (1, "1") or isinstance(version, bool):
        advice = "this version of emdeg reads schema = 1"
        raise InputError(
            f"unknown version {shown(version)} of the format", where=str(place.key("schema")), advice=advice
        )
    if "convention" not in document:
        advice = f"one of: {', '.join(CONVENTIONS)}; it is always stated, never guessed"
        raise InputError("the convention of the frames is missing", where=str(place), advice=advice)
    CONVENTION.check(document["convention"], place.key("convention"))
    table = robot_table(document["convention"])
    table.check({key: value for key, value in document.items() if key != "schema"}, place)
    if not document["joint"]:
        raise InputError("the robot has no joints", where=str(place), advice="write [[joint]] once for each joint")


def schema() -> dict[str, Any]:
    """The JSON Schema of the robot file."""
    result: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "emdeg robot file",
        "type": "object",
        "required": ["convention"],
        "properties": {"convention": CONVENTION.schema()},
        "oneOf": [],
        "$defs": {table.shared: table.definition() for table in _SHARED},
    }
    for convention in CONVENTIONS:
        option = robot_table(convention).schema()
        option["properties"]["schema"] = {"const": 1, "description": "the version of this format"}
        option["properties"]["convention"] = {"const": convention}
        option["required"] = ["convention", *option["required"]]
        result["oneOf"].append(option)
    return result


class _Anything:
    def __init__(self, what: str) -> None:
        self.what = what

    def check(self, value: Any, place: Place) -> None:
        """Whatever stands there is kept."""

    def schema(self) -> dict[str, Any]:
        return {"description": self.what}

"""Wrong input: each mistake has one clear message that says where, what, and what would be right."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emdeg.errors import EmdegError, InputError, UnsupportedError
from emdeg.formats import load
from emdeg.formats.dh import read_robot
from emdeg.formats.document import parse_document

HEAD = 'schema = 1\nname = "arm"\nconvention = "modified-dh"\ngravity = [0, 0, -9.81]\n'
JOINT = '[[joint]]\nname = "waist"\nalpha = 0\na = 0\nd = 0\n'
ELBOW = '[[joint]]\nname = "elbow"\nalpha = 0\na = 0.4\nd = 0\n'
FRAME = '[[joint]]\nname = "{}"\nparent = "{}"\n'


def failure(tmp_path, text):
    path = tmp_path / "arm.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EmdegError) as caught:
        load(path)
    return caught.value


FRAMES, SCREWS = HEAD.replace("modified-dh", "frames"), HEAD.replace("modified-dh", "screws")
STANDARD = HEAD.replace("modified", "standard")

# name: file, where, what, advice (parts of the message)
MISTAKES = {
    "a broken line": (HEAD + "alpha = \n", "", "broken TOML", "line 5"),
    "a key twice": (HEAD + 'name = "other"\n', "", "broken TOML", ""),
    "deep brackets": ("a = " + "[" * 100_000, "", "", ""),
    "an unknown key": (HEAD + JOINT + "lenght = 3\n", "joint 1 (waist)", "unknown key 'lenght'", "known here"),
    "a misspelt key": (HEAD + JOINT + "alhpa = 3\n", "joint 1 (waist)", "unknown key 'alhpa'", "did you mean alpha?"),
    "a misspelt table": (HEAD + "[tol]\n" + JOINT, "", "unknown key 'tol'", "did you mean tool?"),
    "a deep unknown key": (
        HEAD + JOINT + "[joint.link.inertia]\nxx = 1\nyy = 1\nzz = 1\nyx = 0\n",
        "joint 1 (waist), link.inertia", "unknown key 'yx'", "did you mean",
    ),
    "a wrong unit": (
        HEAD + JOINT + ELBOW + '[joint.link]\nmass = "17.4 m"\n',
        "joint 2 (elbow), link.mass", "wrong unit: expected a value in kg", "a mass in kg",
    ),
    "an unknown unit": (
        HEAD + JOINT + '[joint.link]\nmass = "17.4 kilo"\n',
        "joint 1 (waist), link.mass", "no unit", "kg",
    ),
    "a wrong unit of an angle": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = "3 m"\na = 0\nd = 0\n',
        "alpha", "wrong unit", "-90 deg",
    ),
    "a word for a number": (
        HEAD + JOINT + 'limits = { velocity = "fast" }\n',
        "joint 1 (waist), limits.velocity", "expected a number in rad/s", "",
    ),
    "words for a number": (
        HEAD + JOINT + '[joint.link]\nmass = "very heavy"\n',
        "link.mass", "expected an operator", "",
    ),
    "a word for a factor": (HEAD + 'coverage = "two"\n' + JOINT, "coverage", "expected a number", ""),
    "a truth value": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = true\nd = 0\n',
        "joint 1 (waist), a", "expected a value in m", "",
    ),
    "a date": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = 1986-04-07\nd = 0\n',
        "joint 1 (waist), a", "expected a value in m", "",
    ),
    "a number for a text": (HEAD.replace('"arm"', "3") + JOINT, "name", "expected a text", ""),
    "a number for a list": (
        HEAD + JOINT + "[joint.link]\ncenter_of_mass = 3\n",
        "link.center_of_mass", "list of 3", "[0, 0, 0]",
    ),
    "a short list": (
        HEAD + JOINT + "[joint.link]\ncenter_of_mass = [1, 2]\n",
        "link.center_of_mass", "found 2", "[0, 0, 0]",
    ),
    "a number for a table": (HEAD + JOINT + "link = 3\n", "joint 1 (waist), link", "expected a table", ""),
    "a table for joints": (
        HEAD + '[joint]\nname = "waist"\nalpha = 0\na = 0\nd = 0\n',
        "joint", "list of tables", "double brackets",
    ),
    "no convention": (HEAD.replace('convention = "modified-dh"\n', "") + JOINT, "", "convention", "standard-dh"),
    "a wrong convention": (
        HEAD.replace("modified-dh", "modified dh") + JOINT,
        "convention", "found 'modified dh'", "did you mean modified-dh?",
    ),
    "another version": (HEAD.replace("schema = 1", "schema = 2") + JOINT, "schema", "unknown version 2", "schema = 1"),
    "no gravity": (HEAD.replace("gravity", "# gravity") + JOINT, "", "gravity is missing", ""),
    "no joints": (HEAD, "", "joint is missing", ""),
    "empty joints": (HEAD + "joint = []\n", "", "no joints", "[[joint]]"),
    "no geometry": (HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = 0\n', "joint 1 (waist)", "d is missing", ""),
    "a wrong type": (
        HEAD + JOINT + 'type = "rotary"\n',
        "joint 1 (waist), type", "expected the type of a joint", "revolute",
    ),
    "two joints of one name": (
        HEAD + JOINT + JOINT,
        "joint 2 (waist), name", "two joints are called 'waist'", "own name",
    ),
    "a joint called base": (
        HEAD + '[[joint]]\nname = "base"\nalpha = 0\na = 0\nd = 0\n',
        "joint 1 (base), name", "no joint may be called base", "",
    ),
    "a branch in a chain": (
        STANDARD + JOINT + ELBOW + '[[joint]]\nname = "hand"\nalpha = 0\na = 0.4\nd = 0\nparent = "waist"\n',
        "joint 3 (hand), parent", "branches off", "chains",
    ),
    "no unit vector": (SCREWS + "[[joint]]\nw = [0, 0, 2]\n", "joint 1, w", "no unit vector", "w = [0, 0, 1]"),
    "a screw with pitch": (SCREWS + "[[joint]]\nw = [0, 0, 1]\nv = [0, 0, 0.1]\n", "joint 1, v", "pitch", ""),
    "no axis": (FRAMES + "[[joint]]\naxis = [0, 0, 0]\n", "joint 1, axis", "axis is zero", "[0, 0, 1]"),
    "a letter that can't be one": (
        HEAD + '[symbols]\n"2a" = 3\n' + JOINT,
        "symbols.2a", "can't be a letter", "begins with",
    ),
    "a Greek letter": (HEAD + "[symbols]\n'α' = 3\n" + JOINT, "symbols.α", "can't be a letter", ""),
    "a reserved letter": (HEAD + "[symbols]\nq1 = 3\n" + JOINT, "symbols.q1", "reserved", "coordinates"),
    "a reserved sine": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "s2"\nd = 0\n',
        "joint 1 (waist), a", "reserved", "",
    ),
    "pi as a length": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "pi/2"\nd = 0\n',
        "joint 1 (waist), a", "reserved", "",
    ),
    "an automatic letter declared": (
        HEAD + "[symbols]\nm1 = 3\n" + JOINT + "[joint.link]\nmass = 4\n",
        "joint 1 (waist), link.mass", "automatic letter", 'mass = "m1"',
    ),
    "a letter of another unit": (
        HEAD + '[symbols]\nl = "3 m"\n' + JOINT + '[joint.link]\nmass = "l"\n',
        "link.mass", "declared in m", "",
    ),
    "a letter for a letter's value": (
        HEAD + '[symbols]\nl = "2*k"\n' + JOINT,
        "symbols.l", "has the value '2*k'", "number",
    ),
    "a lost letter in a constant": (
        HEAD + '[constants]\nI1 = "m11*l**2"\n' + JOINT,
        "constants.I1", "l stands nowhere", "this robot's letters",
    ),
    "a negative mass": (
        HEAD + JOINT + "[joint.link]\nmass = -4.8\n",
        "joint 1 (waist), link.mass", "the mass is negative", "",
    ),
    "a negative mass with unit": (
        HEAD + JOINT + '[joint.link]\nmass = "-4.8 kg"\n',
        "link.mass", "the mass is negative", "",
    ),
    "a negative length of a shape": (
        HEAD + JOINT + '[joint.link]\nshape = { type = "rod", length = -1 }\n',
        "link.shape.length", "negative", "",
    ),
    "a size of another shape": (
        HEAD + JOINT + '[joint.link]\nshape = { type = "rod", length = 1, radius = 2 }\n',
        "link.shape", "a rod has no radius", "length",
    ),
    "a shape without size": (
        HEAD + JOINT + '[joint.link]\nshape = { type = "box", x = 1, y = 1 }\n',
        "link.shape", "z of the box", "",
    ),
    "shape and inertia": (
        HEAD + JOINT + '[joint.link]\nshape = { type = "sphere", radius = 1 }\ninertia = "?"\n',
        "joint 1 (waist), link", "inertia and shape exclude each other", "",
    ),
    "NaN": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = nan\nd = 0\n',
        "joint 1 (waist), a", "not a finite number", "a length in m",
    ),
    "NaN as text": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "NaN"\nd = 0\n',
        "joint 1 (waist), a", "not a finite number", "",
    ),
    "infinity": (HEAD + JOINT + "[joint.link]\nmass = inf\n", "link.mass", "not a finite number", ""),
    "both kinds of drive": (
        HEAD + JOINT + "drive = { inertia_at_joint = 1, rotor_inertia = 1e-4, gear_ratio = 100 }\n",
        "joint 1 (waist), drive", "inertia_at_joint and rotor_inertia exclude each other", "one of them",
    ),
    "half a drive": (
        HEAD + JOINT + "drive = { gear_ratio = 100 }\n",
        "joint 1 (waist), drive", "incomplete", "rotor_inertia",
    ),
    "a drive on no link": (
        HEAD + JOINT + 'drive = { inertia_at_joint = 1, mounted_on = "wist" }\n',
        "drive.mounted_on", "no link 'wist'", "did you mean waist?",
    ),
    "a fixed drive": (
        HEAD + JOINT + 'type = "fixed"\ndrive = { inertia_at_joint = 1 }\n',
        "drive", "a fixed joint has no drive", "",
    ),
    "code": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "__import__(\'os\').getcwd()"\nd = 0\n',
        "joint 1 (waist), a", "functions are not allowed", "",
    ),
    "half a letter angle": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = "beta/2"\na = 0\nd = 0\n',
        "alpha", "1/2 times beta", "whole multiples",
    ),
    "a product of angles": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = "b*c"\na = 0\nd = 0\n',
        "alpha", "no such sum", "whole multiples",
    ),
    "a tolerance in the geometry": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "1 ± 0.1 m"\nd = 0\n',
        "joint 1 (waist), a", "needs a letter", "[symbols]",
    ),
    "an unknown length": (
        HEAD + '[[joint]]\nname = "waist"\nalpha = 0\na = "?"\nd = 0\n',
        "joint 1 (waist), a", "may be unknown", "letter",
    ),
    "limits upside down": (HEAD + JOINT + "limits = { position = [1, -1] }\n", "limits.position", "empty", "lowest"),
    "following itself": (HEAD + JOINT + 'mimic = { joint = "waist" }\n', "mimic.joint", "can't follow", ""),
    "a payload nowhere": (HEAD + JOINT + '[[payload]]\nlink = "hand"\n', "payload 1, link", "no link 'hand'", "waist"),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes(tmp_path, mistake):
    text, where, what, advice = MISTAKES[mistake]
    error = failure(tmp_path, text)
    assert where in error.where and error.where.startswith(("arm.toml", str(tmp_path)))
    assert what in error.what
    assert advice in error.advice + error.what
    assert "\n" not in error.what and len(str(error)) < 600


def test_cyclic_tree(tmp_path):
    head = HEAD.replace("modified-dh", "frames")
    error = failure(tmp_path, head + FRAME.format("a", "c") + FRAME.format("b", "a") + FRAME.format("c", "b"))
    assert "cyclic: a -> c -> b -> a" in error.what and error.where == "arm.toml, joint 1 (a), parent"
    assert "cyclic: a -> a" in failure(tmp_path, head + FRAME.format("a", "a")).what


def test_disconnected_tree(tmp_path):
    head = HEAD.replace("modified-dh", "frames")
    error = failure(tmp_path, head + FRAME.format("waist", "base") + FRAME.format("elbow", "weist"))
    assert "disconnected: there is no joint 'weist'" in error.what
    assert error.where == "arm.toml, joint 2 (elbow), parent" and "did you mean waist?" in error.advice


def test_missing_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "nothing.toml")
    with pytest.raises(InputError, match=r"arm\.toml: there is no such file"):
        load("arm.toml")
    with pytest.raises(InputError, match="a folder"):
        load(tmp_path)


def test_not_a_text(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="UTF-8"):
        load(path)


def test_ten_megabytes_of_joints(tmp_path):
    path = tmp_path / "arm.toml"
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for number in range(172_000):
            file.write(f'[[joint]]\nname = "j{number}"\nalpha = 0\na = 0.123456789\nd = 0\n\n')
    with pytest.raises(InputError, match=r"the file has 10\.\d MB"):
        load(path)


def test_too_many_joints():
    joint = {"alpha": 0, "a": 1, "d": 0}
    table = {"name": "snake", "convention": "modified-dh", "gravity": [0, 0, 0], "joint": [joint] * 1001}
    with pytest.raises(InputError, match="1001 joints"):
        load(table)


def test_unknown_robot_lists_the_known():
    with pytest.raises(InputError) as caught:
        load("puma650")
    assert "no robot and no file 'puma650'" in caught.value.what
    assert "scara, " in caught.value.advice and "did you mean puma560?" in caught.value.advice


@pytest.mark.parametrize("source", [3, None, ["puma560"], "bad\0name"])
def test_no_source_at_all(source):
    with pytest.raises(InputError):
        load(source)


def test_an_empty_document():
    with pytest.raises(InputError, match="convention"):
        load({})


@pytest.mark.parametrize("name", ["arm.urdf", "arm.xacro", "arm.xml"])
def test_formats_of_later_versions(name):
    with pytest.raises(UnsupportedError, match="comes with a later version"):
        load(name)


ODD = st.one_of(
    st.sampled_from(
        [None, True, [], {}, "", "?", "nan", "0", "1 m", "a/0", "(", "x", "pi", -1, 10**400, 1e400, "a\n", "\0"]
    ),
    st.text(max_size=8),
    st.floats(),
    st.recursive(
        st.integers(), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner), max_leaves=4
    ),
)


def places(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in items:
        yield from places(entry, (*path, key))


@given(st.sampled_from(["puma560", "scara", "rx90"]), st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_is_put_anywhere_gives_a_robot_or_a_message(name, data):
    table = json.loads(json.dumps(load(name).document))
    table["joint"][1] |= {"limits": {"position": [-1, 1]}, "mimic": {"joint": table["joint"][0]["name"]}}
    table |= {"tool": {"xyz": [0, 0, 1]}, "base": {"rpy": [0, 0, 0]}, "payload": [{"link": table["joint"][1]["name"]}]}
    *path, last = data.draw(st.sampled_from([path for path in places(table) if path]))
    parent = table
    for key in path:
        parent = parent[key]
    parent[last] = data.draw(ODD)
    try:
        load(table)
    except EmdegError as error:
        assert error.what and error.where


@given(st.text(max_size=60))
def test_any_text_gives_a_message(text):
    with pytest.raises(EmdegError):
        read_robot(parse_document(text, "arm.toml"), "arm.toml")

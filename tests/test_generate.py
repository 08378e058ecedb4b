"""Source text of a robot's functions: right, tested, counted, and the same each time."""

import subprocess

import numpy as np
import pytest

import emdeg
from emdeg.backends.targets import TARGETS
from emdeg.compiler.build import build
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.generate import generated
from emdeg.compiler.options import Options
from emdeg.errors import InputError, UnsupportedError
from test_targets import DOUBLE_ONLY, STRICT, counted


def compiled_and_run(files, folder):
    for name, text in files.items():
        (folder / name).write_text(text)
    sources = [name for name in files if name.endswith(".c")]
    subprocess.run(["gcc", *STRICT, *sources, "-o", "selftest", "-lm"], cwd=folder, check=True)
    return subprocess.run(["./selftest"], cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("float32", [False, True])
def test_all_functions_in_c_pass_their_test(float32, tmp_path):
    files = emdeg.generate("puma560", "c", list(FUNCTIONS), optimize="none", float32=float32)
    out = compiled_and_run(files, tmp_path)
    assert out.count("5 states, largest error") == len(FUNCTIONS)


def test_operations_in_c_are_those_that_count_gives():
    robot = emdeg.load("puma560")
    functions = ["inverse_dynamics", "mass_matrix", "gravity", "forward_dynamics"]
    found = counted(emdeg.generate(robot, "c", functions)["puma560.c"])
    for function in functions:
        cost = build(robot, function).program.cost
        expected = (cost.multiplications, cost.additions, cost.divisions, cost.sincos)
        assert found[f"puma560_{function}"] == expected


def test_numpy_text_gives_the_explicit_model():
    (text,) = emdeg.generate("puma560", "numpy", ["inverse_dynamics", "mass_matrix", "gravity"]).values()
    names = {}
    exec(compile(text, "puma560.py", "exec"), names)
    q, qd, qdd = np.random.default_rng(1).uniform(-3, 3, (3, 7, 6))
    expected = emdeg.derive("puma560").evaluate(q, qd, qdd)
    np.testing.assert_allclose(names["inverse_dynamics"](q, qd, qdd), expected.torque, rtol=0, atol=1e-11)
    np.testing.assert_allclose(names["mass_matrix"](q), expected.mass_matrix, rtol=0, atol=1e-13)
    np.testing.assert_allclose(names["gravity"](q), expected.gravity, rtol=0, atol=1e-12)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_takes_every_robot_and_names_it(target):
    files = emdeg.generate("puma560", target, "gravity")
    assert files == emdeg.generate("puma560", target, ("gravity", "gravity"))
    assert all(name.startswith("puma560") or "gravity" in name for name in files)
    for text in files.values():
        assert "Armstrong" in text and "gravity: " in text


def test_programs_are_given_in_the_order_wanted():
    made = generated(emdeg.load("puma560"), "c", ["gravity", "bias", "gravity"], optimize="none")
    assert [program.name for program in made.programs] == ["gravity", "bias"]


def test_wrong_calls():
    with pytest.raises(InputError, match="no target 'fortran'\n  targets: c, cuda"):
        emdeg.generate("puma560", "fortran", ["gravity"])
    with pytest.raises(InputError, match="no function 'grav'\n  choose inverse_dynamics"):
        emdeg.generate("puma560", "c", ["grav"])
    with pytest.raises(InputError, match="no function is wanted"):
        emdeg.generate("puma560", "c", [])
    with pytest.raises(InputError, match="no value is known of a1, g"):
        emdeg.generate("planar2", "c", ["gravity"])
    for target in DOUBLE_ONLY:
        with pytest.raises(UnsupportedError):
            emdeg.generate("puma560", target, ["gravity"], float32=True)


# parameters and other options


@pytest.mark.parametrize("float32", [False, True])
def test_all_functions_with_free_parameters_in_c_pass_their_test(float32, tmp_path):
    """Each function that depends on them is two, with vectors that belong together: 5 states each."""
    names = ["m2", "rx2", "a2", "g", "Im3"]
    options = Options(tuple(names), friction=True, link="elbow")
    made = generated(emdeg.load("puma560"), "c", list(FUNCTIONS), optimize="none", options=options, float32=float32)
    out = compiled_and_run(made.files, tmp_path)
    assert out.count("5 states, largest error") == len(made.programs) == 2 * len(FUNCTIONS) - 1  # not friction
    assert "// parameters (5): m2, rx2, a2, g, Im3 [SI]\n" in made.files["puma560.h"]
    found = counted(made.files["puma560.c"])
    for program in made.programs:
        cost = program.cost
        assert found[f"puma560_{program.name}"] == (cost.multiplications, cost.additions, cost.divisions, cost.sincos)


@pytest.mark.parametrize("optimize", ["none", "fast"])
def test_numpy_text_with_free_parameters_gives_the_explicit_model(optimize):
    (text,) = emdeg.generate("puma560", "numpy", parameters=["m2", "a2"], optimize=optimize).values()
    names = {}
    exec(compile(text, "puma560.py", "exec"), names)
    q, qd, qdd = np.random.default_rng(1).uniform(-3, 3, (3, 7, 6))
    for mass, length in ((17.4, 0.4318), (4.0, 0.3)):
        expected = emdeg.derive("puma560").evaluate(q, qd, qdd, values={"m2": mass, "a2": length}).torque
        constants = names["inverse_dynamics_constants"]([mass, length])
        found = names["inverse_dynamics"](q, qd, qdd, constants)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_writes_constants_and_friction(target):
    functions = ["inverse_dynamics", "forward_kinematics"]
    files = emdeg.generate("puma560", target, functions, parameters=("m2",), friction=True, optimize="none")
    text = "".join(files.values())
    assert "inverse_dynamics_constants" in text and "forward_kinematics_constants" not in text
    assert "m2 [SI]" in text and "6 signs" in text
    assert max(map(len, text.splitlines())) < 120


def test_wrong_options():
    with pytest.raises(InputError, match=r"does not have the parameter 'm7'\n.*its letters are g, a2"):
        emdeg.generate("puma560", "c", "gravity", parameters=["m7"])
    with pytest.raises(InputError, match="friction has no meaning for gravity, bias"):
        emdeg.generate("puma560", "c", ["gravity", "bias"], friction=True)
    with pytest.raises(InputError, match="there is no link 'hand'"):
        emdeg.generate("puma560", "c", "jacobian", link="hand")
    with pytest.raises(InputError, match="base has no meaning for gravity"):
        emdeg.generate("puma560", "c", "gravity", base=True)

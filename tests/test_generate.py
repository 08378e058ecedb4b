"""Source text of a robot's functions: right, tested, counted, and the same each time."""

import subprocess

import numpy as np
import pytest

import emdeg
from emdeg.backends.targets import TARGETS
from emdeg.compiler.build import build
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.generate import generated
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

"""The commands about programs: count, generate, bench."""

import functools
import json
import os
import re
import sys
from typing import get_args

import numpy as np
import pytest

import emdeg
from emdeg.backends.targets import TARGETS
from emdeg.cli import contest, generate, main, output, race, rival_casadi, rival_casadi_c, rival_mujoco
from emdeg.cli.contest import States, arm
from emdeg.cli.options import FunctionName
from emdeg.compiler.functions import FUNCTIONS
from emdeg.compiler.numbers import numeric
from emdeg.model.substitution import substituted

C_FILES = ["puma560.c", "puma560.h", "puma560_selftest.c"]


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(race, "medians", functools.partial(contest.medians, rounds=2, seconds=1e-5))
    monkeypatch.setattr(race, "MANY", 32)


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_commands_offer_all_functions_and_targets():
    assert get_args(FunctionName) == tuple(FUNCTIONS)
    assert get_args(generate.Target) == tuple(TARGETS)


# count


def test_count_prints_a_table(capsys):
    status, out, err = run(capsys, "count", "puma560", "--function", "inverse_dynamics", "gravity")
    assert (status, err) == (0, "")
    assert re.search(r"Newton-Euler, general \(Luh, Walker, Paul 1980\) +852 +738 +0 +6 +1590\n", out)
    assert re.search(r"\n\ngravity +multiplications  additions  divisions  sincos  total\n", out)
    assert "letters" not in out
    assert max(map(len, out.splitlines())) <= 120


def test_count_says_which_letters_are_numbers(capsys):
    out = run(capsys, "count", "planar2", "--function", "gravity")[1]
    assert re.search(r"letters without values counted as numbers: (\w+, )*a1, g, .*\n", out)


def test_count_in_json(capsys):
    status, out, _ = run(capsys, "count", "scara", "--function", "gravity", "--convention", "paper", "--json")
    result = json.loads(out)
    assert status == 0
    assert list(result) == ["emdeg", "schema", "robot", "convention", "rows"]
    assert (result["robot"], result["convention"]) == (emdeg.load("scara").name, "paper")
    keys = {"function", "method", "multiplications", "additions", "divisions", "sincos", "total"}
    assert all(set(row) == keys for row in result["rows"])


# generate


def test_generate_writes_files_into_a_new_folder(capsys, tmp_path):
    folder = tmp_path / "made"
    command = ["generate", "puma560", "--target", "c", "--function", "gravity", "--function", "bias"]
    status, out, err = run(capsys, *command, "--output", str(folder), "--json")
    assert status == 0 and err == f"wrote puma560.h, puma560.c, puma560_selftest.c in {folder}\n"
    assert sorted(os.listdir(folder)) == C_FILES
    assert "puma560_bias(" in (folder / "puma560.c").read_text()
    result = json.loads(out)
    assert list(result) == ["emdeg", "schema", "robot", "target", "files", "rows"]
    assert sorted(result["files"]) == C_FILES
    assert [(row["function"], row["method"]) for row in result["rows"]] == [
        ("gravity", "best found"), ("bias", "best found"),
    ]  # fmt: skip


def test_generate_prints_a_single_file_or_writes_it_as_named(capsys, tmp_path):
    command = ["generate", "puma560", "--target", "numpy", "--function", "gravity", "--float32", "--quiet"]
    status, text, err = run(capsys, *command)
    assert (status, err) == (0, "") and "float32" in text
    for given, path in (("arm.py", "arm.py"), ("new/", "new/puma560.py"), (".", "puma560.py")):
        assert run(capsys, *command, "--output", os.path.join(tmp_path, given)) == (0, "", "")
        assert (tmp_path / path).read_text() == text
    assert sorted(os.listdir(tmp_path)) == ["arm.py", "new", "puma560.py"]


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["--target", "c"], 2, "--target c makes 3 files: give --output a folder"),
        (["--target", "fortran"], 2, "fortran"),
        ([], 2, "target"),
        (["--target", "c", "--function", "grav"], 2, "grav"),
        (["--target", "sympy", "--float32"], 1, "leave float32 away"),
        (["--target", "c", "--output", "/nowhere/at/all"], 1, "can't be written: No such file or directory"),
        (["--target", "c", "--output", "/dev/null"], 1, "is no folder"),
    ],
)
def test_generate_refuses(arguments, status, complaint, capsys):
    command = ["generate", "puma560", *arguments]
    found, out, err = run(capsys, *command, *([] if "--function" in arguments else ["--function", "gravity"]))
    assert (found, out) == (status, "") and complaint in err and "Traceback" not in err


def test_generate_takes_parameters_friction_and_links(capsys, tmp_path):
    command = ["generate", "puma560", "--target", "c", "--function", "inverse_dynamics", "jacobian", "--friction"]
    command += ["--parameters", "m2", "rx2", "--parameters", "a2", "--link", "elbow", "--optimize", "none"]
    status, out, _ = run(capsys, *command, "--output", str(tmp_path), "--json")
    assert status == 0
    made = ["inverse_dynamics_constants", "inverse_dynamics", "jacobian_constants", "jacobian"]
    assert [row["function"] for row in json.loads(out)["rows"]] == made
    header = (tmp_path / "puma560.h").read_text()
    assert "// parameters (3): m2, rx2, a2 [SI]" in header and "6 signs" in header
    assert "void puma560_jacobian(const double q[6], const double constants[1], double jacobian[36]);" in header


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--parameters", "m2", "m99"],
            "puma560: the robot does not have the parameter 'm99'\n  its letters are g, a2",
        ),
        (["--friction"], "friction has no meaning for gravity"),
        (["--link", "hand"], "link has no meaning for gravity"),
        (["--base"], "base has no meaning for gravity\n  it belongs to regressor"),
        (["--function", "jacobian", "--link", "hand"], "there is no link 'hand'\n  its links are waist, shoulder"),
    ],
)
def test_generate_refuses_options_that_do_not_fit(arguments, complaint, capsys):
    command = ["generate", "puma560", "--target", "numpy", *arguments]
    command += [] if "--function" in arguments else ["--function", "gravity"]
    status, out, err = run(capsys, *command)
    assert (status, out) == (1, "") and complaint in err and "Traceback" not in err


def test_generate_leaves_nothing_half_written(capsys, tmp_path, monkeypatch):
    command = ["generate", "puma560", "--target", "c", "--function", "gravity", "--output", str(tmp_path)]
    (tmp_path / "puma560_selftest.c").mkdir()
    status, _, err = run(capsys, *command)
    assert status == 1 and "puma560_selftest.c: is a folder" in err
    assert os.listdir(tmp_path) == ["puma560_selftest.c"]
    (tmp_path / "puma560_selftest.c").rmdir()
    (tmp_path / "puma560.h").write_text("mine")
    chmod = os.chmod

    def full(path, mode):
        if "puma560.h" in str(path):
            raise OSError(28, "No space left on device")
        chmod(path, mode)

    monkeypatch.setattr(output.os, "chmod", full)
    status, _, err = run(capsys, *command)
    assert status == 1 and "No space left on device" in err
    assert os.listdir(tmp_path) == ["puma560.h"] and (tmp_path / "puma560.h").read_text() == "mine"


def test_generate_says_where_letters_lack_values(capsys):
    status, out, err = run(capsys, "generate", "planar2", "--target", "numpy")
    assert (status, out) == (1, "") and "no value is known of" in err


# bench


def test_bench_races_what_is_installed(capsys, short):
    status, out, _ = run(capsys, "bench", "puma560", "--function", "gravity", "--json")
    result = json.loads(out)
    assert status == 0
    assert list(result) == ["emdeg", "schema", "robot", "machine", "rows"]
    assert "Python" in result["machine"]
    keys = ["function", "implementation", "mode", "dtype", "nanoseconds", "ratio"]
    assert all(list(row) == keys for row in result["rows"])
    own = [row for row in result["rows"] if row["implementation"].startswith("emdeg")]
    assert [(r["mode"], r["dtype"]) for r in sorted(own, key=lambda r: (r["mode"], r["dtype"]))] == [
        ("batch", "float32"), ("batch", "float64"), ("scalar", "float64"),
    ]  # fmt: skip
    assert [row["ratio"] for row in own if row["dtype"] == "float64"] == [1.0, 1.0]


def test_bench_prints_a_table_and_notes_what_is_missing(capsys, short, monkeypatch):
    for name in ("pinocchio", "mujoco", "casadi", "dynibo"):
        monkeypatch.setitem(sys.modules, name, None)
    for rival in (rival_casadi, rival_casadi_c):
        monkeypatch.setattr(rival, "version", lambda name: "0")
    status, out, err = run(capsys, "bench", "puma560", "--function", "inverse_dynamics")
    assert status == 0
    assert re.search(r"inverse_dynamics +mode +dtype +nanoseconds +ratio\n", out)
    assert out.count("\n  emdeg ") == 3
    assert "note: pinocchio is not installed: pip install pin\n" in err
    assert "note: dynibo is not installed: pip install dynibo\n" in err
    assert "note: casadi is not installed: pip install casadi\n" in err
    assert "note: casadi's C is not installed: pip install casadi\n" in err
    assert run(capsys, "bench", "puma560", "--function", "gravity", "--quiet")[2] == ""


def test_bench_says_that_gcc_is_missing(capsys, short, monkeypatch):
    pytest.importorskip("casadi", reason="casadi is not installed: it generates no C")
    monkeypatch.setattr(rival_casadi_c.shutil, "which", lambda name: None)
    status, out, err = run(capsys, "bench", "puma560", "--function", "gravity")
    assert status == 0 and "generated C" not in out
    assert "note: casadi's C left out: gcc is not installed\n" in err


def test_bench_leaves_out_who_computes_something_else(capsys, short, monkeypatch):
    def wrong(robot, arm, function, states, batch):
        yield contest.Entrant("wrong", "scalar", "float64", 1, lambda: None, lambda: np.ones(6))
        raise RuntimeError("no such robot\nand so on")

    monkeypatch.setattr(rival_mujoco, "entrants", wrong)
    status, out, err = run(capsys, "bench", "puma560", "--function", "gravity")
    assert status == 0 and "wrong" not in out
    assert "note: wrong left out: it differs by" in err
    assert "note: mujoco left out: no such robot\n" in err


def with_possible_bodies(name):
    """A bundled robot with numbers for its letters that Pinocchio takes for bodies."""
    robot = emdeg.load(name)
    letters = [letter for letter, symbol in robot.symbols.items() if symbol.value is None]
    values = {"m": "3", "Lxx": "1.5", "Lyy": "1.4", "Lzz": "1.3", "g": "9.81"}
    return substituted(robot, {x: values.get(x.rstrip("0123456789"), f"0.1{k}") for k, x in enumerate(letters)})


@pytest.mark.parametrize("name", ["puma560", "scara", "stanford", "ur10"])
@pytest.mark.parametrize("name_of_rival", race.RIVALS)
def test_rivals_are_given_the_same_robot(name, name_of_rival):
    rival, package = race.RIVALS[name_of_rival]
    module = {"pin": "pinocchio"}.get(package, package)
    pytest.importorskip(module, reason=f"{module} is not installed: it races against nobody")
    robot = with_possible_bodies(name)
    known = numeric(robot)
    for function in ("inverse_dynamics", "mass_matrix", "inverse_dynamics_derivatives", "bias"):
        call = emdeg.compile(robot, function, backend="numpy", optimize="none")
        source = np.random.default_rng(3)
        states = States(tuple(source.uniform(-1, 1, (2, entry.size)) for entry in call.program.inputs))
        for entrant in rival.entrants(known, arm(known), function, states, states):
            entrant.run()
            expected = call(*states.rows[0])
            parts = expected if isinstance(expected, tuple) else (expected,)
            assert race._distance(entrant.answer(), np.concatenate([np.ravel(x) for x in parts])) < 1e-9


def test_medians_alternate():
    order = []
    entrants = [
        contest.Entrant(name, "scalar", "float64", 1, functools.partial(order.append, name), lambda: np.zeros(1))
        for name in "ab"
    ]
    times = contest.medians(entrants, rounds=3, seconds=0)
    assert len(times) == 2 and min(times) > 0
    assert order == [*"aabb", *"ab" * 3]

"""The command line: each command in this process and as a program, its exit status, its files, its silence."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import emdeg
from emdeg.cli import main, output
from emdeg.errors import InputError

PROGRAM = [sys.executable, "-c", "import sys; from emdeg.cli import main; sys.exit(main())"]
LETTERS = ["g=9.81", "a1=0.5", "m1=2", "rx1=0.2", "Izz1=0.1", "m2=1", "rx2=0.25", "Izz2=0.05"]
COMMANDS = [
    ["robots"],
    ["schema"],
    ["check", "planar2"],
    ["derive", "planar2"],
    ["evaluate", "planar2", "--q", "-0.1 0.2", "--set", *LETTERS],
    ["vectors", "planar2", "--number", "1"],
    ["count", "planar2", "--function", "gravity"],
    ["generate", "puma560", "--target", "numpy", "--function", "gravity"],
]
IDS = [command[0] for command in COMMANDS]


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def program(*arguments, **options):
    environment = os.environ | {"COLUMNS": "100", "PYTHONIOENCODING": "utf-8"} | options.pop("environment", {})
    return subprocess.run(
        [*PROGRAM, *arguments], capture_output=True, encoding="utf-8", env=environment, timeout=120, **options
    )


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_every_command_prints_its_result(command, capsys):
    status, out, err = run(capsys, *command)
    assert status == 0 and out.endswith("\n") and err == ""


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_every_command_runs_as_a_program(command):
    done = program(*command)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout) > 100 and "\x1b" not in done.stdout


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_json_is_all_there_is_on_standard_output(command, capsys):
    status, out, _ = run(capsys, *command, "--json")
    result = json.loads(out)
    assert status == 0
    assert (result["emdeg"], result["schema"]) == (emdeg.__version__, 1)


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_output_writes_the_whole_file_and_quiet_says_nothing(command, capsys, tmp_path):
    path = tmp_path / "result.txt"
    assert run(capsys, *command, "--output", str(path), "--quiet") == (0, "", "")
    assert path.read_text(encoding="utf-8").endswith("\n")
    assert os.listdir(tmp_path) == ["result.txt"]


@pytest.mark.parametrize("command", ["", *IDS])
def test_help_has_an_example(command, capsys):
    status, out, err = run(capsys, *filter(None, [command]), "--help")
    assert (status, err) == (0, "")
    assert re.search(rf"Example: emdeg {command or 'derive'}", out)


def test_help_loads_nothing_heavy():
    code = "import sys; from emdeg.cli import main; main(['--help']); print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0
    loaded = done.stdout.splitlines()[-1]
    assert [
        name for name in ("numpy", "flint", "llvmlite", "pint", "uncertainties", "sympy") if f"'{name}'" in loaded
    ] == []


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"{emdeg.__version__}\n", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["derive"],
        ["derive", "planar2", "scara"],
        ["derive", "planar2", "--formt", "json"],
        ["derive", "planar2", "--format", "word"],
        ["derive", "planar2", "--formulation", "newton"],
        ["derive", "planar2", "--element"],
        ["derive", "planar2", "--json", "--format", "latex"],
        ["derive", "planar2", "--json", "--numbers"],
        ["derive", "planar2", "--stage", "raw", "--format", "html"],
        ["derive", "planar2", "--stage", "raw", "--numbers"],
        ["vectors", "planar2", "--number", "many"],
        ["evaluate", "planar2", "--function", "bais"],
        ["check"],
    ],
)
def test_wrong_usage_ends_with_status_2(arguments, capsys):
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == "" and err.strip() and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["derive", "puma56"], "there is no robot and no file 'puma56'\n  bundled robots: iiwa, "),
        (["check", "nowhere.toml"], "nowhere.toml: there is no such file"),
        (
            ["derive", "planar2", "--element", "a11", "a13"],
            "planar2: there is no element 'a13'\n  there are a11 ... a22",
        ),
        (["derive", "planar2", "--stage", "raw", "--element", "tau1"], "stage raw has no element 'tau1'"),
        (["derive", "planar2", "--snap", "much"], "snapping tolerance 'much' can't be"),
        (["evaluate", "planar2", "--q", "1 2 3"], "--q: 3 numbers given, but the robot has 2 coordinates\n  give 2"),
        (["evaluate", "planar2", "--q", "1 x"], "--q: 'x' is no number"),
        (["evaluate", "planar2", "--qd", "1 nan"], "--qd: 'nan' is not finite"),
        (["evaluate", "planar2"], "no value is known of Izz1, Izz2, a1, g, m1, m2, rx1, rx2\n  give numbers, as --set"),
        (["evaluate", "planar2", "--set", "m1"], "--set: 'm1' sets no letter\n  write NAME=VALUE"),
        (["evaluate", "planar2", "--set", "m1=heavy"], "--set m1: 'heavy' is no number"),
        (["evaluate", "planar2", "--set", *LETTERS, "m7=1"], "there is no letter 'm7'"),
        (["vectors", "planar2", "--number", "0"], "0 test vectors can't be made"),
        (["derive", "planar2", "--output", "/nowhere/at/all"], "can't be written: No such file or directory"),
        (["derive", "planar2", "--output", "/"], "is a folder"),
    ],
)
def test_wrong_input_ends_with_one_message_and_status_1(arguments, complaint, capsys):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (1, "")
    assert err.startswith("emdeg: ") and complaint in err and "Traceback" not in err


def test_check_says_what_the_contract_says(capsys):
    result = json.loads(run(capsys, "check", "puma560", "--json")[1])
    assert result.keys() >= {
        "robot", "joints", "degrees_of_freedom", "moving_mass", "base_parameters", "snapped", "findings"
    }  # fmt: skip
    assert result["base_parameters"].keys() == {"structural", "structural_with_drives", "as_given"}
    assert all(f.keys() == {"severity", "where", "what", "why", "advice"} for f in result["findings"])


def test_strict_check_fails_on_errors(capsys):
    assert run(capsys, "check", "puma560")[0] == 0
    status, out, err = run(capsys, "check", "puma560", "--strict")
    assert status == 1 and re.search(r"triangle\s+inequality", out) and err == ""


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("a.tex", r"\documentclass"),
        ("a.md", "# planar2"),
        ("a.html", "<!DOCTYPE html>"),
        ("a.json", "{"),
        ("a.py", "# Equations of motion"),
        ("a.txt", "planar2  two links"),
        ("a", "planar2  two links"),
    ],
)
def test_the_ending_of_a_file_chooses_its_format(name, begin, capsys, tmp_path):
    path = tmp_path / name
    status, out, err = run(capsys, "derive", "planar2", "--output", str(path))
    assert (status, out, err) == (0, "", f"wrote {path}\n")
    assert path.read_text(encoding="utf-8").startswith(begin)


@pytest.mark.parametrize("format", ["text", "latex", "markdown", "html", "json", "sympy"])
def test_every_format_of_elements(format, capsys):
    status, out, err = run(capsys, "derive", "scara", "--element", "a11", "tau1", "(1,12)", "--format", format)
    assert (status, err) == (0, "") and len(out) > 50


def test_json_beside_a_file_in_another_format(capsys, tmp_path):
    path = tmp_path / "model.tex"
    status, out, _ = run(capsys, "derive", "planar2", "--json", "--output", str(path))
    assert status == 0 and json.loads(out)["robot"] == "planar2"
    assert path.read_text(encoding="utf-8").startswith(r"\documentclass")


def test_elements_and_numbers(capsys):
    assert run(capsys, "derive", "puma560", "--element", "a55", "a26")[1] == "a55 = Im5 + I17\na26 = I23·s4·s5\n"
    assert run(capsys, "derive", "puma560", "--element", "a55", "--numbers")[1] == "a55 = 0.17964\n"
    assert run(capsys, "derive", "puma560", "--ascii", "--element=a26")[1] == "a26 = I23*s4*s5\n"


def test_the_default_output_of_the_puma(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = run(capsys, "derive", "puma560")
    assert max(map(len, out.splitlines())) <= 80
    for part in (
        "puma560", "joints   6 (R R R R R R)", "I5     0.372     ± 0.041*     kg m²", "a24 = -I15·s4·s5", "b134 = b124",
        "c13 = b123/2", "zero: 46 of 153 elements", "base parameters: 24",
        "126 in all: 42 zero, 84 not zero, of these 35 different up to sign",
    ):  # fmt: skip
        assert part in out, part


@pytest.mark.parametrize("stage", ["raw", "combined", "christoffel", "final"])
def test_stages(stage, capsys):
    status, out, _ = run(capsys, "derive", "puma3", "--stage", stage)
    assert status == 0 and out.startswith(f"puma3, stage {stage}") and "multiplications" in out
    _, out, _ = run(capsys, "derive", "puma3", "--stage", stage, "--json")
    result = json.loads(out)
    assert result["operations"]["paper"].keys() == {"A", "B", "C", "g", "total"}
    assert {"a11", "b112", "c12", "g2"} <= result["elements"].keys()


def test_stage_of_single_elements(capsys):
    assert run(capsys, "derive", "puma3", "--stage", "final", "--element", "a13", "g1")[1] == "a13 = I6·s23\ng1 = 0\n"


def test_proof(capsys):
    assert "proven: kane, lagrange, newton-euler give the same" in run(capsys, "derive", "planar2", "--prove")[1]
    assert "proven" in json.loads(run(capsys, "derive", "planar2", "--prove", "--json")[1])["proof"]
    _, out, err = run(capsys, "derive", "planar2", "--prove", "--format", "latex")
    assert "proven" in err and "proven" not in out


@pytest.mark.parametrize("formulation", ["kane", "lagrange", "newton-euler"])
def test_formulations_give_the_same(formulation, capsys):
    _, out, _ = run(capsys, "derive", "scara", "--formulation", formulation, "--element", "a11", "b112")
    assert out == "a11 = I1 + 2·I2·c2\nb112 = -2·I2·s2\n"


def test_evaluate_gives_the_model_s_numbers(capsys):
    values = {name: float(value) for name, value in (letter.split("=") for letter in LETTERS)}
    expected = emdeg.derive("planar2").evaluate([-0.1, 0.2], [1, 2], [3, 4], values=values)
    state = ["--q", "-0.1, 0.2", "--qd", "1 2", "--qdd", "[3, 4]"]
    _, out, _ = run(capsys, "evaluate", "planar2", *state, "--json", "--set", *LETTERS)
    result = json.loads(out)
    for name in ("mass_matrix", "coriolis", "centrifugal", "gravity", "coriolis_matrix", "bias", "torque"):
        assert result[name] == getattr(expected, name).tolist()
    _, out, _ = run(
        capsys, "evaluate", "planar2", *state, "--json", "--function", "inverse_dynamics", "bias", "--set", *LETTERS
    )
    assert json.loads(out)["inverse_dynamics"] == expected.torque.tolist()
    assert "gravity" not in json.loads(out)


def test_letters_may_have_units(capsys):
    letters = ["m1=2000 g" if letter == "m1=2" else letter for letter in LETTERS]
    one, other = (run(capsys, "evaluate", "planar2", "--set", *chosen)[1] for chosen in (LETTERS, letters))
    assert one == other


def test_a_state_at_rest_at_zero_needs_no_options(capsys):
    status, out, _ = run(capsys, "evaluate", "planar2", "--set", *LETTERS, "--function", "gravity")
    assert status == 0 and re.search(r"gravity g\n +11\.281\d+ +2\.4525\n", out)


def test_vectors_are_exact(capsys):
    result = json.loads(run(capsys, "vectors", "planar2", "--number", "3")[1])
    assert len(result["states"]) == 3
    assert all(re.fullmatch(r"-?\d+(/\d+)?", text) for text in result["states"][0]["torque"])


def test_a_file_is_replaced_at_once_or_kept(capsys, tmp_path, monkeypatch):
    path = tmp_path / "model.txt"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(InputError, match="can't be written"):
        output.write("half \ud800", path)
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["model.txt"]
    monkeypatch.setattr(os, "replace", interrupt)
    assert run(capsys, "derive", "planar2", "--output", str(path))[0] == 130
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["model.txt"]
    monkeypatch.undo()
    assert run(capsys, "derive", "planar2", "--output", str(path))[0] == 0
    assert path.read_text(encoding="utf-8").startswith("planar2")
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o640


def interrupt(*_, **__):
    raise KeyboardInterrupt


def test_a_link_stays_a_link(capsys, tmp_path):
    (tmp_path / "real.txt").write_text("old")
    try:
        (tmp_path / "link.txt").symlink_to("real.txt")
    except OSError:
        pytest.skip("no symbolic links here")
    assert run(capsys, "derive", "planar2", "--output", str(tmp_path / "link.txt"))[0] == 0
    assert (tmp_path / "link.txt").is_symlink() and (tmp_path / "real.txt").read_text(encoding="utf-8") != "old"


def test_an_interrupt_ends_with_status_130(capsys, monkeypatch):
    monkeypatch.setattr("emdeg.model.derive.derive", interrupt)
    assert run(capsys, "derive", "planar2") == (130, "", "emdeg: interrupted, nothing was written\n")


@pytest.mark.skipif(os.name != "posix", reason="pipes differ elsewhere")
def test_a_reader_that_has_enough_is_no_error():
    with subprocess.Popen(
        [*PROGRAM, "derive", "puma560", "--format", "html"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == b""


@pytest.mark.skipif(os.name != "posix", reason="encodings differ elsewhere")
def test_a_terminal_without_unicode_gets_ascii():
    done = program("derive", "puma560", environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0 and done.stdout.isascii()
    assert "a26 = I23*s4*s5" in done.stdout and "\\u" not in done.stdout


def test_names_from_files_cannot_steer_the_terminal(capsys, tmp_path):
    path = tmp_path / "arm.toml"
    name = r"\u001b[31mred"
    path.write_text(
        f'schema = 1\nname = "{name}"\nconvention = "modified-dh"\ngravity = [0, 0, 0]\n'
        '[[joint]]\nname = "\\u001b[2J"\nalpha = 0\na = 0\nd = 0\n'
    )
    for command in ("derive", "check"):
        status, out, err = run(capsys, command, str(path))
        assert status == 0 and "\x1b" not in out + err
    path.write_text(path.read_text().replace("alpha", '"\\u001b[2J"'))
    status, out, err = run(capsys, "derive", str(path))
    assert status == 1 and "\x1b" not in err


def test_progress_is_shown_on_terminals_only(capsys, monkeypatch):
    steps = []
    with output.progress(quiet=False) as step:
        step("nothing")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with output.progress(quiet=False) as step:
        step("frames [bold]and[/bold] letters")
        steps.append(step)
    assert steps


def test_the_program_is_declared():
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    assert 'emdeg = "emdeg.cli:main"' in text

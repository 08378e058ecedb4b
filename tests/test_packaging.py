"""What a user installs: archives that carry everything, names that load when first used, bounded dependencies."""

import ast
import email
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import emdeg

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "emdeg"
CORE = {"cyclopts", "llvmlite", "numpy", "pint", "python-flint", "rich", "uncertainties"}


@pytest.fixture(scope="session")
def archives(tmp_path_factory):
    """A source archive, and a wheel that was built from it."""
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def python(program, **options):
    """What a new interpreter prints when it runs `program`."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def sources(folder):
    """The files of a folder that belong to the project, as paths from the repository's root."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not {"__pycache__", "_build", "jupyter_execute"} & set(path.parts)
    }


def test_wheel_carries_the_package_and_its_data(archives):
    with zipfile.ZipFile(archives[1]) as wheel:
        carried = {f"src/{name}" for name in wheel.namelist() if name.startswith("emdeg/")}
        others = {name.split("/")[0] for name in wheel.namelist() if not name.startswith("emdeg/")}
    assert carried == sources(PACKAGE)
    assert "src/emdeg/py.typed" in carried
    assert any(re.fullmatch(r"src/emdeg/robots/\w+\.toml", name) for name in carried)
    assert others == {f"emdeg-{emdeg.__version__}.dist-info"}


def test_source_archive_carries_all_that_is_needed_to_build_and_test(archives):
    with tarfile.open(archives[0]) as archive:
        carried = {name.split("/", 1)[1] for name in archive.getnames()}
    expected = {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".ci/run"}
    for folder in ("src", "tests", "docs", "benchmarks", "examples"):
        expected |= sources(ROOT / folder)
    assert expected <= carried


def test_metadata(archives):
    with zipfile.ZipFile(archives[1]) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(wheel.read(name))
        entry_points = wheel.read(name.replace("METADATA", "entry_points.txt")).decode()
    assert metadata["Name"] == "emdeg"
    assert metadata["Version"] == emdeg.__version__
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Requires-Python"] == ">=3.11"
    assert {"test", "sympy", "bench", "docs"} <= set(metadata.get_all("Provides-Extra"))
    assert "emdeg = emdeg.cli:main" in entry_points


def test_dependencies_are_few_and_bounded():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]} == CORE
    for line in project["dependencies"]:
        assert re.fullmatch(r"[\w-]+>=[\d.]+,<[\d.]+", line), f"{line} lacks a bound"


def test_installed_wheel_finds_its_data(archives, tmp_path):
    target = str(tmp_path / "installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target, str(archives[1])]
    subprocess.run(pip, check=True)
    program = "import emdeg as e; print(e.__file__); print(e.load('planar2').name, *(x.name for x in e.bundled()))"
    lines = python(program, cwd=tmp_path, env=os.environ | {"PYTHONPATH": target}).splitlines()
    assert lines[0].startswith(target)
    assert lines[1].startswith("planar2 ") and "puma560" in lines[1]


def test_public_names_are_said_alike_in_three_places():
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    homes = {alias.name: line.module for line in typed.body for alias in line.names}
    assert homes == emdeg._HOMES
    assert sorted([*homes, "__version__"]) == sorted(emdeg.__all__)


def test_public_names_exist_and_others_do_not():
    for name in emdeg.__all__:
        assert getattr(emdeg, name) is not None
        assert name in dir(emdeg)
    assert not hasattr(emdeg, "nonsense")


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("emdeg", CORE | {"flint", "sympy", "scipy"}),
        ("emdeg.cli", {"llvmlite", "numpy", "pint", "sympy", "scipy", "mujoco", "pinocchio", "hypothesis"}),
    ],
)
def test_import_leaves_heavy_packages_alone(module, forbidden):
    loaded = python(f"import sys, {module}; print(*{{name.split('.')[0] for name in sys.modules}})").split()
    assert not forbidden & set(loaded)

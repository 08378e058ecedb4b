"""The plan of the house, checked on the source: who may import whom, and how large a thing may be."""

import ast
import re
import statistics
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

FLOORS = [
    {"errors", "version", "cache"},
    {"algebra", "quantity", "program"},
    {"robot"},
    {"formats", "mechanics", "backends"},
    {"model", "consistency", "estimate"},
    {"compiler"},
    {"significance", "measurement", "identification", "simulation"},
    {"diagnosis"},
    {"report", "explorer"},
    {"cli"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}

# Of the rooms below them, these know only some: the mechanics neither polynomials nor programs, a format only the
# robot, a back end only the program.
KNOWS = {
    "mechanics": {"errors", "quantity", "robot"},
    "formats": {"errors", "version", "quantity", "robot"},
    "backends": {"errors", "version", "cache", "program"},
}

# In these rooms each of the named files (or `name_*`, or folder `name`) stands alone: it reaches no other of them, not
# even by way of a file that they share.
ALONE = {
    "formats": {"dh", "urdf", "xacro", "mjcf"},
    "backends": {"numpy", "llvm", "c", "cuda", "jax", "casadi", "sympy", "matlab", "rust"},
}

# Packages that start quickly and are always there; any other is imported inside the function that needs it.
LIGHT = {"numpy", "flint", "uncertainties", "cyclopts", "rich"}
DISTRIBUTION = {"flint": "python-flint", "pinocchio": "pin", "mathcore": "math-core"}  # where the names differ

FILE_LIMIT, MEDIAN_LIMIT, FUNCTION_LIMIT = 400, 160, 60
VAGUE = re.compile(r"_?(utils?|helpers?|commons?|managers?|misc|tools?)")


@dataclass(frozen=True)
class Import:
    """One imported module: its dotted name, the line, whether inside a function."""

    target: str
    line: int
    inner: bool


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def room(self) -> str:
        return self.name.split(".")[1] if "." in self.name else ""

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


class House:
    """All modules of a package, and what they import."""

    def __init__(self, folder: Path) -> None:
        self.modules: dict[str, Module] = {}
        for path in sorted(folder.rglob("*.py")):
            parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.modules[name] = Module(name, path)
        self.imports = {name: list(self.read_imports(module)) for name, module in self.modules.items()}

    def read_imports(self, module: Module) -> Iterator[Import]:
        inside = {id(node) for function in module.functions() for node in ast.walk(function)}
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = self.absolute(module, node)
                targets = [f"{base}.{x.name}" if f"{base}.{x.name}" in self.modules else base for x in node.names]
            else:
                continue
            for target in dict.fromkeys(targets):
                yield Import(target, node.lineno, id(node) in inside)

    @staticmethod
    def absolute(module: Module, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.name.split(".")
        parts = parts[: len(parts) - node.level + module.is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])

    def own(self, name: str) -> list[str]:
        """The modules of the package that module `name` imports."""
        return [found.target for found in self.imports[name] if found.target.split(".")[0] == "emdeg"]

    def reached(self, start: str, inside: str = "") -> set[str]:
        """All modules that `start` imports, also by way of others, as far as they stand in room `inside`."""
        seen: set[str] = set()
        ahead = [start]
        while ahead:
            for target in self.own(ahead.pop()):
                if target in self.modules and target not in seen and inside in (self.modules[target].room, ""):
                    seen.add(target)
                    ahead.append(target)
        return seen

    def rooms(self) -> set[str]:
        return {module.room for module in self.modules.values()} - {""}


def stands_alone(module: Module) -> str:
    """The format or target that a module belongs to, empty if it is shared."""
    if "." not in module.name or module.room not in ALONE or module.name.count(".") < 2:
        return ""
    file = module.name.split(".")[2]
    return next((name for name in ALONE[module.room] if file == name or file.startswith(f"{name}_")), "")


def wrong_floors(house: House) -> Iterator[str]:
    """Imports that do not lead down."""
    for room in house.rooms() - FLOOR.keys():
        yield f"room {room} stands on no floor of the plan"
    for name, module in house.modules.items():
        for target in house.own(name) if module.room in FLOOR else ():
            room = target.split(".")[1] if "." in target else ""
            if not room:
                yield f"{name} imports emdeg itself, which is above all"
            elif room != module.room and FLOOR.get(room, 99) >= FLOOR[module.room]:
                yield f"{name} imports {target}, which is not below it"
            elif room != module.room and room not in KNOWS.get(module.room, {room}):
                yield f"{name} imports {target}: {module.room} does not know {room}"


def cycles(house: House) -> Iterator[str]:
    for name in house.modules:
        if name in house.reached(name):
            yield f"{name} imports itself, by way of others"


def acquaintances(house: House) -> Iterator[str]:
    """Formats that reach another format, back ends that reach another back end."""
    for name, module in house.modules.items():
        mine = stands_alone(module)
        for target in sorted(house.reached(name, inside=module.room)) if mine else ():
            other = stands_alone(house.modules[target])
            if other not in ("", mine):
                yield f"{name} reaches {target}: {mine} and {other} shall not know each other"


def misplaced_imports(house: House, declared: set[str]) -> Iterator[str]:
    """Heavy packages at the top of a file, anything else inside a function, packages that nobody declared."""
    for name, module in house.modules.items():
        for found in house.imports[name]:
            package = found.target.split(".")[0]
            where = f"{name}:{found.line} imports {found.target}"
            foreign = package != "emdeg" and package not in sys.stdlib_module_names
            if foreign and DISTRIBUTION.get(package, package) not in declared:
                yield f"{where}, which pyproject.toml does not declare"
            elif foreign and not found.inner and package not in LIGHT:
                yield f"{where} at the top; heavy packages are imported in the function that needs them"
            elif not foreign and found.inner and module.room != "cli":
                yield f"{where} inside a function; only heavy or optional packages are"


def oversized(house: House) -> Iterator[str]:
    lengths = {name: len(module.text.splitlines()) for name, module in house.modules.items()}
    yield from (f"{name} has {length} lines" for name, length in lengths.items() if length > FILE_LIMIT)
    median = statistics.median(length for name, length in lengths.items() if not house.modules[name].is_package)
    if median > MEDIAN_LIMIT:
        yield f"the median file has {median} lines"
    for name, module in house.modules.items():
        for function in module.functions():
            length = (function.end_lineno or 0) - function.lineno + 1
            if length > FUNCTION_LIMIT:
                yield f"{name}.{function.name} has {length} lines"


def vague_names(house: House) -> Iterator[str]:
    for name, module in house.modules.items():
        classes = (node.name for node in ast.walk(module.tree) if isinstance(node, ast.ClassDef))
        for word in [name.split(".")[-1], *(re.sub(r".*(?=[A-Z])", "", title).lower() for title in classes)]:
            if any(VAGUE.fullmatch(part) for part in word.split("_")):
                yield f"{name}: {word!r} says nothing about its job"


def definitions_in_facades(house: House) -> Iterator[str]:
    """What an `__init__.py` holds beside its docstring, imports and lists of names."""
    for name, module in house.modules.items():
        for node in module.tree.body if module.is_package else ():
            allowed = isinstance(node, ast.Import | ast.ImportFrom)
            allowed |= isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            allowed |= isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            if name == "emdeg":
                allowed |= isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOMES"
                allowed |= isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            if not allowed:
                yield f"{name} defines something in line {node.lineno}"


def declared_packages() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in project["optional-dependencies"].values() for line in extra)]
    return {re.match(r"[\w-]+", line)[0] for line in lines}


RULES = [wrong_floors, cycles, acquaintances, oversized, vague_names, definitions_in_facades]


@pytest.fixture(scope="module")
def emdeg_house():
    return House(ROOT / "src" / "emdeg")


@pytest.mark.parametrize("rule", RULES)
def test_source_keeps(rule, emdeg_house):
    assert list(rule(emdeg_house)) == []


def test_source_imports_packages_where_they_belong(emdeg_house):
    assert list(misplaced_imports(emdeg_house, declared_packages())) == []


def test_all_of_the_source_is_read(emdeg_house):
    assert {"emdeg", "emdeg.errors", "emdeg.robot", "emdeg.cli"} <= emdeg_house.modules.keys()


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "examples"])
def test_other_files_keep_their_size_and_names(folder):
    for path in (ROOT / folder).rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= FILE_LIMIT, path
        assert not VAGUE.fullmatch(path.stem), path


def build(folder: Path, files: dict[str, str]) -> House:
    package = folder / "emdeg"
    for name, text in files.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return House(package)


@pytest.mark.parametrize(
    ("rule", "files", "complaint"),
    [
        (wrong_floors, {"robot.py": "import emdeg.model"}, "emdeg.robot imports emdeg.model, which is not below it"),
        (wrong_floors, {"robot.py": "def f():\n    from emdeg import cli", "cli.py": ""}, "imports emdeg.cli"),
        (wrong_floors, {"program/a.py": "from ..algebra import ring"}, "imports emdeg.algebra"),
        (wrong_floors, {"robot.py": "from . import errors, model", "errors.py": "", "model.py": ""}, "emdeg.model"),
        (wrong_floors, {"cli.py": "from emdeg import load"}, "imports emdeg itself"),
        (wrong_floors, {"mechanics/a.py": "from emdeg.algebra import Ring"}, "mechanics does not know algebra"),
        (wrong_floors, {"attic/a.py": ""}, "room attic stands on no floor"),
        (cycles, {"model/a.py": "from . import b", "model/b.py": "def f(): import emdeg.model.a"}, "imports itself"),
        (cycles, {"model/__init__.py": "from emdeg.model.a import x", "model/a.py": "import emdeg.model"}, "itself"),
        (acquaintances, {"formats/dh.py": "from emdeg.formats import urdf", "formats/urdf.py": ""}, "dh and urdf"),
        (
            acquaintances,
            {
                "backends/c.py": "from .text import x",
                "backends/text.py": "from .cuda_text import x",
                "backends/cuda_text.py": "",
            },
            "c and cuda",
        ),
        (oversized, {"a.py": "x = 1\n" * 401}, "emdeg.a has 401 lines"),
        (oversized, {"a.py": "x = 1\n" * 161}, "median file has 161 lines"),
        (oversized, {"a.py": "class A:\n    def f():\n" + "        x = 1\n" * 60}, "emdeg.a.f has 61 lines"),
        (vague_names, {"model/utils.py": ""}, "'utils' says nothing"),
        (vague_names, {"model/string_helpers.py": ""}, "says nothing"),
        (vague_names, {"robot.py": "class JointManager: ..."}, "'manager' says nothing"),
        (definitions_in_facades, {"model/__init__.py": '"""Doc."""\n\ndef f(): ...'}, "emdeg.model defines"),
    ],
)
def test_a_broken_rule_is_found(rule, files, complaint, tmp_path):
    assert any(complaint in found for found in rule(build(tmp_path, files)))


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"model/a.py": "import scipy.optimize"}, "at the top"),
        ({"model/a.py": "def f():\n    import json"}, "inside a function"),
        ({"model/a.py": "def f():\n    import pandas"}, "does not declare"),
    ],
)
def test_a_misplaced_import_is_found(files, complaint, tmp_path):
    assert any(complaint in found for found in misplaced_imports(build(tmp_path, files), {"scipy", "numpy"}))


def test_a_sound_house_passes(tmp_path):
    house = build(
        tmp_path,
        {
            "__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from emdeg.robot import Robot\n",
            "robot.py": "from emdeg.errors import InputError\nimport numpy\n",
            "errors.py": "class EmdegError(Exception): ...\n",
            "formats/dh.py": "from emdeg.formats.angle import x\nfrom emdeg.robot import Robot\n",
            "formats/urdf.py": "from emdeg.formats.angle import x\ndef f():\n    import scipy\n",
            "formats/angle.py": "",
            "formats/__init__.py": '"""Doc."""\nfrom emdeg.formats.dh import y\n__all__ = ["y"]\n',
        },
    )
    assert [found for rule in RULES for found in rule(house)] == []
    assert list(misplaced_imports(house, {"scipy", "numpy"})) == []

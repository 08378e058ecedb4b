"""Pinocchio's algorithms in a C++ loop: `pinocchio_loop.cpp` built and run, with robots handed over as text."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "tests"))
from independent import Arm  # noqa: E402

DEFINITIONS = [
    "BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "BOOST_FUSION_INVOKE_MAX_ARITY=12",
]  # fmt: skip
"""What Pinocchio's own CMake files define."""
EIGEN = ["/usr/include/eigen3", "/usr/local/include/eigen3", "/opt/homebrew/include/eigen3"]
Array = np.ndarray[Any, Any]


def package() -> Path:
    """Where the package `pin` keeps headers and libraries."""
    found = find_spec("cmeel")
    folder = None if found is None or found.origin is None else Path(found.origin).parents[1] / "cmeel.prefix"
    if folder is None or not (folder / "include" / "pinocchio").is_dir():
        sys.exit("Pinocchio's headers are missing: pip install pin")
    return folder


def eigen() -> Path:
    """Where Eigen's headers are; the package `casadi` brings some."""
    casadi = find_spec("casadi")
    brought = "" if casadi is None or casadi.origin is None else str(Path(casadi.origin).parent / "include" / "eigen3")
    for place in filter(None, [os.environ.get("EIGEN", ""), *EIGEN, brought]):
        if (Path(place) / "Eigen" / "Core").is_file():
            return Path(place)
    sys.exit("Eigen's headers are missing: apt-get install libeigen3-dev, or name their folder in EIGEN")


def built(folder: Path) -> dict[str, Path]:
    """The program for each way to build it, unless it is there; the two compilers run side by side."""
    if (compiler := shutil.which("g++")) is None:
        sys.exit("g++ is missing")
    prefix = package()
    common = [compiler, "-std=c++17", "-O3", "-DNDEBUG", "-w", *(f"-D{name}" for name in DEFINITIONS)]
    common += [f"-I{prefix / 'include'}", f"-I{eigen()}", str(HERE / "pinocchio_loop.cpp")]
    library = prefix / "lib"
    ways = {
        "wheel": ["-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION", f"-L{library}", "-lpinocchio_default",
                  "-lboost_serialization", f"-Wl,-rpath,{library}"],
        "native": ["-march=native"],
    }  # fmt: skip
    running = {
        way: subprocess.Popen([*common, *more, "-o", str(folder / way)])
        for way, more in ways.items()
        if not (folder / way).exists()
    }
    for way, process in running.items():
        if process.wait():
            sys.exit(f"g++ failed ({way})")
    return {way: folder / way for way in ways}


class Loop:
    """A running program that holds a robot and its states."""

    def __init__(self, program: Path, text: str) -> None:
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._write(text)

    def _write(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def _line(self) -> list[float]:
        assert self.process.stdout is not None
        return [float(word) for word in self.process.stdout.readline().split()]

    def show(self, algorithm: str, count: int) -> Array:
        """The results at all states, a row each."""
        self._write(f"show {algorithm}\n")
        return np.array([self._line() for _ in range(count)])

    def time(self, algorithm: str) -> float:
        """Nanoseconds of processor time per state."""
        self._write(f"time {algorithm}\n")
        return self._line()[0]

    def close(self) -> None:
        self.process.communicate()


def described(arm: Arm) -> str:
    """A chain of revolute joints about z as text for the program."""
    lines = [str(len(arm.joints)), words(arm.gravity)]
    for k, joint in enumerate(arm.joints):
        assert joint.type == "revolute" and np.array_equal(joint.axis, [0, 0, 1])
        (body,) = (body for body in arm.bodies if body.joint == k)
        moments = [body.inertia[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
        numbers = [*joint.placement[:3].ravel(), joint.armature, body.mass, *body.center, *moments]
        lines.append(f"{joint.parent} {words(numbers)}")
    return "\n".join(lines) + "\n"


def words(numbers: Any) -> str:
    return " ".join(repr(float(x)) for x in numbers)

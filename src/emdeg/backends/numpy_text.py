"""NumPy as source text: pure functions of arrays that need neither emdeg nor a compiler."""

from collections.abc import Mapping, Sequence

from emdeg.backends.arrays import array_module
from emdeg.backends.vectors import Vector
from emdeg.program import Program


def generate(
    programs: Sequence[Program],
    robot: str,
    source: str,
    *,
    float32: bool = False,
    vectors: Mapping[str, Sequence[Vector]] | None = None,
) -> dict[str, str]:
    """A module; arrays keep their precision, or become single with `float32`; `vectors` are not used."""
    return array_module(programs, robot, source, "numpy", "np", float32)

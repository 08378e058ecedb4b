"""All targets of source text, by name."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from emdeg.backends import c, casadi, cuda, jax, matlab, numpy_text, rust, sympy
from emdeg.backends.names import remark
from emdeg.backends.vectors import Vector
from emdeg.errors import InputError
from emdeg.program import Program


class Generate(Protocol):
    """What a target offers: programs become texts by file name, in a stable order.

    `vectors`, by a program's name, become a self-test where the target has one. UnsupportedError if the target has no
    single precision and `float32` is asked for.
    """

    def __call__(
        self,
        programs: Sequence[Program],
        robot: str,
        source: str,
        *,
        float32: bool = False,
        vectors: Mapping[str, Sequence[Vector]] | None = None,
    ) -> dict[str, str]: ...


TARGETS: dict[str, Generate] = {
    "c": c.generate,
    "cuda": cuda.generate,
    "jax": jax.generate,
    "casadi": casadi.generate,
    "sympy": sympy.generate,
    "matlab": matlab.generate,
    "rust": rust.generate,
    "numpy": numpy_text.generate,
}


def target(name: str) -> Generate:
    """The target of that name; InputError with the list where there is none."""
    if name not in TARGETS:
        raise InputError(f"there is no target {remark(name, 40)!r}", advice=f"targets: {', '.join(TARGETS)}")
    return TARGETS[name]

"""A program that was found for a task, with its proof."""

from dataclasses import dataclass

from emdeg.compiler.proof import Certificate
from emdeg.program import Program


@dataclass(frozen=True)
class Built:
    """A program, the proof that it is right, and where it comes from: recorded, searched, remembered or shipped."""

    program: Program
    certificate: Certificate
    origin: str

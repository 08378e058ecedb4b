"""What a program is: expressions, straight-line code, its cost, its verifier."""

from emdeg.program.graph import Graph, Reference, Scalar
from emdeg.program.linearize import linearize
from emdeg.program.program import Cost, Input, Instruction, Output, Program, ProgramError

__all__ = [
    "Cost",
    "Graph",
    "Input",
    "Instruction",
    "Output",
    "Program",
    "ProgramError",
    "Reference",
    "Scalar",
    "linearize",
]

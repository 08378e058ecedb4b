"""The options that several commands share, and what is wrong usage."""

from typing import Annotated, Literal

from cyclopts import Parameter


class UsageError(Exception):
    """Options that don't go together: exit status 2."""


RobotName = Annotated[str, Parameter(help="A bundled robot's name, or the path of a robot file.")]
Json = Annotated[bool, Parameter(name="--json", negative=(), help="Print the result as JSON, and nothing else.")]
Output = Annotated[
    str | None, Parameter(name="--output", metavar="FILE", help="Write the result to this file, whole or not at all.")
]
Quiet = Annotated[bool, Parameter(name="--quiet", negative=(), help="No progress, notes and warnings.")]
Snap = Annotated[
    str | None,
    Parameter(
        name="--snap",
        metavar="RAD",
        help="Take angles within so many rad of a right angle as right; 0: only exact ones.",
    ),
]
FunctionName = Literal[
    "inverse_dynamics",
    "mass_matrix",
    "coriolis_matrix",
    "bias",
    "gravity",
    "forward_dynamics",
    "kinetic_energy",
    "potential_energy",
    "regressor",
    "forward_kinematics",
    "jacobian",
    "explicit_model",
    "explicit_model_absolute",
    "inverse_dynamics_derivatives",
    "friction",
]
FunctionNames = Annotated[
    tuple[FunctionName, ...],
    Parameter(name="--function", consume_multiple=(1, None), negative=(), help="These functions; may be repeated."),
]
Minimize = Annotated[
    Literal["operations", "instructions"],
    Parameter(name="--minimize", help="instructions: a product that one addition uses is one with it."),
]
Optimize = Annotated[
    Literal["none", "fast", "thorough"],
    Parameter(help="How long to search: not at all, seconds, or a minute and more.", show_default=True),
]

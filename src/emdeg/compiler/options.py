"""What may be asked beside a function's name: free parameters, friction, a link, base parameters, what is minimized."""

from dataclasses import dataclass

from emdeg.compiler.price import PRICES, Minimized
from emdeg.errors import InputError
from emdeg.formats.grammar import nearest
from emdeg.robot import Robot

FRICTION = ("inverse_dynamics", "forward_dynamics", "inverse_dynamics_derivatives")
"""The functions that friction changes; `friction` is friction alone."""
LINK = ("forward_kinematics", "jacobian")
BASE = ("regressor",)


@dataclass(frozen=True)
class Options:
    """How functions are wanted; a function that an option doesn't bear on is computed as without it."""

    parameters: tuple[str, ...] = ()
    friction: bool = False
    link: str | None = None
    base: bool = False
    minimize: Minimized = "operations"

    def on(self, function: str) -> "Options":
        """Those that bear on a function."""
        return Options(
            self.parameters,
            self.friction and function in FRICTION,
            self.link if function in LINK else None,
            self.base and function in BASE,
            self.minimize,
        )

    def words(self, functions: tuple[str, ...]) -> tuple[str, ...]:
        """The functions with all that changes their program, as a key; friction is no part of what is kept."""
        words = list(functions)
        if self.link is not None and set(functions) & set(LINK):
            words.append(f"of {self.link}")
        if self.base and set(functions) & set(BASE):
            words.append("by base parameters")
        if self.minimize != "operations":
            words.append(f"fewest {self.minimize}")
        return (*words, *(f"free {name}" for name in self.parameters))


PLAIN = Options()


def checked(robot: Robot, functions: tuple[str, ...], options: Options) -> Options:
    """The options, if they go with the robot and the functions; InputError where not, with what there is."""
    for what, wanted, fit in (
        ("friction", options.friction, FRICTION),
        ("link", options.link is not None, LINK),
        ("base", options.base, BASE),
    ):
        if wanted and not set(functions) & set(fit):
            message = f"{what} has no meaning for {', '.join(functions)}"
            raise InputError(message, where=robot.name, advice=f"it belongs to {', '.join(fit)}")
    if options.minimize not in PRICES:
        raise InputError(f"what is {options.minimize!r}, to be minimized?", advice=f"choose {', '.join(PRICES)}")
    if options.link is not None:
        link_index(robot, options.link)
    _check_parameters(robot, options.parameters)
    return options


def link_index(robot: Robot, name: str) -> int:
    """The link of that name, or that the joint of that name moves; InputError with the list where there is none."""
    for index, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        if name in (joint.name, link.name):
            return index
    names = tuple(link.name for link in robot.links)
    advice = f"its links are {', '.join(names)}{nearest(name, names)}"
    raise InputError(f"there is no link {name!r}", where=robot.name, advice=advice)


def _check_parameters(robot: Robot, parameters: tuple[str, ...]) -> None:
    unknown = [name for name in parameters if name not in robot.symbols]
    if unknown:
        listed = ", ".join(repr(name) for name in unknown)
        kind = "the parameter" if len(unknown) == 1 else "the parameters"
        letters = tuple(robot.symbols)
        advice = f"its letters are {', '.join(letters)}{nearest(unknown[0], letters)}"
        raise InputError(f"the robot does not have {kind} {listed}", where=robot.name, advice=advice)
    for name in set(parameters):
        if parameters.count(name) > 1:
            raise InputError(f"the parameter {name} is named twice", where=robot.name)

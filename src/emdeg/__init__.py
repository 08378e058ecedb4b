"""emdeg: from the description of a robot to its explicit equations of motion, exact and readable.

    robot = emdeg.load("puma560")
    model = emdeg.derive(robot)        # A(q) qdd + B(q) [qd qd] + C(q) [qd²] + g(q) = tau

The names below load their rooms when they are first used, so that `import emdeg` itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.errors import EmdegError, InputError, ProofError, UnsupportedError
    from emdeg.formats import bundled, load
    from emdeg.model import Model, derive
    from emdeg.robot import Robot

__all__ = [
    "EmdegError",
    "InputError",
    "Model",
    "ProofError",
    "Robot",
    "UnsupportedError",
    "__version__",
    "bundled",
    "derive",
    "load",
]

_HOMES = {
    "EmdegError": "emdeg.errors",
    "InputError": "emdeg.errors",
    "Model": "emdeg.model",
    "ProofError": "emdeg.errors",
    "Robot": "emdeg.robot",
    "UnsupportedError": "emdeg.errors",
    "bundled": "emdeg.formats",
    "derive": "emdeg.model",
    "load": "emdeg.formats",
}

if not TYPE_CHECKING:  # a type checker shall see the imports above, and no name beside them

    def __getattr__(name):
        if name not in _HOMES:
            raise AttributeError(f"module 'emdeg' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})

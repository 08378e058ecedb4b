"""emdeg: from the description of a robot to its explicit equations of motion, exact and readable.

    robot = emdeg.load("puma560")
    model = emdeg.derive(robot)        # A(q) qdd + B(q) [qd qd] + C(q) [qd²] + g(q) = tau
    torque = emdeg.compile(robot)      # torque(q, qd, qdd) at native speed

The names below load their rooms when they are first used, so that `import emdeg` itself costs next to nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.compiler.compile import compile
    from emdeg.compiler.function import Function
    from emdeg.compiler.generate import generate
    from emdeg.compiler.parametric import ParametricFunction
    from emdeg.errors import EmdegError, InputError, ProofError, UnsupportedError
    from emdeg.formats import bundled, load
    from emdeg.model.derive import derive
    from emdeg.model.model import Model
    from emdeg.robot import Robot

__all__ = [
    "EmdegError",
    "Function",
    "InputError",
    "Model",
    "ParametricFunction",
    "ProofError",
    "Robot",
    "UnsupportedError",
    "__version__",
    "bundled",
    "compile",
    "derive",
    "generate",
    "load",
]

_HOMES = {
    "EmdegError": "emdeg.errors",
    "Function": "emdeg.compiler.function",
    "InputError": "emdeg.errors",
    "Model": "emdeg.model.model",
    "ParametricFunction": "emdeg.compiler.parametric",
    "ProofError": "emdeg.errors",
    "Robot": "emdeg.robot",
    "UnsupportedError": "emdeg.errors",
    "bundled": "emdeg.formats",
    "compile": "emdeg.compiler.compile",
    "derive": "emdeg.model.derive",
    "generate": "emdeg.compiler.generate",
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

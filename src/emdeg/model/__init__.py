"""The explicit model: derivation, base parameters, inertia constants, Christoffel symbols, printing."""

from emdeg.model.derive import derive
from emdeg.model.model import Constant, Model

__all__ = ["Constant", "Model", "derive"]

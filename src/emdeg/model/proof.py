"""That the formulations agree: not at points, but as polynomials."""

from dataclasses import dataclass

from emdeg.algebra import LinearForm
from emdeg.errors import ProofError
from emdeg.model.formulations import FORMULATIONS, Equations, equations
from emdeg.model.model import Model


@dataclass(frozen=True)
class Proof:
    """What was compared with the model, element by element, and found identical."""

    formulations: tuple[str, ...]
    elements: int
    terms: int

    def __str__(self) -> str:
        names = ", ".join(self.formulations)
        return f"proven: {names} give the same {self.elements} elements ({self.terms} terms) as polynomials"


def prove(model: Model) -> Proof:
    """Derive the model again by every formulation and compare normal forms; ProofError names the first difference."""
    own = Equations(model.inertial, dict(model.symbols_of_christoffel))
    expected = _named(own)
    for formulation in FORMULATIONS:
        if formulation == model.formulation:
            continue
        other = _named(equations(formulation, model.tree, model.ring, model.parameters))
        for name, form in expected.items():
            if form.terms != other[name].terms:
                raise ProofError(f"{formulation} and {model.formulation} differ in {name}", where=model.robot.name)
    terms = sum(len(polynomial) for form in expected.values() for polynomial in form.terms.values())
    return Proof(tuple(FORMULATIONS), len(expected), terms)


def _named(found: Equations) -> dict[str, LinearForm]:
    named = {f"a{i + 1},{j + 1}": form for (i, j), form in found.inertial.mass.items()}
    named |= {f"({i + 1},{j + 1} {k + 1})": form for (i, j, k), form in found.symbols.items()}
    return named | {f"g{i + 1}": form for i, form in enumerate(found.inertial.gravity)}

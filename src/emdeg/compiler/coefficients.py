"""Constants in polynomials: each a generator of its own, until the terms of a motion are gathered."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from emdeg.algebra import Monomial, Polynomial, TrigRing
from emdeg.compiler.constants import Constant
from emdeg.compiler.numbers import NumericRobot
from emdeg.mechanics.inertia import RigidBody
from emdeg.model.dynamics import model_ring


class Coefficients:
    """The ring of a robot's motion, with a generator for each constant, up to sign, that its mechanics hold.

    A relation between constants is not seen in the ring, but in the coefficients that `terms` gives.
    """

    def __init__(self, robot: NumericRobot, bodies: Iterable[RigidBody], drives: Iterable[Any]) -> None:
        letters = [robot.letters[name] for name in sorted(robot.tree.kinematic_letters())]
        held = [*letters, *(x for body in bodies for x in body.ten), *drives]
        found = dict.fromkeys(abs(x) for x in held if isinstance(x, Constant))
        self._constants = {f"constant {k}": constant for k, constant in enumerate(found)}
        self._names = {constant: name for name, constant in self._constants.items()}
        self.ring: TrigRing = model_ring(robot.tree, tuple(self._constants))
        self._places = [(self.ring.names.index(name), constant) for name, constant in self._constants.items()]

    def polynomial(self, value: Any) -> Polynomial:
        """A fraction or a constant in the ring."""
        if isinstance(value, Constant):
            generator = self.ring.letters[self._names[abs(value)]]
            return -generator if value < 0 else generator
        return self.ring.number(value)

    def terms(self, polynomial: Polynomial, places: Sequence[int]) -> dict[Monomial, Any]:
        """Coefficients, fractions or constants, of the monomials in the generators at `places`; zeros left out."""
        terms: dict[Monomial, Any] = {}
        for monomial, factor in self.ring.items(polynomial):
            value: Any = factor
            for place, constant in self._places:
                for _ in range(monomial[place]):
                    value = value * constant
            key = tuple(monomial[place] for place in places)
            terms[key] = terms.get(key, Fraction(0)) + value
        return {key: value for key, value in terms.items() if value != 0}

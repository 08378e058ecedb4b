"""The regressor by base parameters: which combinations of a robot's parameters its columns belong to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from emdeg.algebra import LinearForm, Polynomial, TrigRing
from emdeg.mechanics.inertia import RigidBody
from emdeg.model.base_parameters import independent
from emdeg.model.derivation import grounds
from emdeg.model.dynamics import general_dynamics
from emdeg.model.elimination import Fractions
from emdeg.model.parameters import Parameters
from emdeg.robot import Robot


@dataclass(frozen=True)
class BaseForms:
    """The bodies of a robot as forms over its independent parameters, and which of these are base parameters.

    Base parameter b is parameter `base[b]` and what the parameters of `dependent` add to it: the order and the
    combinations of `Model.base_parameters`.
    """

    ring: TrigRing
    parameters: Parameters
    base: tuple[int, ...]
    dependent: Mapping[int, Mapping[int, Fractions]]

    @staticmethod
    def of(robot: Robot) -> "BaseForms":
        tree, ring, chosen = grounds(robot)
        base, dependent = independent(tree, ring, chosen, general_dynamics(tree, ring))
        return BaseForms(ring, chosen, tuple(base), dependent)

    def bodies(self, letters: Mapping[str, Any], number: Callable[[Any], Any]) -> tuple[list[RigidBody], list[Any]]:
        """Bodies and drives as forms over the base parameters alone, the others zero; in scalars of any kind."""
        places = {parameter: b for b, parameter in enumerate(self.base)}

        def put(form: LinearForm) -> LinearForm:
            kept = {places[c]: x for c, x in form.terms.items() if c in places}
            return LinearForm({b: self._value(x, letters, number) for b, x in kept.items()})

        bodies = [RigidBody.from_ten([put(x) for x in body.ten]) for body in self.parameters.bodies]
        return bodies, [put(drive) for drive in self.parameters.drives]

    def whole(
        self, given: Sequence[Any], letters: Mapping[str, Any], number: Callable[[Any], Any]
    ) -> tuple[list[RigidBody], list[Any]]:
        """Bodies and drives with these values of all independent parameters."""

        def put(form: LinearForm) -> Any:
            return sum((self._value(x, letters, number) * given[c] for c, x in form.terms.items()), number(0))

        bodies = [RigidBody.from_ten([put(x) for x in body.ten]) for body in self.parameters.bodies]
        return bodies, [put(drive) for drive in self.parameters.drives]

    def values(self, given: Sequence[Any], letters: Mapping[str, Any], number: Callable[[Any], Any]) -> list[Any]:
        """The base parameters at these values of all independent parameters."""
        values = {parameter: given[parameter] for parameter in self.base}
        for d, combination in self.dependent.items():
            for b, fraction in combination.items():
                above, below = (self._value(x, letters, number) for x in (fraction.numerator, fraction.denominator))
                values[b] = values[b] + given[d] * above / below
        return [values[parameter] for parameter in self.base]

    def _value(self, polynomial: Polynomial, letters: Mapping[str, Any], number: Callable[[Any], Any]) -> Any:
        total = number(0)
        for monomial, factor in self.ring.items(polynomial):
            term = number(factor)
            for name, exponent in zip(self.ring.names, monomial, strict=True):
                for _ in range(exponent):
                    term = term * letters[name]
            total = total + term
        return total

"""The explicit model: A(q) qdd + B(q) [qd qd] + C(q) [qd²] + g(q) = tau, exact."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from emdeg.algebra import LinearForm
from emdeg.model.assembly import assembled_torque
from emdeg.model.base_parameters import BaseParameter, of_robot
from emdeg.model.christoffel import Table, christoffel_table
from emdeg.model.constants import written
from emdeg.model.derivation import Derivation, derivation
from emdeg.model.dynamics import derivative
from emdeg.model.element import Element, Grid, Torque, element_name, symbol_name
from emdeg.model.entry import Entry
from emdeg.model.evaluation import Evaluation, Numeric, assemble, state_array
from emdeg.model.printing.showing import ShownConstant, ShownModel
from emdeg.model.reading import Reading, read
from emdeg.model.saving import read_saved, save
from emdeg.model.substitution import substituted
from emdeg.model.values import numbers_for, uncertain_numbers, worth
from emdeg.model.zeros import Reasons


@dataclass(frozen=True)
class Constant(ShownConstant):
    """An inertia constant (I1, I2, ...) or gravity constant (g1, ...): what it is and what it is worth.

    `tolerance` is one standard uncertainty, None where none of its letters states one; `untoleranced` names the
    letters that enter it as exact for want of a stated tolerance, `missing` those without a value.
    """

    name: str
    definition: str
    value: float | None
    tolerance: float | None
    unit: str
    missing: tuple[str, ...]
    untoleranced: tuple[str, ...]
    number: Any = field(repr=False, compare=False)

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.name} = {self.definition} [{self.unit}]"
        spread = "" if self.tolerance is None else f" ± {self.tolerance:.2g}"
        return f"{self.name} = {self.value:.4g}{spread} {self.unit} = {self.definition}"


@dataclass(frozen=True, repr=False)
class Model(ShownModel, Derivation):
    """The exact explicit dynamics of a robot, in the letters of its file.

    mass_matrix[i, j] (n × n) is A; coriolis[i, m] (n × n(n-1)/2) is B, m counting the pairs qd1 qd2, qd1 qd3, ...;
    centrifugal[i, j] (n × n) is C; gravity[i] (n) is g; christoffel[i, j, k] is (i, jk) of Armstrong et al. 1986,
    eq. (6); torque[i] the assembled equation. Indices count from 0. Printing an element gives Python syntax over the
    constants, sines and cosines.
    """

    @classmethod
    def of(cls, derived: Derivation) -> "Model":
        """The model of a derivation."""
        return cls(**{name: getattr(derived, name) for name in derived.__dataclass_fields__})

    @classmethod
    def load(cls, path: "str | PathLike[str]") -> "Model":
        """The model that `save` wrote; nothing is derived anew."""
        return cls.of(read_saved(path))

    def save(self, path: "str | PathLike[str]") -> None:
        """Write the model as JSON, exact."""
        save(self, path)

    def substitute(self, given: Mapping[str, "str | int | float | Fraction"]) -> "Model":
        """The model with letters replaced by numbers or by expressions in other letters, derived again: exact.

        Floats are taken as the decimals that they print. Raises InputError for a letter that the robot doesn't have.

        >>> import emdeg
        >>> model = emdeg.derive("planar2").substitute({"a1": 0})
        >>> print(model.mass_matrix[0, 1])
        I2
        """
        step = {name: repr(value) if isinstance(value, float) else str(value) for name, value in given.items()}
        robot = substituted(self.robot, given)
        return Model.of(derivation(robot, self.formulation, lambda _: None, (*self.substitutions, step)))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """q1 ... qn, in the order of the joints that move."""
        return tuple(f"q{k + 1}" for k in range(len(self.tree)))

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The columns of B: (0, 1), (0, 2), ..., (n-2, n-1)."""
        return tuple(combinations(range(len(self.tree)), 2))

    @cached_property
    def reading(self) -> Reading:
        return read(self.tree, self.ring, self.parameters, self.inertial, self.robot.constants)

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The values of letters, with correlated uncertainties where tolerances are stated."""
        return uncertain_numbers(self.robot.symbols)

    @cached_property
    def constants(self) -> Mapping[str, Constant]:
        """The inertia and gravity constants that the elements are written with."""
        letters = self.parameters.letters
        found = {}
        for name, vector in self.reading.vectors.items():
            own = worth(letters, vector, self.numbers, self.robot.symbols)
            given = self.robot.constants.get(name)
            definition = written(letters, vector) if given is None else str(given)
            unit = self.reading.units.get(name, "")
            found[name] = Constant(
                name, definition, own.value, own.tolerance, unit, own.missing, own.untoleranced, own.number
            )
        return found

    @cached_property
    def _sizes(self) -> dict[str, float]:
        """Magnitudes of the constants for ordering terms; empty unless all are known."""
        known = {name: abs(c.value) for name, c in self.constants.items() if c.value is not None}
        return known if len(known) == len(self.constants) else {}

    def _entry(self, form: LinearForm) -> Entry:
        return self.reading.entry(form, self._sizes)

    @cached_property
    def mass_matrix(self) -> Grid[Element]:
        """A, kg m² (revolute-revolute), kg m or kg."""
        n = len(self.tree)

        def make(i: int, j: int) -> Element:
            if i > j:
                return Element(element_name("a", n, i, j), self.mass_matrix[j, i].entry)
            return Element(element_name("a", n, i, j), self._entry(self.inertial.mass[i, j]))

        return Grid((n, n), make)

    @cached_property
    def christoffel(self) -> Grid[Element]:
        """(i, jk), symmetric in j and k."""
        n = len(self.tree)

        def make(i: int, j: int, k: int) -> Element:
            j, k = min(j, k), max(j, k)
            return Element(symbol_name(n, i, j, k), self._entry(self.symbols_of_christoffel[i, j, k]))

        return Grid((n, n, n), make)

    @cached_property
    def coriolis(self) -> Grid[Element]:
        """B: b_i,jk = 2 (i, jk), eq. (4)."""
        n = len(self.tree)

        def make(i: int, m: int) -> Element:
            j, k = self.pairs[m]
            return Element(element_name("b", n, i, j, k), self.christoffel[i, j, k].entry.times(Fraction(2)))

        return Grid((n, len(self.pairs)), make)

    @cached_property
    def centrifugal(self) -> Grid[Element]:
        """C: c_ij = (i, jj), eq. (5)."""
        n = len(self.tree)
        return Grid((n, n), lambda i, j: Element(element_name("c", n, i, j), self.christoffel[i, j, j].entry))

    @cached_property
    def gravity(self) -> Grid[Element]:
        """g, N m or N."""
        n = len(self.tree)
        return Grid((n,), lambda i: Element(element_name("g", n, i), self._entry(self.inertial.gravity[i])))

    @cached_property
    def torque(self) -> Grid[Torque]:
        """The assembled equations, velocity products with equal coefficients gathered."""
        n = len(self.tree)
        return Grid((n,), lambda i: assembled_torque(self.mass_matrix, self.christoffel, self.gravity, i))

    @cached_property
    def christoffel_table(self) -> Table:
        """Each of the n·n(n+1)/2 symbols: expression, zero with a reason, or equal to another by a relation."""
        last = len(self.tree) - 1
        symmetric = not any(derivative(self.tree, self.ring, form, last) for form in self.inertial.mass.values())
        return christoffel_table(self.tree, self.symbols_of_christoffel, symmetric, self.reasons.christoffel)

    @cached_property
    def reasons(self) -> Reasons:
        return Reasons(self.tree, self.ring, self.inertial, self.general, self.symbols_of_christoffel)

    @cached_property
    def zeros(self) -> tuple[tuple[str, str], ...]:
        """(element, reason) of each element of A, B, C and g that vanishes."""
        return self.reasons.table(self.pairs)

    @cached_property
    def base_parameters(self) -> tuple[BaseParameter, ...]:
        """The fewest combinations of the robot's parameters that the motion can feel."""
        return of_robot(self.tree, self.ring, self.parameters, self.general)

    def evaluate(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        *,
        values: Mapping[str, float] | None = None,
    ) -> Evaluation:
        """The numbers at a state: q [rad or m], qd, qdd of shape (..., n), zeros where left out.

        `values` gives numbers to letters, before those of the robot's file. InputError where a letter has none.
        """
        n = len(self.tree)
        arrays = [state_array(*pair, n) for pair in (("q", q), ("qd", qd), ("qdd", qdd))]
        position, speed, acceleration = arrays
        numeric = self._numeric(values or {})
        return assemble(numeric(position), n, speed, acceleration)

    def _numeric(self, given: Mapping[str, float]) -> Numeric:
        key = tuple(sorted(given.items()))
        if key not in self._numerics:
            forms = self.forms
            numbers = numbers_for(self.parameters, self.tree, forms, self.robot.symbols, given)
            self._numerics[key] = Numeric.of(self.tree, self.ring, self.parameters, forms, numbers)
        return self._numerics[key]

    @cached_property
    def _numerics(self) -> dict[Any, Numeric]:
        return {}

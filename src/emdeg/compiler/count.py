"""Operation counts of a robot's functions, method beside method: the paper's Table 1 for any robot.

Programs are counted on their code, the explicit model on its printed elements, what is general by its formula.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any, Literal

from emdeg.compiler.build import Effort, build
from emdeg.compiler.factorings import CLOSED, JOINTS, factored
from emdeg.compiler.gauge import LinkGauge
from emdeg.compiler.numbers import numeric
from emdeg.compiler.plan import Plan
from emdeg.compiler.task import Task, task
from emdeg.errors import InputError
from emdeg.model import Model, derive
from emdeg.model.element import Rates
from emdeg.model.entry import Atom, Entry, operations
from emdeg.model.substitution import substituted
from emdeg.program import Cost
from emdeg.robot import BASE, Robot

Convention = Literal["strict", "paper"]
USUAL = (
    "inverse_dynamics", "mass_matrix", "bias", "gravity", "forward_dynamics", "inverse_dynamics_derivatives"
)  # fmt: skip
"""The functions that are counted if none is named."""
GENERAL = "Newton-Euler, general (Luh, Walker, Paul 1980)"
"""By its formula: 150 n - 48 multiplications, 131 n - 48 additions for n revolute joints in a chain."""
OWN = "Newton-Euler, customised, the file's parameters"
BASE_PARAMETERS = "Newton-Euler, customised, base parameters"
DERIVED = "explicit, as derived"
FACTORED = "explicit, factored"
ABSOLUTE = "explicit, factored, absolute rates"
"""The program of `explicit_model_absolute`, as the search for that finds it."""
BEST = "best found"
EXPLICIT = ("inverse_dynamics", "mass_matrix", "bias", "gravity", "explicit_model")


@dataclass(frozen=True)
class Row:
    """What a function costs by a method, for one state."""

    function: str
    method: str
    cost: Cost

    def to_json(self) -> dict[str, Any]:
        cost = self.cost
        return {
            "function": self.function,
            "method": self.method,
            "multiplications": cost.multiplications,
            "additions": cost.additions,
            "divisions": cost.divisions,
            "sincos": cost.sincos,
            "total": cost.total,
        }


def with_values(robot: Robot) -> tuple[Robot, tuple[str, ...]]:
    """The robot with unlike numbers for letters without values, where that is needed, and these letters."""
    with suppress(InputError):
        numeric(robot)
        return robot, ()
    names = tuple(sorted(name for name, symbol in robot.symbols.items() if symbol.value is None))
    return substituted(robot, {name: Fraction(89 + 2 * k, 64) for k, name in enumerate(names)}), names


def count(
    robot: Robot,
    functions: Sequence[str] = USUAL,
    *,
    convention: Convention = "strict",
    optimize: Effort = "fast",
    progress: Callable[[str], None] = lambda step: None,
) -> list[Row]:
    """The costs of functions by all methods that apply, a function's dearest first.

    `paper` bears on the explicit model as derived only: products and squares of sines and cosines are free there.
    Letters without values are counted as numbers. Raises InputError for unknown functions and conventions.
    """
    if convention not in ("strict", "paper"):
        raise InputError(f"there is no convention {convention!r}", advice="choose strict, paper")
    valued, _ = with_values(robot)
    rows: list[Row] = []
    model: Model | None = None
    for function in dict.fromkeys(functions):
        progress(f"counting {function}")
        wanted = task(valued, function)
        found = list(_programs(wanted, function))
        if function in EXPLICIT and len(wanted.robot.tree) <= JOINTS:
            model = model or derive(robot, progress=progress)
            found.append(Row(function, DERIVED, explicit(model, function, convention)))
        if function == "explicit_model":
            absolute = build(valued, "explicit_model_absolute", optimize=optimize, progress=progress).program
            found.append(Row(function, ABSOLUTE, absolute.cost))
        found.sort(key=lambda row: -row.cost.total)
        best = build(valued, function, optimize=optimize, progress=progress).program
        rows += [*found, Row(function, BEST, best.cost)]
    return rows


def _programs(wanted: Task, function: str) -> Iterator[Row]:
    """The methods that are programs or formulas, but for the best."""
    tree = wanted.robot.tree
    n = len(tree)
    chain = all(s.revolute and s.parent == (k - 1 if k else BASE) for k, s in enumerate(tree.segments))
    plain = Plan.plain(n)
    if function == "inverse_dynamics":
        if chain:
            yield Row(function, GENERAL, Cost(150 * n - 48, 131 * n - 48, 0, n))
        own = replace(plain, gauge=(LinkGauge("kept", "kept", "kept", "kept"),) * n)
        yield Row(function, OWN, wanted.program(own).cost)
        yield Row(function, BASE_PARAMETERS, wanted.program(plain).cost)
    elif function == "mass_matrix":
        yield Row(function, "composite bodies, base parameters", wanted.program(plain).cost)
    if function in CLOSED and n <= JOINTS:
        plans = factored(wanted, plain, trials=0, seed=0, progress=lambda step: None)
        costs = [wanted.program(plan).cost for plan in plans if not plan.hybrid]
        if costs:
            yield Row(function, FACTORED, min(costs, key=lambda cost: cost.total))


def explicit(model: Model, function: str, convention: Convention = "strict") -> Cost:
    """The cost of an explicit function as printed: each element, each product of rates computed once.

    An element that is a multiple of another is that times a number; the angles' sums are counted, too.
    """
    n = len(model.tree)
    tally = _Tally(convention)
    if function in ("mass_matrix", "explicit_model"):
        for i, j in combinations_with_replacement(range(n), 2):
            tally.element(model.mass_matrix[i, j].entry)
    if function == "explicit_model":
        for i in range(n):
            columns = [model.coriolis[i, m] for m in range(n * (n - 1) // 2)]
            for element in (*columns, *(model.centrifugal[i, j] for j in range(n)), model.gravity[i]):
                tally.element(element.entry)
        return tally.cost
    for i in range(n if function != "mass_matrix" else 0):
        terms = () if function == "gravity" else model.torque[i].terms
        if function == "bias":
            terms = tuple(term for term in terms if len(term[1].terms[0][1]) == 2)
        for entry, rates in terms:
            tally.element(entry)
            tally.rates(rates)
            tally.multiplications += str(entry) not in ("1", "-1")
        tally.element(model.gravity[i].entry)
        tally.additions += max(0, len(terms) + bool(model.gravity[i]) - 1)
    return tally.cost


class _Tally:
    """Operations, each thing counted when it is first needed."""

    def __init__(self, convention: Convention) -> None:
        self.convention: Convention = convention
        self.multiplications = 0
        self.additions = 0
        self._elements: dict[Any, set[Fraction]] = {}
        self._rates: set[Any] = set()
        self._angles: set[Any] = set()

    @property
    def cost(self) -> Cost:
        return Cost(self.multiplications, self.additions, 0, len(self._angles))

    def element(self, entry: Entry) -> None:
        if not entry:
            return
        factor = entry.groups[0].factor
        known = self._elements.setdefault(entry.times(1 / factor).key, set())
        if not known:
            made = operations(entry, self.convention)
            self.multiplications += made.multiplications
            self.additions += made.additions
        elif abs(factor) not in known:
            self.multiplications += 1
        known.add(abs(factor))
        for atom in entry.atoms:
            self._angle(atom)

    def _angle(self, atom: Atom) -> None:
        angle = (atom.angle, atom.constant)
        if atom.kind != "q" and angle not in self._angles:
            self._angles.add(angle)
            self.additions += sum(abs(times) for _, times in atom.angle) - 1 + (not atom.constant.is_zero)

    def rates(self, rates: Rates) -> None:
        for _, factors in rates.terms:
            if len(factors) == 2 and factors not in self._rates:
                self._rates.add(factors)
                self.multiplications += 1
        sign = rates.terms[0][0]
        whole = frozenset((sign * other, factors) for other, factors in rates.terms)
        if len(whole) > 1 and whole not in self._rates:
            self._rates.add(whole)
            self.additions += len(whole) - 1

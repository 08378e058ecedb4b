"""What one element of the explicit model reads like: a sum of constants times short trigonometric sums."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from emdeg.quantity import Angle


@dataclass(frozen=True)
class Atom:
    """A sine or cosine of a sum of coordinates (with a constant part), or a displacement.

    `angle` holds (coordinate, multiple) pairs: s23 has ((1, 1), (2, 1)), c223 has ((1, 2), (2, 1)).
    """

    kind: Literal["s", "c", "q"]
    angle: tuple[tuple[int, int], ...]
    constant: Angle = Angle.zero

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Computed once: atoms are looked up all the time while a sum is made short."""
        return hash((self.kind, self.angle, self.constant))

    @property
    def name(self) -> str:
        """s2, c23, differences s2m4, from ten joints on s2_10; displacements q3."""
        if self.kind == "q":
            return f"q{self.angle[0][0] + 1}"
        indices = [(abs(m), i + 1, m < 0) for i, m in self.angle]
        wide = any(index > 9 for _, index, _ in indices)
        text, sign = "", False
        for times, index, negative in sorted(indices, key=lambda x: (x[2], x[1])):
            for _ in range(times):
                if negative and not sign:
                    text, sign = text + "m", True
                elif wide and text:
                    text += "_"
                text += str(index)
        return f"{self.kind}{text}"

    @property
    def argument(self) -> str:
        """The angle in Python syntax: q2 + q3."""
        text = ""
        for index, times in self.angle:
            sign = (" - " if times < 0 else " + ") if text else ("-" if times < 0 else "")
            text += sign + (f"q{index + 1}" if abs(times) == 1 else f"{abs(times)}*q{index + 1}")
        return text + _constant_text(self.constant)


def _constant_text(angle: Angle) -> str:
    """The constant part of an angle in Python syntax, with its sign; rational tangents of half angles stay exact."""
    text = f" + {angle.quarters}*pi/2" if angle.quarters else ""
    for name, times in angle.letters:
        text += (" - " if times < 0 else " + ") + (name if abs(times) == 1 else f"{abs(times)}*{name}")
    if angle.tangent:
        text += (" - " if angle.tangent < 0 else " + ") + f"2*atan({abs(angle.tangent)})"
    return text


Product = tuple[tuple[Atom, int], ...]
TrigSum = tuple[tuple[Fraction, Product], ...]


@dataclass(frozen=True)
class Group:
    """factor × constant × common × (sum of coefficient × product). The constant's name is empty for a pure number."""

    factor: Fraction
    constant: str
    common: Product
    terms: TrigSum


@dataclass(frozen=True)
class Entry:
    """The sum of the groups; without groups, zero."""

    groups: tuple[Group, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.groups)

    @property
    def is_sum(self) -> bool:
        """Whether it is written as a sum, so that it needs parentheses as a factor."""
        if len(self.groups) != 1:
            return len(self.groups) > 1
        (group,) = self.groups
        return len(group.terms) > 1 and not group.constant and not group.common and group.factor == 1

    def __str__(self) -> str:
        """Python syntax, exact: Im1 + I1 + I3*c2**2 + 2*I5*c2*s23."""
        return _sum(_group_text(group) for group in self.groups)

    def __neg__(self) -> "Entry":
        return self.times(Fraction(-1))

    def times(self, factor: Fraction) -> "Entry":
        """The entry multiplied by a number."""
        return Entry(tuple(Group(g.factor * factor, g.constant, g.common, g.terms) for g in self.groups))

    @property
    def key(self) -> frozenset[tuple[str, Product, frozenset[tuple[Fraction, Product]]]]:
        """Equal for entries with the same terms, in whatever order."""
        return frozenset((g.constant, g.common, frozenset((g.factor * f, p) for f, p in g.terms)) for g in self.groups)

    @property
    def atoms(self) -> frozenset[Atom]:
        found = {atom for g in self.groups for atom, _ in g.common}
        return frozenset(found | {atom for g in self.groups for _, p in g.terms for atom, _ in p})

    @property
    def constants(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(g.constant for g in self.groups if g.constant))

    def evaluate(self, constants: Mapping[str, Any], atom: Callable[[Atom], Any]) -> Any:
        """The value over any scalar."""
        total: Any = 0
        for group in self.groups:
            value: Any = 0
            for factor, product in group.terms:
                value = value + _product(product, atom) * _plain(factor)
            value = value * _product(group.common, atom)
            if group.constant:
                value = value * constants[group.constant]
            total = total + _scaled(value, group.factor)
        return total


def _plain(factor: Fraction) -> int | Fraction:
    return int(factor) if factor.denominator == 1 else factor


def _scaled(value: Any, factor: Fraction) -> Any:
    """value × factor, over scalars that know integers only too."""
    if isinstance(value, int):
        return value * _plain(factor)
    value = value * factor.numerator
    return value if factor.denominator == 1 else value / factor.denominator


def _sum(terms: Iterable[str]) -> str:
    """Terms joined with their signs; '0' without any."""
    text = ""
    for term in terms:
        if not text:
            text = term
        elif term.startswith("-"):
            text += f" - {term[1:]}"
        else:
            text += f" + {term}"
    return text or "0"


def _group_text(group: Group) -> str:
    if len(group.terms) == 1:
        ((factor, product),) = group.terms
        return _term_text(group.factor * factor, [group.constant] if group.constant else [], group.common + product)
    inner = _sum(_term_text(factor, [], product) for factor, product in group.terms)
    head = _term_text(group.factor, [group.constant] if group.constant else [], group.common)
    return {"1": inner, "-1": f"-({inner})"}.get(head, f"{head}*({inner})")


def _term_text(factor: Fraction, names: list[str], product: Product) -> str:
    sign = "-" if factor < 0 else ""
    number = str(abs(factor)) if abs(factor) != 1 else ""
    if "/" in number:
        number = f"({number})"
    powers = [atom.name if power == 1 else f"{atom.name}**{power}" for atom, power in product]
    return sign + ("*".join(filter(None, [number, *names, *powers])) or "1")


def _product(product: Product, atom: Callable[[Atom], Any]) -> Any:
    value: Any = 1
    for factor, power in product:
        value = value * atom(factor) ** power
    return value


@dataclass(frozen=True)
class Operations:
    """Multiplications and additions."""

    multiplications: int = 0
    additions: int = 0

    @property
    def total(self) -> int:
        return self.multiplications + self.additions

    def __add__(self, other: "Operations") -> "Operations":
        return Operations(self.multiplications + other.multiplications, self.additions + other.additions)


def operations(entry: Entry, convention: Literal["strict", "paper"] = "strict") -> Operations:
    """Operations of an entry as printed; sign changes are free.

    `strict` counts each binary * and +; `paper` (Armstrong et al. 1986) does not count those that make products and
    squares of sines and cosines, which their program computed once for all elements.
    """
    count = Operations(0, max(0, len(entry.groups) - 1))
    for group in entry.groups:
        count += _group_operations(group, convention)
    return count


def _group_operations(group: Group, convention: str) -> Operations:
    head = (1 if group.constant else 0) + _factors(group.common, convention)
    if len(group.terms) == 1:
        ((factor, product),) = group.terms
        whole = _merged(group.common, product)
        factors = (1 if group.constant else 0) + _factors(whole, convention) + (abs(group.factor * factor) != 1)
        return Operations(max(0, factors - 1) + _making(whole, convention), 0)
    multiplications = _making(group.common, convention) + head + (abs(group.factor) != 1)
    for factor, product in group.terms:
        inside = _factors(product, convention) + (abs(factor) != 1)
        multiplications += max(0, inside - 1) + _making(product, convention)
    return Operations(multiplications, len(group.terms) - 1)


def _merged(x: Product, y: Product) -> Product:
    powers = dict(x)
    for atom, power in y:
        powers[atom] = powers.get(atom, 0) + power
    return tuple(powers.items())


def _factors(product: Product, convention: str) -> int:
    """How many factors a product contributes to the one it stands in."""
    trigonometric = sum(1 for atom, _ in product if atom.kind != "q")
    slides = len(product) - trigonometric
    return (min(1, trigonometric) if convention == "paper" else trigonometric) + slides


def _making(product: Product, convention: str) -> int:
    """Multiplications that powers cost before they are factors."""
    return sum(power - 1 for atom, power in product if convention == "strict" or atom.kind == "q")

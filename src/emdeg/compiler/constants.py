"""Numbers that depend on letters which stay free: what a program computes once, before it sees a state.

A constant is an expression over the parameters, and its residue at one random point modulo a prime of 127 bits.
Whether two constants are equal up to sign, and whether one is 0 or ±1, is decided by the residue: wrong with a
probability of about its degree over 2^127, and a program that is wrong by it does not pass its proof, which is made
at other points modulo other primes.
"""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any, Literal

from flint import fmpq

from emdeg.program import Graph, Reference
from emdeg.program.rewriting import copied, needed

PARAMETERS = "parameters"
"""The name of the input that holds the parameters."""
PRIME = 2**127 - 1
"""3 modulo 4, so that no 1 + t² vanishes."""
_SEED = 1986


class Parameters:
    """Letters that stay free, with all constants made of them; `letters` holds sin(name) and cos(name), too."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.graph = Graph()
        self.letters: dict[str, Constant] = {}
        self._known: dict[int, Reference] = {}
        source = Random(_SEED)
        for k, name in enumerate(self.names):
            reference = self.graph.input(PARAMETERS, k)
            self.letters[name] = self._letter(reference, source.randrange(2, PRIME))
            tangent = source.randrange(2, PRIME)
            inverse = pow(1 + tangent * tangent, -1, PRIME)
            cosine, sine = (1 - tangent * tangent) * inverse % PRIME, 2 * tangent * inverse % PRIME
            self.letters[f"cos({name})"] = self._letter(self.graph.cos(reference), cosine)
            self.letters[f"sin({name})"] = self._letter(self.graph.sin(reference), sine)

    def _letter(self, reference: Reference, residue: int) -> "Constant":
        self._known[residue] = reference
        return Constant(self, reference, residue)

    def combined(self, kind: Literal["add", "mul", "div"], x: "Constant", y: "Constant") -> "Constant":
        """A sum, product or quotient; one that was made before, if they are equal."""
        residue = _combined(kind, x.residue, y.residue)
        if residue in (0, 1, PRIME - 1):
            return self.number(residue if residue < 2 else -1)
        if residue in self._known:
            return Constant(self, self._known[residue], residue)
        if PRIME - residue in self._known:
            return Constant(self, self.graph.negated(self._known[PRIME - residue]), residue)
        made: Reference = getattr(self.graph, kind)(x.reference, y.reference)
        self._known[residue] = made
        return Constant(self, made, residue)

    def number(self, value: Any) -> "Constant":
        """A rational number as a constant."""
        if isinstance(value, fmpq):
            value = Fraction(int(value.p), int(value.q))
        residue = value.numerator * pow(value.denominator, -1, PRIME) % PRIME
        return Constant(self, self.graph.number(value), residue)


def _combined(kind: str, x: int, y: int) -> int:
    if kind == "add":
        return (x + y) % PRIME
    return x * (y if kind == "mul" else pow(y, -1, PRIME)) % PRIME


class Constant:
    """An element of the field of rational functions of the parameters; computes with rational numbers, too.

    It is `plain` a Fraction where it is 0, 1 or -1. Its sign is a convention that tells x from -x, so that a graph can
    keep the two as one node.
    """

    __slots__ = ("parameters", "reference", "residue")

    def __init__(self, parameters: Parameters, reference: Reference, residue: int) -> None:
        self.parameters = parameters
        self.reference = reference
        self.residue = residue

    def _other(self, other: Any) -> "Constant | None":
        if isinstance(other, Constant):
            return other
        return self.parameters.number(other) if isinstance(other, int | Fraction | fmpq) else None

    @property
    def plain(self) -> "Constant | Fraction":
        if self.residue in (0, 1, PRIME - 1):
            return Fraction(self.residue if self.residue < 2 else -1)
        return self

    def __bool__(self) -> bool:
        return self.residue != 0

    def __add__(self, other: Any) -> Any:
        y = self._other(other)
        return NotImplemented if y is None else self.parameters.combined("add", self, y)

    __radd__ = __add__

    def __mul__(self, other: Any) -> Any:
        y = self._other(other)
        return NotImplemented if y is None else self.parameters.combined("mul", self, y)

    __rmul__ = __mul__

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __truediv__(self, other: Any) -> Any:
        y = self._other(other)
        return NotImplemented if y is None else self.parameters.combined("div", self, y)

    def __rtruediv__(self, other: Any) -> Any:
        y = self._other(other)
        return NotImplemented if y is None else self.parameters.combined("div", y, self)

    def __neg__(self) -> "Constant":
        return Constant(self.parameters, self.parameters.graph.negated(self.reference), -self.residue % PRIME)

    def __pow__(self, exponent: int) -> "Constant":
        result = self.parameters.number(1)
        for _ in range(exponent):
            result = self.parameters.combined("mul", result, self)
        return result

    def __abs__(self) -> "Constant":
        return -self if self < 0 else self

    def __lt__(self, other: int) -> bool:
        if other != 0:
            return NotImplemented
        return self.residue > PRIME // 2

    def __eq__(self, other: object) -> bool:
        y = self._other(other)
        return y is not None and self.residue == y.residue

    def __hash__(self) -> int:
        return hash(self.residue)

    def __repr__(self) -> str:
        return f"Constant({self.parameters.graph.nodes[self.reference >> 1]})"


def written_out(graph: Graph, wanted: Sequence[Reference]) -> tuple[Graph, list[Reference]]:
    """A graph whose numbers may be constants, with these written as expressions over the input of parameters."""
    plain = Graph()
    held = {
        node: graph.nodes[node][1]
        for node in needed(graph, wanted)
        if graph.nodes[node][0] == "number" and isinstance(graph.nodes[node][1], Constant)
    }
    if not held:
        return graph, list(wanted)
    (parameters,) = {constant.parameters for constant in held.values()}
    places = copied(parameters.graph, [constant.reference for constant in held.values()], plain, {})
    return plain, copied(graph, wanted, plain, dict(zip(held, places, strict=True)))

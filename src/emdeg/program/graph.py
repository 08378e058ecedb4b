"""Expressions as a hash-consed graph: equal expressions are one node, signs are free.

A reference is a node with a sign, so that negation costs nothing and x and -x are one node. Numbers are exact
fractions and are folded; zeros and ones vanish. Mechanics written for numbers run on `Scalar`s and leave a graph.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

Kind = Literal["input", "number", "add", "mul", "div", "sin", "cos", "sign"]
Node = tuple[Any, ...]
Reference = int
"""Twice the number of a node, plus one if it is negated."""


class Graph:
    """Nodes in the order in which they were made, operands before their users.

    Nodes: ("input", name, index), ("number", value), ("add", a, b), ("mul", a, b), ("div", a, b), ("sin", a), ("cos",
    a), ("sign", a) with references a, b. The first operand of a sum is positive; factors and angles are; so each node
    has one form only. A value is a positive Fraction, or an element of another field that computes with fractions,
    has a sign, by `abs` and `< 0`, and is `plain` a Fraction where it is 0 or ±1.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Node, int] = {}
        self.zero: Reference = self._node(("number", Fraction(0)))  # the first node: its reference is 0

    def _node(self, node: Node) -> Reference:
        found = self._known.get(node)
        if found is None:
            found = len(self.nodes)
            self.nodes.append(node)
            self._known[node] = found
        return 2 * found

    def price(self, wanted: Sequence[Reference], multiplication: float = 1, addition: float = 1) -> float:
        """What the operations cost that references need: a division as a multiplication, an angle a hundredth."""
        nodes, seen, angles = self.nodes, set(), set()
        stack = [reference >> 1 for reference in wanted]
        additions = others = 0
        while stack:
            place = stack.pop()
            if place in seen:
                continue
            seen.add(place)
            node = nodes[place]
            kind = node[0]
            if kind in ("add", "mul", "div"):
                additions += kind == "add"
                others += kind != "add"
                stack += (node[1] >> 1, node[2] >> 1)
            elif kind in ("sin", "cos"):
                angles.add(node[1])
                stack.append(node[1] >> 1)
            elif kind == "sign":
                stack.append(node[1] >> 1)
        return others * multiplication + additions * addition + 0.01 * len(angles)

    def input(self, name: str, index: int) -> Reference:
        return self._node(("input", name, index))

    def number(self, value: Any) -> Reference:
        """The reference of a Fraction, an int, or an element of the other field."""
        if type(value) is not Fraction:
            value = Fraction(value) if isinstance(value, int) else value.plain
        if not value:
            return self.zero
        return self._node(("number", abs(value))) ^ bool(value < 0)

    def value(self, x: Reference) -> Any:
        """The number that a reference is, or None."""
        node = self.nodes[x >> 1]
        if node[0] != "number":
            return None
        return -node[1] if x & 1 else node[1]

    def negated(self, x: Reference) -> Reference:
        """-x; zero has one sign only."""
        return x if x == self.zero else x ^ 1

    def add(self, x: Reference, y: Reference) -> Reference:
        if not x:  # zero is the first node
            return y
        if not y:
            return x
        if x ^ y == 1:
            return self.zero
        one, two = self.value(x), self.value(y)
        if one is not None and two is not None:
            return self.number(one + two)
        if x >> 1 > y >> 1:
            x, y = y, x
        sign = x & 1
        return self._node(("add", x ^ sign, y ^ sign)) ^ sign

    def mul(self, x: Reference, y: Reference) -> Reference:
        if not x or not y:
            return self.zero
        sign = (x ^ y) & 1
        x, y = x & ~1, y & ~1
        one, two = self.value(x), self.value(y)
        if one is not None and two is not None:
            return self.number(one * two) ^ sign
        if one == 1:
            return y ^ sign
        if two == 1:
            return x ^ sign
        if one is not None or two is not None:
            return self._scaled(*((y, one) if one is not None else (x, two))) ^ sign
        if x > y:
            x, y = y, x
        return self._node(("mul", x, y)) ^ sign

    def _scaled(self, x: Reference, factor: Any) -> Reference:
        """A number times a node; a number that the node has as its factor already is multiplied with it."""
        node = self.nodes[x >> 1]
        if node[0] == "mul" and (inner := self.value(node[1])) is not None:
            return self.mul(self.number(inner * factor), node[2])
        return self._node(("mul", self.number(factor), x))

    def div(self, x: Reference, y: Reference) -> Reference:
        sign = (x ^ y) & 1
        x, y = x & ~1, y & ~1
        divisor = self.value(y)
        if divisor == 0:
            raise ZeroDivisionError("a program would divide by zero")
        if x == self.zero:
            return self.zero
        if divisor is not None:
            return self.mul(x, self.number(1 / divisor)) ^ sign
        return self._node(("div", x, y)) ^ sign

    def sin(self, x: Reference) -> Reference:
        if x == self.zero:
            return self.zero
        return self._node(("sin", x & ~1)) ^ (x & 1)

    def cos(self, x: Reference) -> Reference:
        return self.number(1) if x == self.zero else self._node(("cos", x & ~1))

    def sign(self, x: Reference) -> Reference:
        """1, -1 or 0."""
        if x == self.zero:
            return self.zero
        return self._node(("sign", x & ~1)) ^ (x & 1)


class Scalar:
    """A reference that computes: + - * / with scalars, and with exact numbers."""

    __slots__ = ("graph", "reference")

    def __init__(self, graph: Graph, reference: Reference) -> None:
        self.graph = graph
        self.reference = reference

    def _other(self, other: Any) -> Reference | None:
        if isinstance(other, Scalar):
            return other.reference
        return self.graph.number(other) if isinstance(other, int | Fraction) else None

    def __add__(self, other: Any) -> "Scalar":
        y = other.reference if type(other) is Scalar else self._other(other)
        return NotImplemented if y is None else Scalar(self.graph, self.graph.add(self.reference, y))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Scalar":
        y = other.reference if type(other) is Scalar else self._other(other)
        if y is None:
            return NotImplemented
        return Scalar(self.graph, self.graph.add(self.reference, self.graph.negated(y)))

    def __rsub__(self, other: Any) -> "Scalar":
        y = self._other(other)
        if y is None:
            return NotImplemented
        return Scalar(self.graph, self.graph.add(y, self.graph.negated(self.reference)))

    def __neg__(self) -> "Scalar":
        return Scalar(self.graph, self.graph.negated(self.reference))

    def __mul__(self, other: Any) -> "Scalar":
        y = other.reference if type(other) is Scalar else self._other(other)
        return NotImplemented if y is None else Scalar(self.graph, self.graph.mul(self.reference, y))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Scalar":
        y = self._other(other)
        return NotImplemented if y is None else Scalar(self.graph, self.graph.div(self.reference, y))

    def __rtruediv__(self, other: Any) -> "Scalar":
        y = self._other(other)
        return NotImplemented if y is None else Scalar(self.graph, self.graph.div(y, self.reference))

    def __pow__(self, exponent: int) -> "Scalar":
        result = self.graph.number(1)
        for _ in range(exponent):
            result = self.graph.mul(result, self.reference)
        return Scalar(self.graph, result)

    def __eq__(self, other: object) -> bool:
        y = self._other(other)
        return y is not None and self.reference == y

    def __hash__(self) -> int:
        return hash(self.reference)

    def __repr__(self) -> str:
        return f"Scalar({'-' if self.reference & 1 else ''}{self.graph.nodes[self.reference >> 1]})"

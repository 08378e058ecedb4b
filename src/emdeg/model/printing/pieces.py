"""Sums as pieces, between which a line may be broken: ["I5*s3", "+ I6", "- I20*s4**2"].

A parenthesis is broken like the sum that it stands in: its first and last piece carry the brackets.
"""

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from emdeg.model.entry import Entry, Group, Product
from emdeg.model.printing.notation import Notation

Signed = tuple[bool, list[str]]
"""Whether a term is negative, and the pieces of its absolute value."""


def entry_pieces(entry: Entry, notation: Notation) -> list[str]:
    return joined(entry_terms(entry, notation), notation)


def entry_terms(entry: Entry, notation: Notation) -> list[Signed]:
    """The terms of an entry's sum."""
    return [term for group in entry.groups for term in _group(group, notation)]


def joined(terms: Iterable[Signed], notation: Notation) -> list[str]:
    """The pieces of a sum; zero without terms."""
    pieces: list[str] = []
    for negative, body in terms:
        sign = notation.minus if negative else notation.plus
        mark = f"{sign} " if pieces else sign if negative else ""
        pieces += [mark + body[0], *body[1:]]
    return pieces or [notation.number(Fraction(0))]


def bracketed(pieces: list[str]) -> list[str]:
    """The pieces in parentheses."""
    inner = ["(" + pieces[0], *pieces[1:]]
    return [*inner[:-1], inner[-1] + ")"]


def multiplied(one: list[str], other: list[str], notation: Notation) -> list[str]:
    """The product of two factors."""
    return [*one[:-1], one[-1] + notation.times + other[0], *other[1:]]


def multiple(factor: Fraction, name: str, notation: Notation) -> str:
    """A number times a name: -b112/2."""
    return (notation.minus if factor < 0 else "") + notation.multiple(abs(factor), notation.name(name))


def _group(group: Group, notation: Notation) -> list[Signed]:
    names = [notation.name(group.constant)] if group.constant else []
    if len(group.terms) == 1:
        ((factor, product),) = group.terms
        return [_term(group.factor * factor, names, group.common + product, notation)]
    inner = [_term(factor, [], product, notation) for factor, product in group.terms]
    plain = not names and not group.common
    if group.factor == 1 and plain:
        return inner
    pieces = bracketed(joined(inner, notation))
    if group.factor == -1 and plain:
        return [(True, pieces)]
    negative, head = _term(group.factor, names, group.common, notation)
    return [(negative, multiplied(head, pieces, notation))]


def _term(factor: Fraction, names: list[str], product: Product, notation: Notation) -> Signed:
    powers = [notation.atom(a) if e == 1 else notation.power(notation.atom(a), e) for a, e in product]
    rest = [*names, *powers]
    size = [notation.number(abs(factor))] if abs(factor) != 1 or not rest else []
    return factor < 0, [notation.product([*size, *rest])]


_TOKEN = re.compile(
    r"(?P<fraction>(?<![\w)])\(\d+/\d+\)|(?<![\w.)])\d+/\d+(?![\w.]))|(?P<number>\d+(?:\.\d+)?)|(?P<function>[A-Za-z_]\w*(?=\())"
    r"|(?P<name>[A-Za-z_]\w*)|\*\*(?P<power>\d+)|(?P<space>\s+)|(?P<sign>[+-])|(?P<times>\*)|(?P<other>.)",
    re.ASCII | re.DOTALL,
)


def text_pieces(text: str, notation: Notation) -> list[str]:
    """A text in Python syntax, such as a definition or an angle, in another notation."""
    pieces: list[list[str]] = [[]]
    before = ""
    for kind, token in _tokens(text):
        if kind == "sign" and before not in ("", "(", "*", "/"):
            pieces.append([(notation.plus if token == "+" else notation.minus) + " "])
        elif kind == "power":
            pieces[-1][-1] = notation.power(pieces[-1][-1], int(token))
        else:
            pieces[-1].append(_written(kind, token, notation))
        before = token
    return ["".join(piece) for piece in pieces]


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        if kind != "space":
            yield kind, match[kind]


def _written(kind: str, token: str, notation: Notation) -> str:
    if kind in ("fraction", "number"):
        return notation.number(Fraction(token.strip("()")))
    if kind == "name":
        return notation.name(token)
    if kind == "function":
        return notation.function(token)
    if kind == "times":
        return notation.times
    if kind == "sign":
        return notation.minus if token == "-" else ""
    return notation.literal(token)


def filled(pieces: list[str], notation: Notation, width: float) -> list[str]:
    """Lines of at most `width` letters where that can be; broken inside parentheses only where a term is too long."""
    lines: list[str] = []
    line, used = "", 0.0
    for term in _top_level(pieces):
        whole = _measure(term, notation)
        for unit in [term] if whole <= width else [[piece] for piece in term]:
            needed = _measure(unit, notation)
            if line and used + 1 + needed > width:
                lines.append(line)
                line, used = "", 0.0
            used += needed + (1 if line else 0)
            line = " ".join(filter(None, [line, *unit]))
    return [*lines, line]


def _measure(unit: list[str], notation: Notation) -> float:
    return sum(map(notation.measure, unit)) + len(unit) - 1


def _top_level(pieces: list[str]) -> Iterator[list[str]]:
    """The pieces of each term of the outer sum."""
    term: list[str] = []
    depth = 0
    for piece in pieces:
        term.append(piece)
        depth += piece.count("(") - piece.count(")")
        if depth <= 0:
            yield term
            term, depth = [], 0
    if term:
        yield term

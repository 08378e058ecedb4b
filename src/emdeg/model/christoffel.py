"""The table of Christoffel symbols: which are zero, which equal which, and by which relation.

Relations, numbered as in Armstrong, Khatib and Burdick 1986:

(7)  ∂a_ij/∂q_k = ∂a_ji/∂q_k, since A is symmetric;
(8)  ∂a_ij/∂q_k = 0 for i, j >= k, since A does not depend on where the arm before joint k stands;
     together: (i, ik) = 0 for k <= i, and (i, jk) = -(k, ij) for j <= i, k;
(9)  ∂a_ij/∂q_n = 0 where the last link is symmetric about its axis;
(10) (i, jk) = ± (i, j+1 k) for k > j where the axes j and j+1 are parallel (minus: and point opposite ways).

What is equal beyond these is found by comparing normal forms. Each equality in the table is one of normal forms.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from emdeg.algebra import LinearForm
from emdeg.mechanics.tree import Tree
from emdeg.model.dynamics import Triple

Formal = frozenset[tuple[tuple[int, int, int], int]]


@dataclass(frozen=True)
class Row:
    """One symbol (i, jk), indices from 0: an expression of its own, zero for a reason, or ± another by a relation."""

    index: Triple
    status: Literal["expression", "zero", "equal"]
    reason: str = ""
    equals: Triple | None = None
    sign: int = 1


@dataclass(frozen=True)
class Table:
    """All n·n(n+1)/2 symbols, and how many distinct ones are left after each relation."""

    rows: tuple[Row, ...]
    after: Mapping[str, int]

    @property
    def total(self) -> int:
        return len(self.rows)

    @property
    def zero(self) -> int:
        return sum(row.status == "zero" for row in self.rows)

    @property
    def nonzero(self) -> int:
        return self.total - self.zero

    @property
    def unique(self) -> int:
        """Distinct non-zero functions up to sign."""
        return sum(row.status == "expression" for row in self.rows)


def christoffel_table(
    tree: Tree, symbols: Mapping[Triple, LinearForm], symmetric: bool, reason: Callable[[int, int, int], str]
) -> Table:
    """The table of a robot's symbols; `reason` says why one vanishes, `symmetric` that A doesn't depend on q_n."""
    stages = _stages(tree, symbols, symmetric)
    rows: list[Row] = []
    found: dict[tuple[object, ...], list[Triple]] = {}
    for index, form in symbols.items():
        if not form:
            rows.append(Row(index, "zero", reason(*index)))
            continue
        twins = found.setdefault(tuple((key, len(form.terms[key])) for key in sorted(form.terms)), [])
        twin = _twin(form, twins, symbols)
        if twin is None:
            twins.append(index)
            rows.append(Row(index, "expression"))
        else:
            other, sign = twin
            known = (name for name, classes in stages.items() if classes[index] == classes[other])
            rows.append(Row(index, "equal", next(known, "coincidence"), other, sign))
    after = {"none": len(symbols)}
    after |= {name: len(set(classes.values()) - {NOTHING}) for name, classes in stages.items()}
    after["exact comparison"] = sum(row.status == "expression" for row in rows)
    return Table(tuple(rows), after)


def _twin(form: LinearForm, twins: list[Triple], symbols: Mapping[Triple, LinearForm]) -> tuple[Triple, int] | None:
    """The symbol among `twins` whose normal form is this one up to sign, and the sign."""
    for other in twins:
        if form.terms == symbols[other].terms:
            return other, 1
        if form.terms == (-symbols[other]).terms:
            return other, -1
    return None


NOTHING: Formal = frozenset()


def _stages(tree: Tree, symbols: Mapping[Triple, LinearForm], symmetric: bool) -> dict[str, dict[Triple, Formal]]:
    """Per relation, with those before it: the class of each symbol up to sign; NOTHING is the class of zero."""
    classes = {index: _formal(index, None) for index in symbols}
    stages = {"(7), (8) general": classes}
    if symmetric:
        classes = {index: _formal(index, len(tree) - 1) for index in symbols}
        stages["(9) symmetric last link"] = classes
    if parallel := _parallel(tree):
        stages["(10) parallel axes"] = _joined(classes, parallel, symbols)
    return stages


def _parallel(tree: Tree) -> list[int]:
    """The joints j whose axis is parallel to that of j + 1, both turning."""
    pairs = zip(tree.segments, tree.segments[1:], strict=False)
    return [a.coordinate for a, b in pairs if b.parent == a.coordinate and b.turn is None and a.revolute and b.revolute]


def _formal(index: Triple, dead: int | None) -> Formal:
    """2 (i, jk) = D_ijk + D_ikj - D_jki in formal derivatives D_ijk of a_ij, without those that relations annul.

    Equal up to sign for the same or opposite combinations. `dead` is a coordinate on which no a_ij depends.
    """
    i, j, k = index
    terms: dict[tuple[int, int, int], int] = {}
    for (a, b, c), sign in (((i, j, k), 1), ((i, k, j), 1), ((j, k, i), -1)):
        if (a >= c and b >= c) or c == dead:
            continue
        key = (min(a, b), max(a, b), c)
        terms[key] = terms.get(key, 0) + sign
    kept = {key: value for key, value in terms.items() if value}
    if kept and kept[min(kept)] < 0:
        kept = {key: -value for key, value in kept.items()}
    return frozenset(kept.items())


def _joined(
    formal: Mapping[Triple, Formal], parallel: list[int], symbols: Mapping[Triple, LinearForm]
) -> dict[Triple, Formal]:
    """Classes joined where (i, jk) = ± (i, j+1 k) for parallel axes j, j+1; each such pair is checked."""
    parent: dict[Formal, Formal] = {}

    def root(x: Formal) -> Formal:
        while parent.get(x, x) != x:
            x = parent[x]
        return x

    for (i, j, k), form in symbols.items():
        if j in parallel and k > j:
            other = (i, min(j + 1, k), max(j + 1, k))
            if form.terms in (symbols[other].terms, (-symbols[other]).terms):
                one, two = root(formal[i, j, k]), root(formal[other])
                if one != two:
                    parent[two if one == NOTHING else one] = NOTHING if one == NOTHING else two
    return {index: root(x) for index, x in formal.items()}

"""The torque equations put together, velocity products with the same coefficient gathered."""

from fractions import Fraction
from itertools import combinations_with_replacement

from emdeg.model.element import Element, Grid, Rates, Torque
from emdeg.model.entry import Entry

_Term = tuple[Entry, tuple[str, ...]]


def assembled_torque(mass: Grid[Element], christoffel: Grid[Element], gravity: Grid[Element], i: int) -> Torque:
    """tau_i = sum a_ij qdd_j + sum b_ijk qd_j qd_k + sum c_ij qd_j² + g_i."""
    count = len(mass)
    accelerations: list[_Term] = [(mass[i, j].entry, (f"qdd{j + 1}",)) for j in range(count)]
    products: list[_Term] = []
    for j, k in combinations_with_replacement(range(count), 2):
        entry = christoffel[i, j, k].entry
        products.append((entry if j == k else entry.times(Fraction(2)), (f"qd{j + 1}", f"qd{k + 1}")))
    return Torque(f"tau{i + 1}", (*_gathered(accelerations), *_gathered(products)), gravity[i].entry)


def _gathered(terms: list[_Term]) -> list[tuple[Entry, Rates]]:
    """Terms with equal or opposite entries under one entry."""
    sums: dict[object, tuple[Entry, list[tuple[int, tuple[str, ...]]]]] = {}
    for entry, factors in terms:
        if not entry:
            continue
        if (-entry).key in sums:
            sums[(-entry).key][1].append((-1, factors))
        else:
            sums.setdefault(entry.key, (entry, []))[1].append((1, factors))
    return [(entry, Rates(tuple(rates))) for entry, rates in sums.values()]

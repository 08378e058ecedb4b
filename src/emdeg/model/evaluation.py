"""The numbers of a model at a state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from emdeg.algebra import LinearForm, Monomial, TrigRing
from emdeg.errors import InputError
from emdeg.mechanics.tree import Tree
from emdeg.model.parameters import Parameters
from emdeg.model.values import evaluate, generator
from emdeg.quantity import Angle

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """A, B, C, g and the torques at a state; SI units.

    Shapes: mass_matrix (..., n, n), coriolis (..., n, n(n-1)/2), centrifugal (..., n, n), gravity (..., n),
    bias = B[qd qd] + C[qd²] + g (..., n), coriolis_matrix (..., n, n) in Christoffel form (bias - g =
    coriolis_matrix @ qd), torque = A qdd + bias (..., n).
    """

    mass_matrix: Array
    coriolis: Array
    centrifugal: Array
    gravity: Array
    coriolis_matrix: Array
    bias: Array
    torque: Array


@dataclass(frozen=True)
class Numeric:
    """Forms with numbers put in for all letters: one matrix times the monomials in what moves."""

    tree: Tree
    exponents: NDArray[np.int64]
    matrix: Array
    constants: tuple[float, ...]

    @staticmethod
    def of(
        tree: Tree, ring: TrigRing, chosen: Parameters, forms: Sequence[LinearForm], numbers: Mapping[str, Any]
    ) -> "Numeric":
        letters = chosen.letters
        worths = [evaluate(letters, dict(letters.items(d)), numbers) for d in chosen.definitions]
        moves = ring.moving
        still = [(k, generator(name, numbers)) for k, name in enumerate(ring.names) if not moves[k]]
        index: dict[Monomial, int] = {}
        rows: list[int] = []
        columns: list[int] = []
        entries: list[float] = []
        for row, form in enumerate(forms):
            for key, polynomial in form.terms.items():
                worth = worths[key]
                for monomial, factor in zip(polynomial.monoms(), polynomial.coeffs(), strict=True):
                    value = worth * (int(factor.p) / int(factor.q))
                    if still:
                        for k, x in still:
                            if monomial[k]:
                                value *= x ** int(monomial[k])
                        monomial = tuple([e if moving else 0 for e, moving in zip(monomial, moves, strict=True)])
                    rows.append(row)
                    columns.append(index.setdefault(monomial, len(index)))
                    entries.append(value)
        matrix = np.zeros((len(forms), len(index)))
        np.add.at(matrix, (rows, columns), entries)
        exponents = np.array([[int(e) for e in m] for m in index], dtype=np.int64).reshape(len(index), len(ring.names))
        constants = tuple(_constant(angle.constant, numbers) for angle in tree.angles)
        moving = [*range(len(tree.angles)), *(len(ring.pairs) + k for k in range(len(tree.angles)))]
        slides = [ring.names.index(f"q{s.coordinate + 1}") for s in tree.segments if not s.revolute]
        return Numeric(tree, exponents[:, [*moving, *slides]], matrix, constants)

    def __call__(self, q: Array) -> Array:
        """Values of the forms, (..., forms), at positions q (..., n)."""
        angles = np.stack([self._angle(q, k) for k in range(len(self.constants))], -1) if self.constants else q[..., :0]
        slides = q[..., [s.coordinate for s in self.tree.segments if not s.revolute]]
        generators = np.concatenate([np.sin(angles), np.cos(angles), slides], -1)
        monomials = np.ones((*q.shape[:-1], len(self.exponents)))
        for k in range(generators.shape[-1]):
            for power in range(1, int(self.exponents[:, k].max(initial=0)) + 1):
                chosen = self.exponents[:, k] == power
                monomials[..., chosen] *= generators[..., k : k + 1] ** power
        return np.asarray(monomials @ self.matrix.T)

    def _angle(self, q: Array, k: int) -> Array:
        total = np.full(q.shape[:-1], self.constants[k])
        for coordinate, sign in self.tree.angles[k].coordinates:
            total = total + sign * q[..., coordinate]
        return total


def _constant(angle: Angle, numbers: Mapping[str, Any]) -> float:
    return float(angle.radians({name: float(numbers[name]) for name, _ in angle.letters}))


def state_array(name: str, values: ArrayLike | None, count: int) -> Array:
    """A state of shape (..., n) as doubles; zeros where None; InputError on a wrong shape, NaN or infinity."""
    if values is None:
        return np.zeros(count)
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be {count} numbers", advice=f"got {values!r}") from None
    if array.ndim == 0 or array.shape[-1] != count:
        raise InputError(f"{name} must have {count} entries in its last axis", advice=f"got the shape {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"{name} must be finite", advice="it holds NaN or infinity")
    return array


def assemble(values: Array, count: int, qd: Array, qdd: Array) -> Evaluation:
    """An evaluation from the values of A (upper triangle), g and the Christoffel symbols (i, jk), j <= k."""
    shape = values.shape[:-1]
    pairs = [(i, j) for i in range(count) for j in range(i, count)]
    mass = np.zeros((*shape, count, count))
    for position, (i, j) in enumerate(pairs):
        mass[..., i, j] = mass[..., j, i] = values[..., position]
    gravity = values[..., len(pairs) : len(pairs) + count]
    symbols = values[..., len(pairs) + count :].reshape(*shape, count, len(pairs))
    full = np.zeros((*shape, count, count, count))
    for position, (j, k) in enumerate(pairs):
        full[..., j, k] = full[..., k, j] = symbols[..., position]
    products = [position for position, (j, k) in enumerate(pairs) if j != k]
    squares = [position for position, (j, k) in enumerate(pairs) if j == k]
    coriolis_matrix = np.einsum("...ijk,...k->...ij", full, qd)
    bias = np.einsum("...ij,...j->...i", coriolis_matrix, qd) + gravity
    torque = np.einsum("...ij,...j->...i", mass, qdd) + bias
    coriolis = 2 * symbols[..., products]
    return Evaluation(mass, coriolis, symbols[..., squares], gravity, coriolis_matrix, bias, torque)

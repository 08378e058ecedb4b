"""The elements of the explicit model as a program's outputs: A, B, C and g, in joint or in absolute coordinates.

In absolute coordinates phi = T q (see `closed_form`) the model is A' phidd + B' [phid phid] + C' [phid²] + g' = tau',
with A = Tᵀ A' T, g = Tᵀ g', tau = Tᵀ tau'. A' and g' are given as functions of q, B' and C' belong to phid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from emdeg.compiler.closed_form import preimage
from emdeg.mechanics.tree import Tree
from emdeg.program import Scalar

Matrix = list[list[Scalar]]
Arrays = dict[str, tuple[tuple[int, ...], list[Scalar]]]
"""Name -> (shape, components, the last index fastest)."""


@dataclass(frozen=True)
class Elements:
    """A; B, columns for qd1 qd2, qd1 qd3, ..., qd(n-1) qdn; C; g."""

    mass: Matrix
    coriolis: Matrix
    centrifugal: Matrix
    gravity: list[Scalar]

    @staticmethod
    def of(mass: Matrix, seconds: Sequence[Matrix], gravity: list[Scalar]) -> "Elements":
        """From the second derivatives of the torques with respect to the rates, [i][j][k]."""
        n = len(gravity)
        coriolis = [[second[j][k] for j in range(n) for k in range(j + 1, n)] for second in seconds]
        centrifugal = [[second[j][j] * Fraction(1, 2) for j in range(n)] for second in seconds]
        return Elements(mass, coriolis, centrifugal, gravity)

    def arrays(self, suffix: str = "") -> Arrays:
        """Outputs by name, with their shapes."""
        n = len(self.gravity)
        return {
            f"mass_matrix{suffix}": ((n, n), [x for row in self.mass for x in row]),
            f"coriolis{suffix}": ((n, n * (n - 1) // 2), [x for row in self.coriolis for x in row]),
            f"centrifugal{suffix}": ((n, n), [x for row in self.centrifugal for x in row]),
            f"gravity{suffix}": ((n,), self.gravity),
        }


def to_absolute(
    tree: Tree, mass: Matrix, seconds: Sequence[Matrix], gravity: Sequence[Scalar]
) -> tuple[Matrix, list[Matrix], list[Scalar]]:
    """What `Elements.of` takes, from joint to absolute coordinates."""
    n = len(tree)
    columns = [preimage(tree, a) for a in range(n)]

    def vector(entries: Sequence[Scalar]) -> list[Scalar]:
        rows = [[entries[i] * x for i, x in column] for column in columns]
        return [sum(row[1:], row[0]) for row in rows]

    def matrix(entries: Matrix) -> Matrix:
        half = [vector(row) for row in entries]
        return [list(row) for row in zip(*(vector(column) for column in zip(*half, strict=True)), strict=True)]

    both = [matrix(second) for second in seconds]
    outer = [[vector([both[i][j][k] for i in range(n)]) for k in range(n)] for j in range(n)]
    turned = [[[outer[j][k][a] for k in range(n)] for j in range(n)] for a in range(n)]
    return matrix(mass), turned, vector(gravity)

"""Vectors of three and 3×3 matrices over any scalar."""

from collections.abc import Sequence
from typing import Any

Vector = tuple[Any, Any, Any]
Matrix = tuple[Vector, Vector, Vector]


def add(x: Vector, y: Vector) -> Vector:
    return (x[0] + y[0], x[1] + y[1], x[2] + y[2])


def subtract(x: Vector, y: Vector) -> Vector:
    return (x[0] - y[0], x[1] - y[1], x[2] - y[2])


def negate(x: Vector) -> Vector:
    return (-x[0], -x[1], -x[2])


def scale(x: Vector, factor: Any) -> Vector:
    return (x[0] * factor, x[1] * factor, x[2] * factor)


def dot(x: Vector, y: Vector) -> Any:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def cross(x: Vector, y: Vector) -> Vector:
    return (x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0])


def transpose(m: Matrix) -> Matrix:
    return ((m[0][0], m[1][0], m[2][0]), (m[0][1], m[1][1], m[2][1]), (m[0][2], m[1][2], m[2][2]))


def apply(m: Matrix, x: Vector) -> Vector:
    """The product of a matrix and a vector; the vector's elements stand left, so that they may be linear forms."""
    return (
        x[0] * m[0][0] + x[1] * m[0][1] + x[2] * m[0][2],
        x[0] * m[1][0] + x[1] * m[1][1] + x[2] * m[1][2],
        x[0] * m[2][0] + x[1] * m[2][1] + x[2] * m[2][2],
    )


def product(m: Matrix, n: Matrix) -> Matrix:
    """The product m n; the elements of m may be linear forms."""
    columns = transpose(n)
    rows = tuple(tuple(dot(row, column) for column in columns) for row in m)
    return (rows[0], rows[1], rows[2])


def symmetric(six: Sequence[Any]) -> Matrix:
    """The symmetric matrix with the elements xx, xy, xz, yy, yz, zz."""
    xx, xy, xz, yy, yz, zz = six
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def upper(m: Matrix) -> tuple[Any, Any, Any, Any, Any, Any]:
    """The elements xx, xy, xz, yy, yz, zz of a symmetric matrix."""
    return (m[0][0], m[0][1], m[0][2], m[1][1], m[1][2], m[2][2])

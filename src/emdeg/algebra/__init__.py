"""Exact arithmetic: trigonometric polynomials, integers modulo a prime, linear forms."""

from emdeg.algebra.linear import LinearForm, total
from emdeg.algebra.ring import Monomial, Polynomial, TrigRing

__all__ = ["LinearForm", "Monomial", "Polynomial", "TrigRing", "total"]

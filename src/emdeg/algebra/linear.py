"""Linear forms: what the mechanics are in the inertial parameters, which are never multiplied with each other."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any


class LinearForm:
    """sum over p of coefficient[p] × parameter p, with coefficients in any ring; absent means zero.

    Forms are added to each other and multiplied by scalars of that ring, so that mechanics written for numbers yield
    one coefficient per inertial parameter when they are fed with forms.
    """

    __slots__ = ("terms",)

    def __init__(self, terms: Mapping[int, Any] | None = None) -> None:
        self.terms: dict[int, Any] = dict(terms) if terms else {}

    def __add__(self, other: "LinearForm") -> "LinearForm":
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms[key] + value if key in terms else value
        return _form(terms)

    def __sub__(self, other: "LinearForm") -> "LinearForm":
        terms = dict(self.terms)
        for key, value in other.terms.items():
            terms[key] = terms[key] - value if key in terms else -value
        return _form(terms)

    def __neg__(self) -> "LinearForm":
        return _form({key: -value for key, value in self.terms.items()})

    def __mul__(self, scalar: Any) -> "LinearForm":
        if scalar == 0:
            return _form({})
        return _form({key: value * scalar for key, value in self.terms.items()})

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearForm):
            return NotImplemented
        return self.normal().terms == other.normal().terms

    __hash__ = None  # type: ignore[assignment]  # coefficients of most rings can't be hashed

    def __bool__(self) -> bool:
        return any(value != 0 for value in self.terms.values())

    def __repr__(self) -> str:
        return f"LinearForm({self.terms!r})"

    def normal(self) -> "LinearForm":
        """The same form without zero coefficients."""
        return _form({key: value for key, value in self.terms.items() if value != 0})

    def map(self, change: Callable[[Any], Any]) -> "LinearForm":
        """The form with `change` applied to each coefficient, zeros left out."""
        changed = ((key, change(value)) for key, value in self.terms.items())
        return _form({key: value for key, value in changed if value != 0})

    def substitute(self, forms: Mapping[int, "LinearForm"]) -> "LinearForm":
        """Each parameter replaced by a form over other parameters; a parameter without one is replaced by zero."""
        terms: dict[int, Any] = {}
        for key, value in self.terms.items():
            for new, factor in forms[key].terms.items() if key in forms else ():
                product = value * factor
                terms[new] = terms[new] + product if new in terms else product
        return _form(terms).normal()


def _form(terms: dict[int, Any]) -> LinearForm:
    form = LinearForm.__new__(LinearForm)
    form.terms = terms
    return form


def total(forms: Iterable[LinearForm]) -> LinearForm:
    """The sum of the forms."""
    terms: dict[int, Any] = {}
    for form in forms:
        for key, value in form.terms.items():
            terms[key] = terms[key] + value if key in terms else value
    return _form(terms)

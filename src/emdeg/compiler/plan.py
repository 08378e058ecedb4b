"""A plan: per link its gauge, and how customised Newton-Euler computes it."""

from dataclasses import dataclass, replace
from typing import Any

from emdeg.compiler.factoring import Factoring
from emdeg.compiler.gauge import ALONG, MASS, MOMENTS, SPIN, LinkGauge
from emdeg.mechanics.customized import Choice

AXES = ("own", "carrier")
MENU: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("slide", (False, True)),
    ("mass", MASS),
    ("along", ALONG),
    ("moments", MOMENTS),
    ("spin", SPIN),
    ("axes", AXES),
    ("moment", ("euler", "sigma")),
    ("lever", AXES),
)


@dataclass(frozen=True)
class Plan:
    """Per link its gauge, how it is computed, whether its origin slides along the joint's axis.

    `closed`: how the closed form is factored, where it is to be used instead of recursions; `hybrid`: for A only.
    """

    gauge: tuple[LinkGauge, ...]
    choices: tuple[Choice, ...]
    slides: tuple[bool, ...]
    closed: Factoring | None = None
    hybrid: bool = False

    def changed(self, k: int, what: str, value: Any) -> "Plan":
        """The plan with one decision of link k made otherwise."""
        if what in ("mass", "along", "moments", "spin"):
            gauge = list(self.gauge)
            gauge[k] = replace(gauge[k], **{what: value})
            return replace(self, gauge=tuple(gauge))
        if what == "slide":
            slides = list(self.slides)
            slides[k] = value
            return replace(self, slides=tuple(slides))
        choices = list(self.choices)
        choices[k] = replace(choices[k], **{what: value})
        return replace(self, choices=tuple(choices))

    @staticmethod
    def plain(count: int) -> "Plan":
        """Base parameters, each link in its own axes."""
        return Plan((LinkGauge(),) * count, (Choice(),) * count, (False,) * count)

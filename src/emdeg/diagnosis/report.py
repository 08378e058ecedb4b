"""The result of a check."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from emdeg.model.base_parameters import Counts
from emdeg.version import __version__

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """Where something is, what it is, why it matters and what to do."""

    severity: Severity
    where: str
    what: str
    why: str
    advice: str


@dataclass(frozen=True)
class Report:
    """What a robot is, in numbers and in words, and what was found.

    `frames` describes each joint in a line: its axis and origin in the base frame at q = 0. `moving_mass` [kg] is None
    where a mass is unknown.
    """

    robot: str
    joints: int
    degrees_of_freedom: int
    moving_mass: float | None
    base_parameters: Counts
    snapped: tuple[str, ...]
    frames: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `emdeg check --json`."""
        return {"emdeg": __version__, "schema": 1} | asdict(self)

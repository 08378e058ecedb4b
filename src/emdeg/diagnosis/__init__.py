"""What is in a robot's description, what is wrong with it, what can be identified."""

from emdeg.diagnosis.check import check
from emdeg.diagnosis.report import Finding, Report

__all__ = ["Finding", "Report", "check"]

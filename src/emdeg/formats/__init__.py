"""Reading robots: files, documents, bundled names -> Robot."""

from emdeg.formats.bundled import BundledRobot, bundled
from emdeg.formats.declaration import schema
from emdeg.formats.source import load

__all__ = ["BundledRobot", "bundled", "load", "schema"]

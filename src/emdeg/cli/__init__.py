"""The command line: parses, calls one function, prints."""

from emdeg.cli.app import main

__all__ = ["main"]

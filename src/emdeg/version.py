"""The version of emdeg, said once: the build, the command line and every JSON result read it here."""

__version__ = "0.1.0"

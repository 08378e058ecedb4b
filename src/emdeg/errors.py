"""What went wrong, where, and what would be right."""


class EmdegError(Exception):
    """Base of every error that emdeg raises on purpose.

    `what` says what is wrong, `where` the place (a file, a key, an element), `advice` what would be right.
    """

    def __init__(self, what: str, *, where: str = "", advice: str = "") -> None:
        self.what = what
        self.where = where
        self.advice = advice
        place = f"{where}: " if where else ""
        hint = f"\n  {advice}" if advice else ""
        super().__init__(f"{place}{what}{hint}")


class InputError(EmdegError):
    """The input is wrong: a file, a key, a value, a name."""


class UnsupportedError(EmdegError):
    """The input is right, but emdeg can't treat it (yet)."""


class ProofError(EmdegError):
    """An identity that must hold does not: two derivations, or a regrouping, differ."""

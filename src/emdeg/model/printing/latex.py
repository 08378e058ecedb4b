"""LaTeX of names, numbers and sums, in the papers' hand: S_{23}, C_{4}, squares, sums of parallel angles."""

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

from emdeg.model.entry import Atom, Entry
from emdeg.model.printing.notation import Notation
from emdeg.model.printing.pieces import entry_pieces

_GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega",
))  # fmt: skip
_NAME = re.compile(r"([A-Za-z]+)_?([A-Za-z0-9_]*)", re.ASCII)
_RATE = re.compile(r"q(d{1,2})(\d+)", re.ASCII)
_MOMENTS = re.compile(r"([rhIL])([xyzm]{1,2})", re.ASCII)


def name(text: str) -> str:
    """A letter with its index set low: I5 -> I_{5}, rx2 -> r_{x2}, Izz1 -> I_{zz1}, alpha2 -> \\alpha_{2}, qd1.

    Whatever is no name in ASCII letters, digits and underscores is set as escaped text.
    """
    if rate := _RATE.fullmatch(text):
        return rf"\{rate[1]}ot{{q}}_{{{rate[2]}}}"
    match = _NAME.fullmatch(text)
    if match is None:
        return rf"\text{{{escape(text)}}}"
    stem, low = match.groups()
    if stem in _GREEK:
        head = "\\" + stem
    elif moment := _MOMENTS.fullmatch(stem):
        head, low = moment[1], moment[2] + low
    else:
        head = stem if len(stem) == 1 else rf"\mathrm{{{stem}}}"
    if re.search("[A-Za-z]{3}|_", low):
        low = rf"\mathrm{{{low}}}".replace("_", r"\_")
    return f"{head}_{{{low}}}" if low else head


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\ensuremath{<}", ">": r"\ensuremath{>}",
    "`": r"\`{}", "|": r"\ensuremath{|}", '"': "''", "-": "-{}", "±": r"\ensuremath{\pm}", "·": r"\ensuremath{\cdot}",
    "×": r"\ensuremath{\times}", "²": r"\ensuremath{^2}", "³": r"\ensuremath{^3}", "°": r"\ensuremath{^\circ}",
    "µ": r"\ensuremath{\mu}", "–": "--", "—": "---", "’": "'", "‘": "`", "“": "``", "”": "''", "…": r"\dots{}",
    "−": r"\ensuremath{-}", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "œ": r"\oe{}",
    "Œ": r"\OE{}", "ł": r"\l{}", "Ł": r"\L{}",
}  # fmt: skip
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0308\u030a\u0327\u030c\u0307\u0304\u0306\u030b", "`'^~\"rcv.=uH", strict=True)
)


def escape(text: str) -> str:
    """Any text in ASCII for pdflatex: special characters as commands, what its fonts lack as [U+4E2D]."""
    return "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if " " <= character <= "~":
        return character
    if character.isspace():
        return " "
    base, accent = unicodedata.normalize("NFD", character)[:1], unicodedata.normalize("NFD", character)[1:]
    if base.isascii() and base.isalpha() and accent in _ACCENTS:
        return rf"\{_ACCENTS[accent]}{{{base}}}"
    greek = unicodedata.name(character, "").removeprefix("GREEK SMALL LETTER ").lower()
    if greek in _GREEK - {"lambda", "omicron"}:
        return rf"\ensuremath{{\{greek}}}"
    return r"\ensuremath{\lambda}" if character == "λ" else f"[U+{ord(character):04X}]"


def unit(text: str) -> str:
    """A unit as mathematics: kg m² -> \\mathrm{kg\\,m^{2}}."""
    if re.fullmatch(r"[A-Za-z/ ⁰¹²³⁴⁵⁶⁷⁸⁹⁻]*", text) is None:
        return rf"\text{{{escape(text)}}}"
    plain = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: f"^{{{m[0].translate(_LOWERED)}}}", text)
    plain = plain.replace(" ", r"\,")
    return rf"\mathrm{{{plain}}}"


_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


@dataclass(frozen=True)
class Latex(Notation):
    """For LaTeX and its kin."""

    times = " "

    def name(self, text: str) -> str:
        return name(text)

    def atom(self, atom: Atom) -> str:
        head = {"s": "S", "c": "C", "q": "q"}[atom.kind]
        low = atom.name[1:].replace("_", r"\,").replace("m", "-")
        return f"{head}_{{{low}}}"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def fraction(self, value: Fraction) -> str:
        return rf"\tfrac{{{value.numerator}}}{{{value.denominator}}}"

    def multiple(self, factor: Fraction, name: str) -> str:
        return name if factor == 1 else self.product([self.number(factor), name])

    def decimal(self, text: str) -> str:
        mantissa, _, exponent = text.partition("e")
        return rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if exponent else text

    def function(self, name: str) -> str:
        return {"sin": r"\sin", "cos": r"\cos", "atan": r"\arctan"}.get(name, rf"\mathrm{{{name}}}")

    def literal(self, text: str) -> str:
        return text if text in "()/" else rf"\text{{{escape(text)}}}"

    def measure(self, piece: str) -> float:
        """Indices count two thirds; commands as one letter, but \\mathrm and the like as nothing."""
        bare = re.sub(r"\\(?:mathrm|text|tfrac)|[{}^]", "", piece)
        letters = re.sub(r"\\[A-Za-z]+", "x", bare)
        low = sum(len(index) for index in re.findall(r"_([A-Za-z0-9]+)", letters))
        return len(letters.replace("_", "").replace(" ", "")) - low / 3


LATEX = Latex()


def entry(whole: Entry) -> str:
    """The sum of an entry's groups."""
    return " ".join(entry_pieces(whole, LATEX))

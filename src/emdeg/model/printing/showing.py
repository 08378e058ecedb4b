"""How models and constants show themselves: printed, in Jupyter, and on request in each format."""

from typing import Any

from emdeg.model.printing import html, json, latex_document, markdown, sympy, text
from emdeg.model.printing.latex import LATEX, name
from emdeg.model.printing.pieces import text_pieces
from emdeg.model.printing.subject import NamedConstant, Subject
from emdeg.model.printing.values import rounded


class ShownModel:
    """The formats of a model. What is too long for a screen is counted, but written by the `to_...` methods."""

    def __repr__(self: Subject) -> str:
        return f"<model of {self.robot.name!r}, {len(self.tree)} joints>"

    def __str__(self: Subject) -> str:
        return text.text(self)

    def to_text(self: Subject, width: int = 100, *, ascii: bool = False) -> str:
        """The whole model for a terminal, in Unicode or, as Python syntax, in ASCII."""
        return text.text(self, text.Style(width, ascii), whole=True)

    def to_latex(self: Subject) -> str:
        """A document for pdflatex."""
        return latex_document.document(self)

    def to_markdown(self: Subject) -> str:
        """A page of Markdown with the mathematics of GitHub."""
        return markdown.markdown(self)

    def to_html(self: Subject) -> str:
        """A self-contained page."""
        return html.page(self)

    def to_json(self: Subject) -> dict[str, Any]:
        """The object that `emdeg derive --json` prints."""
        return json.to_json(self)

    def to_sympy(self: Subject) -> sympy.SympyModel:
        """Matrices and symbols of SymPy; UnsupportedError where it is not installed."""
        return sympy.to_sympy(self)

    def _repr_html_(self: Subject) -> str:
        return html.section(self)


class ShownConstant:
    """How a constant shows itself in Jupyter."""

    def to_latex(self: NamedConstant) -> str:
        r"""I_{5} = 0.372 \pm 0.041~\text{kg m^2} = -m_{3} a_{2} r_{y3} + ..."""
        parts = [name(self.name)]
        if self.value is not None:
            parts.append(latex_document.value(rounded(self.value, self.tolerance), self.unit))
        if self.definition != self.name:
            parts.append(" ".join(text_pieces(self.definition, LATEX)))
        return " = ".join(parts)

    def _repr_latex_(self: "ShownConstant") -> str:
        return f"${self.to_latex()}$"  # type: ignore[misc]

    def _repr_html_(self: NamedConstant) -> str:
        return html.constant(self)

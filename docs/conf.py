"""Sphinx reads this file. Mathematics becomes MathML here, so that the pages ask no other server for anything."""

from docutils.nodes import SkipNode
from math_core import LatexToMathML

from emdeg.version import __version__

project = "emdeg"
author = "the emdeg authors"
release = version = __version__
extensions = ["myst_nb"]
exclude_patterns = ["_build", "jupyter_execute"]
myst_enable_extensions = ["dollarmath"]
nb_execution_raise_on_error = True
html_theme = "furo"
html_title = f"emdeg {version}"
html_math_renderer = "mathml"


def mathml(displaystyle):
    converter = LatexToMathML()

    def visit(translator, node):
        translator.body.append(converter.convert_with_local_state(node.astext(), displaystyle=displaystyle))
        raise SkipNode

    return visit, None


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=mathml(False), block_renderers=mathml(True))

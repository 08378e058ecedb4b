"""Printed models: every format says what the model is, compiles, evaluates to the same numbers, is safe."""

import json
import math
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from random import Random

import numpy as np
import pytest

import emdeg
from emdeg.model.printing import html, latex, latex_document, markdown, sympy
from emdeg.model.printing.json import elements_json, to_json
from emdeg.model.printing.outline import outline
from emdeg.model.printing.text import Style, text

NASTY = "<script>alert('x')</script> \\input{/etc/passwd} $x$ `code` *b* | & # % _ ~ ^ ``` \x1b[31m é 機"


@pytest.fixture(scope="module")
def models():
    made = {}

    def model(name):
        if name not in made:
            made[name] = replace(emdeg.derive(name), seconds=0.004)
        return made[name]

    return model


@pytest.fixture(scope="module")
def nasty():
    link = {"mass": 1, "center_of_mass": [0.1, 0.2, 0.3], "inertia": {"xx": 1, "yy": 1, "zz": 1, "xy": 0.1}}
    document = {
        "schema": 1, "name": NASTY, "description": NASTY, "convention": "modified-dh", "gravity": [0, "-g", 0],
        "sources": {NASTY: NASTY}, "symbols": {"lambda": {"unit": "m", "what": NASTY, "source": NASTY}},
        "joint": [
            {"name": f"first {NASTY}", "alpha": 0, "a": 0, "d": 0, "link": {**link, "source": NASTY}},
            {"name": f"second {NASTY}", "alpha": 0, "a": "lambda", "d": 0, "link": link},
        ],
        "payload": [{"name": NASTY, "link": f"second {NASTY}", "mass": "?", "center_of_mass": [0, 0, 1]}],
    }  # fmt: skip
    return emdeg.derive(document)


@pytest.mark.parametrize("robot", ["planar2", "scara"])
@pytest.mark.parametrize(
    ("ending", "printed"),
    [
        ("txt", lambda model: text(model, Style(100))),
        ("ascii.txt", lambda model: text(model, Style(80, ascii=True), whole=True)),
        ("tex", latex_document.document),
        ("md", markdown.markdown),
        ("json", lambda model: json.dumps({**to_json(model), "emdeg": "x"}, indent=1, ensure_ascii=False) + "\n"),
    ],
    ids=["text", "ascii", "latex", "markdown", "json"],
)
def test_golden(robot, ending, printed, models, golden):
    golden(f"{robot}.{ending}", printed(models(robot)))


def test_references_between_elements_hold(models):
    model = models("puma560")
    q = Random(3).sample(range(-300, 300), 6)
    found = model.evaluate([x / 100 for x in q])
    sections = outline(model, whole=True).sections
    equal = [e for section in sections for e in section.equal]
    assert {("b134", "b124"), ("c13", "b123"), ("a36", "a26")} <= {(e.name, e.other) for e in equal}
    for equality in equal:
        one, other = (numeric(found, model, name) for name in (equality.name, equality.other))
        assert one == pytest.approx(float(equality.factor) * other, abs=1e-12)


def numeric(found, model, name):
    i, *rest = (int(digit) - 1 for digit in name[1:])
    if name[0] == "b":
        return found.coriolis[i, model.pairs.index(tuple(rest))]
    grid = {"a": found.mass_matrix, "c": found.centrifugal}[name[0]]
    return grid[i, rest[0]]


CONTRACT = {
    "emdeg", "schema", "robot", "formulation", "seconds", "coordinates", "symbols", "abbreviations", "constants",
    "mass_matrix", "velocity_products", "coriolis", "centrifugal", "gravity", "torque", "base_parameters",
    "christoffel", "zeros",
}  # fmt: skip


def evaluated(result, q, qd, qdd, values):
    """A JSON object's strings, evaluated with numbers by Python alone."""
    names = {"sin": math.sin, "cos": math.cos, "atan": math.atan, "pi": math.pi, "__builtins__": {}}
    names |= {name: s["value"] for name, s in result["symbols"].items() if s["value"] is not None} | values
    names |= {f"q{k + 1}": x for k, x in enumerate(q)}
    names |= {f"qd{k + 1}": x for k, x in enumerate(qd)} | {f"qdd{k + 1}": x for k, x in enumerate(qdd)}
    names |= {name: eval(text, names) for name, text in result["constants"].items() for text in [text["definition"]]}
    names |= {name: eval(text, names) for name, text in result["abbreviations"].items()}

    def value(text):
        return [value(part) for part in text] if isinstance(text, list) else eval(text, names)

    return {key: np.array(value(result[key])) for key in EVALUATED}


EVALUATED = ("mass_matrix", "coriolis", "centrifugal", "gravity", "torque")


@pytest.mark.parametrize("robot", ["puma560", "scara", "planar3", "stanford", "puma3"])
def test_json_evaluates_to_the_model(robot, models):
    model, random = models(robot), Random(robot)
    result = json.loads(json.dumps(to_json(model)))
    assert result.keys() == CONTRACT
    n = len(result["coordinates"])
    q, qd, qdd = ([random.uniform(-3, 3) for _ in range(n)] for _ in range(3))
    values = {name: random.uniform(0.5, 2) for name, s in result["symbols"].items() if s["value"] is None}
    found, expected = evaluated(result, q, qd, qdd, values), model.evaluate(q, qd, qdd, values=values)
    for key in EVALUATED:
        exact = getattr(expected, key)
        assert np.abs(found[key].reshape(exact.shape) - exact).max() <= 1e-12 * max(1, np.abs(exact).max()), key


def test_json_is_exact_and_whole(models):
    result = to_json(models("puma560"))
    expressions = json.dumps([result[key] for key in (*EVALUATED, "base_parameters", "abbreviations")])
    assert not re.search(r"\d\.\d", expressions)
    assert result["abbreviations"]["s23"] == "sin(q2 + q3)"
    assert result["velocity_products"][:2] == ["qd1*qd2", "qd1*qd3"] and len(result["velocity_products"]) == 15
    assert result["symbols"]["m2"] == {"value": 17.4, "tolerance": 0.184, "unit": "kg", "what": "mass of link 2"}
    assert result["symbols"]["ry1"]["value"] is None or result["symbols"]["ry1"]["unit"] == "m"
    table = result["christoffel"]["table"]
    assert len(table) == result["christoffel"]["total"] == 126
    assert {frozenset(row) for row in table} == {frozenset(("i", "j", "k", "status", "equals", "reason", "expression"))}
    for row in table:
        assert (row["expression"] is not None) == (row["status"] == "expression")
        assert (row["equals"] is not None) == (row["status"] == "equal")
        assert row["reason"] or row["status"] == "expression"
    assert all(zero["reason"] for zero in result["zeros"])
    used = set(re.findall(r"[A-Za-z_]\w*", json.dumps([result[key] for key in EVALUATED])))
    known = {*result["constants"], *result["symbols"], *result["abbreviations"]}
    assert all(name in known or re.fullmatch(r"qd?d?[1-6]", name) for name in used)


def test_sympy_objects_and_source_are_the_model(models):
    library = pytest.importorskip("sympy")
    model = models("stanford")
    made, names = model.to_sympy(), {}
    exec(sympy.source(model), names)
    for key in ("mass_matrix", "coriolis", "centrifugal", "gravity"):
        assert getattr(made, key) == names[key]
    for name, definition in made.definitions.items():
        assert library.expand(definition - names["definitions"][name]) == 0
    random = Random(5)
    values = {name: random.uniform(0.5, 2) for name in made.symbols if model.robot.symbols[name].value is None}
    q = [random.uniform(-2, 2) for _ in made.coordinates]
    numbers = made.values | {made.symbols[name]: value for name, value in values.items()}
    constants = {name: definition.subs(numbers) for name, definition in made.definitions.items()}
    state = dict(zip(made.coordinates, q, strict=True))
    found = np.array(made.mass_matrix.subs(constants).subs(numbers).subs(state), dtype=float)
    assert np.abs(found - model.evaluate(q, values=values).mass_matrix).max() < 1e-9


def test_sympy_source_of_elements_runs(models):
    pytest.importorskip("sympy")
    model, names = models("scara"), {}
    exec(sympy.elements_source(model, [model.torque[0], model.mass_matrix[0, 0]]), names)
    assert list(names["elements"]) == ["tau1", "a11"]


def test_elements_have_their_own_json(models):
    model = models("puma560")
    result = elements_json(model, [model.mass_matrix[0, 0], model.torque[5]])
    assert list(result["elements"]) == ["a11", "tau6"]
    assert result["elements"]["a11"] == str(model.mass_matrix[0, 0])


def test_latex_is_sound(models):
    for document in (latex_document.document(models(robot)) for robot in ("puma560", "stanford", "scara")):
        assert document.isascii()
        assert document.count("{") - document.count(r"\{") == document.count("}") - document.count(r"\}")
        opened = re.findall(r"\\begin\{(\w+)\}", document)
        assert sorted(opened) == sorted(re.findall(r"\\end\{(\w+)\}", document))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize("robot", ["puma560", "scara", "nasty", "fragment"])
def test_latex_compiles_without_overfull_lines(robot, models, nasty, tmp_path):
    model = nasty if robot == "nasty" else models("puma560" if robot == "fragment" else robot)
    document = latex_document.document(model)
    if robot == "fragment":
        elements = [*model.mass_matrix.flat(), *model.torque]
        head = "\\documentclass{article}\\usepackage{amsmath}\\allowdisplaybreaks\n"
        document = head + "\\begin{document}\n" + latex_document.fragment(model, elements) + "\\end{document}\n"
    (tmp_path / "model.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "model.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt", done.stdout)]
    assert max(wide, default=0) < (200 if robot == "nasty" else 10)
    assert (tmp_path / "model.pdf").stat().st_size > 10_000


def test_latex_lets_no_command_through(nasty):
    document = latex_document.document(nasty)
    assert r"\input" not in document and "$x$" not in document
    assert r"\textbackslash{}input\{/etc/passwd\}" in document
    assert "[U+6A5F]" in document and r"\'{e}" in document
    assert latex.name("\\input{a}") == r"\text{\textbackslash{}input\{a\}}"


class Tags(HTMLParser):
    """Collects tags and attributes, and checks that they are closed in order."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.attributes = [], set(), []

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("robot", ["puma560", "nasty"])
def test_html_is_sound_and_asks_nobody_for_anything(robot, models, nasty):
    page = html.page(nasty if robot == "nasty" else models(robot))
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert tags.seen <= {
        "html", "head", "meta", "title", "body", "div", "style", "h1", "h2", "p", "i", "b", "sub", "sup", "span",
        "table", "tr", "td",
    }  # fmt: skip
    assert {name for name, _ in tags.attributes} <= {"lang", "charset", "class", "style"}
    assert "url(" not in page and "@import" not in page
    assert "<script" not in page and "\x1b" not in page


def test_markdown_lets_nothing_through(nasty):
    page = markdown.markdown(nasty)
    assert "<script" not in page and "&lt;script&gt;" in page
    outside = re.sub(r"(?s)```math\n.*?\n```", "", page)
    outside = re.sub(r"\$`[^`\n]*`\$", "", outside)
    assert not re.search(r"(?<!\\)[`$]", outside), "code or mathematics that we did not write"
    assert page.count("```") % 2 == 0
    for row in (line for line in page.splitlines() if line.startswith("|")):
        assert len(re.findall(r"(?<!\\)\|", row)) == 5


def test_text_cannot_steer_a_terminal(nasty):
    assert "\x1b" not in text(nasty, Style(80), whole=True)


def test_sympy_source_survives_names_that_are_keywords(nasty):
    pytest.importorskip("sympy")
    names = {}
    exec(sympy.source(nasty), names)
    assert str(names["lambda_"]) == "lambda"


def test_models_and_constants_show_themselves(models):
    model = models("puma560")
    assert str(model).startswith("puma560  Unimation PUMA 560")
    assert repr(model) == "<model of 'puma560', 6 joints>"
    assert model._repr_html_().startswith('<div class="emdeg">')
    constant = model.constants["I5"]
    assert constant._repr_latex_().startswith(r"$I_{5} = 0.372 \pm 0.041~\mathrm{kg\,m^{2}} = -m_{3} a_{2} r_{y3} +")
    assert constant._repr_html_().startswith('<span class="emdeg"><i>I</i><sub>5</sub> = 0.372 ± 0.041 kg m² = ')
    assert model.gravity[3]._repr_latex_() == "$g_{4} = -g_{5} S_{23} S_{4} S_{5}$"
    assert model.to_latex().startswith(r"\documentclass") and model.to_html().startswith("<!DOCTYPE html>")
    assert model.to_markdown().startswith("# puma560") and model.to_json()["robot"] == "puma560"

"""The command derive: the explicit model in every format."""

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from emdeg.cli import output as to
from emdeg.cli.options import Json, Output, Quiet, RobotName, Snap, UsageError

if TYPE_CHECKING:
    from emdeg.model.element import Element, Torque
    from emdeg.model.model import Model
    from emdeg.model.printing.text import Style
    from emdeg.model.stages import Stage

Formulation = Literal["kane", "lagrange", "newton-euler"]
StageName = Literal["raw", "combined", "christoffel", "final"]
Format = Literal["text", "latex", "markdown", "html", "json", "sympy"]
_ENDINGS: dict[str, Format] = {
    ".tex": "latex", ".md": "markdown", ".html": "html", ".htm": "html", ".json": "json", ".py": "sympy"
}  # fmt: skip


@dataclass(frozen=True)
class Request:
    """What is to be printed of a model, and where."""

    format: Format
    json: bool
    elements: tuple[str, ...]
    stage: StageName | None
    numbers: bool
    ascii: bool
    output: str | None
    quiet: bool


def derive(
    robot: RobotName,
    /,
    *,
    formulation: Annotated[Formulation, Parameter(help="How the equations are generated.", show_default=True)] = "kane",
    stage: Annotated[
        StageName | None, Parameter(help="The model after one of the paper's steps, with its operations counted.")
    ] = None,
    element: Annotated[
        tuple[str, ...],
        Parameter(
            consume_multiple=(1, None),
            negative=(),
            metavar="NAME...",
            help="Only these elements: a11 b112 c12 g2 tau1, or symbols '(1,23)'.",
        ),
    ] = (),
    format: Annotated[
        Format | None,
        Parameter(help="text, or what the ending of --output says, if left out."),
    ] = None,
    numbers: Annotated[bool, Parameter(negative=(), help="Numbers in place of constants that have a value.")] = False,
    prove: Annotated[bool, Parameter(negative=(), help="Derive by all formulations, prove that they agree.")] = False,
    ascii: Annotated[bool, Parameter(negative=(), help="Text as Python syntax in ASCII.")] = False,
    snap: Snap = None,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> None:
    """Derive the explicit model of a robot: A(q) qdd + B(q) [qd qd] + C(q) [qd²] + g(q) = tau.

    Example: emdeg derive puma560 --element a11 a23
    """
    chosen = _format(format, output, json=json)
    request = Request(
        chosen, json and chosen != "json", element, stage, numbers, ascii or to.plain_ascii(output), output, quiet
    )
    _refuse_conflicts(request)
    with to.progress(quiet=quiet) as step:
        model = _derived(robot, formulation, snap, step)
        proof = _proof(model, step) if prove else ""
        text = _printed(model, request, request.format, proof, step)
        object_ = _printed(model, request, "json", proof, step) if request.json else ""
    for angle in model.robot.snapped:
        to.note(f"note: {angle}", quiet=quiet)
    if proof and request.format not in ("text", "json") and not request.json:
        to.note(proof, quiet=quiet)
    to.deliver(text, output, quiet=quiet)
    if request.json:
        to.deliver(object_, None, quiet=quiet)


def _format(given: Format | None, output: str | None, *, json: bool) -> Format:
    """The format of the result; with --json beside --output the file has its own."""
    ending = _ENDINGS.get(PurePath(output).suffix.lower()) if output else None
    if json and output is None:
        if given not in (None, "json"):
            raise UsageError(f"--json prints JSON, --format {given} something else: give --output a file for it")
        return "json"
    return given or ending or ("json" if json else "text")


def _refuse_conflicts(request: Request) -> None:
    formats = {request.format, *(("json",) if request.json else ())}
    if request.stage and not formats <= {"text", "json"}:
        raise UsageError("--stage is printed as text or JSON")
    if request.stage and request.numbers:
        raise UsageError("--stage and --numbers exclude each other")
    if request.numbers and formats & {"json", "sympy"}:
        raise UsageError("--numbers is for text, latex, markdown and html: JSON and SymPy carry the constants' values")


def _derived(robot: str, formulation: Formulation, snap: str | None, step: to.Progress) -> "Model":
    from emdeg.formats import load
    from emdeg.model.derive import derive as derive_model

    return derive_model(load(robot, snap=snap), formulation, progress=step)


def _proof(model: "Model", step: to.Progress) -> str:
    from emdeg.model.proof import prove

    step("proof by the other formulations")
    return str(prove(model))


def _printed(model: "Model", request: Request, format: Format, proof: str, step: to.Progress) -> str:
    if request.stage:
        from emdeg.model.stages import stage

        step(f"stage {request.stage}")
        return _stage(model, stage(model, request.stage), request, format, proof)
    if request.elements:
        from emdeg.model.printing.elements import find_element

        found = [find_element(model, name) for name in request.elements]
        return _elements(model, found, request, format, proof)
    return _whole(model, request, format, proof, step)


def _whole(model: "Model", request: Request, format: Format, proof: str, step: to.Progress) -> str:
    from emdeg.model.printing import html, json, latex_document, markdown, sympy, text

    if format == "latex":
        return latex_document.document(model, numbers=request.numbers, progress=step)
    if format == "markdown":
        return markdown.markdown(model, numbers=request.numbers, progress=step)
    if format == "html":
        return html.page(model, numbers=request.numbers, progress=step)
    if format == "sympy":
        return sympy.source(model, progress=step)
    if format == "json":
        return to.as_json(json.to_json(model, progress=step) | _key(proof))
    shown = text.text(model, _style(request), whole=request.output is not None, progress=step)
    return shown + (f"\n{proof}\n" if proof else "")


def _elements(model: "Model", found: "list[Element | Torque]", request: Request, format: Format, proof: str) -> str:
    from emdeg.model.printing import html, json, latex_document, markdown, sympy, text

    if format == "latex":
        return latex_document.fragment(model, found, numbers=request.numbers)
    if format == "markdown":
        return markdown.fragment(model, found, numbers=request.numbers)
    if format == "html":
        return html.fragment(model, found, numbers=request.numbers)
    if format == "sympy":
        return sympy.elements_source(model, found)
    if format == "json":
        return to.as_json(json.elements_json(model, found) | _key(proof))
    return text.elements_text(model, found, _style(request)) + (f"{proof}\n" if proof else "")


def _stage(model: "Model", found: "Stage", request: Request, format: Format, proof: str) -> str:
    from emdeg.model.printing import stages

    if format == "json":
        return to.as_json(stages.stage_json(model, found, request.elements) | _key(proof))
    whole = request.output is not None
    return stages.stage_text(model, found, request.elements, _style(request), whole=whole) + (
        f"\n{proof}\n" if proof else ""
    )


def _key(proof: str) -> dict[str, Any]:
    return {"proof": proof} if proof else {}


def _style(request: Request) -> "Style":
    from emdeg.model.printing.text import Style

    return Style(to.width(request.output), request.ascii, request.numbers, to.heading(request.output))

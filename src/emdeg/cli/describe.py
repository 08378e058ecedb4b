"""Commands about descriptions of robots: robots, check, schema."""

from textwrap import TextWrapper, wrap
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from emdeg.cli import output as to
from emdeg.cli.options import Json, Output, Quiet, RobotName, Snap
from emdeg.version import __version__

if TYPE_CHECKING:
    from emdeg.diagnosis import Report


def robots(*, json: Json = False, output: Output = None, quiet: Quiet = False) -> None:
    """List the bundled robots, with their sources.

    Example: emdeg robots
    """
    from emdeg.formats import bundled

    found = bundled()
    if json:
        rows = [{"name": r.name, "description": r.description, "sources": r.sources} for r in found]
        to.deliver(to.as_json({"emdeg": __version__, "schema": 1, "robots": rows}), output, quiet=quiet)
        return
    bold, width = to.heading(output), to.width(output)
    broad = max(len(robot.name) for robot in found)
    lines = []
    for robot in found:
        texts = [robot.description, *(f"{text} [{label}]" for label, text in robot.sources.items())]
        texts = [line for text in texts for line in wrap(text, width - broad - 2)]
        lines.append(bold(robot.name) + " " * (broad - len(robot.name)) + "  " + texts[0])
        lines += [" " * (broad + 2) + text for text in texts[1:]]
    to.deliver("\n".join(lines) + "\n", output, quiet=quiet)


def schema(*, json: Json = False, output: Output = None, quiet: Quiet = False) -> None:
    """Print the JSON Schema of the robot file.

    Example: emdeg schema --output robot.schema.json
    """
    from emdeg.formats import schema as robot_schema

    head: dict[str, Any] = {"emdeg": __version__, "schema": 1} if json else {}
    to.deliver(to.as_json({**robot_schema(), **head}), output, quiet=quiet)


def check(
    robot: RobotName,
    /,
    *,
    snap: Snap = None,
    strict: Annotated[
        bool, Parameter(name="--strict", negative=(), help="Exit with status 1 where a finding is an error.")
    ] = False,
    json: Json = False,
    output: Output = None,
    quiet: Quiet = False,
) -> int:
    """Say what is in a robot's description, what is wrong with it, what can be identified.

    Example: emdeg check puma560
    """
    from emdeg.diagnosis import check as examine
    from emdeg.formats import load

    with to.progress(quiet=quiet) as step:
        loaded = load(robot, snap=snap)
        step("base parameters")
        report = examine(loaded)
    about = str(loaded.document.get("description", ""))
    text = to.as_json(report.to_json()) if json else to.safe(_written(report, about, output))
    to.deliver(text, output, quiet=quiet)
    return 1 if strict and report.errors else 0


def _written(report: "Report", about: str, output: str | None) -> str:
    bold, width = to.heading(output), to.width(output)
    count = report.base_parameters
    mass = "unknown" if report.moving_mass is None else f"{report.moving_mass:.6g} kg"
    blocks = [
        [bold(report.robot) + (f"  {about}" if about else "")],
        [
            f"  joints              {report.joints}",
            f"  degrees of freedom  {report.degrees_of_freedom}",
            f"  moving mass         {mass}",
            f"  base parameters     {count.structural} for general inertias",
            f"                      {count.structural_with_drives} with a drive at each joint",
            f"                      {count.as_given} as given",
        ],
        [bold("frames in the base frame, at q = 0"), *_paragraphs(report.frames, width)],
    ]
    if report.snapped:
        blocks.append([bold("angles taken as right"), *_paragraphs(report.snapped, width)])
    findings = [bold("findings") if report.findings else bold("findings: none")]
    for finding in report.findings:
        head = f"  {finding.severity:<7}  "
        texts = [f"{finding.where}: {finding.what}", finding.why, finding.advice]
        lines = [line for text in texts if text for line in wrap(text, width - len(head), break_on_hyphens=False)]
        findings += [head + lines[0], *(" " * len(head) + line for line in lines[1:])]
    return "\n\n".join("\n".join(block) for block in [*blocks, findings]) + "\n"


def _paragraphs(texts: tuple[str, ...], width: int) -> list[str]:
    wrapper = TextWrapper(width, initial_indent="  ", subsequent_indent="      ", break_on_hyphens=False)
    return [line for text in texts for line in wrapper.wrap(text)]

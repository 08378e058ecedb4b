"""The check of a robot's description: what it is, what is unknown, what can't be true."""

from collections.abc import Iterator

from emdeg.consistency import Consistency, consistency
from emdeg.diagnosis.frames import describe_frames
from emdeg.diagnosis.report import Finding, Report
from emdeg.mechanics.inertia import LINEAR_PARAMETERS
from emdeg.mechanics.tree import Tree
from emdeg.model.base_parameters import counts
from emdeg.model.derivation import grounds
from emdeg.model.dynamics import TEN, Inertial, general_dynamics
from emdeg.quantity import Angle, Expression
from emdeg.robot import Body, Robot

NEARLY = 1e-3  # tangent of half an angle: 2 mrad
_DIAGONAL = tuple(LINEAR_PARAMETERS.index(p) for p in ("Lxx", "Lyy", "Lzz"))


def check(robot: Robot) -> Report:
    """What a robot is and what is wrong with it. Unphysical inertias are findings, never exceptions."""
    tree, ring, chosen = grounds(robot)
    general = general_dynamics(tree, ring)
    findings = [*_unknown(robot, tree), *_unphysical(robot, tree, general), *_nearly_right(robot), *_tolerances(robot)]
    order = {"error": 0, "warning": 1, "note": 2}
    return Report(
        robot=robot.name,
        joints=len(robot.joints),
        degrees_of_freedom=len(tree),
        moving_mass=_moving_mass(robot, tree),
        base_parameters=counts(tree, ring, chosen),
        snapped=robot.snapped,
        frames=describe_frames(robot, tree, ring),
        findings=tuple(sorted(findings, key=lambda finding: order[finding.severity])),
    )


def _bodies(tree: Tree) -> Iterator[tuple[int, str, Body]]:
    for k, segment in enumerate(tree.segments):
        for name, body in segment.bodies:
            yield k, name, body


def _missing(robot: Robot, entries: tuple[Expression, ...]) -> list[str]:
    letters = sorted(frozenset().union(*(entry.letters for entry in entries)))
    return [name for name in letters if name not in robot.symbols or robot.symbols[name].value is None]


def _unknown(robot: Robot, tree: Tree) -> Iterator[Finding]:
    missing = {name: found for _, name, body in _bodies(tree) if (found := _missing(robot, body.inertia.entries))}
    if missing:
        shown = "; ".join(f"{name}: {', '.join(found)}" for name, found in missing.items())
        whole = len(missing) == sum(1 for _ in _bodies(tree))
        yield Finding(
            "note",
            "all links" if whole else f"link of {', '.join(missing)}",
            f"no value is known of {shown}",
            "the model is derived in these letters; numbers need their values",
            "give the values in the file, or with --set",
        )
    for _, name, body in _bodies(tree):
        if all(entry.is_zero for entry in body.inertia.entries):
            yield Finding(
                "note",
                f"link of {name}",
                "the link has neither mass nor inertia",
                "a joint that moves nothing else has no inertia, and A is singular there",
                "give its inertia, or leave mass and inertia out to keep them as letters",
            )


def _nearly_right(robot: Robot) -> Iterator[Finding]:
    """Angles that may have been meant as right ones, but are printed too coarsely to be taken as such."""
    for joint in robot.joints:
        for angle in [joint.offset, *(f[1] for f in joint.placement.rotation.factors if isinstance(f[1], Angle))]:
            if 0 < abs(angle.tangent) < NEARLY and not angle.letters:
                yield Finding(
                    "warning",
                    f"joint {joint.name}",
                    f"the angle {angle} is nearly a right one",
                    "as it stands every cancellation at right angles is lost: more terms, more base parameters",
                    "write it in degrees, or with at least four decimals, or snap it with --snap 2e-3",
                )


def _unphysical(robot: Robot, tree: Tree, general: Inertial) -> Iterator[Finding]:
    felt = {key for form in [*general.mass.values(), *general.gravity] for key in form.terms}
    for k, name, body in _bodies(tree):
        result = consistency(body.inertia, robot.symbols)
        if result is None or result.physical:
            continue
        whole = all(TEN * k + p in felt for p in _DIAGONAL)
        yield Finding(
            "error" if whole else "note",
            f"link of {name}",
            _wrong(result),
            "no real body has this inertia: energies can become negative, and other tools refuse it"
            if whole
            else "no real body has this inertia, but the motion does not feel all of its moments",
            "measure again, or look for swapped axes, a wrong sign, or moments about another point",
        )


def _wrong(result: Consistency) -> str:
    low, middle, high = result.principal_moments
    moments = f"principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m²"
    if result.mass < 0:
        return f"the mass {result.mass:.4g} kg is negative"
    if low < -result.noise:
        return f"{moments}: the smallest is negative"
    return f"{moments} break the triangle inequality: {low:.4g} + {middle:.4g} < {high:.4g}, by {-result.margin:.3g}"


def _tolerances(robot: Robot) -> Iterator[Finding]:
    known = [symbol for symbol in robot.symbols.values() if symbol.value is not None]
    without = [symbol.name for symbol in known if symbol.tolerance is None]
    if without and len(without) < len(known):
        shown = ", ".join(without[:8]) + (f" and {len(without) - 8} more" if len(without) > 8 else "")
        yield Finding(
            "note",
            "tolerances",
            f"none is stated of {shown}",
            "they enter the tolerances of constants as if they were exact",
            "state one as in '0.130 ± 0.005'",
        )


def _moving_mass(robot: Robot, tree: Tree) -> float | None:
    values = {name: symbol.value for name, symbol in robot.symbols.items() if symbol.value is not None}
    masses = [body.inertia.mass for _, _, body in _bodies(tree)]
    if any(not mass.letters <= values.keys() for mass in masses):
        return None
    return float(sum(mass.evaluate(values, lambda x: x) for mass in masses))

"""Robots with published numbers, on which operations are counted: documents as `emdeg.load` takes them.

The numbers are those of the Robotics Toolbox for Python 1.5.0 (P. Corke; MIT licence), which names its sources: Paul
1981, tables 6.5 and 6.6, for the Stanford arm; Universal Robots for the UR10; Gaz et al. 2019 for the Panda. Drives
that the toolbox does not give are 0.1 kg m² (kg) at the joint. The RX-90 and `puma560-general` have general inertias
of our own making.
"""

from random import Random
from typing import Any

GRAVITY = [0, 0, -9.81]
DRIVE = {"inertia_at_joint": 0.1}


def _link(mass: float, center: list[float], moments: list[float]) -> dict[str, Any]:
    """`moments` are xx, yy, zz, xy, yz, xz about the center of mass."""
    inertia = dict(zip(("xx", "yy", "zz", "xy", "yz", "xz"), moments, strict=True))
    return {"mass": mass, "center_of_mass": center, "inertia": inertia}


def _document(name: str, convention: str, joints: list[dict[str, Any]]) -> dict[str, Any]:
    return {"schema": 1, "name": name, "convention": convention, "gravity": GRAVITY, "joint": joints}


def stanford() -> dict[str, Any]:
    """The Stanford arm (the toolbox's centers of mass of links 3 and 6 are metres away; they are kept)."""
    rows = [
        ("revolute", "-90 deg", 0, 0.412, 9.29, [0, 0.0175, -0.1105], [0.276, 0.255, 0.071, 0, 0, 0], 0.953),
        ("revolute", "90 deg", 0, 0.154, 5.01, [0, -1.054, 0], [0.108, 0.018, 0.100, 0, 0, 0], 2.193),
        ("prismatic", 0, 0.0203, 0, 4.25, [0, 0, -6.447], [2.51, 2.51, 0.006, 0, 0, 0], 0.782),
        ("revolute", "-90 deg", 0, 0, 1.08, [0, 0.092, -0.054], [0.002, 0.001, 0.001, 0, 0, 0], 0.106),
        ("revolute", "90 deg", 0, 0, 0.630, [0, 0.566, 0.003], [0.003, 0.0004, 0, 0, 0, 0], 0.097),
        ("revolute", 0, 0, 0, 0.51, [0, 0, 1.554], [0.013, 0.013, 0.0003, 0, 0, 0], 0.020),
    ]
    joints = []
    for kind, alpha, a, d, mass, center, moments, drive in rows:
        joint = {"type": kind, "alpha": alpha, "a": a, "d": d, "link": _link(mass, center, moments)}
        joint["drive"] = {"inertia_at_joint": drive}
        joints.append(joint | ({"theta": "-90 deg"} if kind == "prismatic" else {}))
    return _document("stanford", "standard-dh", joints)


def ur10() -> dict[str, Any]:
    """The UR10."""
    rows = [
        ("90 deg", 0, 0.1273, 7.1, [0.021, 0, 0.027], [0.0341, 0.0353, 0.0216, 0, 0.0001, -0.0043]),
        (0, -0.612, 0, 12.7, [0.38, 0, 0.158], [0.0281, 0.7707, 0.7694, 0.0001, 0, -0.0156]),
        (0, -0.5723, 0, 4.27, [0.24, 0, 0.068], [0.0101, 0.3093, 0.3065, 0.0001, 0, 0.0092]),
        ("90 deg", 0, 0.163941, 2.0, [0, 0.007, 0.018], [0.0030, 0.0022, 0.0026, 0, -0.0002, 0]),
        ("-90 deg", 0, 0.1157, 2.0, [0, 0.007, 0.018], [0.0030, 0.0022, 0.0026, 0, -0.0002, 0]),
        (0, 0, 0.0922, 0.365, [0, 0, -0.026], [0, 0.0004, 0.0003, 0, 0, 0]),
    ]
    joints = [
        {"type": "revolute", "alpha": alpha, "a": a, "d": d, "link": _link(mass, center, moments), "drive": DRIVE}
        for alpha, a, d, mass, center, moments in rows
    ]
    return _document("ur10", "standard-dh", joints)


def panda() -> dict[str, Any]:
    """The Panda, full inertias, its flange (0.107 m) counted to link 7 as the toolbox does."""
    rows = [
        (0, 0, 0.333, 4.970684, [3.875e-3, 2.081e-3, 0], [0.70337, 0.70661, 9.117e-3, -1.39e-4, 1.9169e-2, 6.772e-3]),
        ("-90 deg", 0, 0, 0.646926, [-3.141e-3, -2.872e-2, 3.495e-3],
         [7.962e-3, 2.811e-2, 2.5995e-2, -3.925e-3, 7.04e-4, 1.0254e-2]),
        ("90 deg", 0, 0.316, 3.228604, [2.7518e-2, 3.9252e-2, -6.6502e-2],
         [3.7242e-2, 3.6155e-2, 1.083e-2, -4.761e-3, -1.2805e-2, -1.1396e-2]),
        ("90 deg", 0.0825, 0, 3.587895, [-5.317e-2, 1.04419e-1, 2.7454e-2],
         [2.5853e-2, 1.9552e-2, 2.8323e-2, 7.796e-3, 8.641e-3, -1.332e-3]),
        ("-90 deg", -0.0825, 0.384, 1.225946, [-1.1953e-2, 4.1065e-2, -3.8437e-2],
         [3.5549e-2, 2.9474e-2, 8.627e-3, -2.117e-3, 2.29e-4, -4.037e-3]),
        ("90 deg", 0, 0, 1.666555, [6.0149e-2, -1.4117e-2, -1.0517e-2],
         [1.964e-3, 4.354e-3, 5.433e-3, 1.09e-4, 3.41e-4, -1.158e-3]),
        ("90 deg", 0.088, 0.107, 0.735522, [1.0517e-2, -4.252e-3, -4.5403e-2],
         [1.2516e-2, 1.0027e-2, 4.815e-3, -4.28e-4, -7.41e-4, -1.196e-3]),
    ]  # fmt: skip
    joints = [
        {"type": "revolute", "alpha": alpha, "a": a, "d": d, "link": _link(mass, center, moments), "drive": DRIVE}
        for alpha, a, d, mass, center, moments in rows
    ]
    return _document("panda", "modified-dh", joints)


def _general(name: str, rows: list[tuple[Any, float, float]], **more: Any) -> dict[str, Any]:
    """Revolute joints by alpha, a and d of modified DH; links with all ten inertial parameters at random."""
    source = Random(90)
    joints = []
    for alpha, a, d in rows:
        numbers = [source.randrange(1, 1000) / 1000 for _ in range(10)]
        mass, center = 1 + numbers[0], [x / 10 for x in numbers[1:4]]
        moments = [0.5 + numbers[4], 0.5 + numbers[5], 0.5 + numbers[6], *(x / 10 for x in numbers[7:])]
        link = _link(round(mass, 4), [round(x, 4) for x in center], [round(x, 4) for x in moments])
        joints.append({"type": "revolute", "alpha": alpha, "a": a, "d": d, "link": link, **more})
    return _document(name, "modified-dh", joints)


def rx90() -> dict[str, Any]:
    """The geometry of the Stäubli RX-90 (Khalil and Dombre) with all inertial parameters general numbers."""
    rows = [(0, 0, 0), ("90 deg", 0, 0), (0, 0.45, 0), ("-90 deg", 0, 0.45), ("90 deg", 0, 0), ("-90 deg", 0, 0)]
    return _general("rx90", rows, drive=DRIVE)


def puma560_general() -> dict[str, Any]:
    """The PUMA 560 with the lengths of SymPyBotics' example, all inertial parameters general numbers, no drives."""
    rows = [
        (0, 0, 0), ("-90 deg", 0, 0.2435), (0, 0.4318, -0.0934), ("90 deg", -0.0203, 0.4331),
        ("-90 deg", 0, 0), ("90 deg", 0, 0),
    ]  # fmt: skip
    return _general("puma560-general", rows)


def scara() -> dict[str, Any]:
    """Lu and Li's SCARA with numbers for its letters, as moments about the centers of mass; no drives."""
    a1, a2, m1, m2, m3, m4 = 0.41, 0.33, 11.3, 7.7, 3.1, 1.7
    links = [
        _link(m1, [-a1 / 2, 0, 0], [0, m1 * a1**2 / 12, m1 * a1**2 / 12, 0, 0, 0]),
        _link(m2, [-a2 / 2, 0, 0], [0, m2 * a2**2 / 12, m2 * a2**2 / 12, 0, 0, 0]),
        _link(m3, [0, 0, -0.25], [0.065, 0.065, 0, 0, 0, 0]),
        _link(m4, [0, 0, -0.1], [0.008, 0.008, 0.005, 0, 0, 0]),
    ]
    rows = [("revolute", a1, 0.4), ("revolute", a2, 0), ("prismatic", 0, 0), ("revolute", 0, 0.1)]
    joints = [
        {"type": kind, "alpha": 0, "a": a, "d": d, "link": link} for (kind, a, d), link in zip(rows, links, strict=True)
    ]
    return _document("scara", "standard-dh", joints)


ROBOTS = {"stanford": stanford, "ur10": ur10, "panda": panda, "rx90": rx90, "scara": scara,
          "puma560-general": puma560_general}  # fmt: skip

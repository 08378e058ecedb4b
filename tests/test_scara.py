"""The SCARA robot of Lu and Li against their closed forms, for both directions of the tool axis."""

import pytest

import emdeg
from emdeg.model.zeros import REASONS
from exact import Exact

ROBOTS = {"scara": 1, "scara-flipped": -1}


def _expected(exact: Exact, flip: int) -> dict[str, object]:
    """D_ij, D_ijk, D_i of the paper; an element that is not here is zero."""
    c2, s2 = (_difference(exact, kind) for kind in ("c", "s"))
    names = {"C2": c2, "S2": s2}
    d44 = "m4*(R**2+r**2)/2"
    d22 = f"(m2/3+m3+m4)*a2**2+{d44}"
    texts = {
        "D11": f"(m1/3+m2+m3+m4)*a1**2+(m2/3+m3+m4)*a2**2+(m2+2*m3+2*m4)*a1*a2*C2+{d44}",
        "D12": f"{d22}+(m2/2+m3+m4)*a1*a2*C2",
        "D22": d22,
        "D33": "m3+m4",
        "D44": d44,
        "D14": f"{flip}*({d44})",
        "D24": f"{flip}*({d44})",
        "D112": "-(m2/2+m3+m4)*a1*a2*S2",
        "D122": "-(m2/2+m3+m4)*a1*a2*S2",
        "D211": "(m2/2+m3+m4)*a1*a2*S2",
        "D3": f"{flip}*(m3+m4)*g",
    }
    return {name: exact.parse(text, names) for name, text in texts.items()}


def _difference(exact: Exact, kind: str):
    """Sine and cosine of q2 = (q1 + q2) - q1 in the ring's cumulative angles."""
    x = exact.ring.letters
    s, c, s1, c1 = x["sin(q1 + q2)"], x["cos(q1 + q2)"], x["sin(q1)"], x["cos(q1)"]
    return c * c1 + s * s1 if kind == "c" else s * c1 - c * s1


@pytest.mark.parametrize("name", ROBOTS)
def test_every_coefficient_equals_the_closed_form(name: str):
    model = emdeg.derive(name, "lagrange")
    exact = Exact(model)
    expected = _expected(exact, ROBOTS[name])
    count = 0
    for (i, j), form in model.inertial.mass.items():
        assert exact.of(form) == expected.get(f"D{i + 1}{j + 1}", 0), (i, j)
    for i in range(4):
        assert exact.of(model.inertial.gravity[i]) == expected.get(f"D{i + 1}", 0), i
        for j in range(4):
            for k in range(4):
                form = model.symbols_of_christoffel[i, min(j, k), max(j, k)]
                wanted = expected.get(f"D{i + 1}{min(j, k) + 1}{max(j, k) + 1}", 0)
                assert exact.of(form) == wanted, (i, j, k)
                count += wanted == 0
    assert count == 60  # of the 64 D_ijk all but D112, D121, D122 and D211 vanish


@pytest.mark.parametrize("name", ROBOTS)
def test_the_torque_equations(name: str):
    """tau_i = sum D_ij qdd_j + sum D_ijk qd_j qd_k + D_i, as assembled and printed."""
    model = emdeg.derive(name)
    constants = {name: constant.definition for name, constant in model.constants.items()}
    flip = "" if ROBOTS[name] > 0 else "-"
    assert constants["I2"] == "(1/2)*m2*a1*a2 + (m3 + m4)*a1*a2"
    assert constants["I3"] == "(1/3)*m2*a2**2 + (m3 + m4)*a2**2 + (1/2)*m4*R**2 + (1/2)*m4*r**2"
    assert constants["I4"] == "(1/2)*m4*R**2 + (1/2)*m4*r**2"
    assert constants["I5"] == "m3 + m4"
    assert constants["g1"] == f"{flip}(m3 + m4)*g"
    plus = "+" if ROBOTS[name] > 0 else "-"
    assert [str(torque) for torque in model.torque] == [
        f"(I1 + 2*I2*c2)*qdd1 + (I2*c2 + I3)*qdd2 {plus} I4*qdd4 - 2*I2*s2*qd1*qd2 - I2*s2*qd2**2",
        f"(I2*c2 + I3)*qdd1 + I3*qdd2 {plus} I4*qdd4 + I2*s2*qd1**2",
        "I5*qdd3 + g1",
        "I4*(qdd1 + qdd2 + qdd4)" if ROBOTS[name] > 0 else "-I4*(qdd1 + qdd2 - qdd4)",
    ]


REASON_OF = {
    # Lu and Li: a vertical motion is orthogonal to horizontal ones
    "a13": "orthogonal", "a23": "orthogonal", "a34": "orthogonal",
    # nothing depends on d3; there is no vertical velocity product
    "b113": "independent", "b123": "independent", "b213": "independent", "c13": "independent", "b312": "independent",
    "c31": "independent", "c32": "independent",
    # link 4 is symmetric about its own axis
    "b114": "symmetric", "b124": "symmetric", "c14": "symmetric", "c41": "symmetric", "b412": "symmetric",
    # D_iii = 0 and D_212 = 0 for every robot
    "c11": "general", "c22": "general", "c33": "general", "c44": "general", "b212": "general",
    # the axes are vertical
    "g1": "vertical", "g2": "vertical", "g4": "vertical",
}  # fmt: skip


@pytest.mark.parametrize("name", ROBOTS)
def test_every_element_that_vanishes_has_its_reason(name: str):
    model = emdeg.derive(name)
    zeros = dict(model.zeros)
    assert len(zeros) == len(model.zeros)
    elements = [*model.mass_matrix.flat(), *model.coriolis.flat(), *model.centrifugal.flat(), *model.gravity.flat()]
    assert set(zeros) == {element.name for element in elements if not element}
    assert set(zeros.values()) <= set(REASONS)
    assert {key: zeros[key] for key in REASON_OF} == REASON_OF

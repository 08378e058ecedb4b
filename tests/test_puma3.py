"""The three-joint arm of the paper: what combining inertia constants does to a11."""

import emdeg
from emdeg.model.entry import Operations
from emdeg.model.raw import raw_entry
from emdeg.model.stages import stage


def test_the_raw_a11_costs_37_and_18_and_the_combined_one_3_and_3():
    model = emdeg.derive("puma3")
    raw = raw_entry(model.reading, model.inertial.mass[0, 0])
    assert raw.operations("paper") == Operations(37, 18)
    assert str(model.mass_matrix[0, 0]) == "I1 + I2*c2**2 + I3*c2*c23 + I4*c23**2"
    assert model.mass_matrix[0, 0].operations("paper") == Operations(3, 3)


def test_the_stages_show_it_too():
    model = emdeg.derive("puma3")
    assert stage(model, "raw").elements["a11"].count(" + ") == 18
    assert stage(model, "combined").elements["a11"] == "I1 + I2*c2**2 + I3*c2*c23 + I4*c23**2"


def test_i1_alone_costs_18():
    definition = emdeg.derive("puma3").constants["I1"].definition
    products = definition.count("*") - definition.count("**")
    assert products + definition.count(" + ") + definition.count(" - ") == 18
    assert products == 9


def test_operations_fall_from_stage_to_stage():
    for name in ("puma3", "puma560", "scara"):
        model = emdeg.derive(name)
        totals = [stage(model, step).total().total for step in ("raw", "combined", "final")]
        assert totals[0] > totals[1] > totals[2]

"""Operation counts: by hand, by the formulas of the literature, by reading the generated C text."""

import pytest

import emdeg
from emdeg.compiler import count as counting
from emdeg.compiler.count import USUAL, count, explicit, with_values
from emdeg.compiler.functions import FUNCTIONS
from emdeg.errors import InputError
from emdeg.program import Cost


@pytest.fixture(scope="module")
def puma():
    return count(emdeg.load("puma560"), USUAL)


def costs(rows, function):
    return {row.method: row.cost for row in rows if row.function == function}


def test_explicit_planar_arm_is_counted_as_by_hand():
    # tau1 = (I1 + 2*I2*c2)*qdd1 + (I2*c2 + I3)*qdd2 - 2*I2*s2*qd1*qd2 - I2*s2*qd2**2 + g1*c1 + g2*c12
    # tau2 = (I2*c2 + I3)*qdd1 + I3*qdd2 + I2*s2*qd1**2 + g2*c12
    model = emdeg.derive("planar2")
    mass = Cost(2 + 1, 1 + 1, 0, 1)
    gravity = Cost(2 + 1, 1 + 1, 0, 2)  # the addition in c12
    assert explicit(model, "mass_matrix") == mass
    assert explicit(model, "gravity") == gravity
    # 2*I2*s2; once more half of it; qd1*qd2, qd2**2, qd1**2; three products with rates; the sums
    assert explicit(model, "bias") == Cost(3 + 2 + 1 + 3 + 3, 2 + 2 + 1, 0, 3)
    assert explicit(model, "inverse_dynamics") == Cost(3 + 3 + 2 + 1 + 3 + 7, 2 + 2 + 4 + 3, 0, 3)


def test_explicit_scara_gathers_rates():
    # I4*(qdd1 + qdd2 + qdd4) is one product, I5*qdd3 + g1 one and a sum; b and c need I2*s2 once, doubled once
    model = emdeg.derive("scara")
    assert explicit(model, "inverse_dynamics") == Cost(2 + 1 + 2 + 1 + 3 + 5 + 4 + 1 + 1, 2 + 4 + 3 + 1 + 2, 0, 1)


def test_paper_s_convention_frees_products_of_sines_in_the_explicit_model_only(puma):
    other = costs(count(emdeg.load("puma560"), ["inverse_dynamics"], convention="paper"), "inverse_dynamics")
    for method, cost in costs(puma, "inverse_dynamics").items():
        if method == counting.DERIVED:
            assert other[method].multiplications < cost.multiplications
            assert other[method].additions == cost.additions
        else:
            assert other[method] == cost


def test_general_newton_euler_is_the_formula_of_the_literature(puma):
    assert costs(puma, "inverse_dynamics")[counting.GENERAL] == Cost(852, 738, 0, 6)


def test_methods_of_the_puma_are_in_order(puma):
    total = {method: cost.total for method, cost in costs(puma, "inverse_dynamics").items()}
    names = [counting.GENERAL, counting.DERIVED, counting.FACTORED, counting.OWN, counting.BASE_PARAMETERS]
    assert list(total) == [*names, counting.BEST]
    assert sorted(total.values(), reverse=True) == list(total.values())


def test_best_is_below_all_programs(puma):
    assert [row.function for row in puma if row.method == counting.BEST] == list(USUAL)
    for function in USUAL:
        found = costs(puma, function)
        assert found[counting.BEST].total == min(cost.total for cost in found.values())


@pytest.mark.parametrize(
    ("function", "most"), [("inverse_dynamics", 286), ("mass_matrix", 135), ("gravity", 22), ("forward_dynamics", 572)]
)
def test_fast_search_is_within_15_percent_of_what_is_aimed_at(puma, function, most):
    assert costs(puma, function)[counting.BEST].total <= 1.15 * most


@pytest.mark.parametrize("name", ["scara", "puma3"])
def test_letters_without_values_are_counted_as_numbers(name):
    robot = emdeg.load(name)
    valued, letters = with_values(robot)
    assert letters and {letter for letter, s in robot.symbols.items() if s.value is None} == set(letters)
    assert with_values(valued) == (valued, ())
    rows = count(robot, FUNCTIONS, optimize="none")
    assert {row.function for row in rows} == set(FUNCTIONS)
    again = count(valued, ["gravity"], optimize="none")
    assert costs(again, "gravity")[counting.BEST] == costs(rows, "gravity")[counting.BEST]


def test_letters_that_nothing_depends_on_need_no_value():
    robot = emdeg.load("puma560")
    assert robot.symbols["m1"].value is None
    assert with_values(robot) == (robot, ())


def test_rows_are_those_of_the_contract(puma):
    row = puma[0].to_json()
    assert list(row) == ["function", "method", "multiplications", "additions", "divisions", "sincos", "total"]
    assert row["total"] == row["multiplications"] + row["additions"]


def test_branches_and_slides_have_no_general_formula():
    rows = count(emdeg.load("scara"), ["inverse_dynamics"], optimize="none")
    assert counting.GENERAL not in costs(rows, "inverse_dynamics")


def test_wrong_calls():
    robot = emdeg.load("planar2")
    with pytest.raises(InputError, match="no function 'inertia'\n  choose inverse_dynamics"):
        count(robot, ["inertia"])
    with pytest.raises(InputError, match="no convention 'loose'"):
        count(robot, ["gravity"], convention="loose")
    with pytest.raises(InputError, match="no effort 'much'"):
        count(robot, ["gravity"], optimize="much")

"""Graphs fold and share; programs are verified, counted, and evaluate over any scalar."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emdeg.program import Graph, Input, Instruction, Output, Program, ProgramError, Scalar, linearize


def scalars(*names: str) -> tuple[Graph, list[Scalar]]:
    graph = Graph()
    return graph, [Scalar(graph, graph.input("x", k)) for k in range(len(names))]


def program(graph: Graph, size: int, *results: Scalar) -> Program:
    outputs = {f"y{k}": ((), [result.reference]) for k, result in enumerate(results)}
    return linearize(graph, "test", [Input("x", size)], outputs)


def test_zeros_ones_and_signs_cost_nothing():
    graph, (a, b) = scalars("a", "b")
    assert (a * 0).reference == (0 * a).reference == (a - a).reference == graph.zero == (-(a * 0)).reference
    assert (a * 1) == a and (a + 0) == a and (a * -1) == -a
    assert (a - b) == -(b - a)
    assert (-a) * b == a * (-b) == -(a * b)
    assert Scalar(graph, graph.sin((-a).reference)) == -Scalar(graph, graph.sin(a.reference))
    assert Scalar(graph, graph.cos((-a).reference)) == Scalar(graph, graph.cos(a.reference))


def test_equal_expressions_are_one_node():
    graph, (a, b) = scalars("a", "b")
    assert a * b == b * a and a + b == b + a
    assert 2 * (3 * a) == 6 * a and (a / 2) == Fraction(1, 2) * a
    made = program(graph, 2, a * b + 1, 1 + b * a, -(a * b) - 1)
    assert (made.cost.multiplications, made.cost.additions) == (1, 1)


def test_division_by_zero_is_refused_when_it_is_recorded():
    _, (a,) = scalars("a")
    with pytest.raises(ZeroDivisionError):
        a / 0


def test_cost_counts_angles_once():
    graph, (a, b) = scalars("a", "b")
    s, c = Scalar(graph, graph.sin(a.reference)), Scalar(graph, graph.cos(a.reference))
    made = program(graph, 2, s * c - b, c / b)
    assert (made.cost.multiplications, made.cost.additions, made.cost.divisions, made.cost.sincos) == (1, 1, 1, 1)
    assert made.cost.total == 2


def test_what_no_output_needs_is_left_out():
    graph, (a, b) = scalars("a", "b")
    _ = a * b * b
    assert program(graph, 2, a + b).code == (Instruction("add", 0, 1),)


@given(st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 30), st.integers(0, 30)), max_size=30))
def test_programs_compute_what_was_recorded(steps):
    graph, inputs = scalars("a", "b", "c")
    values = [Fraction(3, 7), Fraction(-2, 5), Fraction(9, 4)]
    nodes, exact = [*inputs, Scalar(graph, graph.number(2))], [*values, Fraction(2)]
    for kind, i, j in steps:
        i, j = i % len(nodes), j % len(nodes)
        for row in (nodes, exact):
            x, y = row[i], row[j]
            row.append(x + y if kind == "+" else x - y if kind == "-" else x * y)
    made = program(graph, 3, *nodes)
    found = made.evaluate({"x": values}, lambda x: x, {})
    assert [found[f"y{k}"][0] for k in range(len(nodes))] == exact


@pytest.mark.parametrize(
    ("code", "outputs", "message"),
    [
        ((Instruction("add", 0, 3),), (Output("y", (), (0,)),), "stands after"),
        ((Instruction("pow", 0, 1),), (Output("y", (), (0,)),), "unknown operation"),  # type: ignore[arg-type]
        ((), (Output("y", (2,), (0,)),), "does not fit"),
        ((), (Output("y", (), (7,)),), "does not fit"),
        ((), (Output("x", (), (0,)),), "one name"),
    ],
)
def test_a_malformed_program_cannot_be_built(code, outputs, message):
    with pytest.raises(ProgramError, match=message):
        Program("wrong", (Input("x", 2),), (), code, outputs)

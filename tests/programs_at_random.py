"""Programs to try back ends on: a small fixed one, random ones of every operation, one with hostile names."""

import random
from fractions import Fraction

from emdeg.program import Graph, Input, Instruction, Output, Program, Scalar, linearize

HOSTILE = 'x; system("rm -rf /")\n*/ """ \\ ??/ `id` %{ {{}} coding: utf-7 +AAo-import os θ\u202e'


def planar_arm() -> Program:
    """Torque at rest and mass matrix of two links in a plane, with numbers for letters: every kind of output."""
    graph = Graph()
    q1, q2 = (Scalar(graph, graph.input("q", k)) for k in range(2))
    c1, c12 = (Scalar(graph, graph.cos(angle.reference)) for angle in (q1, q1 + q2))
    s2, c2 = (Scalar(graph, function(q2.reference)) for function in (graph.sin, graph.cos))
    elbow = Fraction(1, 3) * c12
    corner = Fraction(1, 8) + Fraction(2, 5) * c2
    results = {
        "gravity": ((2,), [Fraction(981, 100) * c1 + elbow, elbow]),
        "mass_matrix": ((2, 2), [corner + corner, corner, corner, Scalar(graph, graph.number(Fraction(1, 8)))]),
        "potential_energy": ((), [-(s2 / (2 + c2 * c2))]),
    }
    return linearize(
        graph,
        "planar",
        [Input("q", 2), Input("load", 1)],
        {name: (shape, [entry.reference for entry in entries]) for name, (shape, entries) in results.items()},
    )


def random_program(seed: int, operations: int = 150) -> Program:
    """Straight-line code of every kind of operation, some of it dead, with outputs that are inputs and numbers too."""
    draw = random.Random(seed)
    inputs = (Input("q", 3), Input("qd", 2), Input("empty", 0), Input("spare", 1))
    constants = (*(Fraction(draw.randint(-30, 30) * 6 + k, 97) for k in range(6)), Fraction(2))
    tame = list(range(12))  # inputs but the last, and constants: they grow slowly when multiplied
    tame.remove(5)
    two, ready = 12, 13
    code: list[Instruction] = []

    def push(kind, a, b=-1):
        code.append(Instruction(kind, a, b))
        return ready + len(code) - 1

    known = list(tame)
    while len(code) < operations:
        kind = draw.choice(["add", "sub", "mul", "mul", "add", "neg", "sin", "cos", "pair", "div"])
        a, b = draw.choice(known), draw.choice(known)
        if kind in ("sin", "cos", "pair") and any(x.a == a and x.kind in ("sin", "cos") for x in code):
            continue  # a graph holds each expression once
        if kind == "mul":
            b = draw.choice(tame)
        elif kind == "pair":
            tame.append(push("cos", a))
            kind = "sin"
        elif kind == "div":
            divisor = push("sin", b)
            b = push("add", push("mul", divisor, divisor), two)
        known.append(push(kind, a) if kind in ("neg", "sin", "cos") else push(kind, a, b))
        if kind in ("sin", "cos"):
            tame.append(known[-1])
    late = known[-30:]
    outputs = (
        Output("tau", (4,), (1, 8, late[-1], late[-2])),
        Output("A", (2, 3), tuple(draw.sample(late, 6))),
        Output("nothing", (0,), ()),
        Output("cube", (2, 1, 2), tuple(draw.sample(late, 4))),
        Output("energy", (), (late[-3],)),
    )
    return Program(f"random{seed}", inputs, constants, tuple(code), outputs)


def rubbing() -> Program:
    """Viscous and Coulomb friction: signs, of a number that is subtracted, too."""
    graph = Graph()
    rates = [Scalar(graph, graph.input("qd", k)) for k in range(3)]
    signs = [Scalar(graph, graph.sign(rate.reference)) for rate in (*rates, rates[0] - rates[1])]
    entries = [rates[0] * Fraction(1, 8) + signs[0], -signs[1] * Fraction(5, 2), signs[2], signs[3] - rates[2]]
    inputs = [Input("qd", 3, ("first", "second", "third"))]
    return linearize(graph, "rubbing", inputs, {"friction": ((4,), [entry.reference for entry in entries])})


def hostile_program() -> Program:
    """Names that no language likes, in every place that has a name."""
    words = ["lambda", "double", "end", "fn", "sin", "v1", "C1", "7", "é", "θ", "", "__init__", "M_PI", "_", "a" * 99]
    names = [*words, "V1", "a" * 98 + "b", HOSTILE]
    inputs = tuple(Input(name, 1, (name,)) for name in names)
    first = len(inputs)
    code = [Instruction("sin", 0)]
    for k in range(1, first):
        code.append(Instruction("add", first + k - 1, k))
    outputs = (
        Output(HOSTILE + "2", (2,), (first, first + len(code) - 1)),
        Output("if", (1,), (0,)),
        Output("for", (), (5,)),
    )
    return Program(HOSTILE, inputs, (), tuple(code), outputs)

"""Native code: against exact numbers and numpy, for every width, length and layout; its sines against many digits."""

import gc
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emdeg.backends.llvm import LlvmProgram
from emdeg.backends.llvm_machine import Machine
from emdeg.backends.llvm_steps import chunks, fused, without_twins
from emdeg.backends.llvm_text import nearest
from emdeg.backends.numpy import NumpyProgram
from emdeg.errors import UnsupportedError
from emdeg.program import Input, Instruction, Output, Program
from programs_at_random import hostile_program, planar_arm, random_program

EPSILON = {"float64": 2.0**-53, "float32": 2.0**-24}
OLD = Machine("x86-64", "+sse2")
"""A processor without fused multiply-adds."""
try:
    Machine().known.cpu and LlvmProgram(planar_arm(), machine=OLD)
    MACHINES = [None, OLD]
except RuntimeError:  # another architecture
    MACHINES = [None]


def run(executable, inputs):
    """The outputs for rows of states."""
    count = len(inputs[0])
    results = [np.full((count, len(output.values)), 7, executable.dtype) for output in executable.program.outputs]
    executable.run([np.ascontiguousarray(rows, executable.dtype) for rows in inputs], results)
    return results


@dataclass
class Judged:
    """An exact value, the sum of its absolute terms, and how many roundings lead to it at most."""

    value: Fraction
    size: Fraction
    roundings: int

    def __add__(self, other):
        return Judged(self.value + other.value, self.size + other.size, max(self.roundings, other.roundings) + 1)

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Judged(-self.value, self.size, self.roundings)

    def __mul__(self, other):
        return Judged(self.value * other.value, self.size * other.size, self.roundings + other.roundings + 1)

    def __truediv__(self, other):
        size = self.size * other.size / other.value**2
        return Judged(self.value / other.value, size, self.roundings + other.roundings + 2)


def wave(function):
    def apply(x):
        with mpmath.workdps(60):
            found = function(mpmath.mpf(x.value.numerator) / x.value.denominator)
            exact = Fraction(int(found * 2**190), 2**190)
        return Judged(exact, max(Fraction(1), x.size), x.roundings + 2)

    return apply


EXACT = {"sin": wave(mpmath.sin), "cos": wave(mpmath.cos)}


@st.composite
def programs(draw):
    """A short program, and values for its inputs that any precision holds exactly."""
    sizes = draw(st.lists(st.integers(0, 3), min_size=1, max_size=3))
    inputs = tuple(Input(f"x{k}", size) for k, size in enumerate(sizes))
    dyadic = st.integers(-512, 512).map(lambda k: Fraction(k, 128))
    values = [draw(dyadic) for _ in range(sum(sizes))]
    constants = tuple(draw(st.lists(st.fractions(-3, 3, max_denominator=99), min_size=1, max_size=3, unique=True)))
    sizes_so_far = [abs(value) for value in (*values, *constants)]
    code = []
    for _ in range(draw(st.integers(0, 25))):
        kind = draw(st.sampled_from(["add", "sub", "mul", "mul", "neg", "sin", "cos"]))
        a, b = (draw(st.integers(0, len(sizes_so_far) - 1)) for _ in range(2))
        if kind == "mul" and sizes_so_far[a] * sizes_so_far[b] > 1000:
            kind = "add"
        binary = kind in ("add", "sub", "mul")
        code.append(Instruction(kind, a, b) if binary else Instruction(kind, a))
        size = {"mul": sizes_so_far[a] * sizes_so_far[b], "neg": sizes_so_far[a], "sin": 1, "cos": 1}
        sizes_so_far.append(size.get(kind, sizes_so_far[a] + sizes_so_far[b]))
    total = len(sizes_so_far)
    chosen = draw(st.lists(st.integers(max(0, total - 8), total - 1), min_size=1, max_size=5))
    outputs = (Output("one", (len(chosen),), tuple(chosen)), Output("two", (), (total - 1,)))
    return Program("drawn", inputs, constants, tuple(code), outputs), values


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@settings(max_examples=40, deadline=None)
@given(drawn=programs())
def test_native_code_is_as_near_to_the_exact_result_as_rounding_allows(dtype, drawn):
    program, values = drawn
    exact, rows, place = {}, [], 0
    for entry in program.inputs:
        mine = values[place : place + entry.size]
        place += entry.size
        exact[entry.name] = [Judged(value, abs(value), 0) for value in mine]
        rows.append(np.tile(np.array(mine, dtype=dtype), (19, 1)))
    results = program.evaluate(exact, lambda number: Judged(number, abs(number), 1), EXACT)
    for make in (LlvmProgram, NumpyProgram):
        for output, found in zip(program.outputs, run(make(program, dtype), rows), strict=True):
            assert (found == found[0]).all()
            for judged, number in zip(results[output.name], found[0], strict=True):
                allowed = (judged.roundings + 1) * EPSILON[dtype] * judged.size * 2
                assert abs(Fraction(float(number)) - judged.value) <= allowed


CASES = [planar_arm(), hostile_program(), *(random_program(seed) for seed in range(4))]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", CASES, ids=lambda program: program.name[:7])
def test_a_state_gives_the_same_bits_alone_and_in_any_batch(program, dtype, machine):
    native, reference = LlvmProgram(program, dtype, machine=machine), NumpyProgram(program, dtype)
    indirect = LlvmProgram(program, dtype, machine=machine, direct=False)
    source = np.random.default_rng(1)
    inputs = [source.uniform(-2, 2, (37, entry.size)) for entry in program.inputs]
    whole = run(native, inputs)
    for found, expected in zip(whole, run(reference, inputs), strict=True):
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=400 * EPSILON[dtype] * (1 + abs(expected).max(initial=0))
        )
    for count in (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33):
        for executable in (native, indirect):
            for found, expected in zip(run(executable, [rows[:count] for rows in inputs]), whole, strict=True):
                np.testing.assert_array_equal(found, expected[:count])


def test_rows_may_be_apart_repeated_backwards_and_in_place():
    program = random_program(5)
    native = LlvmProgram(program)
    source = np.random.default_rng(2)
    inputs = [source.uniform(-2, 2, (23, entry.size)) for entry in program.inputs]
    plain = run(native, inputs)
    wide = [np.zeros((23, rows.shape[1] + 3)) for rows in inputs]
    for rows, space in zip(inputs, wide, strict=True):
        space[::-1, : rows.shape[1]] = rows
    results = [np.empty_like(result) for result in plain]
    native.run([space[::-1, : rows.shape[1]] for rows, space in zip(inputs, wide, strict=True)], results)
    for found, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(found, expected)
    repeated = [np.broadcast_to(rows[4], rows.shape) for rows in inputs]
    native.run(repeated, results)
    for found, expected in zip(results, plain, strict=True):
        np.testing.assert_array_equal(found, np.broadcast_to(expected[4], expected.shape))


WAVES = Program(
    "waves",
    (Input("x", 1),),
    (),
    (Instruction("sin", 0), Instruction("cos", 0)),
    (Output("s", (1,), (1,)), Output("c", (1,), (2,))),
)


def angles(dtype):
    """By range; among them those nearest to multiples of a quarter turn, and the hardest double of all."""
    source = np.random.default_rng(3)
    yield source.uniform(-0.8, 0.8, 900)
    yield source.uniform(-100, 100, 900)
    yield source.uniform(-1e6, 1e6, 900)
    yield source.uniform(-1e9, 1e9, 300)
    yield source.uniform(-1e15, 1e15, 300)
    yield np.arange(-400, 400) * (np.pi / 2)
    yield source.integers(-(10**9), 10**9, 300) * (np.pi / 2)
    yield 10.0 ** source.uniform(-30, 300 if dtype == "float64" else 38, 300)
    yield np.array([6381956970095103 * 2.0**797, 1.7e308]) if dtype == "float64" else np.array([3e38])
    yield np.array([2.0**k * (1 + sign * 2.0**-23) for k in (8, 12, 16, 26) for sign in (-1, 0, 1)])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sines_and_cosines_are_right_to_a_unit_in_the_last_place(dtype, machine):
    native = LlvmProgram(WAVES, dtype, machine=machine)
    allowed = 0.85 if machine is None and Machine().fma else 1.25
    kind = np.dtype(dtype).type
    for x in angles(dtype):
        x = x.astype(dtype)
        for found, function in zip(run(native, [x[:, None]]), (mpmath.sin, mpmath.cos), strict=True):
            with mpmath.workprec(1300):
                for angle, number in zip(x, found[:, 0], strict=True):
                    exact = function(mpmath.mpf(float(angle)))
                    unit = float(np.spacing(abs(kind(float(exact)))))
                    assert abs(float(mpmath.mpf(float(number)) - exact)) <= allowed * unit, (angle, number)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_sines_of_no_number_are_none_and_tiny_angles_are_their_own(dtype):
    tiny = [np.finfo(dtype).smallest_subnormal, np.finfo(dtype).tiny, -np.finfo(dtype).tiny]
    x = np.array([np.inf, -np.inf, np.nan, 0, *tiny], dtype)
    native = LlvmProgram(WAVES, dtype)
    for count in (1, 40):
        sines, cosines = run(native, [np.tile(x, count)[:, None]])
        assert np.isnan(sines[:3]).all() and np.isnan(cosines[:3]).all()
        np.testing.assert_array_equal(sines[3:7, 0], x[3:])
        np.testing.assert_array_equal(cosines[3:7, 0], 1)


def test_undefined_angles_leave_alone_what_does_not_depend_on_them():
    program = Program(
        "two",
        (Input("q", 2),),
        (),
        (Instruction("sin", 0), Instruction("sin", 1), Instruction("add", 2, 3)),
        (Output("waves", (3,), (2, 3, 4)),),
    )
    q = np.ones((21, 2))
    q[5] = np.nan, 1e200
    q[6] = 1, np.inf
    (found,) = run(LlvmProgram(program), [q])
    assert np.isnan(found[5]).tolist() == [True, False, True]
    assert np.isnan(found[6]).tolist() == [False, True, True]
    assert found[5, 1] == pytest.approx(math.sin(1e200), rel=1e-15)
    assert (np.delete(found, [5, 6], axis=0) == found[0]).all()


def test_long_programs_are_cut_into_pieces():
    program = random_program(7, 10000)
    results = range(program.first_result, program.first_result + len(program.code), 5)
    program = without_twins(replace(program, outputs=(Output("many", (len(results),), tuple(results)),)))
    steps = fused(program)
    pieces, slots = chunks(program, steps)
    assert len(pieces) > 9 and 0 < slots < len(steps)
    native = LlvmProgram(program)
    source = np.random.default_rng(4)
    inputs = [source.uniform(-2, 2, (11, entry.size)) for entry in program.inputs]
    for found, expected in zip(run(native, inputs), run(NumpyProgram(program), inputs), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    alone = run(native, [rows[:1] for rows in inputs])
    np.testing.assert_array_equal(alone[0], run(native, inputs)[0][:1])


@pytest.mark.parametrize("limit", [1, 2, 5, 40])
def test_pieces_of_any_length_compute_the_same(limit, monkeypatch):
    program = random_program(8)
    source = np.random.default_rng(5)
    inputs = [source.uniform(-2, 2, (9, entry.size)) for entry in program.inputs]
    whole = run(LlvmProgram(program), inputs)
    monkeypatch.setattr(chunks, "__defaults__", (limit,))
    for found, expected in zip(run(LlvmProgram(program), inputs), whole, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_threads_share_large_batches_and_compile_once():
    program = planar_arm()
    native = LlvmProgram(program, threads=3)
    native._seconds = 1e-6  # as if it took long
    source = np.random.default_rng(6)
    inputs = [source.uniform(-2, 2, (20001, entry.size)) for entry in program.inputs]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: run(native, inputs), range(8)))
    alone = run(LlvmProgram(program, threads=1), inputs)
    for results in found:
        for one, two in zip(results, alone, strict=True):
            np.testing.assert_array_equal(one, two)


def test_constants_are_rounded_once_and_refused_beyond_range():
    between = Fraction(1) + Fraction(1, 2**24) + Fraction(1, 2**60)  # rounded to double first it would be a tie
    assert nearest(between, "float32") == 1 + 2.0**-23
    assert nearest(Fraction(1, 10), "float32") == float(np.float32(0.1))
    program = Program("huge", (), (Fraction(10) ** 60,), (), (Output("x", (), (0,)),))
    for make in (LlvmProgram, NumpyProgram):
        make(program)
        with pytest.raises(UnsupportedError, match="beyond float32"):
            make(program, "float32")


def test_code_lives_as_long_as_what_calls_it():
    def otherwise(*arguments, **named):
        raise AssertionError("not reached")

    source = np.random.default_rng(7)
    entries = [LlvmProgram(planar_arm()).entry(otherwise) for _ in range(5)]
    del otherwise
    gc.collect()
    state = source.uniform(-1, 1, 2), np.zeros(1)
    out = np.empty(2), np.empty((2, 2)), np.empty(())
    for entry in entries:
        if entry is not None:
            assert entry(*state, out=out) is out
    entry, entries = None, []
    gc.collect()

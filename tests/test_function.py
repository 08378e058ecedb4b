"""Functions: what arrays they take, in which layouts, and what they say to wrong ones."""

import pickle
import sys
import sysconfig
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from emdeg.backends import llvm_python
from emdeg.compiler.function import Function
from emdeg.errors import InputError
from emdeg.program import Graph, Input, Scalar, linearize
from programs_at_random import hostile_program, planar_arm, random_program


def arm():
    """One output, three inputs of two components each."""
    graph = Graph()
    q, qd, tau = ([Scalar(graph, graph.input(name, k)) for k in range(2)] for name in ("q", "qd", "tau"))
    s, c = (Scalar(graph, wave(q[0].reference)) for wave in (graph.sin, graph.cos))
    results = [s * qd[0] * qd[1] + tau[0], c * qd[1] * qd[1] - q[1] * tau[1]]
    inputs = [Input("q", 2), Input("qd", 2), Input("tau", 2)]
    return linearize(graph, "arm", inputs, {"qdd": ((2,), [x.reference for x in results])})


def expected(q, qd, tau):
    return np.stack(
        [
            np.sin(q[..., 0]) * qd[..., 0] * qd[..., 1] + tau[..., 0],
            np.cos(q[..., 0]) * qd[..., 1] ** 2 - q[..., 1] * tau[..., 1],
        ],
        axis=-1,
    )


@pytest.fixture(params=["llvm", "llvm without direct calls", "numpy"], scope="module")
def function(request):
    backend, _, indirect = request.param.partition(" ")
    return Function(arm(), backend, **({"direct": False} if indirect else {}))


def states(*shape):
    source = np.random.default_rng(0)
    return [source.uniform(-2, 2, (*shape, 2)) for _ in range(3)]


def close(found, wanted):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found, wanted, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (41,), (2, 3), (4, 1, 5), (0,), (3, 0)])
def test_leading_axes_are_kept(function, shape):
    q, qd, tau = states(*shape)
    close(function(q, qd, tau), expected(q, qd, tau))


def test_leading_axes_are_broadcast(function):
    q, qd, tau = states(4, 7)
    for three in ((q, qd[0, 0], tau), (q[:, :1], qd[0], tau[2, 3]), (q[0, 0], qd[0, 0], tau), (q[:1], qd, tau[:, :1])):
        wanted = expected(*np.broadcast_arrays(*three))
        close(function(*three), wanted)
        out = np.empty(wanted.shape)
        assert function(*three, out=out) is out
        close(out, wanted)


def layouts(x):
    """One array in many layouts."""
    room = np.zeros((*x.shape[:-1], 5))
    room[..., 1::2] = x
    yield room[..., 1::2]
    yield np.asfortranarray(x)
    yield x[..., ::-1].copy()[..., ::-1]
    yield x[::-1].copy()[::-1]
    odd = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype).reshape(x.shape)
    odd[...] = x
    yield odd
    yield x.astype(x.dtype.newbyteorder())
    yield x.astype(np.longdouble)
    yield x.tolist()
    fixed = x.copy()
    fixed.flags.writeable = False
    yield fixed
    yield x.view(type("Mine", (np.ndarray,), {}))


@pytest.mark.parametrize("shape", [(), (3,), (20,), (6, 7)])
def test_any_layout_and_kind_of_number_is_taken(function, shape):
    q, qd, tau = states(*shape)
    wanted = expected(q, qd, tau)
    for other in layouts(qd) if shape else [qd[::-1].copy()[::-1], qd.tolist(), tuple(qd), qd.astype(">f8")]:
        close(np.asarray(function(q, other, tau)), wanted)
    whole = [np.round(x).astype(kind) for x, kind in zip((q, qd, tau), (int, np.int8, np.float32), strict=True)]
    close(function(*whole), expected(*(x.astype(float) for x in whole)))


def test_single_precision_stays(function):
    single = Function(arm(), function.backend, "float32")
    for shape in ((), (50,)):
        q, qd, tau = (x.astype(np.float32) for x in states(*shape))
        found = single(q, qd, tau)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected(q, qd, tau), rtol=1e-4, atol=1e-5)
        np.testing.assert_array_equal(single(q.astype(float), qd, tau), found)
    assert function(q, qd, tau).dtype == np.float64
    with np.errstate(all="raise"):
        assert not np.isfinite(single(q, qd, np.full(2, 1e300))).all()


def test_names_may_be_given(function):
    q, qd, tau = states()
    close(function(q, tau=tau, qd=qd), expected(q, qd, tau))
    out = np.empty(2)
    assert function(q=q, tau=tau, qd=qd, out=out) is out
    close(out, expected(q, qd, tau))
    close(function(q, qd, tau, out=None), expected(q, qd, tau))


def test_results_go_where_they_shall(function):
    for shape in ((), (3,), (40,)):
        q, qd, tau = states(*shape)
        wanted = expected(q, qd, tau)
        space = np.zeros((3, *shape, 2))
        assert function(q, qd, tau, out=space[1]).base is space
        close(space[1], wanted)
        assert not space[0].any() and not space[2].any()
        assert function(q, qd, tau, out=qd) is qd  # over an argument
        close(qd, wanted)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("program", [arm(), planar_arm(), random_program(3)], ids=["arm", "planar", "random"])
def test_arrays_by_columns_give_the_same_bits_as_arrays_by_rows(program, dtype):
    for function in (Function(program, dtype=dtype), Function(program, dtype=dtype, direct=False)):
        source = np.random.default_rng(8)
        for count in (1, 2, 7, 8, 16, 17, 100):
            rows = [source.uniform(-2, 2, (count, entry.size)).astype(dtype) for entry in program.inputs]
            columns = [np.asfortranarray(x) for x in rows]
            spread = [np.zeros((3 * x.shape[1], count), dtype)[::3].T for x in rows]
            for x, y in zip(spread, rows, strict=True):
                x[...] = y
            wanted = function(*rows)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            out = [np.empty_like(x, order="F" if x.ndim < 3 else "C") for x in wanted]
            function(*columns, out=out[0] if len(out) == 1 else tuple(out))
            mixed = function(*[(rows, columns, spread)[k % 3][k] for k in range(len(rows))])
            for found in (out, function(*columns), function(*spread), mixed):
                for one, two in zip(found if len(wanted) > 1 else [found], wanted, strict=True):
                    np.testing.assert_array_equal(np.squeeze(one), np.squeeze(two))


def test_results_may_overlap_an_argument_shifted(function):
    q, qd, tau = states(40)
    wanted = expected(q[:39], qd[:39], tau[:39])
    close(function(q[:39], qd[:39], tau[:39], out=q[1:]), wanted)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: np.zeros(3), r"qd has the shape \(3,\), where \(..., 2\) is needed"),
        (lambda x: np.zeros((2, 1)), r"qd has the shape \(2, 1\), where \(..., 2\) is needed"),
        (lambda x: 1.0, r"qd has the shape \(\), where \(..., 2\) is needed"),
        (lambda x: x + 0j, "qd holds complex numbers"),
        (lambda x: x.astype(object), "qd holds elements of type object"),
        (lambda x: ["a", "b"], "qd holds elements of type <U1"),
        (lambda x: x > 0, "qd holds elements of type bool"),
        (lambda x: None, "qd holds elements of type object"),
        (lambda x: [[1], [1, 2]], "qd is not an array of numbers"),
        (lambda x: np.zeros((5, 2)), r"q \(4, 2\), qd \(5, 2\), tau \(4, 2\)"),
    ],
)
def test_wrong_arguments_are_named(function, wrong, message):
    q, qd, tau = states(4)
    with pytest.raises(InputError, match=message):
        function(q, wrong(qd), tau)


def test_batches_overlapping_an_argument_or_each_other_are_right_after_the_first_call(function):
    q, qd, tau = states(40)
    wanted = expected(q, qd, tau)
    close(function(q, qd, tau), wanted)  # from now on batches may be called directly
    close(function(q[:39], qd[:39], tau[:39], out=q[1:]), wanted[:39])
    q, qd, tau = states(40)
    assert function(q, qd, tau, out=tau) is tau
    close(tau, wanted)
    with pytest.raises(InputError, match="not contiguous"):
        function(q, qd, q, out=np.empty((40, 4))[:, ::2])
    frozen = np.empty((40, 2))
    frozen.flags.writeable = False
    with pytest.raises(InputError, match="aligned and writable"):
        function(q, qd, q, out=frozen)
    for count in (0, 1, 9):
        close(function(q[:count], qd[:count], tau[:count]), expected(q[:count], qd[:count], tau[:count]))
        with pytest.raises(InputError, match=r"out has the shape \(3, 2\)"):
            function(q[:count], qd[:count], tau[:count], out=np.empty((3, 2)))


def test_wrong_numbers_of_arguments_are_type_errors(function):
    q, qd, tau = states()
    for arguments, named, message in (
        ((q, qd), {}, "lacks tau"),
        ((), {"q": q}, "lacks qd and tau"),
        ((q, qd, tau, q), {}, "takes 3 arguments, not 4"),
        ((q, qd, tau), {"q": q}, "no further argument 'q'"),
        ((q, qd, tau), {"speed": q}, "no further argument 'speed'"),
    ):
        with pytest.raises(TypeError, match=message):
            function(*arguments, **named)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty(3), r"out has the shape \(3,\)"),
        (np.empty((1, 2)), r"out has the shape \(1, 2\)"),
        (np.empty(2, np.float32), "the type float32"),
        (np.empty(4)[::2], "not contiguous"),
        ([0, 0], "not an array but list"),
        (np.broadcast_to(np.zeros(1), 2), "not contiguous"),
        (np.frombuffer(bytes(16)), "writeable|writable"),
    ],
)
def test_wrong_buffers_are_refused(function, out, message):
    with pytest.raises(InputError, match=message):
        function(*states(), out=out)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_several_results_come_as_a_tuple(backend):
    function = Function(planar_arm(), backend)
    for shape in ((), (3,), (20,), (2, 2)):
        q, load = np.random.default_rng(1).uniform(-1, 1, (*shape, 2)), np.zeros((*shape, 1))
        gravity, mass, energy = results = function(q, load)
        assert isinstance(results, tuple)
        assert (gravity.shape, mass.shape, np.shape(energy)) == ((*shape, 2), (*shape, 2, 2), shape)
        np.testing.assert_allclose(energy, -np.sin(q[..., 1]) / (2 + np.cos(q[..., 1]) ** 2), rtol=1e-14)
        out = np.empty((*shape, 2)), np.empty((*shape, 2, 2)), np.empty(shape)
        assert function(q, load, out=out) is out
        for found, wanted in zip(out, results, strict=True):
            np.testing.assert_array_equal(found, wanted)
        if not shape:
            assert isinstance(energy, np.float64)
        for wrong in (out[:2], out[0]):
            with pytest.raises(InputError, match=r"a tuple of 3 arrays \(gravity, mass_matrix, potential_energy\)"):
                function(q, load, out=wrong)
        with pytest.raises(InputError, match="out for mass_matrix has the shape"):
            function(q, load, out=(out[0], out[0], out[2]))


def test_direct_calls_are_possible_here_and_agree_with_others():
    if sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert llvm_python.possible()
    for program in (planar_arm(), hostile_program(), random_program(1), arm()):
        direct, other = Function(program), Function(program, direct=False)
        source = np.random.default_rng(2)
        for _ in range(20):
            state = [source.uniform(-2, 2, entry.size) for entry in program.inputs]
            one, two = direct(*state), other(*state)
            for found, wanted in zip(*((x if isinstance(x, tuple) else (x,)) for x in (one, two)), strict=True):
                np.testing.assert_array_equal(found, wanted)


def test_direct_calls_neither_keep_nor_lose_references():
    function, state, out = Function(arm()), states(), np.empty(2)
    plan = Function(planar_arm())
    three = np.empty(2), np.empty((2, 2)), np.empty(())
    flat = np.zeros(2), np.zeros(1)
    long = np.zeros(3)
    many, place = states(30), np.empty((30, 2))
    columns, turned = [np.asfortranarray(x) for x in many], Function(arm())
    several = np.empty((30, 2)), np.empty((30, 2, 2)), np.empty(30)
    wide = np.zeros((30, 2)), np.zeros((30, 1))

    def calls():
        for _ in range(1000):
            function(*many, out=place)
            function(*many)
            turned(*columns)
            plan(*wide, out=several)
            plan(*wide)
            function(*state, out=out)
            function(*state)
            plan(*flat, out=three)
            plan(*flat)
            for wrong in (1, long):
                with pytest.raises(InputError):
                    function(state[0], state[1], wrong)

    things = [
        *many,
        place,
        *several,
        several,
        *wide,
        *state,
        out,
        *three,
        three,
        *flat,
        function,
        plan,
        np.dtype("float64"),
        np.ndarray,
        np.empty,
    ]
    calls()
    before = [sys.getrefcount(thing) for thing in things]
    calls()
    after = [sys.getrefcount(thing) for thing in things]
    assert all(abs(x - y) < 50 for x, y in zip(before, after, strict=True))


def test_batches_called_directly_keep_no_memory():
    """New arrays that are given up, as where arrays lie by columns for the first time, are freed."""
    function, large = Function(arm()), [np.ones((4000, 2)) for _ in range(3)]
    function(*large)
    tracemalloc.start()
    function(*large)
    function(*[np.asfortranarray(x) for x in large])
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < large[0].nbytes


def test_functions_are_frozen_and_say_what_they_are():
    program = arm()
    function = Function(program, dtype="float32")
    assert function.program is program
    assert function.cost == program.cost
    assert isinstance(function, Function)
    assert repr(function) == (
        f"<arm(q (..., 2), qd (..., 2), tau (..., 2)) -> qdd (..., 2); llvm, float32; {program.cost}>"
    )
    assert function.__doc__ == "arm(q (..., 2), qd (..., 2), tau (..., 2)) -> qdd (..., 2)"
    assert "define internal void @block1" in function.source
    assert "sin(inputs[0])" in Function(program, "numpy").source
    for change in (lambda: setattr(function, "program", None), lambda: delattr(function, "dtype")):
        with pytest.raises(AttributeError, match="frozen"):
            change()
    again = pickle.loads(pickle.dumps(function))
    assert repr(again) == repr(function)
    np.testing.assert_array_equal(again(*states(9)), function(*states(9)))


def test_unknown_back_ends_and_types_are_refused_with_the_list():
    with pytest.raises(InputError, match="there are: llvm, numpy"):
        Function(arm(), "fortran")
    with pytest.raises(InputError, match="there are: float64, float32"):
        Function(arm(), dtype="float16")


def test_one_function_serves_many_threads():
    function = Function(arm())
    sets = [states(n) if n else states() for n in (0, 1, 9, 1000)] * 10
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda three: function(*three), sets))
    for result, three in zip(found, sets, strict=True):
        close(result, expected(*three))

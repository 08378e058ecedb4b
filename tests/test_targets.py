"""Source text of every target: golden, counted, harmless, and run by the tools that are here."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from emdeg.backends.targets import TARGETS, target
from emdeg.backends.text import decimal
from emdeg.backends.vectors import TOLERANCE, exact_vectors, random_states
from emdeg.errors import InputError, UnsupportedError
from emdeg.program import Input, Instruction, Output, Program
from emdeg.version import __version__
from programs_at_random import HOSTILE, hostile_program, planar_arm, random_program, rubbing

PYTHON_TARGETS = ["numpy", "jax", "casadi", "sympy"]
DOUBLE_ONLY = {"casadi", "sympy"}
CASES = {
    "planar": ("planar arm", [planar_arm()]),
    "random": ("puma560", [random_program(seed) for seed in range(3)]),
    "hostile": (HOSTILE, [hostile_program(), planar_arm()]),
    "rubbing": ("rubbing arm", [rubbing()]),
}
STRICT = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror"]
STRICT += ["-Wconversion", "-Wshadow", "-Wdouble-promotion", "-Wmissing-prototypes"]


def stored(programs, count=3):
    return {program.name: exact_vectors(program, random_states(program, count)) for program in programs}


def write(folder, name, case, float32=False, vectors=None):
    """Generate a case into a folder; the names of its files."""
    robot, programs = CASES[case]
    vectors = vectors or stored(programs)
    files = target(name)(programs, robot, robot, float32=float32, vectors=vectors)
    for file, text in files.items():
        (folder / file).write_text(text, encoding="ascii")
    return list(files)


def run(command, folder, status=0):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == status, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def need(tool):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed: its target is not exercised")


def judge(found, vector, epsilon):
    for name, expected in vector.outputs.items():
        allowed = TOLERANCE * epsilon * np.array(vector.scales[name])
        error = np.abs(np.asarray(found[name], dtype=float).ravel() - np.array(expected))
        assert np.all(error <= allowed), name


@pytest.mark.parametrize("name", TARGETS)
def test_text_is_golden(name, golden):
    programs = [planar_arm()]
    files = target(name)(programs, "planar arm", "a drawing", vectors=stored(programs, 1))
    text = "".join(f"==== {file}\n{content}" for file, content in files.items())
    golden(f"target_{name}.txt", text.replace(__version__, "VERSION"))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", TARGETS)
def test_text_is_plain_and_narrow_and_says_its_cost(name, case):
    robot, programs = CASES[case]
    files = target(name)(programs, robot, robot, vectors=stored(programs, 1))
    assert files == target(name)(programs, robot, robot, vectors=stored(programs, 1))
    for file, text in files.items():
        assert re.fullmatch(r"[A-Za-z]\w*\.\w+", file, re.ASCII)
        assert len(file) < 80
        assert re.fullmatch(r"[ -~\n]*", text), "only printable ASCII"
        assert max(map(len, text.splitlines())) < 120
        unwrapped = re.sub(r"\n(//|#|%) ", " ", text)
        assert all(str(program.cost) in unwrapped for program in programs)
        assert __version__ in text


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_names_stay_names(name):
    robot, programs = CASES["hostile"]
    for text in target(name)(programs, robot, robot, vectors=stored(programs, 1)).values():
        assert not any(harm in text for harm in ('("rm', "*/", "/*", "`id`", "??", "%{", "{{", "\\ "))
        lines = text.splitlines()
        assert not any(re.match(r"[ \t\f]*#.*?coding[:=]", line) for line in lines[:2])
        for line in lines:
            assert "rm -rf" not in line or re.match(r'(//|#|%|    """)', line)


@pytest.mark.parametrize("name", PYTHON_TARGETS)
def test_hostile_python_defines_functions_only(name):
    robot, programs = CASES["hostile"]
    (text,) = target(name)(programs, robot, robot).values()
    tree = ast.parse(text)
    assert {type(node) for node in tree.body} <= {ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Assign}
    called = {ast.unparse(node.func).split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Call)}
    allowed = {"np", "jnp", "casadi", "sympy", "Rational", "_join"}
    assert {name for name in called if "(" not in name} <= allowed


def counted(text):
    """Operations of each function of a C text, by reading it: {name: (mul, add, div, sincos)}."""
    found = {}
    text = re.sub(r"//[^\n]*", "", text)
    for name, body in re.findall(r"void (\w+)\([^)]*\)\s*\{(.*?)\n\}", text, re.DOTALL):
        mul = add = div = 0
        angles = set()
        for expression in re.findall(r"=([^;]*);", body):
            angles |= set(re.findall(r"(?:sin|cos)f?\((.*)\)", expression))
            before = ""
            for token in re.findall(r"[A-Za-z_]\w*|\d[\d.]*(?:e[-+]?\d+)?f?|\S", expression):
                if re.fullmatch(r"[\w.\])]+(?:e[-+]?\d+f?)?", before):
                    mul += token == "*"
                    add += token in "+-"
                    div += token == "/"
                before = token
        found[name] = (mul, add, div, len(angles))
    return found


def test_counter_counts():
    lines = ["a = -x[0] * -(2.0e-05f); // + + +", "b = a - -1.0;", "c = sin(a);", "d = c / b + cos(a);", "e = cos(b);"]
    text = "void f(int x[2])\n{\n" + "\n".join(lines) + "\n}"
    assert counted(text) == {"f": (1, 2, 1, 2)}


@pytest.mark.parametrize("float32", [False, True])
def test_operations_in_c_are_those_of_the_program(float32):
    programs = [planar_arm(), rubbing(), *(random_program(seed, 40 * seed + 20) for seed in range(8))]
    files = target("c")(programs, "arm", "", float32=float32)
    found = counted(files["arm.c"])
    assert len(found) == len(programs)
    for program in programs:
        cost = program.cost
        expected = (cost.multiplications, cost.additions, cost.divisions, cost.sincos)
        assert found[f"arm_{program.name}"] == expected


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_c_compiles_without_warnings_and_passes_its_test(case, float32, tmp_path):
    files = write(tmp_path, "c", case, float32)
    sources = [file for file in files if file.endswith(".c")]
    run(["gcc", *STRICT, *sources, "-o", "selftest", "-lm"], tmp_path)
    assert "largest error" in run(["./selftest"], tmp_path)


def test_c_header_serves_cpp(tmp_path):
    need("g++")
    files = write(tmp_path, "c", "hostile")
    run(["g++", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-c", files[1], "-o", "unit.o"], tmp_path)


def test_c_selftest_finds_a_wrong_result(tmp_path):
    vectors = stored(CASES["planar"][1])
    wrong = vectors["planar"][1].outputs["gravity"]
    wrong[0] *= 1 + 1e-13
    files = write(tmp_path, "c", "planar", vectors=vectors)
    run(["gcc", "-std=c99", *(file for file in files if file.endswith(".c")), "-o", "selftest", "-lm"], tmp_path)
    run(["./selftest"], tmp_path, status=1)


def test_c_output_may_be_the_input(tmp_path):
    swap = Program("swap", (Input("q", 2),), (), (), (Output("tau", (2,), (1, 0)),))
    for file, text in target("c")([swap], "arm", "").items():
        (tmp_path / file).write_text(text)
    main = '#include "arm.h"\nint main(void) { double x[2] = {1, 2}; arm_swap(x, x); return x[0] != 2 || x[1] != 1; }\n'
    (tmp_path / "main.c").write_text(main)
    run(["gcc", "-std=c99", "arm.c", "main.c", "-o", "main"], tmp_path)
    run(["./main"], tmp_path)


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_rust_compiles_and_passes_its_tests(case, float32, tmp_path):
    need("rustc")
    (file,) = write(tmp_path, "rust", case, float32)
    rustc = ["rustc", "--edition", "2021", "-D", "warnings", "-A", "non_snake_case"]
    run([*rustc, "--test", file, "-o", "selftest"], tmp_path)
    assert "test result: ok" in run(["./selftest"], tmp_path)
    (tmp_path / "lib.rs").write_text(f"#![no_std]\npub mod {file.removesuffix('.rs')};\n")
    run([*rustc, "--crate-type", "lib", "lib.rs"], tmp_path)


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_matlab_text_passes_its_test_in_octave(case, float32, tmp_path):
    need("octave-cli")
    *_, selftest = write(tmp_path, "matlab", case, float32)
    out = run(["octave-cli", "--no-init-file", "--eval", selftest.removesuffix(".m")], tmp_path)
    assert "largest error" in out


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_cuda_compiles(case, float32, tmp_path):
    need("nvcc")
    files = write(tmp_path, "cuda", case, float32)
    sources = [file for file in files if file.endswith(".cu")]
    run(["nvcc", "-std=c++17", "-Werror", "all-warnings", *sources, "-o", "selftest"], tmp_path)
    if shutil.which("nvidia-smi") is None or subprocess.run(["nvidia-smi"], capture_output=True).returncode:
        pytest.skip("there is no GPU: the CUDA text was compiled only")
    assert "largest error" in run(["./selftest"], tmp_path)


def load(folder, name, case, float32=False):
    """The module that a Python target writes, and its functions in the order of the programs."""
    (file,) = write(folder, name, case, float32)
    spec = importlib.util.spec_from_file_location(f"generated_{name}", folder / file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    functions = [
        item for key, item in vars(module).items() if callable(item) and getattr(item, "__module__", "") == spec.name
    ]
    return [function for function in functions if function.__name__ != "_join"]


def named(program, results):
    results = results if isinstance(results, tuple) else (results,)
    return {output.name: result for output, result in zip(program.outputs, results, strict=True)}


@pytest.mark.parametrize("float32", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_numpy_text_gives_the_program(case, float32, tmp_path):
    kind = np.float32 if float32 else np.float64
    for program, function in zip(CASES[case][1], load(tmp_path, "numpy", case, float32), strict=True):
        vectors = stored([program])[program.name]
        batch = [np.array([vector.inputs[entry.name] for vector in vectors]) for entry in program.inputs]
        results = named(program, function(*batch))
        for k, vector in enumerate(vectors):
            judge({name: result[k] for name, result in results.items()}, vector, np.finfo(kind).eps)
        for output in program.outputs:
            assert results[output.name].shape == (len(vectors), *output.shape)


@pytest.mark.parametrize("case", CASES)
def test_jax_text_can_be_compiled_and_mapped(case, tmp_path):
    jax = pytest.importorskip("jax", reason="jax is not installed: its target is not exercised")
    jax.config.update("jax_enable_x64", True)
    for program, function in zip(CASES[case][1], load(tmp_path, "jax", case), strict=True):
        vectors = stored([program])[program.name]
        batch = [np.array([vector.inputs[entry.name] for vector in vectors]) for entry in program.inputs]
        one = named(program, jax.jit(function)(*(entry[0] for entry in batch)))
        judge(one, vectors[0], np.finfo(float).eps)
        mapped = named(program, jax.jit(jax.vmap(function))(*batch))
        for k, vector in enumerate(vectors):
            judge({name: result[k] for name, result in mapped.items()}, vector, np.finfo(float).eps)


def test_jax_text_in_single_precision(tmp_path):
    pytest.importorskip("jax", reason="jax is not installed: its target is not exercised")
    (function,) = load(tmp_path, "jax", "planar", float32=True)
    gravity, *_ = function([0.5, 0.25], [0])
    assert gravity.dtype == np.float32


@pytest.mark.parametrize("case", CASES)
def test_casadi_text_builds_functions(case, tmp_path):
    pytest.importorskip("casadi", reason="casadi is not installed: its target is not exercised")
    for program, builder in zip(CASES[case][1], load(tmp_path, "casadi", case), strict=True):
        function = builder()
        for vector in stored([program])[program.name]:
            results = named(program, function(*(list(vector.inputs[entry.name]) for entry in program.inputs)))
            judge({name: np.array(result.full()) for name, result in results.items()}, vector, np.finfo(float).eps)


@pytest.mark.parametrize("case", CASES)
def test_sympy_text_is_exact(case, tmp_path):
    sympy = pytest.importorskip("sympy", reason="sympy is not installed: its target is not exercised")
    for program, function in zip(CASES[case][1], load(tmp_path, "sympy", case), strict=True):
        (vector,) = stored([program])[program.name][:1]
        inputs = [[sympy.Float(x, 60) for x in vector.inputs[entry.name]] for entry in program.inputs]
        results = named(program, function(*inputs))
        found = {name: list(result) if hasattr(result, "shape") else [result] for name, result in results.items()}
        judge(found, vector, 1e-16)


def test_sympy_text_keeps_letters_and_long_fractions(tmp_path):
    sympy = pytest.importorskip("sympy", reason="sympy is not installed: its target is not exercised")
    third = Fraction(10**150 + 1, 3)
    program = Program("f", (Input("q", 1),), (third,), (Instruction("mul", 0, 1),), (Output("tau", (), (2,)),))
    (text,) = target("sympy")([program], "arm", "").values()
    names = {}
    exec(compile(text, "arm.py", "exec"), names)
    q = sympy.symbols("q1:2")
    assert names["f"](q) == q[0] * sympy.Rational(third.numerator, third.denominator)
    assert max(map(len, text.splitlines())) < 120


def test_an_unknown_target_gets_the_list():
    with pytest.raises(InputError, match="targets: c, cuda"):
        target("fortran")


@pytest.mark.parametrize("name", TARGETS)
def test_wrong_calls(name):
    generate = target(name)
    with pytest.raises(InputError, match="two functions have one name"):
        generate([planar_arm(), planar_arm()], "arm", "")
    if name in DOUBLE_ONLY:
        with pytest.raises(UnsupportedError):
            generate([planar_arm()], "arm", "", float32=True)
    elif name != "sympy":
        huge = Program("f", (), (Fraction(10**40),), (), (Output("tau", (), (0,)),))
        with pytest.raises(InputError, match="too large for single"):
            generate([huge], "arm", "", float32=True)


def test_numbers_are_rounded_once():
    assert decimal(Fraction(1, 3)) == "0.3333333333333333"
    assert decimal(Fraction(-1, 10)) == "-0.1"
    assert decimal(Fraction(1, 10), float32=True) == "0.1"
    tie = 1 + Fraction(1, 2**24)  # between two singles; a little more must go up, a double does not see it
    assert decimal(tie, float32=True) == "1.0"
    assert decimal(tie + Fraction(1, 2**80), float32=True) == "1.0000001"


def test_no_state_with_a_singular_result_becomes_a_vector():
    program = Program("f", (Input("q", 1),), (), (Instruction("div", 0, 0),), (Output("tau", (), (1,)),))
    with pytest.raises(InputError, match="no finite value"):
        exact_vectors(program, [{"q": [0.0]}])


def test_python_keeps_away_from_its_modules():
    for name in PYTHON_TARGETS:
        for robot in ("numpy", "jax", "sympy", "casadi", "math", "random"):
            (file,) = target(name)([planar_arm()], robot, "")
            assert file == f"{robot}_.py"
    assert "random" in sys.stdlib_module_names


def test_text_tells_which_parameters_and_writes_signs(tmp_path):
    text = target("c")([rubbing()], "arm", "")["arm.h"]
    assert "// qd (3): first, second, third [SI]" in text and "3 signs" not in text and "4 signs" in text


@pytest.mark.parametrize("name", ["c", "cuda", "rust"])
def test_signs_are_of_no_function_that_is_one_at_zero(name):
    text = "".join(target(name)([rubbing()], "arm", "").values())
    assert text.count("< 0.0") == 4 and "signum" not in text and "copysign" not in text

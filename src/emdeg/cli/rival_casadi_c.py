"""CasADi's generated C as an entrant of a race: compiled by gcc in a folder that is gone afterwards."""

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from emdeg.cli.casadi_dynamics import FUNCTIONS, casadi_function
from emdeg.cli.contest import Arm, Array, Entrant, States
from emdeg.cli.rival_casadi import by_rows, calls
from emdeg.compiler.numbers import NumericRobot

OPTIONS = ("-O3", "-march=native")
_LOOP = """
CASADI_SYMBOL_EXPORT void each(long long count, const double **in, double **out) {{
  const double *arg[{arguments}];
  double *res[{results}];
  casadi_int iw[{integers}];
  double w[{numbers}];
  for (long long k = 0; k < count; ++k) {{
    {pointers}
    {name}(arg, res, iw, w, 0);
  }}
}}
"""
Loop = Callable[[Sequence[Array], Sequence[Array]], None]


def entrants(robot: NumericRobot, arm: Arm, function: str, states: States, batch: States) -> Iterator[Entrant]:
    """Calls of the library through CasADi's buffers; batches in a loop in C. ImportError without `casadi`."""
    title = f"CasADi {version('casadi')}, generated C"  # PackageNotFoundError is an ImportError
    if function not in FUNCTIONS:
        return
    external, loop = compiled(casadi_function(robot, function))
    yield calls(f"{title}, gcc {' '.join(OPTIONS)}", external, states)
    many, n = len(batch.arguments[0]), len(robot.tree)
    results = [np.zeros((many, external.nnz_out(k))) for k in range(external.n_out())]

    def run() -> None:
        loop(batch.arguments, results)

    def first() -> Array:
        run()
        return by_rows([x[0] for x in results], n)

    yield Entrant(f"a loop in C of {title}", "batch", "float64", many, run, first)


def compiled(known: Any) -> tuple[Any, Loop]:
    """The function from its compiled C, and a loop in C over rows of states to rows of results (column by column)."""
    import casadi

    if (gcc := shutil.which("gcc")) is None:
        raise FileNotFoundError("gcc is not installed")
    name = known.name()
    generator = casadi.CodeGenerator(f"{name}.c")
    generator.add(known)
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # Windows keeps a library that is loaded
        source, library = Path(folder, f"{name}.c"), Path(folder, f"{name}.so")
        source.write_text(generator.dump() + _loop_text(known), encoding="utf-8")
        command = [gcc, *OPTIONS, "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        subprocess.run(command, check=True, capture_output=True)
        external = casadi.external(name, str(library))
        each = ctypes.CDLL(str(library)).each
    each.argtypes = [ctypes.c_longlong, ctypes.c_void_p, ctypes.c_void_p]
    each.restype = None

    def loop(arguments: Sequence[Array], results: Sequence[Array]) -> None:
        tables = [(ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays)) for arrays in (arguments, results)]
        each(len(results[0]), *tables)

    return external, loop


def _loop_text(known: Any) -> str:
    pointers = [f"arg[{k}] = in[{k}] + {known.nnz_in(k)} * k;" for k in range(known.n_in())]
    pointers += [f"res[{k}] = out[{k}] + {known.nnz_out(k)} * k;" for k in range(known.n_out())]
    return _LOOP.format(
        arguments=known.sz_arg(),
        results=known.sz_res(),
        integers=known.sz_iw() + 1,
        numbers=known.sz_w() + 1,
        pointers="\n    ".join(pointers),
        name=known.name(),
    )

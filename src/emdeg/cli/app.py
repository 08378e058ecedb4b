"""The program `emdeg`: its commands, and the exit status of each outcome.

Standard output carries the result and nothing else. Exit status: 0 done, 1 the input is wrong, 2 wrong usage, 130
interrupted.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from emdeg.cli import bench, count, derive, describe, evaluate, generate, output
from emdeg.cli.options import UsageError
from emdeg.errors import EmdegError
from emdeg.version import __version__

app = App(
    name="emdeg",
    help="From the description of a robot to its explicit equations of motion.\n\nExample: emdeg derive puma560",
    version=__version__,
    help_format="plaintext",
    default_parameter=Parameter(show_default=False),
    suppress_keyboard_interrupt=False,
    result_action="return_value",
)
_COMMANDS: tuple[Callable[..., Any], ...] = (
    describe.robots, describe.check, derive.derive, evaluate.evaluate, evaluate.vectors, count.count,
    generate.generate, bench.bench, describe.schema
)  # fmt: skip
for _place, _command in enumerate(_COMMANDS):
    app.command(_command, sort_key=_place)


def main(arguments: Iterable[str] | None = None) -> int:
    """Run a command line (that of the process if None is given) and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a character that the terminal lacks is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if arguments is None else list(arguments)
    with warnings.catch_warnings():
        warnings.showwarning = _silence if "--quiet" in words else _warning  # type: ignore[assignment]
        try:
            return _run(words)
        except KeyboardInterrupt:
            output.message("emdeg: interrupted, nothing was written")
            return 130
        except BrokenPipeError:  # whoever read our output has enough
            with open(os.devnull, "w") as nothing, suppress(OSError, ValueError):
                os.dup2(nothing.fileno(), sys.stdout.fileno())
            return 141


def _run(arguments: list[str]) -> int:
    try:
        status = app(arguments, exit_on_error=False, print_error=True)
    except CycloptsError:
        return 2
    except UsageError as error:
        output.message(f"emdeg: {error}")
        return 2
    except EmdegError as error:
        output.message(f"emdeg: {error}")
        return 1
    sys.stdout.flush()
    return status if isinstance(status, int) else 0


def _warning(text: Any, category: Any, filename: str, line: int, file: Any = None, source: Any = None) -> None:
    """Warnings of other packages, in one line without their source."""
    output.message(f"warning: {text}")


def _silence(*_: Any) -> None:
    """Nothing."""

"""The README and the docs tell the truth: every block runs, and prints what it shows.

What the language of a fenced block means here:

- `python` is executed; the blocks of one page share their names. A `text` block right after it is what it prints.
- `console` holds commands after `$ `, each followed by what it prints, if the page shows that.
- `sh` sets an environment up; `.ci/run` runs it, found by the comment `<!-- ci: NAME -->` in front of it.
- `toml`, `text` and others are only shown; with the comment `<!-- file: NAME -->` in front they are also written, for
  the blocks that follow.

In shown output `...` stands for anything. All blocks of a page run in one empty folder.
"""

import contextlib
import difflib
import io
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHOWN = {"text", "toml", "powershell", "json", "latex", "c", "markdown", "bibtex", "xml"}
DIRECTIVE = re.compile(r"\{.+\}.*")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the number of its first line, the comment in front of it."""

    language: str
    text: str
    line: int
    mark: str


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a Markdown page, in order."""
    found, mark, fence = [], "", None
    for number, line in enumerate(page.splitlines(), start=1):
        if fence is None and (opening := re.fullmatch(r"(```+)(.*)", line.strip())):
            fence, language, start, lines = opening[1], opening[2].strip(), number + 1, []
        elif fence is not None and line.strip() == fence:
            found.append(Block(language, "".join(text + "\n" for text in lines), start, mark))
            fence, mark = None, ""
        elif fence is not None:
            lines.append(line)
        elif line.strip():
            comment = re.fullmatch(r"<!-- (\w+: .+) -->", line.strip())
            mark = comment[1] if comment else ""
    assert fence is None, f"the block that starts in line {start} does not end"
    return found


def same(shown: str, printed: str) -> bool:
    """Whether `printed` is what a page shows, `...` standing for anything; spaces at line ends don't count."""
    wanted, given = (re.sub(r"[ \t]+\n", "\n", text.rstrip() + "\n") for text in (shown, printed))
    return re.fullmatch(".*".join(map(re.escape, wanted.split("..."))), given, re.DOTALL) is not None


def compare(shown: str, printed: str, where: str) -> None:
    if not same(shown, printed):
        diff = difflib.unified_diff(shown.splitlines(), printed.splitlines(), "shown", "printed", lineterm="", n=2)
        pytest.fail(f"{where} shows other output than it prints:\n" + "\n".join(diff), pytrace=False)


def commands(text: str) -> list[tuple[str, str, int]]:
    """The commands of a console block: each with what is shown after it and its place among the block's lines."""
    found: list[tuple[str, str, int]] = []
    for number, line in enumerate(text.splitlines()):
        if line.startswith("$ "):
            found.append((line[2:], "", number))
        else:
            assert found, f"a console block begins with a command, not with {line!r}"
            command, shown, place = found[-1]
            found[-1] = (command, f"{shown}{line}\n", place)
    return found


def run_console(block: Block, page: str) -> None:
    environment = os.environ | {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONIOENCODING": "utf-8",
        "COLUMNS": "120",
        "NO_COLOR": "1",
    }
    for command, shown, offset in commands(block.text):
        where = f"{page}:{block.line + offset}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        assert done.returncode == 0, f"{where}: `{command}` ended with status {done.returncode}\n{done.stdout}"
        if shown.strip():
            compare(shown, done.stdout, where)


def run_python(block: Block, page: str, names: dict) -> str:
    source = "\n" * (block.line - 1) + block.text
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(source, page, "exec"), names)
    return printed.getvalue()


def run_page(text: str, page: str) -> None:
    """Run the blocks of a page in the current folder."""
    names: dict = {"__name__": "__main__"}
    printed = None
    for block in blocks(text):
        where = f"{page}:{block.line}"
        kind, _, value = block.mark.partition(": ")
        if block.language == "text" and printed is not None:
            compare(block.text, printed, where)
        printed = None
        if kind == "file":
            Path(value).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            printed = run_python(block, page, names)
        elif block.language == "console":
            run_console(block, page)
        elif block.language == "sh":
            assert kind == "ci", f"{where}: a sh block needs a `<!-- ci: NAME -->` in front, so that .ci/run runs it"
        else:
            known = block.language in SHOWN or DIRECTIVE.fullmatch(block.language)
            assert known, f"{where}: nobody runs a block in {block.language!r}; write python or console"


@pytest.mark.skipif(shutil.which("bash") is None, reason="console blocks need bash")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_runs_and_prints_what_it_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(page.read_text(encoding="utf-8"), page.relative_to(ROOT).as_posix())


def test_links_between_pages_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}, which does not exist"


def test_ci_runs_each_command_that_sets_an_environment_up():
    marks = [block.mark for block in blocks(PAGES[0].read_text(encoding="utf-8")) if block.language == "sh"]
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert marks == ["ci: install", "ci: test"]
    for mark in marks:
        assert f"readme_command {mark.removeprefix('ci: ')}" in script


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```", "page:6 shows other output"),
        ("```console\n$ echo one\ntwo\n```", "page:2 shows other output"),
        ("```console\n$ echo one; exit 3\n```", "ended with status 3"),
        ("```python\n1 / 0\n```", "division by zero"),
        ("```bash\nrm -r everything\n```", "nobody runs a block in 'bash'"),
        ("```sh\nmake\n```", "needs a `<!-- ci: NAME -->`"),
        ("```python\nprint(1)\n", "does not end"),
        ("```console\noutput\n```", "begins with a command"),
    ],
)
def test_a_page_that_does_not_hold_is_found(page, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, ZeroDivisionError, pytest.fail.Exception), match=re.escape(complaint)):
        run_page(page, "page")


def test_a_page_that_holds_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(
        "<!-- file: a.toml -->\n```toml\nx = 1\n```\n"
        "```python\nprint(open('a.toml').read(), 1.234567)\nx = 7\n```\n\n```text\nx = 1\n 1.23...\n```\n"
        "```python\nassert x == 7\n```\n"
        "```console\n$ echo one; echo two\none\ntwo\n$ cat a.toml\n```\n",
        "page",
    )

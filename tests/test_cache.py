"""What is kept on disk: only our own, whole and unchanged object code is ever loaded."""

import os
import stat

import numpy as np
import pytest

from emdeg import cache
from emdeg.backends import llvm_machine
from emdeg.backends.llvm import LlvmProgram
from emdeg.backends.llvm_objects import Entry
from programs_at_random import planar_arm

posix = pytest.mark.skipif(os.name != "posix", reason="permissions differ elsewhere")


@pytest.fixture
def compiled(monkeypatch, tmp_path):
    """A function that makes a program and tells how many modules were compiled for it, not loaded."""
    monkeypatch.setenv("EMDEG_CACHE", str(tmp_path / "cache"))
    program = planar_arm()
    states = np.random.default_rng(0).uniform(-1, 1, (1, 2)), np.ones((1, 1))

    def make():
        written = []
        with monkeypatch.context() as patch:
            patch.setattr(Entry, "write", lambda entry, code: (written.append(entry), original(entry, code)))
            native = LlvmProgram(program)
        results = [np.empty((1, len(output.values))) for output in program.outputs]
        native.run(states, results)
        assert results[0] == pytest.approx(expected[0] if expected else results[0], rel=0, abs=0)
        expected[:] = results
        return len(written)

    original, expected = Entry.write, []
    return make


def only_entry():
    (entry,) = cache.folder("objects").iterdir()
    return entry


def test_object_code_is_loaded_the_second_time(compiled):
    assert [compiled(), compiled()] == [1, 0]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content[:-1],
        lambda content: content[:40],
        lambda content: b"",
        lambda content: content + b"\0",
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda content: b"\x7fELF" + content[4:],
    ],
)
def test_a_damaged_entry_is_ignored_and_rebuilt(compiled, damage):
    compiled()
    entry = only_entry()
    right = entry.read_bytes()
    entry.write_bytes(damage(right))
    assert [compiled(), compiled()] == [1, 0]
    assert only_entry().read_bytes() == right


def test_an_entry_under_the_name_of_another_is_ignored(compiled):
    compiled()
    entry = only_entry()
    other = Entry.of("another module", "cpu")
    entry.rename(other.place)
    assert other.read() is None


@posix
@pytest.mark.parametrize("mode", [0o666, 0o620])
def test_an_entry_that_others_can_write_is_ignored_and_rebuilt(compiled, mode):
    compiled()
    only_entry().chmod(mode)
    assert [compiled(), compiled()] == [1, 0]
    assert stat.S_IMODE(only_entry().stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nothing_is_loaded_from_folders_that_others_can_write(compiled, depth):
    compiled()
    folder = only_entry().parents[depth - 1]
    before = stat.S_IMODE(folder.stat().st_mode)
    try:
        folder.chmod(0o777)
        assert [compiled(), compiled()] == [1, 1]
        folder.chmod(0o1777)  # in a sticky folder others can't change what is ours, but they can add entries
        assert compiled() == (1 if depth == 1 else 0)
    finally:
        folder.chmod(before)
    assert compiled() == 0


@posix
@pytest.mark.skipif(os.name == "posix" and os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_nothing_is_loaded_that_belongs_to_another(compiled, depth):
    compiled()
    thing = [only_entry(), *only_entry().parents][depth]
    os.chown(thing, 12345, -1)
    assert compiled() == 1


@posix
def test_a_link_leads_to_where_it_leads(compiled, tmp_path):
    compiled()
    entry, open_to_all = only_entry(), tmp_path / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    entry.rename(open_to_all / "code")
    entry.symlink_to(open_to_all / "code")
    assert [compiled(), compiled()] == [1, 0]
    assert not only_entry().is_symlink()


def test_the_folder_is_bounded(compiled, monkeypatch, tmp_path):
    for k in range(9):
        cache.write(tmp_path / "many" / str(k), bytes(100))
        os.utime(tmp_path / "many" / str(k), (k, k))
    cache.trim(tmp_path / "many", 5, 1000)
    assert sorted(entry.name for entry in (tmp_path / "many").iterdir()) == ["4", "5", "6", "7", "8"]
    cache.trim(tmp_path / "many", 5, 250)
    assert sorted(entry.name for entry in (tmp_path / "many").iterdir()) == ["7", "8"]


def test_nothing_is_kept_where_it_is_switched_off_or_cannot_be(compiled, monkeypatch, tmp_path):
    monkeypatch.setenv("EMDEG_CACHE", "off")
    assert [compiled(), compiled()] == [1, 1]
    monkeypatch.setenv("EMDEG_CACHE", str(tmp_path / "file" / "folder"))
    (tmp_path / "file").write_text("in the way")
    assert [compiled(), compiled()] == [1, 1]
    assert cache.read_own(tmp_path / "file", 3) is None
    assert cache.read_own(tmp_path / "file", 100) == b"in the way"


def test_another_processor_or_compiler_has_entries_of_its_own():
    one = Entry.of("text", "zen4", "+avx512f", "x86_64", "0.50", "20")
    others = [Entry.of("text", *(x if k != changed else "other" for k, x in enumerate(
        ("zen4", "+avx512f", "x86_64", "0.50", "20")))) for changed in range(5)]  # fmt: skip
    assert len({entry.place for entry in (one, *others, Entry.of("text2", "zen4"))}) == 7


def test_the_code_holds_no_address_of_this_process(monkeypatch):
    """So that it is the same in every process."""
    texts = []
    load = llvm_machine.load
    monkeypatch.setattr(
        "emdeg.backends.llvm.load", lambda m, text, exports: (texts.append(text), load(m, text, exports))[1]
    )
    for _ in range(2):
        LlvmProgram(planar_arm())
        np.float64(texts.__len__())  # other objects in between
    assert texts[0] == texts[1] and "inttoptr" not in texts[0]

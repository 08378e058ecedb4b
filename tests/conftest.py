"""What all tests share: golden texts, rewritten with `pytest --update`."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="rewrite the golden texts in tests/golden")


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory) -> Iterator[None]:
    """Programs are remembered in a folder of the tests, not in the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EMDEG_CACHE", str(tmp_path_factory.mktemp("programs")))
        yield


@pytest.fixture
def golden(request) -> Callable[[str, str], None]:
    """golden(name, text) compares a text with the file tests/golden/name, or rewrites that file."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update"):
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(text.encode())
        assert path.exists(), f"there is no golden {name}; write it with pytest --update"
        assert text == path.read_bytes().decode(), f"differs from golden {name}; look, then pytest --update"

    return compare

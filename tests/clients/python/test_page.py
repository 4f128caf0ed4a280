"""The lines of docs/clients/python.md run as they stand, one after another. Rows: D11, D15."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import House
from tests.serving import working

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "clients" / "python.md"
MOST_WORDS = 700


@pytest.fixture(scope="module", autouse=True)
def worker(acme: House) -> Iterator[None]:
    with working(acme.tenant.id):
        yield


def read_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def test_the_page_runs(
    address: str, acme: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"URL": address, "KEY": acme.token}
    blocks = read_blocks(PAGE)
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102  # our own page
    printed = capsys.readouterr().out
    assert len(blocks) == 10
    assert "Zürich" in printed
    assert "My son Theo is allergic to bees" in printed
    assert "[not_found, request " in printed
    assert "I play the cello" in printed


@pytest.mark.parametrize(
    ("page", "place"), [("README.md", "Zürich"), ("README.zh.md", "杭州"), ("clients/python/README.md", "Zürich")]
)
def test_the_lines_of_the_readme_run(
    address: str, acme: House, capsys: pytest.CaptureFixture[str], page: str, place: str
) -> None:
    (block,) = read_blocks(ROOT / page)
    names = {"KEY": acme.token, "api_key": acme.token}
    exec(compile(block.replace("http://127.0.0.1:8000", address), page, "exec"), names)  # noqa: S102
    assert place in capsys.readouterr().out


def test_the_page_is_short() -> None:
    words = [word for word in PAGE.read_text(encoding="utf-8").split() if any(sign.isalnum() for sign in word)]
    assert len(words) < MOST_WORDS

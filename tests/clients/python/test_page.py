"""The lines of docs/clients/python.md and of the READMEs run as they stand. Rows: D3, D8, D9, D10, D11, D15."""

import asyncio
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import House
from tests.mem0_clients import load_client
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


def ask_model(client: Any) -> str:
    """Return why no model answers: this tenant has none, and whose memory it is was not missing."""
    with pytest.raises(import_module("openai").NotFoundError) as refused:
        client.responses.create(model="some-model", input="Any snack ideas?")
    return str(refused.value.code)


def keep_item(session: Any) -> list[Any]:
    async def keep() -> list[Any]:
        await session.add_items([{"role": "user", "content": "I like tea"}])
        items: list[Any] = await session.get_items()
        await session.close()
        return items

    return asyncio.run(keep())


def put_item(store: Any) -> Any:
    store.put(("notes", "ada"), "k", {"text": "tea"})
    return store.get(("notes", "ada"), "k").value


# Where each client of the table comes from, a first call of it, and the answer.
FIRST_CALLS: dict[str, tuple[str, Callable[[Any], Any], Any]] = {
    "OpenAI": ("openai", ask_model, "upstream_missing"),
    "MemoryClient": ("mem0", lambda client: client.get_all(filters={"user_id": "nobody"})["results"], []),
    "MemoryPlatformTool": (
        "memory_platform_client.memory_tool",
        lambda tool: "/memories/notes.md" in tool.call({"command": "view", "path": "/memories"}),
        True,
    ),
    "MemoryPlatformSession": (
        "memory_platform_client.agents_session",
        keep_item,
        [{"role": "user", "content": "I like tea"}],
    ),
    "MemoryPlatformSaver": (
        "memory_platform_client.langgraph",
        lambda saver: list(saver.list({"configurable": {"thread_id": "t1"}})),
        [],
    ),
    "MemoryPlatformStore": ("memory_platform_client.langgraph", put_item, {"text": "tea"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_the_one_line_of_each_client_makes_a_client(address: str, acme: House, tmp_path: Path, page: str) -> None:
    rows = re.findall(r"^\| .*", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    made = [line for row in rows for line in re.findall(r"`([A-Z]\w+\([^`]+\))`", row)]
    assert [line.partition("(")[0] for line in made] == list(FIRST_CALLS)
    for line in made:
        name = line.partition("(")[0]
        package, call, answer = FIRST_CALLS[name]
        module = load_client("2.2.1", tmp_path) if package == "mem0" else import_module(package)
        names = {"BASE": address, "KEY": acme.token, "SUBJECT": f"ada-{page}", name: getattr(module, name)}
        assert call(eval(line, names)) == answer  # noqa: S307  # our own page

"""``search`` and ``fetch`` as ChatGPT's connectors want them. Rows: D7."""

import httpx
import orjson
import pytest

from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key


@pytest.fixture(scope="module", params=["memory", "mem0"])
def iris(request: pytest.FixtureRequest, server: str, shared_world: World) -> Desk:
    desk = Desk(f"{server}?profile={request.param}", bind_key(shared_world.acme, "iris"))
    Desk(server, desk.token).ask("remember", text="My sister Ruth restores violins in Cremona")
    return desk


def test_search_gives_one_text_item_with_results_and_nothing_else(iris: Desk) -> None:
    made = iris.call("search", query="Who restores violins?")
    (item,) = made.content
    assert item.type == "text"
    found = orjson.loads(item.text)
    assert found.keys() == {"results"}
    assert all(one.keys() == {"id", "title", "url"} for one in found["results"])
    assert "violins" in found["results"][0]["title"]
    assert found["results"][0]["url"].startswith("http://127.0.0.1")
    assert made.structured_content == found


def test_fetch_gives_one_document(iris: Desk) -> None:
    first = iris.ask_text("search", query="violins")["results"][0]
    document = iris.ask_text("fetch", id=first["id"])
    assert document.keys() == {"id", "title", "text", "url", "metadata"}
    assert (document["id"], document["url"]) == (first["id"], first["url"])
    assert document["text"] == "My sister Ruth restores violins in Cremona"
    assert all(isinstance(value, str) for value in document["metadata"].values())


def test_the_address_of_a_result_is_one_of_the_api(iris: Desk) -> None:
    first = iris.ask_text("search", query="violins")["results"][0]
    answer = httpx.get(first["url"], headers={"Authorization": f"Bearer {iris.token}"})
    assert answer.json()["id"] == first["id"]

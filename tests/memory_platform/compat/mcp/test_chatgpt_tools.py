"""``search`` and ``fetch`` as ChatGPT's connectors want them. Rows: D7, K3, T1."""

from typing import Any

import httpx
import orjson
import pytest

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.collections import put_collection
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.documents.document_store import put_document
from snapshots.knowledge.documents.values import DocumentUpload
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
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


WATER = "Green tea is brewed with water of 80 degrees. 绿茶用八十度的水冲泡。"
TEA, PAY = "document:茶 tea#0", "document:pay#0"
FAR = "The lighthouse keeper oils the lamp each evening."


@pytest.fixture(scope="module")
def documents(shared_world: World) -> None:
    """A document for everybody, one behind a label, and a long one."""
    tenant = shared_world.acme.tenant.id
    long = "Sea and sand.\n\n" * 12_000 + FAR
    with tenant_tx(tenant):
        put_collection("handbook", access_label="staff", by=COMMAND_LINE)
        uploads = {
            "茶 tea": DocumentUpload(
                WATER.encode(), "text/plain", title="Tea guide", source_url="https://tea.example/guide"
            ),
            "pay": DocumentUpload(b"Salaries are paid on the 25th of each month.", "text/plain", collection="handbook"),
            "coast": DocumentUpload(long.encode(), "text/plain", title="Coast"),
        }
        for name, upload in uploads.items():
            put_document(name, upload, by=COMMAND_LINE, accept=lambda *_: None)
    run_due_jobs(tenant, ASKED, may_go_on=lambda: True)


def found_ids(desk: Desk, query: str) -> list[str]:
    return [one["id"] for one in desk.ask_text("search", query=query)["results"]]


@pytest.mark.parametrize("query", ["How hot should the water for green tea be?", "绿茶用多少度的水？"])
def test_documents_are_found_and_fetched_with_their_address(iris: Desk, documents: None, query: str) -> None:
    first = next(one for one in iris.ask_text("search", query=query)["results"] if one["id"].startswith("document:"))
    assert first == {"id": TEA, "title": "Tea guide", "url": "https://tea.example/guide"}
    fetched = iris.ask_text("fetch", id=first["id"])
    assert (fetched["id"], fetched["text"], fetched["url"]) == (TEA, WATER, first["url"])
    assert fetched["metadata"]["kind"] == "document"
    assert all(isinstance(value, str) for value in fetched["metadata"].values())


def test_a_passage_far_inside_a_long_document_is_in_what_is_fetched(iris: Desk, documents: None) -> None:
    first = next(one for one in found_ids(iris, "Who oils the lamp of the lighthouse?") if "coast" in one)
    fetched = iris.ask_text("fetch", id=first)
    assert FAR in fetched["text"]
    assert len(fetched["text"]) <= DOCUMENT_CONFIG.text_characters
    answer = httpx.get(fetched["url"], headers={"Authorization": f"Bearer {iris.token}"}, params={"length": "3"})
    assert (answer.json()["text"], answer.json()["characters"]) == ("Sea", int(fetched["metadata"]["characters"]))


def test_a_key_of_one_person_sees_no_document_behind_a_label(iris: Desk, documents: None, shared_world: World) -> None:
    assert not any("pay" in one for one in found_ids(iris, "When are salaries paid each month?"))
    assert iris.fail("fetch", id=PAY) == iris.fail("fetch", id="document:nobody's#0") == "No document with this id."
    own = Desk(f"{iris.url}&subject=iris", shared_world.acme.token)
    assert "25th" in own.ask_text("fetch", id=PAY)["text"], "a key of the tenant reads all of its documents"


@pytest.mark.parametrize(
    "named", ["document:", "document:茶 tea", "document:a/b#0", "document:..#0", "document:茶 tea#x"]
)
def test_an_id_that_no_document_has_is_told_so(iris: Desk, documents: None, named: str) -> None:
    assert iris.fail("fetch", id=named) == "No document with this id."


def test_another_tenant_fetches_nothing(server: str, documents: None, shared_world: World) -> None:
    desk = Desk(f"{server}?subject=iris", shared_world.globex.token)
    assert desk.fail("fetch", id=TEA) == desk.fail("fetch", id="document:nobody's#0")
    own: list[Any] = desk.ask_text("search", query="How hot should the water for green tea be?")["results"]
    assert own == []

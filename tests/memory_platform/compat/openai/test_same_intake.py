"""What came in by the proxy is in the API, receipts, console, export, traces and erasure as all else is.

Rows: D10, D5, T1, E8.
"""

import httpx
import pytest
from pytest_django.fixtures import Settings

from tests.conftest import World
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.compat.openai.conftest import Proxy, remember_peanuts
from tests.memory_platform.compat.openai.fake_upstream import Script, completion
from tests.memory_platform.console.conftest import Staff, staff
from tests.memory_platform.observability.trace_collector import collect_traces

__all__ = ["staff"]
BIKE = "I cycle to work and my bike is a red kestrel4711."


def talk(proxy: Proxy, words: str, subject: str = "ada") -> httpx.Response:
    messages = [{"role": "user", "content": words}]
    return proxy.post("/chat/completions", {"messages": messages}, X_Subject_Id=subject, X_Conversation_Id="c1")


@pytest.mark.slow
def test_a_turn_is_remembered_shown_exported_and_erased(acme: Proxy, staff: Staff) -> None:
    acme.upstream.answer = lambda heard: completion("A fine bike, the kestrel4711.")
    assert talk(acme, BIKE).status_code == 200
    acme.list_said()
    acme.work()
    answer = talk(acme, "Which bike do I have?")
    assert "kestrel4711" in str(acme.upstream.last.body["messages"][0]), "it was learned"
    kept = acme.call_api("GET", "/v1/subjects/ada/conversations/c1/messages")["data"]
    assert [one["content"] for one in kept][:2] == [BIKE, "A fine bike, the kestrel4711."]
    _, receipt = acme.receipts()
    assert answer.headers["X-Receipt-Id"] == str(receipt.id)
    shown = acme.call_api("GET", f"/v1/receipts/{receipt.id}")
    chosen = [one for one in shown["candidates"] if one["context_position"]]
    assert chosen
    assert all(one["utilized"] is not None for one in chosen), "the reply was told to the receipt"
    page = staff.sam.get(f"/console/snapshots/receipt/{receipt.id}/change/").content.decode()
    assert "kestrel4711" in page
    exported = httpx.get(f"{acme.api}/v1/subjects/ada/export", headers=acme.house.headers).text
    assert exported.count("A fine bike, the kestrel4711.") >= 1
    assert acme.call_api("DELETE", "/v1/subjects/ada")["certificate"]
    left = {table: rows for table, rows in rows_of(acme.house.tenant.id).items() if "kestrel4711" in str(rows)}
    assert left == {}


def test_the_call_of_the_endpoint_and_the_kept_turn_are_in_the_trace_of_the_request(
    acme: Proxy, settings: Settings
) -> None:
    with collect_traces(settings) as collector:
        assert talk(acme, BIKE).status_code == 200
        acme.upstream.answer = lambda heard: Script([b"{}"], status=429)
        assert talk(acme, BIKE).status_code == 429
        acme.list_said()
        acme.work()
        collector.wait()
    served = collector.find("POST compat/openai/v1/chat/completions")
    called, (kept,) = collector.find("chat"), collector.find("process turn")
    assert [(one.trace, one.parent) for one in (*called, kept)] == [(one.trace, one.id) for one in (*served, served[0])]
    assert [one.attributes for one in called] == [
        {"gen_ai.operation.name": "chat"},
        {"gen_ai.operation.name": "chat", "error.type": "429"},
    ]
    (learned,) = collector.find("process statement")
    assert learned.trace == served[0].trace
    assert not any(word in body for body in collector.bodies for word in (b"kestrel4711", b"some-model", b"127.0.0.1"))


def test_another_tenant_with_ada_s_ids_gets_what_it_gets_for_ids_of_nobody(
    acme: Proxy, globex: Proxy, world: World
) -> None:
    remember_peanuts(acme)
    talk(acme, BIKE)
    acme.list_said()
    before = rows_of(world.acme.tenant.id)
    answers = {}
    for subject in ("ada", "nobody-9"):
        answer = talk(globex, "Which bike do I have?", subject)
        answers[subject] = (answer.status_code, answer.json(), answer.headers["X-Memory-Status"])
        assert "X-Receipt-Id" not in answer.headers
        assert [one["role"] for one in globex.upstream.last.body["messages"]] == ["user"], "nothing was put in"
    assert answers["ada"] == answers["nobody-9"]
    assert globex.list_said("ada") == globex.list_said("nobody-9")
    assert rows_of(world.acme.tenant.id) == before, "Ada is unchanged"


def test_each_tenant_s_calls_go_to_its_own_endpoint(acme: Proxy, globex: Proxy, world: World) -> None:
    keys = [upstream_key(proxy) for proxy in (acme, globex)]
    assert len(set(keys)) == 1, "both use the same one here"
    globex.call_api(
        "PUT", "/v1/tenant/upstreams/openai", {"base_url": acme.upstream.url, "api_key": "sk-of-globex-0001"}
    )
    assert [upstream_key(proxy) for proxy in (acme, globex)] == [keys[0], "Bearer sk-of-globex-0001"]
    globex.call_api("DELETE", "/v1/tenant/upstreams/openai")
    assert talk(globex, "hi").status_code == 404
    assert talk(acme, "hi").status_code == 200


def upstream_key(proxy: Proxy) -> str:
    assert talk(proxy, "hi").status_code == 200
    return proxy.upstream.last.headers["authorization"]


@pytest.mark.parametrize("conversation", ["ada-conversation", "auto-0"])
def test_a_conversation_s_id_of_another_subject_means_nothing(acme: Proxy, conversation: str) -> None:
    for subject in ("ada", "bob"):
        body = {"messages": [{"role": "user", "content": "hi"}]}
        acme.post("/chat/completions", body, X_Subject_Id=subject, X_Conversation_Id=conversation)
    assert acme.list_said("ada") == acme.list_said("bob") == [("user", "hi"), ("assistant", "Take the almonds.")]

"""Chat completions through the proxy, by OpenAI's own SDK: memory goes in, both turns are kept. Rows: D10."""

from typing import Any

import pytest

from tenants.isolation import tenant_tx
from tenants.models import UsageEvent
from tests.memory_platform.compat.openai.conftest import ADA, PEANUTS, UPSTREAM_KEY, Proxy, remember_peanuts
from tests.memory_platform.compat.openai.fake_upstream import (
    DONE,
    Script,
    answer_json,
    chunk,
    completion,
    events,
    stream,
)

SNACK = {"role": "user", "content": "Any snack ideas?"}
ALMONDS = [("user", "Any snack ideas?"), ("assistant", "Take the almonds.")]
SYSTEM = {"role": "system", "content": "Be brief."}
CALL: dict[str, Any] = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "shop", "arguments": '{"what": "almonds"}'},
}


def ask(proxy: Proxy, *messages: Any, **options: Any) -> Any:
    """Ask as the SDK does; return its raw answer."""
    create = proxy.client().chat.completions.with_raw_response.create
    return create(model="some-model", messages=list(messages), **{"extra_headers": ADA, **options})


def test_memory_goes_in_behind_the_client_s_own_instructions_and_the_rest_as_it_came(acme: Proxy) -> None:
    remember_peanuts(acme)
    tools = [{"type": "function", "function": {"name": "shop", "parameters": {"type": "object"}}}]
    answer = ask(
        acme, SYSTEM, SNACK, tools=tools, temperature=0.5, user="ada", extra_body={"top_k": 3}, extra_headers={}
    )
    assert answer.parse().choices[0].message.content == "Take the almonds."
    assert answer.headers["x-memory-status"] == "used"
    sent = acme.upstream.last
    assert sent.path == "/v1/chat/completions"
    assert sent.headers["authorization"] == f"Bearer {UPSTREAM_KEY}"
    own, memory, question = sent.body["messages"]
    assert (own, question) == (SYSTEM, SNACK)
    assert memory["role"] == "system"
    assert PEANUTS in memory["content"]
    assert {name: value for name, value in sent.body.items() if name != "messages"} == {
        "model": "some-model",
        "tools": tools,
        "temperature": 0.5,
        "user": "ada",
        "top_k": 3,
    }
    [receipt] = acme.receipts()
    assert answer.headers["x-receipt-id"] == str(receipt.id)
    assert receipt.replied_at is not None
    assert acme.list_said() == ALMONDS


def test_memory_takes_the_role_of_the_client_s_instructions(acme: Proxy) -> None:
    remember_peanuts(acme)
    ask(acme, SYSTEM, {"role": "developer", "content": "Say hello."}, SNACK, SYSTEM)
    roles = [message["role"] for message in acme.upstream.last.body["messages"]]
    assert roles == ["system", "developer", "developer", "user", "system"]


def test_a_stream_is_passed_on_event_by_event_and_its_reply_is_kept(acme: Proxy) -> None:
    acme.upstream.answer = lambda heard: stream("Take ", "the ", "almonds.")
    create: Any = acme.client().chat.completions.create
    pieces = create(model="some-model", messages=[SNACK], stream=True, extra_headers=ADA)
    assert "".join(one.choices[0].delta.content or "" for one in pieces) == "Take the almonds."
    assert acme.list_said() == ALMONDS


def test_a_call_that_is_repeated_stores_nothing_twice(acme: Proxy) -> None:
    for _ in range(2):
        ask(acme, SYSTEM, SNACK)
    assert acme.list_said() == ALMONDS


def test_a_client_that_sends_its_history_again_stays_in_one_conversation(acme: Proxy) -> None:
    ask(acme, {"role": "system", "content": "Today is Monday."}, SNACK)
    acme.upstream.answer = lambda heard: completion("At the market.")
    reply = {"role": "assistant", "content": "Take the almonds."}
    where = {"role": "user", "content": "Where?"}
    ask(acme, {"role": "system", "content": "Today is Tuesday."}, SNACK, reply, where)
    assert acme.list_said() == [*ALMONDS, ("user", "Where?"), ("assistant", "At the market.")]
    [conversation] = acme.call_api("GET", "/v1/subjects/ada/conversations")["data"]
    assert conversation["conversation_id"].startswith("auto-")


def test_the_same_words_at_another_place_are_another_message(acme: Proxy) -> None:
    yes = {"role": "user", "content": "yes"}
    named = {**ADA, "X-Conversation-Id": "c1"}
    for _ in range(3):
        ask(acme, yes, extra_headers=named)  # only the newest message, which the memory makes possible
        acme.list_said()  # kept before the next one comes, as between the turns of a person
    assert [text for role, text in acme.list_said() if role == "user"] == ["yes"] * 3
    ask(acme, yes, extra_headers={**named, "X-Stainless-Retry-Count": "1"})
    assert len(acme.list_said()) == 6, "the SDK says that it sends the last one again"
    [conversation] = acme.call_api("GET", "/v1/subjects/ada/conversations")["data"]
    assert conversation["conversation_id"] == "c1"


def test_pictures_go_on_and_the_words_beside_them_are_the_question(acme: Proxy) -> None:
    remember_peanuts(acme)
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    asked = {"role": "user", "content": [{"type": "text", "text": "May I eat this?"}, picture]}
    assert ask(acme, asked).headers["x-memory-status"] == "used"
    assert acme.upstream.last.body["messages"][-1] == asked
    assert acme.list_said()[0] == ("user", "May I eat this?")
    alone = {"role": "user", "content": [picture]}
    assert ask(acme, alone).headers["x-memory-status"] == "off", "nothing to look for"
    assert acme.upstream.last.body["messages"] == [alone]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_turn_with_tools_is_kept_step_by_step(acme: Proxy, is_streamed: bool) -> None:
    function = CALL["function"]
    deltas: list[dict[str, Any]] = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"index": 0, **CALL, "function": {**function, "arguments": ""}}],
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"what": '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"almonds"}'}}]},
    ]
    calls = (
        events([*map(chunk, deltas), chunk({}, "tool_calls"), DONE]) if is_streamed else completion(tool_calls=[CALL])
    )
    acme.upstream.answer = lambda heard: calls
    first = {"model": "m", "messages": [SNACK], "stream": is_streamed}
    assert acme.post("/chat/completions", first, **{"X-Subject-Id": "ada"}).status_code == 200
    acme.upstream.answer = lambda heard: completion("Take the almonds.")
    result = {"role": "tool", "tool_call_id": "call_1", "content": "sold out"}
    ask(acme, SNACK, {"role": "assistant", "content": None, "tool_calls": [CALL]}, result)
    kept = acme.call_api("GET", f"/v1/subjects/ada/conversations/{find_conversation(acme)}/messages")["data"]
    assert [(one["role"], one["content"], one["tool_calls"], one["tool_call_id"]) for one in kept] == [
        ("user", "Any snack ideas?", None, None),
        ("assistant", "", [CALL], None),
        ("tool", "sold out", None, "call_1"),
        ("assistant", "Take the almonds.", None, None),
    ]


def find_conversation(proxy: Proxy) -> str:
    proxy.list_said()
    [conversation] = proxy.call_api("GET", "/v1/subjects/ada/conversations")["data"]
    return str(conversation["conversation_id"])


def test_of_several_choices_the_first_is_kept(acme: Proxy) -> None:
    acme.upstream.answer = lambda heard: completion("Take the almonds.", "Or an apple.")
    assert len(ask(acme, SNACK, n=2).parse().choices) == 2
    assert acme.list_said() == ALMONDS
    words = [chunk({"content": "An apple."}, index=1), chunk({"content": "Figs."}), chunk({}, "stop"), DONE]
    acme.upstream.answer = lambda heard: events(words)
    pieces = acme.client().chat.completions.create(
        model="m", messages=[{"role": "user", "content": "More?"}], n=2, stream=True, extra_headers=ADA
    )
    assert len(list(pieces)) == 3
    assert acme.list_said()[2:] == [("user", "More?"), ("assistant", "Figs.")]


def test_off_neither_reads_nor_keeps_and_needs_no_subject(acme: Proxy) -> None:
    remember_peanuts(acme)
    raw = b'{"messages":[{"role":"user","content":"Any snack ideas?"}],  "model":"m", "seed": 12345678901234567890}'
    answer = acme.post("/chat/completions", raw, X_Memory="off", Content_Type="application/json")
    assert (answer.status_code, answer.headers["X-Memory-Status"]) == (200, "off")
    assert "X-Receipt-Id" not in answer.headers
    assert acme.upstream.last.raw == raw, "byte for byte"
    assert acme.list_said() == []
    assert acme.receipts() == []


def test_nothing_known_leaves_the_call_as_it_came(acme: Proxy) -> None:
    answer = ask(acme, SNACK, extra_headers={"X-Subject-Id": "newcomer"})
    assert answer.headers["x-memory-status"] == "abstained"
    assert "x-receipt-id" not in answer.headers, "an unknown subject leaves no receipt"
    assert acme.upstream.last.body["messages"] == [SNACK]
    assert acme.list_said("newcomer") == ALMONDS


@pytest.mark.slow
def test_the_memory_keeps_to_the_tokens_that_the_call_allows(acme: Proxy) -> None:
    for number in range(30):
        acme.call_api("POST", "/v1/subjects/ada/notes", {"text": f"I own the boat number {number}", "vital": True})
    sizes = []
    for tokens in ("60", "600"):
        ask(
            acme, {"role": "user", "content": "Which boats do I own?"}, extra_headers={**ADA, "X-Memory-Tokens": tokens}
        )
        sizes.append(acme.upstream.last.body["messages"][0]["content"])
    assert len(sizes[0]) < 60 * 6 < len(sizes[1])
    assert all("boat" in size for size in sizes)


def test_a_call_counts_as_a_context_and_its_messages_do(acme: Proxy) -> None:
    ask(acme, SNACK)
    acme.list_said()
    with tenant_tx(acme.house.tenant.id):
        used = list(UsageEvent.objects.values_list("messages", "contexts"))
    assert sorted(used) == [(0, 1), (2, 0)]


def test_the_user_of_the_body_is_the_subject_the_header_before_it(acme: Proxy) -> None:
    ask(acme, SNACK, user="ada", extra_headers={"X-Subject-Id": "%E5%B0%8F%E6%98%8E"})
    ask(acme, SNACK, safety_identifier="hash-1", extra_headers={})
    assert acme.list_said("小明") == acme.list_said("hash-1") == ALMONDS
    assert acme.list_said() == []


def test_models_are_those_of_the_endpoint(acme: Proxy) -> None:
    model = {"id": "some-model", "object": "model", "created": 1, "owned_by": "us"}
    acme.upstream.answer = lambda heard: completion() if heard.method == "POST" else _list_models(heard.path, model)
    assert [one.id for one in acme.client().models.list()] == ["some-model"]
    assert acme.client().models.retrieve("some-model").owned_by == "us"
    assert acme.upstream.last.path == "/v1/models/some-model"
    assert acme.upstream.last.headers["authorization"] == f"Bearer {UPSTREAM_KEY}"


def _list_models(path: str, model: dict[str, Any]) -> Script:
    return answer_json({"object": "list", "data": [model]} if path == "/v1/models" else model)

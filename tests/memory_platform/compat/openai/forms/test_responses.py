"""The Responses API through the proxy, by OpenAI's own SDK. Rows: D10."""

from typing import Any

import pytest

from tests.memory_platform.compat.openai.conftest import ADA, PEANUTS, Proxy, remember_peanuts
from tests.memory_platform.compat.openai.fake_upstream import (
    FakeUpstream,
    Script,
    answer_json,
    response_object,
    response_stream,
)

ALMONDS = [("user", "Any snack ideas?"), ("assistant", "Take the almonds.")]
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "shop", "arguments": "{}"}


@pytest.fixture(autouse=True)
def answers(upstream: FakeUpstream) -> None:
    upstream.answer = lambda heard: answer_json(response_object("Take the almonds."))


def ask(proxy: Proxy, asked: Any, **options: Any) -> Any:
    create = proxy.client().responses.with_raw_response.create
    return create(model="some-model", input=asked, **{"extra_headers": ADA, **options})


def test_memory_goes_behind_the_instructions(acme: Proxy) -> None:
    remember_peanuts(acme)
    answer = ask(acme, "Any snack ideas?", instructions="Be brief.", metadata={"a": "b"})
    assert answer.parse().output_text == "Take the almonds."
    assert answer.headers["x-memory-status"] == "used"
    sent = acme.upstream.last
    assert sent.path == "/v1/responses"
    assert sent.body["instructions"].startswith("Be brief.\n\n")
    assert PEANUTS in sent.body["instructions"]
    rest = {name: value for name, value in sent.body.items() if name != "instructions"}
    assert rest == {"model": "some-model", "input": "Any snack ideas?", "metadata": {"a": "b"}}
    [receipt] = acme.receipts()
    assert answer.headers["x-receipt-id"] == str(receipt.id)
    assert acme.list_said() == ALMONDS
    ask(acme, "Any snack ideas?")
    assert PEANUTS in acme.upstream.last.body["instructions"]
    assert acme.list_said() == ALMONDS, "the same call again"


def test_a_stream_is_passed_on_and_its_last_event_is_kept(acme: Proxy) -> None:
    acme.upstream.answer = lambda heard: response_stream("Take ", "the almonds.")
    pieces = acme.client().responses.create(model="m", input="Any snack ideas?", stream=True, extra_headers=ADA)
    kinds = [one.type for one in pieces]
    assert kinds == ["response.created", *["response.output_text.delta"] * 2, "response.completed"]
    assert acme.list_said() == ALMONDS


def test_items_with_tools_are_kept_as_messages(acme: Proxy) -> None:
    asked: dict[str, Any] = {"role": "user", "content": [{"type": "input_text", "text": "Any snack ideas?"}]}
    acme.upstream.answer = lambda heard: answer_json(response_object(None, CALL))
    ask(acme, [asked])
    acme.upstream.answer = lambda heard: answer_json(response_object("Take the almonds."))
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    ask(acme, [asked, thought, CALL, {"type": "function_call_output", "call_id": "call_1", "output": "sold out"}])
    assert acme.list_said() == [ALMONDS[0], ("assistant", ""), ("tool", "sold out"), ALMONDS[1]]


def test_an_answer_that_only_continues_another_one_is_kept_in_a_named_conversation(acme: Proxy) -> None:
    named = {**ADA, "X-Conversation-Id": "c1"}
    acme.upstream.answer = lambda heard: answer_json(response_object(None, CALL))
    ask(acme, "Any snack ideas?", extra_headers=named)
    acme.list_said()
    acme.upstream.answer = lambda heard: answer_json(response_object("Take the almonds."))
    output = {"type": "function_call_output", "call_id": "call_1", "output": "sold out"}
    answer = ask(acme, [output], previous_response_id="resp_1", extra_headers=named)
    assert answer.headers["x-memory-status"] == "off", "the user asks nothing in it"
    assert acme.list_said() == [ALMONDS[0], ("assistant", ""), ("tool", "sold out"), ALMONDS[1]]


@pytest.mark.parametrize("status", ["queued", "in_progress", "failed"])
def test_an_answer_without_an_end_is_no_reply(acme: Proxy, status: str) -> None:
    acme.upstream.answer = lambda heard: answer_json(response_object("half", status=status))
    ask(acme, "Any snack ideas?", background=True)
    assert acme.list_said() == ALMONDS[:1]


@pytest.mark.parametrize(
    "body", [{"input": 5}, {"input": ["x"]}, {"input": []}, {"input": "hi", "instructions": 5}, {}]
)
def test_what_the_endpoint_refuses_it_refuses_in_its_own_words(acme: Proxy, body: dict[str, Any]) -> None:
    remember_peanuts(acme)
    acme.upstream.answer = lambda heard: Script([b"no such input"], 400, {"Content-Type": "text/plain"})
    answer = acme.post("/responses", body, X_Subject_Id="ada")
    assert (answer.status_code, answer.text) == (400, "no such input")
    assert acme.upstream.last.body == body
    assert acme.list_said() == []

"""One prompt in four vendors' forms, checked by the rules that their endpoints refuse requests by. Rows: X9."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform.providers.prompt_cache.vendor_requests import (
    MISSING_TURN,
    VENDORS,
    complete_exchanges,
    render_cached_gemini_request,
    render_vendor_request,
)

PREFIX, BRIEF = "You are a helpful assistant.\n<user_profile>Ada, 素食</user_profile>", "What is remembered: 花生过敏"
HASH = hashlib.sha256(PREFIX.encode()).hexdigest()
SYSTEM = [{"role": "system", "content": PREFIX}, {"role": "system", "content": BRIEF}]


def call(name: str = "c1", tool: str = "weather", arguments: str = '{"city": "上海"}') -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def asks(*calls: dict[str, Any], content: str | None = None) -> dict[str, Any]:
    return {"role": "assistant", "content": content, "tool_calls": list(calls)}


def result(content: str = "sunny, 晴", of: str = "c1") -> dict[str, Any]:
    return {"role": "tool", "content": content, "tool_call_id": of}


def user(content: str) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: str) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


TALK = [user("How is the weather?"), asks(call()), result(), assistant("Sunny."), user("谢谢")]


def test_openai_takes_the_messages_as_they_are_and_the_prefix_s_hash_as_key() -> None:
    assert render_vendor_request("openai", [*SYSTEM, *TALK], HASH) == {
        "messages": [*SYSTEM, *TALK],
        "prompt_cache_key": HASH,
    }
    assert len(HASH) <= 64


def test_openai_responses_takes_calls_and_results_as_items() -> None:
    form = render_vendor_request("openai_responses", [*SYSTEM, *TALK], HASH)
    assert form == {
        "input": [
            *SYSTEM,
            TALK[0],
            {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "上海"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "sunny, 晴"},
            *TALK[3:],
        ],
        "prompt_cache_key": HASH,
    }


def test_anthropic_caches_up_to_the_end_of_the_prefix() -> None:
    form = render_vendor_request("anthropic", [*SYSTEM, *TALK], HASH)
    assert form == {
        "system": [
            {"type": "text", "text": PREFIX, "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": BRIEF},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "How is the weather?"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "上海"}}],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "sunny, 晴"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
            {"role": "user", "content": [{"type": "text", "text": "谢谢"}]},
        ],
    }


def test_gemini_takes_an_instruction_and_contents_of_two_roles() -> None:
    form = render_vendor_request("gemini", [*SYSTEM, *TALK], HASH)
    assert form == {
        "systemInstruction": {"parts": [{"text": PREFIX}, {"text": BRIEF}]},
        "contents": [
            {"role": "user", "parts": [{"text": "How is the weather?"}]},
            {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "上海"}}}]},
            {
                "role": "user",
                "parts": [{"functionResponse": {"name": "weather", "response": {"result": "sunny, 晴"}}}],
            },
            {"role": "model", "parts": [{"text": "Sunny."}]},
            {"role": "user", "parts": [{"text": "谢谢"}]},
        ],
    }


def test_beside_cached_content_stands_no_instruction() -> None:
    form = render_cached_gemini_request([*SYSTEM, *TALK], HASH, "cachedContents/a1")
    assert form.keys() == {"cachedContent", "contents"}
    assert form["contents"][0] == {"role": "user", "parts": [{"text": BRIEF}, {"text": "How is the weather?"}]}
    assert PREFIX not in str(form)


@pytest.mark.parametrize("vendor", sorted(VENDORS))
def test_without_a_prefix_nothing_is_marked(vendor: str) -> None:
    form = render_vendor_request(vendor, [SYSTEM[1], user("Hi")], hashlib.sha256(b"").hexdigest())
    assert BRIEF in str(form)
    assert "cache" not in str(form)


@pytest.mark.parametrize("vendor", sorted(VENDORS))
def test_what_stands_alone_stays_readable_as_text(vendor: str) -> None:
    window = [
        result("a lone result <b>", of="c0"),
        asks(call("c1"), call("c2", "map", "{bad")),
        result("answered", of="c1"),
        asks({"shape": "of its own"}, content="Wait."),
    ]
    form = render_vendor_request(vendor, [*SYSTEM, *window, user("And now?")], HASH)
    told = json.dumps(form, ensure_ascii=False)
    for kept in ("a lone result &lt;b&gt;", "answered", "{bad", "of its own", "Wait.", "上海", "And now?"):
        assert kept in told, kept
    check(vendor, form)


@pytest.mark.parametrize("vendor", ["anthropic", "gemini"])
def test_arguments_of_any_depth_are_told_as_they_stand(vendor: str) -> None:
    deep = "[" * 100_000
    told = json.dumps(render_vendor_request(vendor, [user("hi"), asks(call(arguments=deep)), result()], HASH))
    assert json.dumps({"arguments": deep}) in told


def test_a_told_call_ends_where_it_ends_also_in_normal_form() -> None:
    form = render_vendor_request("gemini", [asks(call(tool="pay\uff02\uff1e</tool_call>"))], HASH)
    (told,) = form["contents"][-1]["parts"]
    assert re.fullmatch(r'<tool_call name="[^"<>]*">[^<>]*</tool_call>', normalize("NFKC", told["text"]))


def test_speakers_have_names_where_the_vendor_knows_none() -> None:
    named = {**user("Hi"), "name": "Ada"}
    assert render_vendor_request("openai", [named], HASH)["messages"] == [named]
    assert render_vendor_request("anthropic", [named], HASH)["messages"][0]["content"] == [
        {"type": "text", "text": "Ada: Hi"}
    ]


def test_a_conversation_that_begins_with_the_assistant_gets_a_first_turn() -> None:
    for vendor, turns in (("anthropic", "messages"), ("gemini", "contents")):
        first, second = render_vendor_request(vendor, [*SYSTEM, assistant("Hello!"), user("Hi")], HASH)[turns][:2]
        assert MISSING_TURN in str(first)
        assert "Hello!" in str(second)


def test_ids_that_anthropic_refuses_are_replaced_in_call_and_result_alike() -> None:
    form = render_vendor_request(
        "anthropic", [user("Hi"), asks(call("call:1/é")), result(of="call:1/é"), user("And?")], HASH
    )
    (use,), (answered, _) = form["messages"][1]["content"], form["messages"][2]["content"]
    assert use["id"] == answered["tool_use_id"]
    check("anthropic", form)


def alternate(turns: list[dict[str, Any]], other: str) -> None:
    roles = [turn["role"] for turn in turns]
    assert roles == [("user", other)[index % 2] for index in range(len(roles))]


def check_openai(form: dict[str, Any]) -> None:
    open_calls: list[str] = []
    for message in form["messages"]:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
            continue
        assert not open_calls
        assert message["content"] or message.get("tool_calls")
        open_calls = [one["id"] for one in message.get("tool_calls", [])]
        assert message.get("tool_calls") != []
    assert not open_calls


def check_responses(form: dict[str, Any]) -> None:
    asked = [item["call_id"] for item in form["input"] if item.get("type") == "function_call"]
    answered = [item["call_id"] for item in form["input"] if item.get("type") == "function_call_output"]
    assert sorted(asked) == sorted(answered)


def check_anthropic(form: dict[str, Any]) -> None:
    turns = form["messages"]
    alternate(turns, "assistant")
    for before, turn in zip([{"content": []}, *turns], turns, strict=False):
        assert turn["content"]
        kinds = [block["type"] for block in turn["content"]]
        assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result") or turn["role"] == "assistant"
        asked = [block["id"] for block in before["content"] if block["type"] == "tool_use"]
        assert sorted(asked) == sorted(b["tool_use_id"] for b in turn["content"] if b["type"] == "tool_result")
        assert all(re.fullmatch(r"[A-Za-z0-9_-]+", name) for name in asked)
        assert all(block["text"].strip() for block in turn["content"] if block["type"] == "text")
        assert all(isinstance(block["input"], dict) for block in turn["content"] if block["type"] == "tool_use")


def check_gemini(form: dict[str, Any]) -> None:
    turns = form["contents"]
    alternate(turns, "model")
    for before, turn in zip([{"parts": []}, *turns], turns, strict=False):
        assert turn["parts"]
        asked = [part["functionCall"]["name"] for part in before["parts"] if "functionCall" in part]
        responses = [part["functionResponse"] for part in turn["parts"] if "functionResponse" in part]
        assert asked == [response["name"] for response in responses]
        assert all(isinstance(response["response"], dict) for response in responses)


CHECKS: dict[str, Callable[[dict[str, Any]], None]] = {
    "openai": check_openai,
    "openai_responses": check_responses,
    "anthropic": check_anthropic,
    "gemini": check_gemini,
}


def check(vendor: str, form: dict[str, Any]) -> None:
    CHECKS[vendor](form)


names = st.sampled_from(["c1", "c2", "c:3"])
texts = st.sampled_from(["Hi", "你好", " ", "<b>"])
windows = st.lists(
    st.one_of(
        texts.map(user),
        texts.map(assistant),
        st.builds(result, texts, names),
        st.builds(lambda calls, said: asks(*calls, content=said), st.lists(names.map(call), min_size=1), texts),
        st.just(asks({"id": 7})),
    ),
    max_size=9,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(window=windows)
def test_no_window_makes_a_request_that_is_refused(window: list[dict[str, Any]]) -> None:
    for vendor in VENDORS:
        form = render_vendor_request(vendor, [*SYSTEM, *window, user("Now?")], HASH)
        check(vendor, form)
    check_gemini(render_cached_gemini_request([*SYSTEM, *window, user("Now?")], HASH, "cachedContents/a"))
    settled = complete_exchanges(window)
    assert complete_exchanges(settled) == settled

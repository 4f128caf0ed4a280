"""What the proxy refuses, and that it says so in OpenAI's form. Rows: D10, T2, T6."""

from typing import Any

import httpx
import openai
import pytest
from pytest_django.fixtures import Settings

from tenants.isolation import tenant_tx
from tenants.models import ApiKey, AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tenants.services.upstreams.upstreams import remove_upstream
from tenants.services.usage.quotas import forget_counts, set_limits
from tests.memory_platform.compat.openai.conftest import PEANUTS, Proxy, remember_peanuts

ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "Any snack ideas?"}], "user": "ada"}


def error_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """Return the error of an answer after checking its form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/json"
    body: dict[str, Any] = answer.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"message", "type", "param", "code"}
    found: dict[str, Any] = body["error"]
    return found


def test_a_wrong_key_is_the_sdk_s_own_error(acme: Proxy) -> None:
    for key, words in (("sk-wrong", "unknown, expired or revoked"), (acme.house.token[:-1] + "x", "unknown")):
        client = openai.OpenAI(base_url=acme.base_url, api_key=key, max_retries=0)
        with pytest.raises(openai.AuthenticationError, match=words) as refused:
            client.chat.completions.create(**ASKED)
        assert refused.value.code == "invalid_key"
    missing = httpx.post(f"{acme.base_url}/chat/completions", json=ASKED)
    assert error_of(missing, 401)["type"] == "authentication_error"
    assert missing.headers["WWW-Authenticate"].startswith("Bearer")
    assert acme.upstream.heard == []


@pytest.mark.parametrize("scope", ["memory:read", "memory:write", "admin"])
def test_a_call_needs_both_scopes_and_leaves_a_record(acme: Proxy, scope: str) -> None:
    with tenant_tx(acme.house.tenant.id):
        token = create_key(name="half", scopes=[scope], by=COMMAND_LINE).token
    answer = acme.post("/chat/completions", ASKED, Authorization=f"Bearer {token}")
    error = error_of(answer, 403)
    assert (error["type"], error["code"]) == ("permission_error", "scope_missing")
    with tenant_tx(acme.house.tenant.id):
        assert AuditRecord.objects.get(refused=True).object_kind == "openai"
    assert acme.upstream.heard == []


@pytest.mark.parametrize(
    ("headers", "body", "param"),
    [
        ({}, {**ASKED, "user": None}, "X-Subject-Id"),
        ({}, {**ASKED, "user": ""}, "X-Subject-Id"),
        ({}, {**ASKED, "user": 7}, "user"),
        ({}, {**ASKED, "user": "a/b"}, "user"),
        ({}, {**ASKED, "user": None, "safety_identifier": "x" * 201}, "safety_identifier"),
        ({"X-Subject-Id": "a%2Fb"}, ASKED, "X-Subject-Id"),
        ({"X-Subject-Id": "%00"}, ASKED, "X-Subject-Id"),
        ({"X-Subject-Id": "%FF"}, ASKED, "X-Subject-Id"),
        ({"X-Subject-Id": ""}, ASKED, "X-Subject-Id"),
        ({"X-Subject-Id": ".."}, ASKED, "X-Subject-Id"),
        ({"X-Conversation-Id": "x" * 201}, ASKED, "X-Conversation-Id"),
        ({"X-Memory": "maybe"}, ASKED, "X-Memory"),
        ({"X-Memory-Tokens": "0"}, ASKED, "X-Memory-Tokens"),
        ({"X-Memory-Tokens": "-1"}, ASKED, "X-Memory-Tokens"),
        ({"X-Memory-Tokens": "1.5"}, ASKED, "X-Memory-Tokens"),
        ({"X-Memory-Tokens": "9" * 400}, ASKED, "X-Memory-Tokens"),
    ],
)
def test_bad_settings_name_what_is_wrong(acme: Proxy, headers: dict[str, str], body: Any, param: str) -> None:
    error = error_of(acme.post("/chat/completions", body, **headers), 400)
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert acme.upstream.heard == []


def test_a_missing_subject_is_told_what_to_set(acme: Proxy) -> None:
    client = acme.client()
    with pytest.raises(openai.BadRequestError, match=r"X-Subject-Id .* `user` .* X-Memory: off"):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"\xff", b'{"a": "\\ud800"}', b"null", b"{}{}", b'{"a":' * 5_000]
)
def test_what_is_no_json_object_is_400(acme: Proxy, body: bytes) -> None:
    for path in ("/chat/completions", "/responses"):
        answer = acme.post(path, body, X_Subject_Id="ada", Content_Type="application/json")
        assert error_of(answer, 400)["param"] == "body"
    assert acme.upstream.heard == []


def test_other_bodies_methods_and_addresses_are_refused_in_the_same_form(acme: Proxy) -> None:
    form = acme.post("/chat/completions", b"a=b", Content_Type="application/x-www-form-urlencoded")
    assert error_of(form, 415)["code"] == "unsupported_media_type"
    packed = acme.post("/chat/completions", b"{}", Content_Type="application/json", Content_Encoding="gzip")
    assert error_of(packed, 415)["code"] == "unsupported_media_type"
    large = acme.post("/chat/completions", b" " * (16 * 1024 * 1024 + 1), Content_Type="application/json")
    assert error_of(large, 413)["code"] == "payload_too_large"
    read = httpx.get(f"{acme.base_url}/chat/completions", headers=acme.house.headers)
    assert error_of(read, 405)["code"] == "method_not_allowed"
    for path in ("/embeddings", "/chat", "", "/responses/resp_1", "/files/x/content"):
        error = error_of(acme.post(path, {}), 404)
        assert "POST /chat/completions" in error["message"]
    assert error_of(httpx.get(acme.base_url.removesuffix("/v1")), 404)["code"] == "not_found"
    assert acme.upstream.heard == []


@pytest.mark.parametrize(
    "messages",
    [5, [], ["x"], [5], [{}], [{"role": "user"}], [{"role": "user", "content": 5}], [{"role": "system"}], None],
)
def test_malformed_messages_are_the_endpoint_s_to_refuse(acme: Proxy, messages: Any) -> None:
    remember_peanuts(acme)
    body = {"model": "m", "messages": messages, "user": "ada"}
    answer = acme.post("/chat/completions", body)
    assert (answer.status_code, answer.headers["X-Memory-Status"]) == (200, "off")
    assert acme.upstream.last.body == body
    assert {role for role, _ in acme.list_said()} <= {"assistant"}


def test_odd_words_never_fail_a_call(acme: Proxy) -> None:
    remember_peanuts(acme)
    for words in ("nul \x00 in it", "a" + "\u0301" * 200, "x" * 200_000, "窗" * 70_000, "{{}} %s \\", "🦜" * 50):
        body = {**ASKED, "messages": [{"role": "user", "content": words}]}
        answer = acme.post("/chat/completions", body)
        assert answer.status_code == 200
        assert answer.headers["X-Memory-Status"] in {"used", "abstained"}
        assert acme.upstream.last.body["messages"][-1]["content"] == words
    texts = [text for role, text in acme.list_said() if role == "user"]
    assert "{{}} %s \\" in texts
    assert max(map(len, texts)) < 200_000, "what the REST API would refuse is not kept"


def test_too_many_requests_are_429_with_a_time(acme: Proxy) -> None:
    with tenant_tx(acme.house.tenant.id):
        set_limits({"requests_per_second": 1, "burst": 1}, by=COMMAND_LINE, api_key=ApiKey.objects.get())
    answers = [acme.post("/chat/completions", ASKED) for _ in range(4)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert error_of(refused[0], 429)["type"] == "rate_limit_error"
    assert int(refused[0].headers["Retry-After"]) >= 1


def test_a_tenant_without_an_endpoint_is_told_how_to_set_one(acme: Proxy) -> None:
    with tenant_tx(acme.house.tenant.id):
        remove_upstream(by=COMMAND_LINE)
    error = error_of(acme.post("/chat/completions", ASKED), 404)
    assert error["code"] == "upstream_missing"
    assert "PUT /v1/tenant/upstreams/openai" in error["message"]


def test_a_key_that_no_secret_reads_is_the_operator_s_to_mend(acme: Proxy, settings: Settings) -> None:
    settings.UPSTREAM_KEYS = ["another secret of more than thirty-two characters"]
    assert error_of(acme.post("/chat/completions", ASKED), 503)["code"] == "upstream_key_unreadable"


def test_a_day_s_messages_used_up_stop_the_memory_and_not_the_call(acme: Proxy) -> None:
    remember_peanuts(acme)
    with tenant_tx(acme.house.tenant.id):
        set_limits({"messages_per_day": 1}, by=COMMAND_LINE)
    forget_counts()
    answer = acme.post("/chat/completions", ASKED)
    assert (answer.status_code, answer.headers["X-Memory-Status"]) == (200, "degraded")
    assert PEANUTS not in acme.upstream.last.raw.decode()
    assert acme.list_said() == []


def test_more_calls_than_a_process_may_keep_open_are_503(acme: Proxy, settings: Settings) -> None:
    settings.UPSTREAM_CALLS = 0
    answer = acme.post("/chat/completions", ASKED)
    assert error_of(answer, 503)["code"] == "too_many_calls"
    assert answer.headers["Retry-After"] == "1"
    settings.UPSTREAM_CALLS = 1
    for _ in range(3):
        assert acme.post("/chat/completions", ASKED).status_code == 200
        acme.list_said()


def test_a_key_of_one_subject_is_refused(acme: Proxy) -> None:
    with tenant_tx(acme.house.tenant.id):
        token = create_key(
            name="bound", scopes=["memory:read", "memory:write"], by=COMMAND_LINE, bound_subject="ada"
        ).token
    for user in ("ada", "bob"):
        error_of(acme.post("/chat/completions", {**ASKED, "user": user}, Authorization=f"Bearer {token}"), 403)
    assert acme.upstream.heard == []

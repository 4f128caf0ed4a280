"""What may be in a body, a path and a query. Rows: D1. Matrix: 46, 47, 48, 49."""

from typing import Any

import pytest
from django.test import Client

from tests.growth import assert_linear
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of

pytestmark = pytest.mark.urls("tests.memory_platform.api.probes")
ECHO = "/v1/echo/ada"

REFUSED: list[tuple[str, bytes, set[str]]] = [
    ("no object", b"[]", {"body"}),
    ("a string", b'"x"', {"body"}),
    ("not JSON", b"{", {"body"}),
    ("two values", b"{} {}", {"body"}),
    ("byte order mark", b"\xef\xbb\xbf{}", {"body"}),
    ("bad UTF-8", b'{"text": "\xff"}', {"body"}),
    ("UTF-16", '{"text": "x"}'.encode("utf-16"), {"body"}),
    ("NaN", b'{"share": NaN}', {"body"}),
    ("infinity", b'{"share": -Infinity}', {"body"}),
    ("1e400", b'{"text": "x", "share": 1e400}', {"body"}),
    ("NUL in a value", rb'{"text": "a\u0000b"}', {"text"}),
    ("NUL in a key", rb'{"text": "a", "metadata": {"a\u0000": 1}}', {"metadata.a\ufffd"}),
    ("NUL deep inside", rb'{"text": "a", "metadata": {"a": [1, {"b": "\u0000"}]}}', {"metadata.a.1.b"}),
    ("lone surrogate", rb'{"text": "a\ud800b"}', {"text"}),
    ("lone low surrogate", rb'{"text": "a\udc00"}', {"text"}),
    ("lone surrogate in a key", rb'{"text": "a", "metadata": {"\ud83d": 1}}', {"metadata.\ufffd"}),
    ("surrogate as bytes", b'{"text": "\xed\xa0\x80"}', {"text"}),
    ("2^63", b'{"text": "a", "big": 9223372036854775808}', {"big"}),
    ("-2^63-1", b'{"text": "a", "big": -9223372036854775809}', {"big"}),
    ("10^30 in free JSON", b'{"text": "a", "metadata": {"n": 1' + b"0" * 30 + b"}}", {"metadata.n"}),
    ("5,000 digits", b'{"text": "a", "big": ' + b"9" * 5_000 + b"}", {"body"}),
    ("depth 33", b'{"text": "a", "metadata": ' + b'{"a":' * 32 + b"1" + b"}" * 33, {"body"}),
    ("depth 100,000", b'{"a":' * 100_000, {"body"}),
    ("depth 100,000 of lists", b"[" * 100_000 + b"]" * 100_000, {"body"}),
    (
        "1,001 keys",
        b'{"text":"a","metadata":{' + b",".join(b'"k%d":1' % i for i in range(1_001)) + b"}}",
        {"metadata"},
    ),
]


@pytest.mark.parametrize(("body", "fields"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_a_body_that_cannot_be_stored_names_its_field(acme: Caller, body: bytes, fields: set[str]) -> None:
    assert fields_of(problem_of(acme("POST", ECHO, body), 400)) == fields


def test_text_that_only_looks_deep_is_fine(acme: Caller) -> None:
    for text in ['[{"' * 1_000, "\\" * 1_001, '"' * 999, "\\u0000 as words", "9" * 60]:
        assert body_of(acme("POST", ECHO, {"text": text}))["text"] == text


def test_many_keys_are_refused_in_linear_time(acme: Caller) -> None:
    def refuse(keys: range) -> None:
        body = b'{"text":"a","metadata":{' + b",".join(b'"%d":1' % i for i in keys) + b"}}"
        problem_of(acme("POST", ECHO, body), 400)

    assert_linear(refuse, range(90_000))


@pytest.mark.parametrize("tail", [rb"\"" * 500_000, rb"\\" * 500_000, b'"a' * 500_000, b"\\" * 999_999])
def test_hostile_quotes_cost_linear_time(acme: Caller, tail: bytes) -> None:
    assert_linear(lambda part: problem_of(acme("POST", ECHO, b'{"text":"' + part), 400), tail)


def test_a_body_over_the_limit_is_refused_before_it_is_read(acme: Caller) -> None:
    body = b'{"text": "' + b"x" * (1024 * 1024) + b'"}'
    assert problem_of(acme("POST", ECHO, body), 413)["code"] == "payload_too_large"
    assert fields_of(problem_of(acme("POST", "/v1/bulk-echo/ada", body), 400)) == {"text"}
    problem_of(acme("POST", "/v1/bulk-echo/ada", b" " * (4 * 1024 * 1024 + 1)), 413)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "multipart/form-data; boundary=x"},
        {"Content-Type": "application/json; charset=utf-16"},
        {"Content-Encoding": "gzip"},
    ],
)
def test_what_is_not_plain_json_is_415(acme: Caller, headers: dict[str, str]) -> None:
    problem_of(acme("POST", ECHO, b'{"text": "x"}', **headers), 415)


def test_a_body_of_another_type_is_told_which_to_send(acme: Caller) -> None:
    answer = problem_of(acme("POST", ECHO, b"text=x", **{"Content-Type": "text/x-said"}), 415)
    assert answer["detail"] == "Send application/json as the Content-Type."


def test_a_charset_of_utf_8_is_json(acme: Caller) -> None:
    content_type = {"Content-Type": "application/json; charset=UTF-8"}
    assert acme("POST", ECHO, '{"text": "你好"}'.encode(), **content_type).status_code == 200


FIELD_FAULTS: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"text"}),
    ({"text": None}, {"text"}),
    ({"text": ""}, {"text"}),
    ({"text": 5}, {"text"}),
    ({"text": "a", "unknown": 1, "tenant_id": "x"}, {"unknown", "tenant_id"}),
    ({"text": "x" * (70 * 1024)}, {"text"}),
    ({"text": "界" * 22_000}, {"text"}),
    ({"text": "a" + "\u0301" * 33}, {"text"}),
    ({"text": "a", "metadata": {"k": "a" + "\u0301" * 40_000}}, {"metadata"}),
    ({"text": "a", "metadata": {"k": "a" + "\u0301" * 40}}, {"metadata.k"}),
    ({"text": "a", "metadata": []}, {"metadata"}),
    ({"text": "a", "count": "5"}, {"count"}),
    ({"text": "a", "count": 0}, {"count"}),
    ({"text": "a", "count": 101}, {"count"}),
    ({"text": "a", "count": 1.5}, {"count"}),
    ({"text": "a", "count": True}, {"count"}),
    ({"text": "a", "share": 1.01}, {"share"}),
    ({"text": "a", "flag": "true"}, {"flag"}),
    ({"text": "a", "labels": ["a", "", "c"]}, {"labels.1"}),
    ({"text": "a", "labels": ["a"] * 4}, {"labels"}),
    ({"text": "a", "labels": "a"}, {"labels"}),
    (
        {"text": "a", "items": [{"role": "user"}, {"role": "king"}, {"role": "user", "x": 1}]},
        {"items.1.role", "items.2.x"},
    ),
    ({"text": "a", "items": [1]}, {"items.0"}),
    ({"text": "a", "product_id": "a/b"}, {"product_id"}),
    ({"text": "a", "product_id": ".."}, {"product_id"}),
    ({"text": "a", "product_id": "a\nb"}, {"product_id"}),
    ({"text": "a", "product_id": "x" * 201}, {"product_id"}),
    ({"text": "a", "said_at": "2026-01-01"}, {"said_at"}),
    ({"text": "a", "said_at": "2026-01-01T00:00:00"}, {"said_at"}),
    ({"text": "a", "said_at": "10000-01-01T00:00:00Z"}, {"said_at"}),
    ({"text": "a", "said_at": "infinity"}, {"said_at"}),
    ({"text": "a", "said_at": "0001-01-01T00:00:00+23:59"}, {"said_at"}),
    ({"text": "a", "said_at": "2026-02-30T00:00:00Z"}, {"said_at"}),
    ({"text": "a", "from": "yesterday"}, {"from"}),
]


@pytest.mark.parametrize(("body", "fields"), FIELD_FAULTS)
def test_a_wrong_field_is_named(acme: Caller, body: dict[str, Any], fields: set[str]) -> None:
    problem = problem_of(acme("POST", ECHO, body), 400)
    assert fields_of(problem) == fields
    assert "king" not in str(problem)


def test_what_is_right_comes_back_exactly(acme: Caller) -> None:
    body = {
        "text": " 导航回家 \u202e\u200b👨‍👩‍👧 \U000e0041 مرحبا\t\n",
        "product_id": "用户%_.:",
        "count": 100.0,
        "big": 2**63 - 1,
        "share": 1,
        "flag": True,
        "said_at": "2026-03-01T08:00:00.123456+08:00",
        "from": "2026-03-01T08:00:00Z",
        "labels": ["a"],
        "items": [{"role": "user", "content": "好"}],
        "metadata": {"a": None, "n": 1.5, "list": [1, "二"]},
    }
    answer = body_of(acme("POST", ECHO, body))
    assert answer == body | {"count": 100, "share": 1.0, "said_at": "2026-03-01T00:00:00.123456Z"}


def test_null_for_an_optional_field_means_absent(acme: Caller) -> None:
    answer = body_of(acme("POST", ECHO, {"text": "a", "note": None, "count": None, "metadata": None}))
    assert answer == {"text": "a", "count": 8, "flag": False}


PATHS: list[tuple[str, set[str]]] = [
    ("/v1/echo/a%00b", {"subject_id"}),
    ("/v1/echo/a%0Ab", {"subject_id"}),
    ("/v1/echo/..", {"subject_id"}),
    ("/v1/echo/%2E", {"subject_id"}),
    ("/v1/echo/" + "x" * 201, {"subject_id"}),
    ("/v1/echo/" + "%E7%95%8C" * 201, {"subject_id"}),
    ("/v1/echo/%FF", {"path"}),
    ("/v1/echo/%ED%A0%80", {"path"}),
    ("/v1/nothing/%00", {"path"}),
    ("/v1/nothing/%FF", {"path"}),
    ("/v1/echo/ada?q=%00", {"q"}),
    ("/v1/echo/ada?a=1&q=%ED%A0%80", {"q"}),
    ("/v1/echo/ada?%00=1", {"\ufffd"}),
]


@pytest.mark.parametrize(("path", "fields"), PATHS)
def test_a_malformed_address_is_400_and_named(acme: Caller, path: str, fields: set[str]) -> None:
    assert fields_of(problem_of(acme("POST", path, {"text": "x"}), 400)) == fields


def test_ids_in_any_script_arrive_percent_encoded(acme: Caller) -> None:
    for written in ["%E7%94%A8%E6%88%B7", "a%20b", "%25", "a%3Fb%23c", "john.doe@x", "%F0%9F%98%80"]:
        assert acme("POST", f"/v1/echo/{written}", {"text": "x"}).status_code == 200


def test_an_encoded_slash_is_refused_where_the_server_shows_it(acme: Caller, nobody: Caller) -> None:
    assert acme.house is not None
    response = Client().get("/v1/nothing", headers=acme.house.headers, RAW_URI="/v1/subjects/a%2Fb")
    assert response.status_code == 400

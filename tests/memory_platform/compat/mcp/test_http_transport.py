"""The protocol as it comes over HTTP: versions, headers, refusals, traces, hostile bodies. Rows: D7, D5. Matrix: 46."""

from concurrent.futures import ThreadPoolExecutor

import httpx
import orjson
import pytest
from pytest_django.fixtures import Settings

from memory_platform.api.config import API_CONFIG
from memory_platform.observability.tracing import open_span
from tenants.isolation import tenant_tx
from tenants.models import ApiKey
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import revoke_key
from tenants.services.usage.quotas import set_limits
from tests.conftest import World
from tests.memory_platform.compat.mcp.conftest import Desk, bind_key
from tests.memory_platform.compat.mcp.wire import LEGACY, MODERN, error_of, frame, post, result_of, send
from tests.memory_platform.observability.trace_collector import collect_traces

CALL = {"name": "recall", "arguments": {"query": "tea"}}
INITIALIZE = {"capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}


@pytest.fixture(scope="module")
def eve(server: str, shared_world: World) -> Desk:
    return Desk(server, bind_key(shared_world.acme, "eve"))


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25"])
def test_a_client_with_a_handshake_gets_its_version_and_no_session(eve: Desk, version: str) -> None:
    answer = send(eve, "initialize", INITIALIZE | {"protocolVersion": version}, version)
    result = result_of(answer)
    assert result["protocolVersion"] == version
    assert result["capabilities"].keys() >= {"tools", "resources", "prompts"}
    assert "save" in result["instructions"]
    assert "mcp-session-id" not in answer.headers
    _, body = frame("notifications/initialized")
    said = orjson.loads(body)
    del said["id"]
    assert post(eve, orjson.dumps(said), MCP_Protocol_Version=version).status_code == 202
    listed = result_of(send(eve, "tools/list", {}, version))
    assert "resultType" not in listed
    assert "ttlMs" not in listed


def test_a_client_without_a_handshake_discovers_and_calls(eve: Desk) -> None:
    found = result_of(send(eve, "server/discover", {}, MODERN))
    assert (found["resultType"], found["supportedVersions"]) == ("complete", [MODERN])
    assert (found["cacheScope"], found["ttlMs"]) == ("public", 3_600_000)
    listed = result_of(send(eve, "tools/list", {}, MODERN))
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "public")
    read = result_of(send(eve, "resources/read", {"uri": "memory://notes"}, MODERN)) if _has_eve(eve) else {}
    assert (read["cacheScope"], read["ttlMs"]) == ("private", 0)
    assert result_of(send(eve, "tools/call", CALL, MODERN))["resultType"] == "complete"


def _has_eve(eve: Desk) -> bool:
    return bool(eve.ask("remember", text="I keep bees behind the mill"))


def test_a_call_is_a_part_of_the_agent_s_trace(eve: Desk, settings: Settings) -> None:
    """The SDK sends the trace in the message, not in headers."""
    assert _has_eve(eve)
    with collect_traces(settings) as collector:
        with open_span("agent", {}):
            eve.ask("recall", query="bees")
        eve.fail("recall")
        collector.wait()
    (agent,), (search,) = collector.find("agent"), collector.find("search_memory")
    called, refused = collector.find("tools/call recall")
    assert (called.trace, called.parent, called.is_failed) == (agent.trace, agent.id, False)
    assert called.attributes["gen_ai.tool.name"] == "recall"
    assert (search.trace, search.parent) == (agent.trace, called.id)
    assert (refused.is_failed, refused.attributes["error.type"]) == (True, "tool_error")
    assert not any(word in body for body in collector.bodies for word in (b"bees", b"eve"))


def test_headers_that_differ_from_the_body_are_refused(eve: Desk) -> None:
    headers, body = frame("tools/call", CALL, MODERN)
    for name, value in (("Mcp-Method", "tools/list"), ("Mcp-Name", "forget"), ("Mcp-Method", ""), ("Mcp-Name", "")):
        assert error_of(post(eve, body, **headers | {name: value}), 400)["code"] == -32020, name
    assert error_of(post(eve, body, **headers | {"MCP-Protocol-Version": "2031-01-01"}), 400)["code"] == -32020
    future = body.replace(MODERN.encode(), b"2031-01-01")
    wrong = error_of(post(eve, future, **headers | {"MCP-Protocol-Version": "2031-01-01"}), 400)
    assert (wrong["code"], wrong["data"]["requested"]) == (-32022, "2031-01-01")
    unknown = send(eve, "tools/destroy", {}, MODERN)
    assert error_of(unknown, 404)["code"] == -32601


@pytest.mark.parametrize("version", [LEGACY, MODERN])
def test_an_unknown_tool_resource_and_prompt_are_errors_of_the_protocol(eve: Desk, version: str) -> None:
    status = 400 if version == MODERN else 200
    unknown = error_of(send(eve, "tools/call", {"name": "delete_everything", "arguments": {}}, version), status)
    assert unknown["code"] == -32602
    assert "memory_context" in unknown["message"]
    for method, params in (
        ("resources/read", {"uri": "memory://nothing"}),
        ("resources/read", {"uri": "file:///etc/passwd"}),
        ("resources/read", {"uri": "memory://notes/01a223e0-bfb9-7114-a7d7-441e34ff47ac"}),
        ("prompts/get", {"name": "nothing", "arguments": {}}),
        ("prompts/get", {"name": "context", "arguments": {}}),
    ):
        assert error_of(send(eve, method, params, version), status)["code"] == -32602, params


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH"])
def test_there_are_no_sessions_to_get_or_end(eve: Desk, method: str) -> None:
    answer = httpx.request(method, eve.url, headers={"Authorization": f"Bearer {eve.token}", "Mcp-Session-Id": "x"})
    assert answer.status_code == 405
    assert "POST" in answer.headers["allow"]


def test_the_session_id_of_somebody_else_gives_nothing(eve: Desk, server: str, shared_world: World) -> None:
    headers, body = frame("tools/call", {"name": "list_notes", "arguments": {}})
    mal = Desk(server, bind_key(shared_world.acme, "mal"))
    own = post(mal, body, **headers)
    taken = post(mal, body, **headers, Mcp_Session_Id="0123456789abcdef", Last_Event_ID="1")
    assert taken.json() == own.json()
    assert "bees" not in taken.text
    assert "mcp-session-id" not in taken.headers


@pytest.mark.parametrize("token", ["", "mk_live_wrong", "Bearer", "x" * 5_000])
def test_without_a_valid_key_the_answer_says_where_to_authorise(eve: Desk, token: str) -> None:
    headers, body = frame("tools/list")
    answer = post(eve, body, **headers, Authorization=f"Bearer {token}" if token else "")
    assert answer.status_code == 401
    challenge = answer.headers["www-authenticate"]
    base = eve.url.removesuffix("/mcp")
    assert f'resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"' in challenge
    assert 'scope="memory:read memory:write"' in challenge
    assert ('error="invalid_token"' in challenge) == bool(token)
    if not token:
        assert "Authorization: Bearer" in answer.json()["detail"]


def test_the_document_on_authorisation(eve: Desk, settings: Settings) -> None:
    base = eve.url.removesuffix("/mcp")
    for address in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
        document = httpx.get(base + address).json()
        assert document["resource"] == f"{base}/mcp"
        assert document["scopes_supported"] == ["memory:read", "memory:write"]
        assert "authorization_servers" not in document
        assert "API keys only" in document["authorization"]
    settings.MCP_AUTHORIZATION_SERVERS = ["https://login.example.com"]
    document = httpx.get(f"{base}/.well-known/oauth-protected-resource").json()
    assert document["authorization_servers"] == ["https://login.example.com"]


def test_web_pages_of_other_origins_are_refused(eve: Desk, settings: Settings) -> None:
    headers, body = frame("tools/list")
    base = eve.url.removesuffix("/mcp")
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://127.0.0.1:1"):
        assert post(eve, body, **headers, Origin=origin).status_code == 403, origin
    assert post(eve, body, **headers, Origin=base).status_code == 200
    settings.MCP_ALLOWED_ORIGINS = frozenset({"https://app.example"})
    assert post(eve, body, **headers, Origin="https://app.example").status_code == 200
    rebound = post(eve, body, **headers, Host="evil.example")
    assert rebound.status_code == 400


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""])
def test_other_media_types_are_refused(eve: Desk, kind: str) -> None:
    headers, body = frame("tools/list")
    assert post(eve, body, **headers, Content_Type=kind).status_code == 415


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream"])
def test_a_client_that_takes_no_json_is_refused(eve: Desk, accept: str) -> None:
    headers, body = frame("tools/list")
    assert post(eve, body, **headers, Accept=accept).status_code == 406


@pytest.mark.parametrize("version", [LEGACY, MODERN])
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nonsense",
        b"[]",
        b"null",
        b"7",
        b'"tools/list"',
        b"{}",
        b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
        b'{"jsonrpc": "2.0", "id": 1}',
        b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
        b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]',
        b"\xff\xfe\x00",
        b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": ' + b'{"a":' * 5_000 + b"1" + b"}" * 5_001,
        b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "tools/list"}',
    ],
    ids=lambda body: body[:30].decode("latin-1") if isinstance(body, bytes) else str(body),
)
def test_what_is_no_single_message_is_refused(eve: Desk, version: str, body: bytes) -> None:
    answer = post(eve, body, MCP_Protocol_Version=version)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["code"] in {-32700, -32600, -32602}
    assert "Traceback" not in answer.text


def test_an_id_that_is_no_id_runs_nothing(eve: Desk) -> None:
    """The SDK takes such a message of the older versions for a notification, which has no answer."""
    body = b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}'
    assert post(eve, body, MCP_Protocol_Version=MODERN).status_code == 400
    ignored = post(eve, body, MCP_Protocol_Version=LEGACY)
    assert (ignored.status_code, ignored.content) == (202, b"")


def test_a_body_may_have_a_mebibyte(eve: Desk) -> None:
    text = "x" * (API_CONFIG.body_bytes - 400)
    headers, body = frame("tools/call", {"name": "remember", "arguments": {"text": text}}, MODERN)
    assert "arguments.text" in result_of(post(eve, body, **headers))["content"][0]["text"]
    headers, body = frame("tools/call", {"name": "remember", "arguments": {"text": text * 2}}, MODERN)
    assert post(eve, body, **headers).status_code == 413


def test_a_bad_query_is_named(eve: Desk) -> None:
    headers, body = frame("tools/list")
    for query, field in (("profile=other", "profile"), ("subject=a%2Fb", "subject"), ("token=x", "token")):
        answer = post(Desk(f"{eve.url}?{query}", eve.token), body, **headers)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == field


def test_a_key_that_was_revoked_is_out_at_once(server: str, shared_world: World) -> None:
    desk = Desk(server, bind_key(shared_world.acme, "ned"))
    assert send(desk, "tools/list").status_code == 200
    with tenant_tx(shared_world.acme.tenant.id):
        revoke_key(ApiKey.objects.get(bound_subject="ned"), by=COMMAND_LINE, reason="lost")
    assert send(desk, "tools/list").status_code == 401


def test_limits_say_when_to_try_again(server: str, shared_world: World) -> None:
    desk = Desk(server, bind_key(shared_world.acme, "lea"))
    with tenant_tx(shared_world.acme.tenant.id):
        key = ApiKey.objects.get(bound_subject="lea")
        set_limits({"requests_per_second": 1, "burst": 2}, by=COMMAND_LINE, api_key=key)
    answers = [send(desk, "tools/list") for _ in range(6)]
    refused = [one for one in answers if one.status_code == 429]
    assert refused
    assert int(refused[0].headers["retry-after"]) >= 1
    assert answers[0].headers["x-ratelimit-limit"] == "2"


@pytest.mark.slow
def test_many_clients_at_once_are_kept_apart(server: str, shared_world: World) -> None:
    names = [f"twin{number}" for number in range(6)]
    desks = {name: Desk(server, bind_key(shared_world.acme, name)) for name in names}

    def remember_and_list(name: str) -> list[str]:
        for number in range(3):
            send(desks[name], "tools/call", {"name": "remember", "arguments": {"text": f"{name} likes {number} figs"}})
        result = result_of(send(desks[name], "tools/call", {"name": "list_notes", "arguments": {}}, MODERN))
        return [one["text"] for one in result["structuredContent"]["notes"]]

    with ThreadPoolExecutor(len(names)) as pool:
        found = dict(zip(names, pool.map(remember_and_list, names), strict=True))
    assert all(found.values())
    assert all(text.startswith(name) for name, texts in found.items() for text in texts)

"""Messages as bytes, without the SDK: what a broken or hostile client sends."""

from typing import Any

import httpx
import orjson

from tests.memory_platform.compat.mcp.conftest import ACCEPT, NO_TLS, Desk

LEGACY, MODERN = "2025-11-25", "2026-07-28"


def frame(method: str, params: dict[str, Any] | None = None, version: str = LEGACY) -> tuple[dict[str, str], bytes]:
    """Return the headers and the body of a request in one version of the protocol."""
    asked = dict(params or {})
    headers = {"MCP-Protocol-Version": version}
    if version == MODERN:
        asked["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        headers["Mcp-Method"] = method
        named = asked.get("name") or asked.get("uri")
        headers |= {"Mcp-Name": named} if named else {}
    return headers, orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": asked})


def post(desk: Desk, body: bytes, **headers: str) -> httpx.Response:
    """Send bytes; ``_`` in a header's name stands for ``-``, an empty value leaves the header out."""
    sent = {"Authorization": f"Bearer {desk.token}", "Content-Type": "application/json", "Accept": ACCEPT}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    shown = {name: value for name, value in sent.items() if value}
    return httpx.post(desk.url, content=body, headers=shown, timeout=60, verify=NO_TLS)


def send(desk: Desk, method: str, params: dict[str, Any] | None = None, version: str = LEGACY) -> httpx.Response:
    headers, body = frame(method, params, version)
    return post(desk, body, **headers)


def result_of(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]
    return result


def error_of(answer: httpx.Response, status: int) -> dict[str, Any]:
    """Return the error of a JSON-RPC answer."""
    assert answer.status_code == status, answer.text
    error: dict[str, Any] = answer.json()["error"]
    return error

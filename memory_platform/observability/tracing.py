"""Traces by OpenTelemetry: off unless ``OTEL_EXPORTER_OTLP_ENDPOINT`` is set; then nothing that sends is imported.

Spans hold ids of ours, counts, kinds and codes, as log lines do: no words, no path, no id that a product gave.
The names ``gen_ai.*`` are those of OpenTelemetry's conventions for memory and models (semantic-conventions-genai 0.1).
"""

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings

from memory_platform.observability.open_span import OpenSpan

if TYPE_CHECKING:
    from memory_platform.observability.otlp import SpanMaker

# Names of the conventions.
OPERATION, STORE, RECORDS = "gen_ai.operation.name", "gen_ai.memory.store.id", "gen_ai.memory.record.count"
CONVERSATION = "gen_ai.conversation.id"
SEARCH, UPSERT = "search_memory", "upsert_memory"
MODEL, VENDOR = "gen_ai.request.model", "gen_ai.provider.name"
TOKENS_READ, TOKENS_WRITTEN = "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"
TOKENS_CACHED = "gen_ai.usage.cache_read.input_tokens"
CHAT, EMBEDDINGS, CALL_TOOL = "chat", "embeddings", "tools/call"
# The kind of a vendor's endpoint, by the conventions' word for the vendor.
VENDORS = {"google": "gcp.gemini", "google-vertex": "gcp.vertex_ai"}
# What the conventions have no name for.
TENANT, DEGRADED = "memory_platform.tenant.id", "memory_platform.degraded"
RERANK = "rerank"

_NO_SPAN = nullcontext(OpenSpan())


@cache
def find_span_maker() -> "SpanMaker | None":
    """Return the maker of this process's spans, or None while traces are off."""
    endpoint = getattr(settings, "OTEL_EXPORTER_OTLP_ENDPOINT", "")
    if not endpoint:
        return None
    from memory_platform.observability.otlp import SpanMaker  # noqa: PLC0415 - an optional package

    return SpanMaker.connect(endpoint)


def open_span(name: str, attributes: Mapping[str, object]) -> AbstractContextManager[OpenSpan]:
    """Trace a block as a part of the open span."""
    maker = find_span_maker()
    return _NO_SPAN if maker is None else maker.open(name, attributes)


def open_memory_span(operation: str) -> AbstractContextManager[OpenSpan]:
    """Trace an operation of the conventions: ``search_memory`` or ``upsert_memory``."""
    return open_span(operation, {OPERATION: operation})


def open_model_span(operation: str, *, model: str = "", kind: str = "") -> AbstractContextManager[OpenSpan]:
    """Trace a call of a model at an endpoint, with its repetitions: :data:`CHAT`, :data:`EMBEDDINGS`, :data:`RERANK`.

    ``model`` and ``kind`` (of the endpoint) are the operator's settings; "" where a tenant chose them.
    """
    maker = find_span_maker()
    if maker is None:
        return _NO_SPAN
    attributes = {OPERATION: operation, MODEL: model or None, VENDOR: VENDORS.get(kind, kind) or None}
    return maker.open_client(f"{operation} {model}".strip(), attributes)


def open_server_span(headers: Mapping[str, str]) -> AbstractContextManager[OpenSpan]:
    """Trace a request, as a part of the caller's trace if its headers name one."""
    maker = find_span_maker()
    return _NO_SPAN if maker is None else maker.open_server(headers)


def open_tool_span(tool: str, sent: Mapping[str, object], tenant_id: UUID) -> AbstractContextManager[OpenSpan]:
    """Trace a call of a tool, as a part of the trace that the client's message names, else of the request.

    ``sent`` is the ``_meta`` of an MCP message; its names are those of the headers.
    """
    maker = find_span_maker()
    if maker is None:
        return _NO_SPAN
    attributes = {OPERATION: "execute_tool", "gen_ai.tool.name": tool, "mcp.method.name": CALL_TOOL, TENANT: tenant_id}
    return maker.open_tool(f"{CALL_TOOL} {tool}", sent, attributes)


def open_work_span(
    name: str, parents: Iterable[str | None], attributes: Mapping[str, object]
) -> AbstractContextManager[OpenSpan]:
    """Trace a batch of work that several requests left: each of their traces gets a span of the block."""
    maker = find_span_maker()
    return _NO_SPAN if maker is None else maker.open_work(name, parents, attributes)


def find_trace_parent() -> str | None:
    """Return the id under which somebody continues the open span's trace later; None without a span."""
    maker = find_span_maker()
    return None if maker is None else maker.find_parent()


def send_collected_spans() -> None:
    """Send the collected spans: a worker's child process ends without running exit handlers."""
    maker = find_span_maker()
    if maker is not None:
        maker.flush()

"""The configured models that are called over a network, for the operator: their addresses and purposes, and a test
call."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from memory_platform.env.chat_endpoints import PURPOSES, ChatEndpoint
from memory_platform.env.environment import split_list
from memory_platform.kernel.errors import Unavailable
from memory_platform.kernel.ids import new_id
from memory_platform.providers.contracts import ChatPrompt
from memory_platform.providers.endpoints.endpoint import Endpoint
from memory_platform.providers.endpoints.endpoint_health import identify_chat_endpoint
from memory_platform.providers.registry import chat_endpoints, chat_model, chat_route, embedder, reranker

# What a test call sends: nothing of any tenant.
TEST_PROMPT = ChatPrompt("You are being tested. Answer with one word.", "Say: ok")
EMBED, RERANK, CACHE_PREFIXES = "embed", "rerank", "cache_prefixes"
REMOTE_EMBEDDERS: Mapping[str, str] = {"openai": "EMBEDDING_BASE_URL", "openai-previous": "EMBEDDING_PREVIOUS_BASE_URL"}


@dataclass(frozen=True, slots=True)
class ConfiguredEndpoint:
    """``purposes``: those for which the platform's settings use it. ``identity``: the name of its health. ``connect``
    makes it ready and returns a call that asks something short; both raise Unavailable."""

    name: str
    model: str
    host: str
    purposes: Sequence[str]
    identity: str
    connect: Callable[[], Callable[[], object]]


@dataclass(frozen=True, slots=True)
class CallResult:
    """How long a test call took, and whether it was answered."""

    ms: int
    is_ok: bool


def list_configured_endpoints() -> list[ConfiguredEndpoint]:
    """Return the chat endpoints by name, then those of embedding and reranking."""
    chats = [_describe_chat(name, endpoint) for name, endpoint in sorted(chat_endpoints().items())]
    return [*chats, *_list_embedders(), *_list_rerankers()]


def list_routes() -> dict[str, str]:
    """Return by purpose the chat endpoint that the settings choose; "" where none does it and rules do."""
    known = chat_endpoints()
    routes = {purpose: chat_route(purpose) for purpose in PURPOSES}
    return {purpose: name if name in known else "" for purpose, name in routes.items()}


def call_endpoint(name: str) -> CallResult | None:
    """Call the endpoint of this name once; None if none has it. Runs without an open transaction."""
    endpoint = next((one for one in list_configured_endpoints() if one.name == name), None)
    if endpoint is None:
        return None
    started = time.monotonic()
    try:
        call = endpoint.connect()
        started = time.monotonic()  # a library that takes seconds to load is not the endpoint's fault
        call()
        is_ok = True
    except Unavailable:
        is_ok = False
    return CallResult(round((time.monotonic() - started) * 1000), is_ok)


def _describe_chat(name: str, endpoint: ChatEndpoint) -> ConfiguredEndpoint:
    purposes = [purpose for purpose, route in list_routes().items() if route == name]
    if name == settings.PROMPT_CACHE_ENDPOINT:
        purposes.append(CACHE_PREFIXES)
    host = urlsplit(endpoint.base_url).hostname or endpoint.kind
    return ConfiguredEndpoint(
        name, endpoint.model, host, purposes, identify_chat_endpoint(endpoint), lambda: _connect_chat(name)
    )


def _connect_chat(name: str) -> Callable[[], object]:
    # The time limit of summaries: somebody waits, but not a recall.
    model: Any = chat_model("summarise", name)
    model.prepare()
    return lambda: model.text(TEST_PROMPT)


def _list_embedders() -> list[ConfiguredEndpoint]:
    found = []
    for name in split_list(settings.EMBEDDER):
        kind, _, model = name.partition(":")
        if kind in REMOTE_EMBEDDERS:
            address = getattr(settings, REMOTE_EMBEDDERS[kind])
            identity = Endpoint(EMBED, address).identity
            host = urlsplit(address).hostname or ""
            found.append(ConfiguredEndpoint(name, model, host, [EMBED], identity, partial(_connect_embedder, name)))
    return found


def _connect_embedder(name: str) -> Callable[[], object]:
    model: Any = embedder(name)
    return lambda: model.embed([f"test {new_id()}"])  # a text that no cache has


def _list_rerankers() -> list[ConfiguredEndpoint]:
    if settings.RERANKER != "http":
        return []
    host = urlsplit(settings.RERANK_URL).hostname or ""
    identity = Endpoint(RERANK, settings.RERANK_URL).identity
    return [ConfiguredEndpoint("reranker", settings.RERANK_MODEL, host, [RERANK], identity, _connect_reranker)]


def _connect_reranker() -> Callable[[], object]:
    model: Any = reranker("http")
    return lambda: model.rerank("test", ["one", "two"])

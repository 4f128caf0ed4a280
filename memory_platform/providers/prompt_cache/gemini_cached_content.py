"""Cached content of the Gemini API and of Vertex: created, extended and deleted over HTTP, without an SDK.

https://ai.google.dev/api/caching and
https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1/projects.locations.cachedContents
"""

import hmac
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from django.conf import settings

from memory_platform.env.chat_endpoints import ChatEndpoint
from memory_platform.providers.config import ENDPOINT, PROMPT_CACHE, PromptCacheConfig
from memory_platform.providers.contracts import KeptPrompt
from memory_platform.providers.endpoints.endpoint import (
    CallFailed,
    Endpoint,
    Failure,
    JsonService,
    Outgoing,
    WrongAnswer,
)
from memory_platform.providers.endpoints.time_limit import run_within
from memory_platform.providers.open_transaction_guard import forbid_open_transaction

Answer = TypeVar("Answer")

_NAME = re.compile(r"(?:projects/[\w.:-]+/locations/[\w-]+/)?cachedContents/[\w-]+", re.ASCII)
_NAME_CHARS = 300
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


class CachedContents:
    """The cached contents of one endpoint: a :class:`PromptKeeper`. ``token`` returns an OAuth token, for Vertex."""

    def __init__(
        self,
        endpoint: ChatEndpoint,
        config: PromptCacheConfig = PROMPT_CACHE,
        *,
        token: Callable[[], str] | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._policy = config
        self._token = token or fetch_google_token
        # Made twice would be kept and paid twice, so nothing is tried again; the next context tries.
        waits = replace(ENDPOINT, attempts=1, answer_bytes=config.answer_bytes)
        self._service = JsonService(Endpoint("prompt_cache", _address(endpoint)), waits)

    @property
    def model(self) -> str:
        return self._endpoint.model

    @property
    def identity(self) -> str:
        parts = self._endpoint.model_dump_json().encode()
        return hmac.digest(settings.KEY_PEPPER.encode(), b"prompt_cache" + parts, "sha256").hex()

    @property
    def least_tokens(self) -> int:
        return self._policy.find_least_tokens(self._endpoint.model)

    def make(self, text: str) -> KeptPrompt:
        body = {
            "model": self._resource,
            "systemInstruction": {"parts": [{"text": text}]},
            "ttl": self._lives,
        }
        return self._send("POST", f"/{self._parent}cachedContents", read_content, body)

    def extend(self, name: str) -> KeptPrompt:
        found = self._send("PATCH", f"/{name}?updateMask=ttl", read_content, {"ttl": self._lives})
        return replace(found, name=name)

    def delete(self, name: str) -> None:
        try:
            self._send("DELETE", f"/{name}", lambda _: None)
        except CallFailed as failed:
            if failed.failure is not Failure.GONE:
                raise

    def _send(
        self, method: str, path: str, read: Callable[[Any], Answer], body: Mapping[str, Any] | None = None
    ) -> Answer:
        forbid_open_transaction()
        outgoing = Outgoing(method, path, body, self._credentials())
        return self._service.send(outgoing, read, seconds=self._policy.seconds)

    def _credentials(self) -> Mapping[str, str]:
        if self._endpoint.kind == "google":
            return {"x-goog-api-key": self._endpoint.api_key}
        try:
            return {"Authorization": f"Bearer {run_within(self._policy.seconds, self._token)}"}
        except Exception:  # noqa: BLE001 -- the library passes on whatever credentials and servers provoke
            raise CallFailed(Failure.DENIED) from None

    @property
    def _lives(self) -> str:
        return f"{self._policy.lives.total_seconds():.0f}s"

    @property
    def _parent(self) -> str:
        if self._endpoint.kind == "google":
            return ""
        return f"projects/{self._endpoint.project}/locations/{self._endpoint.region}/"

    @property
    def _resource(self) -> str:
        place = "publishers/google/" if self._parent else ""
        return f"{self._parent}{place}models/{self._endpoint.model}"


def read_content(answer: Any) -> KeptPrompt:
    """Parse the vendor's answer. Raises WrongAnswer."""
    try:
        name, ends = answer["name"], datetime.fromisoformat(answer["expireTime"])
        usage = answer.get("usageMetadata") or {}
        tokens = usage.get("totalTokenCount", 0)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise WrongAnswer from None
    if not isinstance(name, str) or len(name) > _NAME_CHARS or not _NAME.fullmatch(name) or ends.tzinfo is None:
        raise WrongAnswer
    counted = isinstance(tokens, int) and 0 <= tokens < 2**31
    return KeptPrompt(name, ends.astimezone(UTC), tokens if counted else 0)


def fetch_google_token() -> str:
    """Return a token of Google's own credentials. Raises ImportError without the packages of ``make chat``."""
    from google.auth.transport.requests import Request  # noqa: PLC0415 -- an extra

    credentials = _google_credentials()
    if not credentials.valid:
        credentials.refresh(Request())
    return str(credentials.token)


@lru_cache(maxsize=1)
def _google_credentials() -> Any:
    from google.auth import default  # noqa: PLC0415 -- an extra

    return default(scopes=[_SCOPE])[0]


def _address(endpoint: ChatEndpoint) -> str:
    if endpoint.kind == "google":
        return (endpoint.base_url or "https://generativelanguage.googleapis.com").rstrip("/") + "/v1beta"
    return (endpoint.base_url or f"https://{endpoint.region}-aiplatform.googleapis.com").rstrip("/") + "/v1"

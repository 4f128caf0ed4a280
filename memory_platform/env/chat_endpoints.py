"""Chat endpoints in the environment: ``CHAT_ENDPOINTS`` defines them, ``CHAT_ROUTES`` chooses one for each purpose.

Faults name the endpoint and the field, never a value: it may be a key.
"""

import re
from collections.abc import Collection, Mapping
from typing import Any, Literal, Self
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

# The purposes of chat models.
PURPOSES = ("summarise", "extract", "judge", "rewrite")

# The endpoint of every purpose without a route; `CHAT_MODEL` defines an endpoint of this name.
DEFAULT = "default"

OPENAI = "https://api.openai.com/v1"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class ChatEndpoint(BaseModel):
    """The address of one chat model."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    kind: Literal["openai", "google", "google-vertex", "anthropic"]
    model: str = Field(min_length=1, max_length=180)
    base_url: str = ""
    api_key: str = Field(default="", repr=False)
    project: str = ""
    region: str = ""

    @property
    def qualified_model_name(self) -> str:
        """Kind and model, such as ``openai:gpt-5-mini``: the name under which usage is recorded."""
        return f"{self.kind}:{self.model}"

    @field_validator("base_url")
    @classmethod
    def _is_an_http_address(cls, value: str) -> str:
        if value and (urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).hostname):
            raise ValueError("is not an http:// or https:// address")
        return value

    @model_validator(mode="after")
    def _check_credentials(self) -> Self:
        """Require the credentials that the endpoint needs, and refuse those that it would not use."""
        if self.kind in {"google", "anthropic"} and not self.api_key:
            raise ValueError(f"{self.kind} needs an api_key")
        if self.kind == "google-vertex" and bool(self.project) == bool(self.api_key):
            raise ValueError("google-vertex needs a project, or instead an api_key")
        if self.kind != "google-vertex" and (self.project or self.region):
            raise ValueError("project and region are for google-vertex")
        return self


def chat_endpoints(value: str) -> Mapping[str, ChatEndpoint]:
    """Return the endpoints of ``{"name": {"kind": ..., "model": ...}}`` by name. Raises ValueError."""
    found, faults = {}, []
    for name, given in _parse_object(value).items():
        if not _NAME.fullmatch(name):
            faults.append(f"{name[:80]!r} is not a valid name: use 1 to 64 letters, digits, -, . and _")
            continue
        try:
            found[name] = ChatEndpoint.model_validate(given)
        except ValidationError as invalid:
            faults += [f"{name!r}: {_explain_fault(fault)}" for fault in invalid.errors(include_input=False)]
    if faults:
        raise ValueError("; ".join(faults))
    return found


def chat_routes(value: str) -> Mapping[str, str]:
    """Return ``{purpose: name of an endpoint, or "" for none}``. Raises ValueError."""
    routes = _parse_object(value)
    unknown = [purpose[:80] for purpose in routes if purpose not in PURPOSES]
    if unknown:
        raise ValueError(f"routes {', '.join(map(repr, unknown))}; allowed: {', '.join(PURPOSES)}")
    if not all(isinstance(name, str) for name in routes.values()):
        raise ValueError('routes each purpose to the name of an endpoint, or to "" for no model')
    return routes


def unknown_routes(routes: Mapping[str, str], known: Collection[str]) -> list[str]:
    return [purpose for purpose, name in routes.items() if name and name not in known]


def require_keeper(name: str, endpoints: Mapping[str, ChatEndpoint]) -> None:
    """Refuse an endpoint without cached content; Vertex needs a project and a region. Raises PydanticCustomError."""
    one = endpoints.get(name)
    on_vertex = one is not None and one.kind == "google-vertex" and bool(one.project and one.region)
    if name and not on_vertex and (one is None or one.kind != "google"):
        raise PydanticCustomError(
            "no_keeper",
            "PROMPT_CACHE_ENDPOINT names no endpoint of CHAT_ENDPOINTS of the kind google, "
            "or google-vertex with a project and a region",
        )


def _parse_object(value: str) -> dict[str, Any]:
    if not value.strip():
        return {}
    try:
        read = orjson.loads(value)
    except orjson.JSONDecodeError:
        raise ValueError("is not JSON") from None
    if not isinstance(read, dict):
        raise ValueError("is not a JSON object")
    return read


def _explain_fault(fault: Any) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    said = str(fault["msg"]).removeprefix("Value error, ")
    return f"{place}: {said}" if place else said

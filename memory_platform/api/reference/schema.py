"""The OpenAPI 3.1 document: read from the views and serializers, so that it cannot tell anything else than the code."""

import re
from functools import cache
from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from memory_platform.api.errors.problems import PROBLEM_TYPE
from memory_platform.api.policy import POLICY
from memory_platform.api.views import etags, idempotency
from memory_platform.api.views.base import TenantView
from memory_platform.api.views.rendering import dump_json

_VARIABLE = re.compile(r"\{.*\}")
_CLAUSE_END = re.compile(r"[;:] |\. ")
_PLAIN = re.compile(r"[^a-z0-9]+")

IDEMPOTENCY_KEY = OpenApiParameter(
    idempotency.HEADER,
    {"type": "string", "minLength": 1, "maxLength": POLICY.idempotency_key_chars},
    OpenApiParameter.HEADER,
    description="The same key and body replay the first answer for 24 hours.",
)
IF_MATCH = OpenApiParameter(
    etags.HEADER, str, OpenApiParameter.HEADER, description="The ETag that the object still has to have, or *."
)

PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "An error (RFC 9457). `code` is stable; some codes add members of their own.",
    "required": ["type", "title", "status", "detail", "code", "errors", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "message"],
                "properties": {name: {"type": "string"} for name in ("field", "code", "message")},
            },
        },
        "request_id": {"type": "string"},
    },
}
MEANINGS = {
    "400": "Malformed; `errors` names the fields.",
    "401": "No key, or not a valid one.",
    "403": "The key lacks the scope.",
    "404": "Nothing with this id is visible to the key.",
    "405": "This path does not answer this method; `Allow` lists those that it does.",
    "408": "The body came too slowly; the connection is closed.",
    "409": "The present state does not allow it.",
    "412": "`If-Match` names an older version.",
    "413": "The body is too large.",
    "415": "The body is not JSON in UTF-8, or compressed.",
    "422": "Understood, and still refused.",
    "429": "A limit is reached: `limit` says which and when it resets, `Retry-After` when to come back.",
    "503": "A part that this needs does not answer; `Retry-After` says when to come back.",
}
OPEN_PROBLEMS = ("400", "405")
READ_PROBLEMS = ("400", "401", "403", "404", "405", "429", "503")
WRITE_PROBLEMS = tuple(MEANINGS)


class ApiSchema(AutoSchema):
    """Describes one operation: its name, its noun, the scope that it needs, the headers that it honours."""

    def get_operation_id(self) -> str:
        """Return a name built from the path and the method, such as ``subjects_one_get``."""
        parts = [part for part in self.path.strip("/").split("/") if part != "v1"]
        words = ["one" if _VARIABLE.fullmatch(part) else part for part in parts]
        kept = [word for index, word in enumerate(words) if word != "one" or index == len(words) - 1]
        return _PLAIN.sub("_", "_".join([*kept, self.method.lower()]).lower())

    def get_tags(self) -> list[str]:
        """Return the noun of the view."""
        return [getattr(self.view, "noun", "") or "platform"]

    def get_auth(self) -> list[dict[str, Any]]:
        """Return the key's scheme for what belongs to a tenant."""
        return [{"ApiKey": []}] if isinstance(self.view, TenantView) else []

    def get_description(self) -> str:  # type: ignore[override]  # of drf-spectacular, which has no types
        """Return the method's docstring, and the scope that the method needs."""
        text = str(super().get_description() or "")
        scope = self.view.scope_for(self.method) if isinstance(self.view, TenantView) else None
        return f"{text}\n\nScope: {scope}." if scope else text

    def get_summary(self) -> str:
        """Return the first clause of the method's docstring: what stands beside the path."""
        first = str(super().get_description() or "").partition("\n\n")[0].replace("\n", " ")
        return _CLAUSE_END.split(first, maxsplit=1)[0].rstrip(".")

    def get_override_parameters(self) -> list[Any]:
        """Return the headers: ``Idempotency-Key`` for every POST, ``If-Match`` where the view keeps versions."""
        if not isinstance(self.view, TenantView):
            return []
        if self.method == "POST":
            return [IDEMPOTENCY_KEY]
        return [IF_MATCH] if self.view.versioned and self.method in {"PUT", "PATCH", "DELETE"} else []


class StrictSerializerShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # registers itself
    """An input refuses unknown fields; its schema says so."""

    target_class = "memory_platform.api.requests.serializers.StrictSerializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        """Return the usual schema, closed."""
        return {
            **auto_schema._map_serializer(self.target, direction, bypass_extensions=True),
            "additionalProperties": False,
        }


class JsonObjectShape(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # registers itself
    """``metadata`` and its like are objects."""

    target_class = "memory_platform.api.requests.fields.JsonObjectField"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Any:
        """Return an open object."""
        return {"type": "object", "additionalProperties": {}}


def add_problem_answers(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add to each operation the errors that it may answer with, and to every answer its request id."""
    components = result.setdefault("components", {})
    components.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
    components["headers"] = {"RequestId": {"schema": {"type": "string"}, "description": "Names this request in logs."}}
    for operations in result.get("paths", {}).values():
        for method, operation in operations.items():
            _add_problems(method, operation)
    return result


def _add_problems(method: str, operation: dict[str, Any]) -> None:
    statuses = READ_PROBLEMS if method == "get" else WRITE_PROBLEMS
    for status in statuses if operation.get("security") else OPEN_PROBLEMS:
        problem = {"$ref": "#/components/schemas/Problem"}
        answer = {"description": MEANINGS[status], "content": {PROBLEM_TYPE: {"schema": problem}}}
        operation["responses"].setdefault(status, answer)
    for answer in operation["responses"].values():
        answer.setdefault("headers", {})["X-Request-Id"] = {"$ref": "#/components/headers/RequestId"}


@cache
def openapi_document() -> bytes:
    """Return the document as JSON; built once per process (about a second)."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    return dump_json(generator.get_schema(request=None, public=True))  # type: ignore[no-untyped-call]

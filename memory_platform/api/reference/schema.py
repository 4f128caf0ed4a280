"""The OpenAPI 3.1 document, read from the views, the serializers and the example calls."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

import orjson
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse
from drf_spectacular.extensions import OpenApiSerializerExtension, OpenApiSerializerFieldExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import patched_settings
from drf_spectacular.utils import OpenApiParameter

from memory_platform.api import access
from memory_platform.api.config import API_CONFIG
from memory_platform.api.errors.problems import CODE_OF_STATUS, PROBLEM_TYPE
from memory_platform.api.reference.descriptions import HEADERS, MEANINGS, PATH_PARTS, PROBLEM_SCHEMA
from memory_platform.api.reference.introduction import TAGS
from memory_platform.api.reference.openapi_settings import SPECTACULAR_SETTINGS
from memory_platform.api.requests.serializers import StrictSerializer
from memory_platform.api.views import etags, idempotency
from memory_platform.api.views.base_views import ApiView, TenantView
from memory_platform.api.views.json_rendering import dump_json
from memory_platform.api.views.operation_description import Facts, list_codes_by_status

FOLDER = Path(__file__).parent / "calls"
# The order in which they are made: later files use what earlier ones stored.
FILES = ("messages", "recall", "profiles", "memories", "tools", "policies", "administration", "knowledge")
_REFERENCE = re.compile(r"\{\{(\w+)\.([\w.]+)\}\}")
JSON = "application/json"
API_URLS = "memory_platform.api.urls"
# Settings that the library reads from a project alone.
NOT_PATCHED = {"DEFAULT_GENERATOR_CLASS", "SERVE_INCLUDE_SCHEMA"}
_one_at_a_time = Lock()  # the library's settings belong to the whole process
ROOT = "/v1"
RATE_HEADERS = (access.LIMIT, access.REMAINING, access.RESET)
RETRIED = frozenset({"409", "429", "503"})
_CLAUSE_END = re.compile(r"[;:] |\. ")
_RST_CODE = re.compile("``([^`]+)``")
_NOT_KEY = re.compile(r"[^\w]+")

IDEMPOTENCY_KEY = OpenApiParameter(
    idempotency.HEADER,
    {"type": "string", "minLength": 1, "maxLength": API_CONFIG.idempotency_key_chars},
    OpenApiParameter.HEADER,
    description="Any text of yours, new for each request. The same key and body get the first answer again for 24 "
    "hours; the same key with another body is 409.",
)
IF_MATCH = OpenApiParameter(
    etags.HEADER,
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` that the object must still have, or `*`. Another one is 412.",
)


@dataclass(frozen=True, slots=True)
class ExampleCall:
    """A request, and the answer that the real API gave; None where there is no JSON. ``work`` lets the workers finish
    first.

    The calls stand in ``calls/*.json`` in an order that works on a new tenant. ``tests/.../reference/test_schema.py``
    makes every call and compares the answers; ``RECORD_EXAMPLES=1`` writes them anew. ``{{create_note.id}}`` in a
    request stands for a member of the latest answer of that operation.
    """

    operation: str
    name: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    status: int = 200
    answer: Any = None
    work: bool = False


def load_example_calls(file: str) -> list[ExampleCall]:
    path = FOLDER / f"{file}.json"
    return [ExampleCall(**call) for call in orjson.loads(path.read_bytes())] if path.exists() else []


def fill_references(value: Any, answers: Mapping[str, Any]) -> Any:
    """Return ``value`` with its references replaced; ``answers`` holds the latest answer by operation. A reference to
    an answer that is not recorded yet stays as it is."""
    if isinstance(value, Mapping):
        return {key: fill_references(inner, answers) for key, inner in value.items()}
    if isinstance(value, list):
        return [fill_references(inner, answers) for inner in value]
    if not isinstance(value, str):
        return value
    return _REFERENCE.sub(lambda match: str(_member(answers.get(match[1]), match[2]) or match[0]), value)


@cache
def list_examples_by_operation() -> Mapping[str, list[ExampleCall]]:
    """Return the calls by operation, their references filled from the recorded answers."""
    answers: dict[str, Any] = {}
    found: dict[str, list[ExampleCall]] = {}
    for call in (call for file in FILES for call in load_example_calls(file)):
        path, query, body = (fill_references(part, answers) for part in (call.path, call.query, call.body))
        filled = ExampleCall(call.operation, call.name, path, query, body, call.status, call.answer)
        found.setdefault(call.operation, []).append(filled)
        answers[call.operation] = call.answer
    return found


def _member(answer: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        answer = answer and answer[int(part) if isinstance(answer, list) else part]
    return answer


class ApiSchema(AutoSchema):
    """Describes one operation, from its view and from the :class:`Facts` of its method."""

    @property
    def facts(self) -> Facts:
        return getattr(getattr(self.view, self.method.lower()), "facts", None) or Facts()

    def get_operation(self, *args: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args)
        if operation is None:
            return None
        answers = operation["responses"]
        for name, header in self.answer_headers().items():
            for status, answer in answers.items():
                if status != "204" or name != etags.TAG:
                    answer.setdefault("headers", {})[name] = header
        self.add_problems(answers)
        for answer in answers.values():
            answer.setdefault("headers", {})["X-Request-Id"] = build_header_reference("X-Request-Id")
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "path":
                parameter["description"] = PATH_PARTS[parameter["name"]]
        add_examples(operation, list_examples_by_operation().get(operation["operationId"], []))
        return operation

    def answer_headers(self) -> dict[str, Any]:
        names = list(self.facts.headers)
        if isinstance(self.view, TenantView):
            names += RATE_HEADERS
            names += [etags.TAG] * self.view.versioned
            names += [idempotency.REPLAYED] * self.is_idempotent
        return {name: build_header_reference(name) for name in names}

    def add_problems(self, answers: dict[str, Any]) -> None:
        """Add the errors that this operation can give, each with its codes."""
        codes = {400: [CODE_OF_STATUS[400]]}
        if isinstance(self.view, TenantView):
            codes = list_codes_by_status(
                self.method,
                self.path,
                self.facts,
                versioned=self.view.versioned,
                serves_bound_keys=self.view.serves_bound_keys,
            )
        for status, names in codes.items():
            answer: dict[str, Any] = {
                "description": f"{MEANINGS[status]} Codes: {', '.join(f'`{name}`' for name in names)}.",
                "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                "x-error-codes": names,
            }
            if str(status) in RETRIED:
                answer["headers"] = {"Retry-After": build_header_reference("Retry-After")}
            if status == 429:  # noqa: PLR2004  # an HTTP status is its own name
                answer["headers"] |= {name: build_header_reference(name) for name in RATE_HEADERS}
            answers.setdefault(str(status), answer)

    @property
    def is_idempotent(self) -> bool:
        """Whether a repeated request with an ``Idempotency-Key`` gets the first answer again."""
        keeps = self.facts.keeps_reply and not self.facts.reads
        return isinstance(self.view, TenantView) and self.method == "POST" and keeps

    def get_tags(self) -> list[str]:
        return [self.facts.tag or getattr(self.view, "noun", "") or "platform"]

    def get_auth(self) -> list[dict[str, Any]]:
        return [{"ApiKey": []}] if isinstance(self.view, TenantView) else []

    def get_description(self) -> str:  # type: ignore[override]  # of drf-spectacular, untyped
        """Return the method's docstring as Markdown, and the scope that the method needs."""
        text = convert_docstring_to_markdown(str(super().get_description() or ""))
        scope = self.view.scope_for(self.method) if isinstance(self.view, TenantView) else None
        return f"{text}\n\nScope: {scope}." if scope else text

    def get_summary(self) -> str:
        """Return the first clause of the method's docstring: it stands beside the path."""
        first = (
            convert_docstring_to_markdown(str(super().get_description() or "")).partition("\n\n")[0].replace("\n", " ")
        )
        return _CLAUSE_END.split(first, maxsplit=1)[0].rstrip(".")

    def get_override_parameters(self) -> list[Any]:
        if not isinstance(self.view, TenantView):
            return []
        if self.method == "POST":
            return [IDEMPOTENCY_KEY] if self.is_idempotent else []
        return [IF_MATCH] if self.view.versioned and self.method != "GET" else []


class ApiGenerator(SchemaGenerator):
    """Describes our views by :class:`ApiSchema`, which stands above them and which they cannot name."""

    def create_view(self, *args: Any, **kwargs: Any) -> Any:
        view = super().create_view(*args, **kwargs)  # type: ignore[no-untyped-call]  # of drf-spectacular
        if isinstance(view, ApiView):
            found = view.schema.__class__  # of the decorated method, where there is one
            bases = (ApiSchema,) if found is AutoSchema else (found, ApiSchema)
            self._set_schema_to_view(view, type("DescribedSchema", bases, {})())  # type: ignore[no-untyped-call]
        return view


class SerializerShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]  # registers itself
    """Descriptions are Markdown; an input refuses unknown fields, and its schema says so."""

    target_class = "rest_framework.serializers.Serializer"
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        schema = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        if "description" in schema:
            schema["description"] = convert_docstring_to_markdown(schema["description"])
        return {**schema, "additionalProperties": False} if isinstance(self.target, StrictSerializer) else schema


class JsonObjectShape(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # registers itself
    """``metadata`` and its like are objects."""

    target_class = "memory_platform.api.requests.fields.JsonObjectField"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> Any:
        return {"type": "object", "additionalProperties": {}}


def add_examples(operation: dict[str, Any], calls: Iterable[ExampleCall]) -> None:
    for call in calls:
        key = _NOT_KEY.sub("_", call.name).strip("_")
        for parameter in operation.get("parameters", []):
            given = call.path if parameter["in"] == "path" else call.query
            if parameter["name"] in given:
                parameter.setdefault("example", given[parameter["name"]])
        asked = list(operation.get("requestBody", {}).get("content", {}).values())
        answered = operation["responses"][str(call.status)].get("content", {}).values()
        # A body is of the first media type; an answer is the same in all of them.
        for value, places in ((call.body, asked[:1]), (call.answer, answered)):
            if value is not None:
                for media in places:
                    media.setdefault("examples", {})[key] = {"summary": call.name, "value": value}


def add_example_of_document(document: dict[str, Any]) -> None:
    """Add the beginning of the document as the example of its own answer."""
    info = {name: document["info"][name] for name in ("title", "version")}
    root = {name: document["paths"][ROOT]["get"][name] for name in ("operationId", "summary")}
    value = {"openapi": document["openapi"], "info": info, "paths": {ROOT: {"get": root}}}
    media = document["paths"][f"{ROOT}/schema"]["get"]["responses"]["200"]["content"][JSON]
    media["examples"] = {"Shortened": {"summary": "Shortened to one path", "value": value}}


def finish_document(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add the shared components, and sort the paths as their headings are sorted."""
    add_example_of_document(result)
    components = result["components"]
    components["headers"] = {name.replace("-", ""): header for name, header in HEADERS.items()}
    components["responses"] = {}
    for operations in result["paths"].values():
        for operation in operations.values():
            replace_problems_by_references(operation["responses"], components["responses"])
    codes = {one for answer in components["responses"].values() for one in answer["x-error-codes"]}
    known = sorted({"internal_error", *CODE_OF_STATUS.values(), *codes})
    properties = {**PROBLEM_SCHEMA["properties"], "code": {**PROBLEM_SCHEMA["properties"]["code"], "enum": known}}
    components["schemas"]["Problem"] = {**PROBLEM_SCHEMA, "properties": properties}
    places = {tag["name"]: index for index, tag in enumerate(TAGS)}
    nouns = {operation["tags"][0] for operations in result["paths"].values() for operation in operations.values()}
    if homeless := nouns - places.keys():
        raise ImproperlyConfigured(
            f"No heading of the reference holds {', '.join(sorted(homeless))}: "
            "add it to _GROUPS in memory_platform/api/reference/introduction.py."
        )
    result["paths"] = dict(
        sorted(result["paths"].items(), key=lambda item: min(places[one["tags"][0]] for one in item[1].values()))
    )
    return result


def replace_problems_by_references(answers: dict[str, Any], shared: dict[str, Any]) -> None:
    """Replace the errors of an operation by references, because many operations have the same ones."""
    for status, answer in answers.items():
        if "x-error-codes" in answer:
            name = ".".join([f"Problem{status}", *answer["x-error-codes"]])
            shared[name] = answer
            answers[status] = {"$ref": f"#/components/responses/{name}"}


def build_header_reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/headers/{name.replace('-', '')}"}


def convert_docstring_to_markdown(text: str) -> str:
    """Return a docstring as Markdown, which writes code between single backticks."""
    return _RST_CODE.sub(r"`\1`", text)


@cache
def openapi_document() -> bytes:
    """Return the document as JSON; built once per process (about a second).

    It describes our addresses, with our settings, whatever else the project serves and below whatever prefix.
    """
    prefix = reverse("api-root").removesuffix(ROOT)
    server = {**SPECTACULAR_SETTINGS["SERVERS"][0], "url": prefix or "/"}
    own = {name: value for name, value in SPECTACULAR_SETTINGS.items() if name not in NOT_PATCHED}
    own["SERVERS"] = [server, *SPECTACULAR_SETTINGS["SERVERS"][1:]] if not prefix else [server]
    with _one_at_a_time, patched_settings(own):
        generator = ApiGenerator(urlconf=API_URLS)  # type: ignore[no-untyped-call]
        return dump_json(generator.get_schema(request=None, public=True))  # type: ignore[no-untyped-call]

"""``@operation``: how a view's method is described in the OpenAPI document."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPMethod, HTTPStatus
from typing import Any, TypeVar

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse, extend_schema

from memory_platform.api.errors.handler import status_of
from memory_platform.api.errors.problems import CODE_OF_STATUS
from memory_platform.api.requests.body_parsing import PayloadTooLarge, RequestTimeout
from memory_platform.api.requests.serializers import NoQueryInput, Output, QueryInput
from memory_platform.kernel.errors import (
    Conflict,
    InvalidInput,
    MemoryPlatformError,
    NotFound,
    Unavailable,
    VersionMismatch,
)
from profiles.services.idempotency import KeyReused, TwinRunning
from tenants.errors import InvalidKey, KeyBoundToSubject, RateLimited, ScopeMissing

Method = TypeVar("Method", bound=Callable[..., Any])
ErrorClass = type[MemoryPlatformError]
READERS = frozenset({HTTPMethod.GET})


@dataclass(frozen=True, slots=True)
class Facts:
    """Properties of an operation beyond its serializers and path."""

    errors: tuple[ErrorClass, ...] = ()
    headers: tuple[str, ...] = ()
    reads: bool = False
    keeps_reply: bool = True
    tag: str = ""
    query: type[QueryInput] = NoQueryInput


def operation(
    name: str,
    *,
    request: Any = None,
    query: type[QueryInput] | None = None,
    answer: type[Output] | None = None,
    status: int | tuple[int, ...] = HTTPStatus.OK,
    answers: dict[Any, Any] | None = None,
    **facts: Any,
) -> Callable[[Method], Method]:
    """Return the decorator that gives a method its operation id, its inputs and answers, and its :class:`Facts`.

    ``answers`` is for an operation whose statuses have different answers. Facts: ``errors``, the classes of the errors
    that this operation alone can give; ``headers``, further headers of its answers; ``reads``, for a POST that writes
    nothing; ``keeps_reply``, false for a POST that takes no ``Idempotency-Key``; ``tag``, where it stands under another
    heading than its view's noun.
    """
    statuses = status if isinstance(status, tuple) else (status,)
    shapes = answers or dict.fromkeys(statuses, answer)
    schema = extend_schema(
        operation_id=name,
        request=request,
        parameters=[query] if query else [],
        responses={code: OpenApiResponse(shape, description=first_sentence(shape)) for code, shape in shapes.items()},
    )
    values: dict[str, Any] = {key: tuple(fact) if isinstance(fact, list) else fact for key, fact in facts.items()}
    known = Facts(query=query or NoQueryInput, **values)

    def describe(method: Method) -> Method:
        method.facts = known  # type: ignore[attr-defined]
        # Else the library would take the class that the project's settings name.
        method.kwargs = {"schema": AutoSchema}  # type: ignore[attr-defined]
        described: Method = schema(method)
        return described

    return describe


def first_sentence(shape: Any) -> str:
    if shape is None:
        return "Done. The answer has no body."
    text = " ".join((getattr(shape, "__doc__", None) or "").split())
    return text.partition(". ")[0].rstrip(".") + "." if isinstance(shape, type) and text else "The answer."


def list_codes_by_status(
    method: str, path: str, facts: Facts, *, versioned: bool, serves_bound_keys: bool
) -> dict[int, list[str]]:
    """Return the error codes that an operation of a tenant can give, by HTTP status."""
    has_body = method in {HTTPMethod.POST, HTTPMethod.PUT, HTTPMethod.PATCH}
    writes = method not in READERS and not facts.reads
    errors: list[ErrorClass] = [InvalidInput, InvalidKey, ScopeMissing, RateLimited, Unavailable, *facts.errors]
    errors += [PayloadTooLarge, RequestTimeout] * has_body
    errors += [Conflict] * writes
    errors += [KeyReused, TwinRunning] * (writes and facts.keeps_reply and method == HTTPMethod.POST)
    errors += [VersionMismatch] * (versioned and method not in {HTTPMethod.GET, HTTPMethod.POST})
    # A POST or PUT makes what it names, but not with a key of another subject.
    errors += [NotFound] * ("{" in path)
    errors += [KeyBoundToSubject] * (not serves_bound_keys)
    found: dict[int, set[str]] = {HTTPStatus.UNSUPPORTED_MEDIA_TYPE: {CODE_OF_STATUS[415]}} if has_body else {}
    for error in errors:
        found.setdefault(find_error_status(error), set()).add(error.code)
    return {status: sorted(found[status]) for status in sorted(found)}


def find_error_status(error: ErrorClass) -> int:
    """Return the HTTP status of a class of errors. Raises TypeError for one that never reaches a caller."""
    status = status_of(error.__new__(error))
    if status is None:
        raise TypeError(f"{error.__name__} has no HTTP status")
    return status

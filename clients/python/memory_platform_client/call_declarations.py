"""How a method is declared: by its address, its arguments and its answer. One declaration serves both ways of calling.

The arguments that stand in the address go there, ``if_match`` becomes a header, the others the query or the body.
An argument that is None is not sent: the platform takes null for absent everywhere.
"""

from __future__ import annotations

import inspect
import typing
import uuid
from collections.abc import Callable, Coroutine, Mapping
from copy import copy
from functools import cached_property, wraps
from types import MappingProxyType, MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

import httpx

from memory_platform_client.decoding import Meta, Page, attach_meta, find_decoder
from memory_platform_client.encoding import encode_body, encode_query, fill_path
from memory_platform_client.errors import UnreadableAnswer, make_problem
from memory_platform_client.flow_drivers import AwaitingLink, BlockingLink, Options
from memory_platform_client.listings import AsyncListing, Listing
from memory_platform_client.retries import Flow, Request, Retries, send_patiently


class Blocking:
    """Marks what returns its answer."""


class Awaiting:
    """Marks what returns an awaitable of its answer."""


Way = TypeVar("Way")
P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S", bound="Scope[Any]")
DOCUMENT_NAMES: Mapping[str, str] = MappingProxyType({"conversation": "conversation_id"})
"""Arguments with a shorter name than the document's."""


class Scope(Generic[Way]):
    """What methods are called on: a connection, and the part of the addresses that is already known."""

    def __init__(self, link: BlockingLink | AwaitingLink, place: Mapping[str, str] = MappingProxyType({})) -> None:
        self._link = link
        self._place = place

    def __repr__(self) -> str:
        place = ", ".join(repr(part) for part in (self._link.base_url, *self._place.values()))
        return f"{type(self).__name__}({place})"

    def using(
        self: S,
        *,
        timeout_s: float | None = None,
        retries: Retries | None = None,
        idempotency_key: str | None = None,
    ) -> S:
        """Return the same with other options: ``ada.using(timeout_s=2).recall("…")``.

        With an ``idempotency_key`` of yours a write may be repeated even after your program has died. Use it for one
        write.
        """
        changed = {"timeout_s": timeout_s, "retries": retries, "idempotency_key": idempotency_key}
        made = copy(self)
        made._link = self._link.change(**{name: value for name, value in changed.items() if value is not None})
        return made

    def _make_request(self, method: str, path: str, *, reads: bool = False, **parts: Any) -> Request:
        """Return a request to a path below this place; a write has one key for all its attempts."""
        headers = dict(parts.pop("headers", {}))
        key = self._link.options.idempotency_key or (None if reads else uuid.uuid4().hex)
        if method == "POST" and key:
            headers["Idempotency-Key"] = key
        is_repeatable = method in ("GET", "POST") or (method == "PUT" and "If-Match" not in headers)
        place = {**self._place, **parts.pop("place", {})}
        return Request(method, fill_path(path, place), headers=headers, is_repeatable=is_repeatable, **parts)

    def _perform(self, call: Call[P, T], *arguments: P.args, **named: P.kwargs) -> Flow[T]:
        """Make a call within a flow."""
        return call.start(self, arguments, named)


class Call(Generic[P, T]):
    """One operation of the API as a method."""

    def __init__(
        self,
        method: str,
        path: str,
        function: Callable[Concatenate[Any, P], T],
        shapes: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}),
        reads: bool = False,
    ) -> None:
        self.method, self.path, self.shapes, self.reads = method, path, shapes, reads
        self.signature = inspect.signature(function)
        self.function = function
        self.__doc__ = function.__doc__

        @wraps(function)
        def invoke(scope: Scope[Any], *arguments: Any, **named: Any) -> Any:
            return scope._link.run(lambda: self.start(scope, arguments, named))

        self._invoke = invoke

    @overload
    def __get__(self, scope: None, owner: Any) -> Call[P, T]: ...
    @overload
    def __get__(self, scope: Scope[Blocking], owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, scope: Scope[Awaiting], owner: Any) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, scope: Scope[Any] | None, owner: Any) -> Any:
        return self if scope is None else MethodType(self._invoke, scope)

    @cached_property
    def answer(self) -> Any:
        """The type of the answer."""
        return typing.get_type_hints(self.function)["return"]

    def start(self, scope: Scope[Any], arguments: Any, named: Mapping[str, Any]) -> Flow[T]:
        """Return the flow of one call."""
        values = self.signature.bind(scope, *arguments, **named).arguments
        values.pop("self")
        return self.proceed(self.make_request(scope, values), scope._link.options)

    def proceed(self, request: Request, options: Options) -> Flow[T]:
        """Send a request and read the answer."""
        reply = yield from send_patiently(request, options.retries, options.timeout_s)
        answer: T = read_reply(reply, self.answer)
        return answer

    def make_request(self, scope: Scope[Any], values: Mapping[str, Any]) -> Request:
        """Return the request that these arguments make."""
        place, rest, headers = {}, {}, {}
        for name, value in values.items():
            sent_as = DOCUMENT_NAMES.get(name, name.rstrip("_"))
            if sent_as in self.places:
                place[sent_as] = value
            elif value is None:
                continue
            elif name == "if_match":
                headers["If-Match"] = value
            else:
                rest[sent_as] = self.shapes[name](value) if name in self.shapes else value
        if self.method in ("GET", "DELETE"):
            return scope._make_request(self.method, self.path, place=place, headers=headers, query=encode_query(rest))
        headers["Content-Type"] = "application/json"
        return scope._make_request(
            self.method, self.path, reads=self.reads, place=place, headers=headers, content=encode_body(rest)
        )

    @cached_property
    def places(self) -> frozenset[str]:
        """The names of what the address leaves open."""
        return frozenset(part[1:-1] for part in self.path.split("/") if part.startswith("{"))


class PagedCall(Generic[P, T]):
    """An operation that answers with pages: its method returns a listing."""

    def __init__(self, call: Call[P, Page[T]]) -> None:
        self.call = call
        self.__doc__ = call.__doc__

        @wraps(call.function)
        def invoke(scope: Scope[Any], *arguments: Any, **named: Any) -> Any:
            call.signature.bind(scope, *arguments, **named)  # complains now, not when the first page is read

            def fetch(cursor: str | None) -> Callable[[], Flow[Page[T]]]:
                return lambda: self.read_page(scope, cursor, arguments, named)

            return scope._link.list(fetch)

        self._invoke = invoke

    @overload
    def __get__(self, scope: None, owner: Any) -> PagedCall[P, T]: ...
    @overload
    def __get__(self, scope: Scope[Blocking], owner: Any) -> Callable[P, Listing[T]]: ...
    @overload
    def __get__(self, scope: Scope[Awaiting], owner: Any) -> Callable[P, AsyncListing[T]]: ...
    def __get__(self, scope: Scope[Any] | None, owner: Any) -> Any:
        return self if scope is None else MethodType(self._invoke, scope)

    def read_page(
        self, scope: Scope[Any], cursor: str | None, arguments: Any, named: Mapping[str, Any]
    ) -> Flow[Page[T]]:
        """Return the flow that reads the page after a cursor."""
        values = self.call.signature.bind(scope, *arguments, **named).arguments
        values.pop("self")
        return self.call.proceed(self.call.make_request(scope, {**values, "cursor": cursor}), scope._link.options)


class FlowMethod(Generic[P, T]):
    """A method that takes several steps, or uncommon ones."""

    def __init__(self, function: Callable[Concatenate[Any, P], Flow[T]], operation: tuple[str, str] | None) -> None:
        self.operation, self.function = operation, function
        self.__doc__ = function.__doc__

        @wraps(function)
        def invoke(scope: Scope[Any], *arguments: Any, **named: Any) -> Any:
            return scope._link.run(lambda: function(scope, *arguments, **named))

        self._invoke = invoke

    @overload
    def __get__(self, scope: None, owner: Any) -> FlowMethod[P, T]: ...
    @overload
    def __get__(self, scope: Scope[Blocking], owner: Any) -> Callable[P, T]: ...
    @overload
    def __get__(self, scope: Scope[Awaiting], owner: Any) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, scope: Scope[Any] | None, owner: Any) -> Any:
        return self if scope is None else MethodType(self._invoke, scope)


def call(
    method: str, path: str, *, shapes: Mapping[str, Callable[[Any], Any]] = MappingProxyType({}), reads: bool = False
) -> Callable[[Callable[Concatenate[Any, P], T]], Call[P, T]]:
    """Declare an operation. ``shapes`` gives an argument the form that the document wants; a POST that ``reads`` may be
    done twice and has no key of its own, which costs the platform a tenth of a context."""
    return lambda function: Call(method, path, function, shapes, reads)


def listing(path: str) -> Callable[[Callable[Concatenate[Any, P], Page[T]]], PagedCall[P, T]]:
    """Declare an operation that answers with pages."""
    return lambda function: PagedCall(Call("GET", path, function))


def flow(
    operation: tuple[str, str] | None = None,
) -> Callable[[Callable[Concatenate[Any, P], Flow[T]]], FlowMethod[P, T]]:
    """Declare a method of several steps, and the operation that only it reaches, if any."""
    return lambda function: FlowMethod(function, operation)


def read_reply(reply: httpx.Response, kind: Any) -> Any:
    """Return the answer of a reply, or raise the problem that it tells."""
    meta = read_meta(reply)
    if reply.is_success and kind in (None, type(None)):
        return None
    body = read_json(reply)
    if not reply.is_success:
        raise make_problem(reply.status_code, body if isinstance(body, dict) else {}, reply.headers)
    if not isinstance(body, dict):
        raise UnreadableAnswer(f"The answer of status {reply.status_code} is no JSON object. Is base_url right?")
    decode = find_decoder(kind)
    answer = body if decode is None else decode(body)
    attach_meta(answer, meta)
    return answer


def read_json(reply: httpx.Response) -> Any:
    """Return the JSON of a reply, or None if it has none."""
    try:
        return reply.json()
    except ValueError:
        return None


def read_meta(reply: httpx.Response) -> Meta:
    return Meta(
        status=reply.status_code,
        request_id=reply.headers.get("x-request-id"),
        etag=reply.headers.get("etag"),
        replayed=reply.headers.get("idempotent-replayed") == "true",
    )

"""The body of a request: JSON of a bounded size, refused before it is read where that is possible."""

from collections.abc import Mapping
from typing import IO, Any, cast

from django.http import HttpRequest
from gunicorn.http.errors import ParseException  # type: ignore[import-untyped]  # gunicorn has no types
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.json_guard import WHOLE_BODY, parse_json
from memory_platform.kernel.errors import FieldFault, InvalidInput, MemoryPlatformError


class PayloadTooLarge(MemoryPlatformError):
    """The body is larger than this operation allows. HTTP 413."""

    code = "payload_too_large"


class RequestTimeout(MemoryPlatformError):
    """The body comes too slowly. HTTP 408; the connection ends."""

    code = "request_timeout"
    retryable = True


class JsonParser(BaseParser):
    """Parses ``application/json``; the view's ``body_limit`` bounds it."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        value = self.value_of(self.read(stream, parser_context or {}))
        if not isinstance(value, dict):
            raise InvalidInput(faults=[FieldFault(WHOLE_BODY, "not_an_object", "The body must be one JSON object.")])
        return value

    def read(self, stream: Any, context: Mapping[str, Any]) -> bytes:
        """Return the body as it was sent. Raises as :func:`refuse_encoding` and :func:`read_body` do."""
        request: HttpRequest = context["request"]._request
        limit: int = getattr(context.get("view"), "body_limit", API_CONFIG.body_bytes)
        refuse_encoding(request)
        return read_body(request, open_body_stream(request, stream), limit)

    def value_of(self, body: bytes) -> Any:
        return parse_json(body)


def refuse_encoding(request: HttpRequest) -> None:
    """Raise UnsupportedMediaType for another charset than UTF-8, or for a compressed body, which may be a bomb."""
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding != "identity":
        raise UnsupportedMediaType(encoding[:40], detail="Content-Encoding is not supported: send the body as it is.")
    charset = (request.content_params or {}).get("charset", "utf-8").strip("\"'").lower()
    if charset not in {"utf-8", "utf8"}:
        raise UnsupportedMediaType(charset[:40], detail="The charset of the body must be UTF-8.")


def is_chunked(request: HttpRequest) -> bool:
    """Return whether the body comes in chunks and the server marks its end, as gunicorn does."""
    chunked = request.headers.get("Transfer-Encoding", "").strip().lower() == "chunked"
    return chunked and bool(request.META.get("wsgi.input_terminated"))


def open_body_stream(request: HttpRequest, stream: Any) -> IO[bytes]:
    """Return the stream of the body. Django takes a chunked body for an empty one, so that is read below it."""
    if is_chunked(request):
        stream = request.META["wsgi.input"]
    return cast(IO[bytes], stream)


def read_body(request: HttpRequest, stream: IO[bytes], limit: int) -> bytes:
    """Return the body, at most ``limit`` bytes. Raises PayloadTooLarge, before reading when the length is announced;
    RequestTimeout; InvalidInput when cut off."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdigit() and int(announced) > limit:
        raise PayloadTooLarge(f"The body must have at most {limit} bytes.")
    try:
        body = stream.read(limit + 1)
    except (OSError, ParseException) as error:  # Django wraps the first, gunicorn raises the second for broken chunks
        if isinstance(error, TimeoutError) or isinstance(error.__cause__, TimeoutError):
            pace = (
                f"The body must come within {API_CONFIG.body_s:g} s, with pauses of at most {API_CONFIG.pause_s:g} s."
            )
            raise RequestTimeout(pace) from None
        message = "The body ended before its announced length, or its chunks are malformed."
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, "incomplete", message)]) from None
    if len(body) > limit:
        raise PayloadTooLarge(f"The body must have at most {limit} bytes.")
    return body

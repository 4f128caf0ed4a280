"""The body of a call: the bytes that go on as they came, and the object that they hold."""

from dataclasses import dataclass
from typing import Any

import orjson

from memory_platform.api.requests.body_parsing import JsonParser, open_body_stream, read_body, refuse_encoding
from memory_platform.api.requests.json_guard import MALFORMED_JSON, WHOLE_BODY
from memory_platform.kernel.errors import FieldFault, InvalidInput


@dataclass(frozen=True, slots=True)
class CallBody:
    """``raw`` is sent on unchanged unless memory is put into ``values``."""

    raw: bytes
    values: dict[str, Any]


class CallBodyParser(JsonParser):
    """Parses JSON of any depth and size of strings: the endpoint decides which it accepts."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        context = parser_context or {}
        request = context["request"]._request
        refuse_encoding(request)
        raw = read_body(request, open_body_stream(request, stream), context["view"].body_limit)
        return parse_call_body(raw)


def parse_call_body(raw: bytes) -> CallBody:
    """Return the body. Raises InvalidInput for anything but one JSON object."""
    try:
        values = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, MALFORMED_JSON, "The body must be JSON in UTF-8.")]) from None
    if not isinstance(values, dict):
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, "not_an_object", "The body must be one JSON object.")])
    return CallBody(raw, values)

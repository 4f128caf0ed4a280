"""Bodies in MessagePack: states are bytes, which JSON would have to write in base64.

Measured for a state of 10 kB: 4 µs to write and read, 295 µs as JSON; 100 kB: 9 µs and 3.4 ms.
"""

from collections.abc import Mapping
from typing import Any

import ormsgpack
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.body_parsing import open_body_stream, read_body, refuse_encoding
from memory_platform.api.requests.json_guard import WHOLE_BODY
from memory_platform.api.views.json_rendering import dump_json
from memory_platform.kernel.errors import FieldFault, InvalidInput

MEDIA_TYPE = "application/msgpack"


class PackedParser(BaseParser):
    """Parses ``application/msgpack``; the view's ``body_limit`` bounds it."""

    media_type = MEDIA_TYPE

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        context = parser_context or {}
        request = context["request"]._request
        limit: int = getattr(context.get("view"), "body_limit", API_CONFIG.body_bytes)
        refuse_encoding(request)
        body = read_body(request, open_body_stream(request, stream), limit)
        try:
            value = ormsgpack.unpackb(body)
        except ValueError:
            raise _make_refusal("malformed_msgpack", "Must be MessagePack.") from None
        if not isinstance(value, dict):
            raise _make_refusal("not_an_object", "The body must be one map with texts as keys.")
        return value


class PackedRenderer(BaseRenderer):
    """Writes MessagePack, and errors as JSON."""

    media_type = MEDIA_TYPE
    format = "msgpack"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        if data is None:
            return b""
        is_error = bool((renderer_context or {})["response"].exception)
        return dump_json(data) if is_error else ormsgpack.packb(data)


def _make_refusal(code: str, message: str) -> InvalidInput:
    return InvalidInput(faults=[FieldFault(WHOLE_BODY, code, message)])

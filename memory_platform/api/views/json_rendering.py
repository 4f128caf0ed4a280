"""Writes answers as JSON, whatever ``Accept`` says."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

_OPTIONS = orjson.OPT_UTC_Z | orjson.OPT_NAIVE_UTC | orjson.OPT_SERIALIZE_NUMPY


def dump_json(data: Any) -> bytes:
    """Return ``data`` as JSON. Times in UTC end in Z; a type that JSON does not know is written as its ``str``."""
    return orjson.dumps(data, default=str, option=_OPTIONS)


class JsonRenderer(BaseRenderer):
    """Writes JSON, or nothing for an answer without a body."""

    media_type = "application/json"
    format = "json"
    charset = None
    render_style = "binary"

    def render(
        self, data: Any, accepted_media_type: str | None = None, renderer_context: Mapping[str, Any] | None = None
    ) -> bytes:
        return b"" if data is None else dump_json(data)


class AlwaysJson(BaseContentNegotiation):
    """Ignores ``Accept``: there is only one representation, and a 406 would help nobody."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser:
        kind = (request.content_type or "").split(";")[0].strip().lower()
        known = {parser.media_type: parser for parser in parsers}
        if kind not in known:
            raise UnsupportedMediaType(kind, detail=f"Send {' or '.join(map(str, known))} as the Content-Type.")
        return known[kind]

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)

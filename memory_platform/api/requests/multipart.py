"""A body of ``multipart/form-data`` with one file: refused as early as JSON is, and parsed into the same form."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.core.files.uploadhandler import MemoryFileUploadHandler, TemporaryFileUploadHandler
from django.http.multipartparser import MultiPartParser, MultiPartParserError
from django.utils.datastructures import MultiValueDict
from rest_framework.parsers import BaseParser

from memory_platform.api.config import API_CONFIG
from memory_platform.api.requests.body_parsing import open_body_stream, read_body, refuse_encoding
from memory_platform.api.requests.json_guard import WHOLE_BODY, parse_json, printable_key
from memory_platform.kernel.errors import FieldFault, InvalidInput

FORM = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class SentFile:
    """A file of a form. ``digest`` stands for the content where the request is compared with an earlier one."""

    name: str
    content_type: str
    digest: str
    _content: bytes = field(repr=False)

    @property
    def content(self) -> bytes:
        return self._content


class FormParser(BaseParser):
    """Parses ``multipart/form-data`` into a dictionary of texts and :class:`SentFile`; the view's ``body_limit`` bounds
    it. The field ``metadata`` is JSON."""

    media_type = FORM
    json_fields = frozenset({"metadata"})

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> dict[str, Any]:
        context: Mapping[str, Any] = parser_context or {}
        request = context["request"]._request
        limit: int = getattr(context.get("view"), "body_limit", API_CONFIG.body_bytes)
        refuse_encoding(request)
        body = read_body(request, open_body_stream(request, stream), limit)
        texts, files = _parse_form({**request.META, "CONTENT_LENGTH": len(body)}, body)
        values: dict[str, Any] = {name: self._read_text(name, _require_single_value(name, texts)) for name in texts}
        return values | {name: _make_sent_file(_require_single_value(name, files)) for name in files}

    def _read_text(self, name: str, text: str) -> Any:
        if name not in self.json_fields:
            return text
        try:
            return parse_json(text.encode())
        except InvalidInput:
            message = "Must be a JSON object in UTF-8."
            raise InvalidInput(faults=[FieldFault(name, "malformed_json", message)]) from None


def _parse_form(meta: Mapping[str, Any], body: bytes) -> "tuple[MultiValueDict[str, str], MultiValueDict[str, Any]]":
    handlers = [MemoryFileUploadHandler(), TemporaryFileUploadHandler()]
    try:
        return MultiPartParser(dict(meta), BytesIO(body), handlers, "utf-8").parse()
    except (MultiPartParserError, SuspiciousOperation, UnicodeError, ValueError):
        message = "Must be a form with a boundary, in UTF-8, with few fields and one file."
        raise InvalidInput(faults=[FieldFault(WHOLE_BODY, "malformed_form", message)]) from None


def _require_single_value(name: str, values: "MultiValueDict[str, Any]") -> Any:
    found = values.getlist(name)
    if len(found) > 1:
        raise InvalidInput(faults=[FieldFault(printable_key(name), "repeated", "Must be given once.")])
    return found[0]


def _make_sent_file(sent: Any) -> SentFile:
    content = sent.read()
    return SentFile(sent.name or "", sent.content_type or "", _digest(content), content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

"""Versions of single objects: ``ETag`` in answers, ``If-Match`` in requests."""

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from rest_framework.request import Request

from memory_platform.kernel.errors import FieldFault, InvalidInput, VersionMismatch

HEADER = "If-Match"
TAG = "ETag"
_ONE_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e]*)"')


def build_etag(object_id: UUID, version: int, part: str = "") -> str:
    """Return the entity tag of one version; ``part`` separates objects that share a row (subject and profile). It
    contains the row's own id, so that an object made again under an old name never matches old tags."""
    identity = hashlib.blake2s(object_id.bytes + part.encode(), digest_size=6).hexdigest()
    return f'"{identity}-{version}"'


def build_etag_header(row: Any) -> dict[str, str]:
    """Return the ``ETag`` header of a row with ``id`` and ``version``."""
    return {TAG: build_etag(row.id, row.version)}


@dataclass(frozen=True, slots=True)
class IfMatch:
    """The versions that the caller accepts; None accepts any."""

    tags: frozenset[str] | None

    @classmethod
    def from_request(cls, request: Request) -> Self:
        header = request.headers.get(HEADER)
        if header is None or header.strip() == "*":
            return cls(None)
        found = [_ONE_TAG.fullmatch(part.strip()) for part in header.split(",")]
        # A weak tag never matches: If-Match compares strongly (RFC 9110, 13.1.1).
        tags = frozenset(f'"{match[2]}"' for match in found if match is not None and not match[1])
        if any(match is None for match in found):
            raise InvalidInput(
                faults=[FieldFault(HEADER, "malformed", 'Must be * or a list of entity tags such as "a-1".')]
            )
        return cls(tags)

    def check(self, object_id: UUID, version: int, part: str = "") -> None:
        """Raise VersionMismatch when this version is not accepted. The row must be locked."""
        if self.tags is not None and build_etag(object_id, version, part) not in self.tags:
            raise VersionMismatch("The object has changed since it was read: read it again.")

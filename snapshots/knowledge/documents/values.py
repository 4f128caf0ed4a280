"""Inputs of documents, answers to writes, and the errors of documents and collections."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from memory_platform.kernel.errors import Conflict, NotFound, Refused
from snapshots.models import Document

# Checks a version that the caller has seen: takes the row's id and version, raises VersionMismatch.
VersionCheck = Callable[[UUID, int], object]


class DocumentVerdict(StrEnum):
    """The verdict on an upload."""

    STORED = "stored"
    UNCHANGED = "unchanged"
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class DocumentUpload:
    """One upload. ``title`` "" takes that of the content; ``collection`` is its external id, None for none."""

    content: bytes
    content_type: str
    title: str = ""
    source_url: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    collection: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """A document after a write. ``job_id`` is the job that processes it, or has done so."""

    document: Document
    verdict: DocumentVerdict
    job_id: UUID


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """Changes of a document without a new upload; None keeps a field, ``collection`` "" takes it out of its one."""

    title: str | None = None
    source_url: str | None = None
    metadata: Mapping[str, Any] | None = None
    collection: str | None = None


class DocumentUnknown(NotFound):
    """No document with this id. HTTP 404."""

    code = "document_unknown"

    def __init__(self) -> None:
        super().__init__("No document with this id.")


class CollectionUnknown(NotFound):
    """No collection with this id. HTTP 404."""

    code = "collection_unknown"

    def __init__(self) -> None:
        super().__init__("No collection with this id.")


class CollectionMissing(Refused):
    """A document names a collection that does not exist. It is not made on the way: without its access label it would
    be open to every search. HTTP 422."""

    code = "collection_missing"

    def __init__(self) -> None:
        super().__init__("There is no such collection. Create it with PUT /v1/collections/{collection_id} first.")


class CollectionNotEmpty(Conflict):
    """A collection with documents cannot be deleted. HTTP 409."""

    code = "collection_not_empty"

    def __init__(self) -> None:
        super().__init__("The collection has documents. Delete them, or move them to another collection, first.")

"""A tenant's documents and their collections."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_platform_client.answers.knowledge import (
    Collection,
    Document,
    DocumentSearch,
    DocumentText,
    DocumentWithChunks,
    Grounding,
    WrittenDocument,
)
from memory_platform_client.answers.vocabularies import DocumentStatus, PassageOrder
from memory_platform_client.call_declarations import Scope, Way, call, flow, listing, read_reply
from memory_platform_client.decoding import Page
from memory_platform_client.retries import Flow, send_patiently

DOCUMENTS = "/v1/documents"
DOCUMENT = f"{DOCUMENTS}/{{document_id}}"
COLLECTIONS = "/v1/collections"
COLLECTION = f"{COLLECTIONS}/{{collection_id}}"


class Documents(Scope[Way]):
    """Documents of the tenant, which searches find beside its memory."""

    @call("POST", f"{DOCUMENTS}/search", reads=True)
    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        collections: Sequence[str] | None = None,
        access_labels: Sequence[str] | None = None,
        filter: Mapping[str, Any] | None = None,
        order: PassageOrder | None = None,
        min_relevance: float | None = None,
        rerank: bool | None = None,
        rewrite: bool | None = None,
        explain: bool | None = None,
    ) -> DocumentSearch:
        """Find the passages of your documents that answer a question, each with its citation."""

    @call("POST", f"{DOCUMENTS}/ground", reads=True)
    def ground(
        self,
        text: str,
        *,
        collections: Sequence[str] | None = None,
        access_labels: Sequence[str] | None = None,
        document_ids: Sequence[str] | None = None,
        limit: int | None = None,
        judge: bool | None = None,
    ) -> Grounding:
        """Check each sentence of a text: whether your documents support it, by which passage, and what differs."""

    @listing(DOCUMENTS)
    def list(
        self, *, status: DocumentStatus | None = None, collection: str | None = None, limit: int | None = None
    ) -> Page[Document]:
        """List documents without their chunks, oldest first."""

    @call("GET", DOCUMENT)
    def get(self, document_id: str, *, limit: int | None = None, cursor: str | None = None) -> DocumentWithChunks:
        """Get a document with a page of its chunks."""

    @call("GET", f"{DOCUMENT}/text")
    def text(self, document_id: str, *, start: int | None = None, length: int | None = None) -> DocumentText:
        """Get the text of a document, in which citations count characters."""

    @call("PUT", DOCUMENT)
    def put(
        self,
        document_id: str,
        *,
        content: str,
        content_type: str,
        title: str | None = None,
        source_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        collection: str | None = None,
        if_match: str | None = None,
    ) -> WrittenDocument:
        """Upload a text, or a new version of it; ``jobs.wait`` waits until it is indexed."""

    @flow()
    def put_file(
        self,
        document_id: str,
        path: str | Path,
        *,
        content_type: str | None = None,
        title: str | None = None,
        source_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        collection: str | None = None,
    ) -> Flow[WrittenDocument]:
        """Upload a file, such as a PDF; ``jobs.wait`` waits until it is indexed."""
        texts = {
            "content_type": content_type,
            "title": title,
            "source_url": source_url,
            "metadata": None if metadata is None else json.dumps(dict(metadata), ensure_ascii=False),
            "collection": collection,
        }
        boundary = uuid.uuid4().hex
        content = encode_file_form(
            boundary, {name: text for name, text in texts.items() if text is not None}, Path(path)
        )
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        place = {"document_id": document_id}
        request = self._make_request("PUT", DOCUMENT, place=place, headers=headers, content=content)
        reply = yield from send_patiently(request, self._link.options.retries, self._link.options.timeout_s)
        written: WrittenDocument = read_reply(reply, WrittenDocument)
        return written

    @call("PATCH", DOCUMENT)
    def update(
        self,
        document_id: str,
        *,
        title: str | None = None,
        source_url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        collection: str | None = None,
        if_match: str | None = None,
    ) -> Document:
        """Change a document without a new content. Empty texts empty a field."""

    @call("POST", f"{DOCUMENT}/reindex")
    def reindex(self, document_id: str) -> WrittenDocument:
        """Read, cut and index a document anew."""

    @call("DELETE", DOCUMENT)
    def delete(self, document_id: str, *, if_match: str | None = None) -> None:
        """Delete a document. No search finds anything of it from now on."""


class Collections(Scope[Way]):
    """Collections of documents, and the labels that open them to a search."""

    @listing(COLLECTIONS)
    def list(self, *, limit: int | None = None) -> Page[Collection]:
        """List collections, oldest first."""

    @call("GET", COLLECTION)
    def get(self, collection_id: str) -> Collection:
        """Get a collection."""

    @call("PUT", COLLECTION)
    def put(self, collection_id: str, *, access_label: str | None = None) -> Collection:
        """Create a collection, or change its access label."""

    @call("DELETE", COLLECTION)
    def delete(self, collection_id: str) -> None:
        """Delete an empty collection."""


def encode_file_form(boundary: str, texts: Mapping[str, str], file: Path) -> bytes:
    """Return a form with a file. Its name stays here: only its ending tells the platform something."""
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in texts.items()
    ]
    heading = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file{file.suffix}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    return "".join([*parts, heading]).encode() + file.read_bytes() + f"\r\n--{boundary}--\r\n".encode()

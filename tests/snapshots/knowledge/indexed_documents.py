"""Documents put straight into the index, chunk by chunk, as the job that processes an upload does it."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from snapshots.embedding.embedding_spaces import Embedders
from snapshots.knowledge.index.chunk_index_writes import (
    find_part,
    prepare_index_rows,
    remove_from_index,
    store_index_rows,
)
from snapshots.knowledge.index.config import SIZES, IndexSizes
from snapshots.models import Chunk, Document, DocumentCollection
from tenants.isolation import tenant_tx


def store_indexed_document(  # noqa: PLR0913 -- each part of a document that a test varies
    tenant_id: UUID,
    name: str,
    texts: Sequence[str],
    *,
    title: str = "",
    collection: str | None = None,
    label: str = "",
    content_type: str = "text/markdown",
    metadata: Mapping[str, Any] | None = None,
    embedders: Embedders | None = None,
    sizes: IndexSizes = SIZES,
) -> list[UUID]:
    """Store one document whose chunks are ``texts``, and index them; return the chunks' ids."""
    with tenant_tx(tenant_id):
        held = collection and DocumentCollection.objects.get_or_create(
            external_id=collection, defaults={"access_label": label}
        )
        document = Document.objects.create(
            external_id=name,
            collection=held[0] if held else None,
            title=title,
            content_type=content_type,
            metadata=dict(metadata or {}),
            byte_count=sum(map(len, texts)),
            content_hash=hashlib.sha256("".join(texts).encode()).digest(),
        )
        chunks, start = [], 0
        for position, text in enumerate(texts):
            chunks.append(
                Chunk(
                    document=document,
                    position=position,
                    text=text,
                    place=title,
                    heading_path=[title] if title else [],
                    start=start,
                    end=start + len(text),
                    token_count=len(text) // 4,
                    content_hash=hashlib.sha256(text.encode()).digest(),
                )
            )
            start += len(text) + 1
    rows = prepare_index_rows([(one.id, one.place, one.text) for one in chunks], embedders=embedders)
    with tenant_tx(tenant_id):
        Chunk.objects.bulk_create(chunks, batch_size=500)
        store_index_rows(find_part(document.collection_id), rows, sizes)
    return [one.id for one in chunks]


def delete_indexed_document(tenant_id: UUID, name: str, sizes: IndexSizes = SIZES) -> None:
    """Delete a document as the API does: from the index first."""
    with tenant_tx(tenant_id):
        document = Document.objects.get(external_id=name)
        remove_from_index(list(Chunk.objects.filter(document=document).values_list("id", flat=True)), sizes)
        document.delete()

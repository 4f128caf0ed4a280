"""Cutting a document into chunks."""

import hashlib

from snapshots.knowledge.values import ChunkDraft, ParsedDocument


def cut_chunks(document: ParsedDocument, title: str) -> tuple[ChunkDraft, ...]:
    """Return the chunks of a document."""
    return tuple(
        ChunkDraft(
            n,
            b.text,
            title,
            (),
            b.page,
            b.start,
            b.end,
            len(b.text),
            hashlib.sha256((title + b.text).encode()).digest(),
        )
        for n, b in enumerate(document.blocks)
    )

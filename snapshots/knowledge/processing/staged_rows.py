"""Index rows that wait for the others of their document: embedded rows stay, though the worker's time ends.

They are kept by a hash of their contents, since a chunk gets its id anew in each attempt.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from uuid import UUID

import orjson

from snapshots.embedding.embedding_spaces import Embedders
from snapshots.knowledge.index.chunk_index_writes import IndexRow
from snapshots.models import Job, JobPart

# The place of a staged row's chunk, which has no id yet.
NO_CHUNK = UUID(int=0)


def stage_rows(job: Job, rows: Mapping[bytes, IndexRow]) -> None:
    """Keep index rows by the content hashes of their chunks, in the open scope; the job is locked."""
    lines = [
        [
            content_hash.hex(),
            b64encode(row.terms).decode(),
            row.embedder.name if row.embedder else None,
            b64encode(row.vector).decode() if row.vector else None,
        ]
        for content_hash, row in rows.items()
    ]
    number = JobPart.objects.filter(job=job).count()
    JobPart.objects.create(job=job, number=number, packed=zlib.compress(orjson.dumps(lines), level=1))


def load_staged_rows(job: Job, among: Embedders) -> dict[bytes, IndexRow]:
    """Return the rows that :func:`stage_rows` kept, in the open scope, without rows of models that are not ``among``
    those."""
    embedders = {one.name: one for one in among}
    found: dict[bytes, IndexRow] = {}
    for packed in JobPart.objects.filter(job=job).order_by("number").values_list("packed", flat=True):
        for content_hash, terms, name, vector in orjson.loads(zlib.decompress(bytes(packed))):
            if name is None or name in embedders:
                packed_vector = b64decode(vector) if vector else None
                row = IndexRow(NO_CHUNK, b64decode(terms), embedders.get(name or ""), packed_vector)
                found[bytes.fromhex(content_hash)] = row
    return found


def delete_staged_rows(job: Job) -> None:
    JobPart.objects.filter(job=job).delete()


def give_to_chunk(row: IndexRow, chunk_id: UUID) -> IndexRow:
    return replace(row, chunk_id=chunk_id)

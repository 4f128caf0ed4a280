"""How long an upload takes until it answers, and how much the index of documents takes on disk."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from django.db import connection

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.document_store import put_document
from snapshots.knowledge.documents.values import DocumentUpload
from snapshots.models import Chunk, Document, DocumentStatus
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

MEGABYTE = 1_000_000
INDEX_TABLES = ("document_chunk", "document_body", "indexed_chunk", "posting_block", "vector_cell")
SIZES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relname = ANY(%s) AND relkind = 'r' ORDER BY relname
"""


@dataclass(frozen=True, slots=True)
class IndexingTime:
    """Seconds from the upload until its chunks answer, and those of them in which this process computed."""

    language: str
    byte_count: int
    chunks: int
    seconds: float
    processor_seconds: float

    def render(self) -> str:
        megabytes = self.byte_count / MEGABYTE
        return (
            f"{self.language}: {megabytes:.1f} MB, {self.chunks:,} chunks in {self.seconds:.0f} s, "
            f"{self.processor_seconds:.0f} s of them computing; {megabytes / self.processor_seconds:.2f} MB a second"
        )


def read_markdown(folder: Path, byte_count: int) -> bytes:
    """Return so many bytes of the pages of ``folder``, one behind the other; from the beginning again if they end."""
    pages = b"\n\n".join(path.read_bytes() for path in sorted(folder.glob("*.md")))
    text = (pages * (byte_count // max(len(pages), 1) + 1))[:byte_count]
    return text.decode(errors="ignore").encode()


def measure_indexing(tenant_id: UUID, language: str, content: bytes) -> IndexingTime:
    """Upload one Markdown document and let this process do its job. Raises RuntimeError if that fails."""
    began, computing = time.perf_counter(), time.process_time()
    name = f"bench-{language}-{len(content)}"
    with tenant_tx(tenant_id):
        put_document(name, DocumentUpload(content, "text/markdown"), by=COMMAND_LINE, accept=lambda *_: None)
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    seconds, processor_seconds = time.perf_counter() - began, time.process_time() - computing
    with tenant_tx(tenant_id):
        document = Document.objects.get(external_id=name)
        if document.status != DocumentStatus.READY:
            raise RuntimeError(f"{language}: {document.error_code or 'the job did not end'}")
        chunks = Chunk.objects.filter(document=document).count()
    return IndexingTime(language, len(content), chunks, seconds, processor_seconds)


def list_index_sizes() -> Iterator[str]:
    """Yield a line for each table of documents: its megabytes with indexes, of all tenants together."""
    with connection.cursor() as cursor:
        cursor.execute(SIZES, [list(INDEX_TABLES)])
        for table, size in cursor.fetchall():
            yield f"{table}: {size / MEGABYTE:,.0f} MB"

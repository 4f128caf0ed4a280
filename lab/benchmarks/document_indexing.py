"""How long an upload takes until it answers, and how much the index of documents takes on disk."""

import re
import resource
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psutil
from django.db import connection

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.document_store import put_document
from snapshots.knowledge.documents.values import DocumentUpload
from snapshots.models import Chunk, Document, DocumentStatus
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE

MEGABYTE = 1_000_000
_HEADING = re.compile(r"^(#{1,6} .*)$", re.MULTILINE)
INDEX_TABLES = ("document_chunk", "document_body", "indexed_chunk", "posting_block", "vector_cell")
SIZES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relname = ANY(%s) AND relkind = 'r' ORDER BY relname
"""


@dataclass(frozen=True, slots=True)
class IndexingTime:
    """Seconds from the upload until its chunks answer, and seconds of a processor: in this process, in the process that
    reads the document, and in Postgres."""

    language: str
    byte_count: int
    chunks: int
    seconds: float
    own_s: float
    reader_s: float
    server_s: float

    def render(self) -> str:
        megabytes = self.byte_count / MEGABYTE
        each = (self.own_s + self.reader_s + self.server_s) / megabytes
        spent = f"{self.own_s:.1f} s here, {self.reader_s:.1f} s reading, {self.server_s:.1f} s in Postgres"
        return (
            f"{self.language}: {megabytes:.1f} MB, {self.chunks:,} chunks in {self.seconds:.0f} s; "
            f"processor {spent}: {each:.2f} s a MB"
        )


def read_markdown(folder: Path, byte_count: int) -> bytes:
    """Return so many bytes of the pages of ``folder``, one behind the other; from the beginning again if they end, with
    other headings: of equal chunks only one is embedded."""
    pages = "\n\n".join(path.read_text(errors="ignore") for path in sorted(folder.glob("*.md")))
    passes, size = [pages], len(pages.encode())
    while pages and size < byte_count:
        passes.append(_HEADING.sub(rf"\1 ({len(passes)})", pages))
        size += len(passes[-1].encode())
    return "\n\n".join(passes).encode()[:byte_count].decode(errors="ignore").encode()


def measure_indexing(tenant_id: UUID, language: str, content: bytes) -> IndexingTime:
    """Upload one Markdown document and let this process do its job. Raises RuntimeError if that fails."""
    connection.ensure_connection()
    server = psutil.Process(connection.connection.info.backend_pid)
    began, before = time.perf_counter(), _read_processor_times(server)
    name = f"bench-{language}-{len(content)}"
    with tenant_tx(tenant_id):
        put_document(name, DocumentUpload(content, "text/markdown"), by=COMMAND_LINE, accept=lambda *_: None)
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    seconds = time.perf_counter() - began
    own, reader, served = (now - then for now, then in zip(_read_processor_times(server), before, strict=True))
    with tenant_tx(tenant_id):
        document = Document.objects.get(external_id=name)
        if document.status != DocumentStatus.READY:
            raise RuntimeError(f"{language}: {document.error_code or 'the job did not end'}")
        chunks = Chunk.objects.filter(document=document).count()
    return IndexingTime(language, len(content), chunks, seconds, own, reader, served)


def _read_processor_times(server: psutil.Process) -> tuple[float, float, float]:
    """Return the processor's seconds of this process, of those that it waited for, and of ``server``."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time(), ended.ru_utime + ended.ru_stime, sum(server.cpu_times()[:2])


def list_index_sizes() -> Iterator[str]:
    """Yield a line for each table of documents: its megabytes with indexes, of all tenants together."""
    with connection.cursor() as cursor:
        cursor.execute(SIZES, [list(INDEX_TABLES)])
        for table, size in cursor.fetchall():
            yield f"{table}: {size / MEGABYTE:,.0f} MB"

"""Uploads that meet under one id make one document. Rows: K1."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.db import connection

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.document_store import put_document
from snapshots.knowledge.documents.values import DocumentUpload
from snapshots.models import Chunk, Document, DocumentBody
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World

CLIENTS = 4


def test_first_uploads_of_one_id_at_once_make_one_document(world: World) -> None:
    tenant_id, start = world.acme.tenant.id, Barrier(CLIENTS)

    def upload(number: int) -> str:
        try:
            start.wait(timeout=30)
            with tenant_tx(tenant_id):
                sent = DocumentUpload(f"Tea number {number}. 第{number}种茶。".encode(), "text/plain")
                return put_document("tea", sent, by=COMMAND_LINE, accept=lambda *_: None).verdict
        finally:
            connection.close()

    with ThreadPoolExecutor(CLIENTS) as pool:
        verdicts = sorted(pool.map(upload, range(CLIENTS)))
    assert verdicts == ["replaced"] * (CLIENTS - 1) + ["stored"]
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    with tenant_tx(tenant_id):
        document = Document.objects.get()
        assert (document.status, document.indexed_upload) == ("ready", document.upload)
        assert Chunk.objects.get().text == bytes(DocumentBody.objects.get().upload).decode()

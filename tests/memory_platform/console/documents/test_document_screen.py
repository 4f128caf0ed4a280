"""Staff see what became of each document, where its chunks stand, and index or delete one. Rows: K1, D2."""

import pytest

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.collections import put_collection
from snapshots.knowledge.documents.document_store import put_document
from snapshots.knowledge.documents.values import DocumentUpload
from snapshots.models import Chunk, Document, DocumentCollection, Job
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff

LIST = "/console/snapshots/document/"
JOBS = "/console/snapshots/job/"
COLLECTIONS = "/console/snapshots/documentcollection/"
GUIDE = "# Tea <b>guide</b>\n\nGreen tea brews at 80 degrees.\n\n绿茶用八十度的水冲泡。"


def upload(world: World, content: str = GUIDE, document_id: str = "tea") -> Document:
    """Upload a document of acme and let a worker do the job."""
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        sent = DocumentUpload(content.encode(), "text/markdown")
        put_document(document_id, sent, by=COMMAND_LINE, accept=lambda *_: None)
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    with tenant_tx(tenant_id):
        return Document.objects.get(external_id=document_id)


def test_the_list_says_what_became_of_each_and_what_to_do(world: World, staff: Staff) -> None:
    upload(world)
    upload(world, "  \n ", "empty")
    page = staff.sam.get(LIST).content.decode()
    assert "ready" in page and "failed" in page and "Upload the file again" in page
    only = staff.sam.get(LIST, {"status": "failed"}).content.decode()
    assert "empty" in only and "Tea &lt;b&gt;" not in only
    assert "/v1/documents/" in page
    chinese = staff.sam.get(LIST, headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "文档没有内容" in chinese and "就绪" in chinese and "待处理" not in chinese


def test_the_job_of_a_document_says_how_far_it_came_and_what_to_do(world: World, staff: Staff) -> None:
    done, failed = upload(world), upload(world, "  \n ", "empty")
    assert done.job_id and failed.job_id
    page = staff.sam.get(f"{JOBS}{done.job_id}/change/").content.decode()
    assert "rocessing of a document" in page and "succeeded" in page
    assert f'<bdi>embedded</bdi></th><td class="number">{done.chunk_count}</td>' in page
    page = staff.sam.get(f"{JOBS}{failed.job_id}/change/").content.decode()
    assert "document_empty" in page and "Upload the file again" in page
    chinese = staff.sam.get(f"{JOBS}{failed.job_id}/change/", headers={"Accept-Language": "zh-hans"}).content.decode()
    assert "文档没有内容" in chinese and "怎么办" in chinese
    assert f"{JOBS}{done.job_id}/change/" in staff.sam.get(f"{LIST}{done.pk}/change/").content.decode()
    assert staff.gus.get(f"{JOBS}{done.job_id}/change/").status_code in {403, 404}


def test_a_collection_counts_and_names_its_documents(world: World, staff: Staff) -> None:
    document = upload(world)
    with tenant_tx(world.acme.tenant.id):
        collection = DocumentCollection.objects.create(external_id="shop", access_label="staff")
        Document.objects.filter(pk=document.pk).update(collection=collection)
    shown = staff.sam.get(f"{COLLECTIONS}{collection.pk}/change/").content.decode()
    assert f"{LIST}{document.pk}/change/" in shown and "1 document<" in shown and "staff" in shown
    assert ">1<" in staff.sam.get(COLLECTIONS).content.decode()
    assert staff.gus.get(f"{COLLECTIONS}{collection.pk}/change/").status_code in {403, 404}


def test_a_chunk_is_marked_where_it_stands(world: World, staff: Staff) -> None:
    document = upload(world)
    page = staff.sam.get(f"{LIST}{document.pk}/change/").content.decode()
    assert f"{LIST}{document.pk}/chunks/0/" in page and "<b>guide" not in page
    with tenant_tx(world.acme.tenant.id):
        last = Chunk.objects.latest("position").position
    shown = staff.sam.get(f"{LIST}{document.pk}/chunks/{last}/").content.decode()
    marked = shown.split("<mark>")[1].split("</mark>")[0]
    assert "八十度" in marked and "<b>" not in marked
    for nowhere in ("chunks/999/", "chunks/99999999999999999999/"):
        assert staff.sam.get(f"{LIST}{document.pk}/{nowhere}").status_code == 404


def test_support_indexes_again_and_deletes_with_a_reason(world: World, staff: Staff) -> None:
    document = upload(world)
    page = f"{LIST}{document.pk}"
    assert "give a reason" in staff.sam.post(f"{page}/reindex/", {"reason": ""}, follow=True).content.decode()
    assert staff.sam.post(f"{page}/reindex/", {"reason": "new model"}).status_code == 302
    with tenant_tx(world.acme.tenant.id):
        assert Job.objects.filter(kind="document", status="queued", params__anew=True).count() == 1
    assert staff.sam.post(f"{page}/remove/", {"reason": "old"}, follow=True).status_code == 200
    with tenant_tx(world.acme.tenant.id):
        assert not Document.objects.exists() and not Chunk.objects.exists()
        acts = set(AuditRecord.objects.filter(actor_kind="staff").values_list("action", "reason"))
    assert {("document.reindexed", "new model"), ("document.deleted", "old")} <= acts


def test_support_indexes_a_whole_collection_again_and_sees_how_far_it_is(world: World, staff: Staff) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        collection = put_collection("hand<b>book", access_label="", by=COMMAND_LINE)[0]
        for name, content in (("one", GUIDE), ("two", " ")):
            sent = DocumentUpload(content.encode(), "text/markdown", collection="hand<b>book")
            put_document(name, sent, by=COMMAND_LINE, accept=lambda *_: None)
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    page = f"/console/snapshots/documentcollection/{collection.pk}/"
    shown = staff.sam.get(f"{page}change/").content.decode()
    assert "ready: 1" in shown and "failed: 1" in shown and "hand<b>" not in shown
    assert staff.vic.post(f"{page}reindex/", {"reason": "new model"}).status_code == 403
    assert "2 documents are being" in staff.sam.post(f"{page}reindex/", {"reason": "new"}, follow=True).content.decode()
    assert "being processed: 2" in staff.sam.get(f"{page}change/").content.decode()
    with tenant_tx(tenant_id):
        assert Job.objects.filter(kind="document", status="queued", params__anew=True).count() == 2
        assert AuditRecord.objects.filter(action="document_collection.reindexed", reason="new").count() == 1
    assert staff.gus.post(f"{page}reindex/", {"reason": "x"}).status_code in {403, 404}


@pytest.mark.parametrize("verb", ["change", "reindex", "remove", "chunks/0"])
def test_staff_of_another_tenant_find_nothing(world: World, staff: Staff, verb: str) -> None:
    document = upload(world)
    answer = staff.gus.get(f"{LIST}{document.pk}/{verb}/")
    assert answer.status_code in {403, 404}
    assert "Tea" not in answer.content.decode()

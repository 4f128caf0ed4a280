"""Documents are uploaded, listed, changed and deleted by the product's ids. Rows: K1, X6."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from snapshots.jobs import ASKED
from snapshots.models import Chunk, Document, DocumentBody
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.quotas import forget_counts, set_limits
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.erasure.everywhere import redis_holds, tables_with
from tests.snapshots.held import remember

GUIDE = "# Tea guide\n\nGreen tea brews at 80 degrees.\n\n绿茶用八十度的水冲泡。"
SENCHA = "# Sencha\n\nGreen tea is steeped for forty-nine seconds. 煎茶泡四十九秒。"
IN_SENCHA = ("sencha", "煎茶", "forty-nine")
TEA = "/v1/documents/tea"


def upload(caller: Caller, path: str = TEA, content: str = GUIDE, **more: Any) -> dict[str, Any]:
    """Upload Markdown; return the answer."""
    answer = caller("PUT", path, {"content": content, "content_type": "text/markdown", **more})
    assert answer.status_code == 202, answer.content
    return body_of(answer)


def upload_file(caller: Caller, content: bytes, name: str = "tea.md", **fields: str) -> Any:
    """Upload a file of a form; return the response."""
    form = {"file": SimpleUploadedFile(name, content, "application/octet-stream"), **fields}
    return caller("PUT", TEA, encode_multipart(BOUNDARY, form), Content_Type=MULTIPART_CONTENT)


def process_all(world: World) -> None:
    """Let a worker do all jobs of acme."""
    run_due_jobs(world.acme.tenant.id, ASKED, may_go_on=lambda: True)


def test_an_upload_is_processed_and_answers_with_its_chunks(acme: Caller, world: World) -> None:
    stored = upload(acme, source_url="https://tea.example/guide", metadata={"kind": "guide"})
    assert (stored["verdict"], stored["status"], stored["chunk_count"]) == ("stored", "processing", 0)
    job = f"/v1/jobs/{stored['job_id']}"
    assert body_of(acme("GET", job))["status"] == "queued"
    process_all(world)
    assert body_of(acme("GET", job))["result"]["outcome"] == "indexed"
    found = body_of(acme("GET", TEA))
    assert (found["status"], found["title"], found["error"]) == ("ready", "Tea guide", None)
    assert (found["source_url"], found["metadata"]) == ("https://tea.example/guide", {"kind": "guide"})
    assert "八十度" in "".join(chunk["text"] for chunk in found["chunks"])
    assert found["next_cursor"] is None


def test_chunks_come_in_pages(acme: Caller, world: World) -> None:
    upload(acme, content="\n\n".join(f"# Part {n}\n\n{'Tea is brewed with care. ' * 150}" for n in range(5)))
    process_all(world)
    first = body_of(acme("GET", f"{TEA}?limit=2"))
    rest = body_of(acme("GET", f"{TEA}?limit=200&cursor={first['next_cursor']}"))
    positions = [chunk["position"] for chunk in (*first["chunks"], *rest["chunks"])]
    assert positions == list(range(first["chunk_count"])) and len(positions) > 4


def test_the_same_upload_again_changes_nothing(acme: Caller, world: World) -> None:
    first = upload(acme)
    assert upload(acme) | {"verdict": "stored"} == first
    process_all(world)
    etag = acme("GET", TEA)["ETag"]
    again = upload(acme)
    assert (again["verdict"], again["status"], again["job_id"]) == ("unchanged", "ready", first["job_id"])
    assert acme("GET", TEA)["ETag"] == etag
    process_all(world)
    assert upload(acme, content="Black tea.")["verdict"] == "replaced"


def test_a_job_that_was_purged_is_promised_again(acme: Caller, world: World) -> None:
    first = upload(acme)
    process_all(world)
    with tenant_tx(world.acme.tenant.id):
        Document.objects.get().job.delete()
    again = upload(acme)
    assert again["job_id"] != first["job_id"]
    assert body_of(acme("GET", f"/v1/jobs/{again['job_id']}"))["status"] == "succeeded"


def test_metadata_alone_is_replaced_without_a_job(acme: Caller, world: World) -> None:
    first = upload(acme)
    process_all(world)
    again = upload(acme, metadata={"year": 2026})
    assert (again["verdict"], again["status"], again["job_id"]) == ("replaced", "ready", first["job_id"])


def test_a_file_of_a_form_is_stored_too(acme: Caller, world: World) -> None:
    answer = upload_file(acme, GUIDE.encode(), title="茶", metadata='{"kind": "guide"}')
    stored = body_of(answer)
    assert (answer.status_code, stored["content_type"], stored["title"]) == (202, "text/markdown", "茶")
    assert stored["metadata"] == {"kind": "guide"}
    assert upload(acme, title="茶", metadata={"kind": "guide"})["verdict"] == "unchanged"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"--x\r\nContent-Disposition: form-data; name=file\r\n", "file"),
        (b"\x00" * 50, "file"),
        (b'--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n[1\r\n--x--\r\n', "metadata"),
        (b'--x\r\nContent-Disposition: form-data; name="tenant_id"\r\n\r\na\r\n--x--\r\n', "tenant_id"),
        (b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\na\r\n--x--\r\n', "file"),
        (b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\na\r\n' * 2 + b"--x--\r\n", "a"),
        (b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\na\r\n' * 3000 + b"--x--\r\n", "body"),
    ],
    ids=["cut off", "NUL", "no JSON", "unknown field", "no file", "twice", "thousands"],
)
def test_a_malformed_form_is_400(acme: Caller, body: bytes, field: str) -> None:
    answer = acme("PUT", TEA, body, Content_Type="multipart/form-data; boundary=x")
    assert fields_of(problem_of(answer, 400)) >= {field}


def test_a_form_without_a_boundary_is_400(acme: Caller) -> None:
    problem_of(acme("PUT", TEA, b"a=b", Content_Type="multipart/form-data"), 400)


def test_an_upload_over_the_limit_is_refused(acme: Caller) -> None:
    problem_of(upload_file(acme, b"x" * (41 * 1024**2)), 413)
    assert "file" in fields_of(problem_of(upload_file(acme, b"x" * (33 * 1024**2)), 400))


def test_a_tenant_keeps_within_its_limits(acme: Caller, world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        set_limits({"stored_documents": 1, "document_bytes": 100, "stored_chunks": 0}, by=COMMAND_LINE)
    forget_counts()
    stored = upload(acme, content="Tea.")
    refused = acme("PUT", "/v1/documents/coffee", {"content": "Coffee.", "content_type": "text/plain"})
    assert problem_of(refused, 429)["limit"]["name"] == "stored_documents"
    refused = acme("PUT", TEA, {"content": "茶" * 50, "content_type": "text/plain"})
    assert problem_of(refused, 429)["limit"]["name"] == "document_bytes"
    process_all(world)
    job = body_of(acme("GET", f"/v1/jobs/{stored['job_id']}"))
    assert (job["status"], job["error"]["code"]) == ("dead", "quota_exceeded")
    assert body_of(acme("GET", TEA))["error"]["detail"].startswith("The limit stored_chunks of 0 is reached")


def test_a_failure_says_what_to_do_and_the_version_before_answers(acme: Caller, world: World) -> None:
    upload(acme)
    process_all(world)
    before = body_of(acme("GET", TEA))
    failed = upload(acme, content="   \n\n  ")
    process_all(world)
    job = body_of(acme("GET", f"/v1/jobs/{failed['job_id']}"))
    assert (job["status"], job["error"]["code"], job["attempts"]) == ("dead", "document_empty", 1)
    assert job["error"]["detail"] == "The document has no content. Upload the file again."
    after = body_of(acme("GET", TEA))
    assert (after["status"], after["error"]["code"]) == ("failed", "document_empty")
    assert after["chunks"] == before["chunks"] and after["indexed_at"] == before["indexed_at"]
    assert [one["document_id"] for one in body_of(acme("GET", "/v1/documents?status=failed"))["data"]] == ["tea"]
    assert upload(acme, content="   \n\n  ")["status"] == "processing", "an upload again tries again"
    assert upload(acme)["verdict"] == "replaced"
    process_all(world)
    assert body_of(acme("GET", TEA))["status"] == "ready"


def test_a_document_is_changed_only_in_the_version_that_was_seen(acme: Caller, world: World) -> None:
    problem_of(acme("PUT", TEA, {"content": "a", "content_type": "text/plain"}, If_Match='"a-1"'), 412)
    upload(acme)
    tag = acme("GET", TEA)["ETag"]
    edited = acme("PATCH", TEA, {"title": "Teas", "source_url": "https://tea.example"}, If_Match=tag)
    assert (edited.status_code, body_of(edited)["title"]) == (200, "Teas")
    for method, body in [("PATCH", {"title": "x"}), ("DELETE", None), ("PUT", {"content": "x", "content_type": "x"})]:
        problem_of(acme(method, TEA, body, If_Match=tag), 412)
    process_all(world)
    with tenant_tx(world.acme.tenant.id):
        assert Chunk.objects.exclude(place__startswith="Teas").count() == 0, "the title goes into what is indexed"


def test_collections_open_by_their_labels_and_keep_their_documents(acme: Caller) -> None:
    refused = acme("PUT", TEA, {"content": "x", "content_type": "text/plain", "collection": "hr"})
    assert problem_of(refused, 422)["code"] == "collection_missing"
    made = acme("PUT", "/v1/collections/hr", {"access_label": "staff"})
    assert (made.status_code, body_of(made)["access_label"]) == (201, "staff")
    assert acme("PUT", "/v1/collections/hr", {}).status_code == 200
    assert body_of(acme("GET", "/v1/collections/hr"))["access_label"] is None
    assert upload(acme, collection="hr")["collection"] == "hr"
    assert problem_of(acme("DELETE", "/v1/collections/hr"), 409)["code"] == "collection_not_empty"
    assert [one["document_id"] for one in body_of(acme("GET", "/v1/documents?collection=hr"))["data"]] == ["tea"]
    assert body_of(acme("PATCH", TEA, {"collection": ""}))["collection"] is None
    assert acme("DELETE", "/v1/collections/hr").status_code == 204
    problem_of(acme("GET", "/v1/collections/hr"), 404)


def test_a_deletion_leaves_nothing_and_is_recorded(acme: Caller, world: World) -> None:
    upload(acme)
    process_all(world)
    assert acme("DELETE", TEA).status_code == 204
    problem_of(acme("GET", TEA), 404)
    problem_of(acme("DELETE", TEA), 404)
    with tenant_tx(world.acme.tenant.id):
        assert (Document.objects.count(), DocumentBody.objects.count(), Chunk.objects.count()) == (0, 0, 0)
        actions = list(
            AuditRecord.objects.filter(object_kind="document").order_by("id").values_list("action", flat=True)
        )
    assert actions == ["document.stored", "document.deleted"]


def test_a_deleted_document_is_told_in_no_table_and_no_kept_answer(acme: Caller, world: World) -> None:
    oolong = "/v1/documents/乌龙"
    remember(world.acme, "I like tea")
    sent = {"content": SENCHA, "content_type": "text/markdown"}
    for number, title in enumerate(("Sencha, first words", "煎茶指南")):
        acme("PUT", TEA, {**sent, "title": title}, Idempotency_Key=f"put-{number}")
    acme("PUT", oolong, {**sent, "content": GUIDE, "metadata": {"document": "乌龙"}}, Idempotency_Key="put")
    process_all(world)
    acme("POST", f"{TEA}/reindex", {}, Idempotency_Key="again")
    process_all(world)
    asked = {"query": "How long is green tea steeped?", "include": ["knowledge"]}
    for subject in ("ada", "nobody"):
        made = acme("POST", f"/v1/subjects/{subject}/context", asked, Idempotency_Key="asked")
        assert "forty-nine" in str(body_of(made)["messages"])
    assert tables_with(*IN_SENCHA)["idempotent_reply"] == 5

    assert acme("DELETE", TEA).status_code == 204
    assert tables_with(*IN_SENCHA) == {}
    assert redis_holds(*IN_SENCHA) == []
    again = acme("PUT", oolong, {**sent, "content": GUIDE, "metadata": {"document": "乌龙"}}, Idempotency_Key="put")
    assert again["Idempotent-Replayed"] == "true"


def test_another_tenant_finds_nothing_under_the_same_id(acme: Caller, globex: Caller, world: World) -> None:
    upload(acme)
    process_all(world)
    theirs, nobodys = (problem_of(globex("GET", path), 404) for path in (TEA, "/v1/documents/none"))
    assert {**theirs, "request_id": ""} == {**nobodys, "request_id": ""}
    assert body_of(globex("GET", "/v1/documents"))["data"] == []
    assert upload(globex, content="Gil's own tea")["verdict"] == "stored"
    assert globex("DELETE", TEA).status_code == 204
    assert body_of(acme("GET", TEA))["status"] == "ready"


def test_a_reindexing_is_repeated_safely(acme: Caller, world: World) -> None:
    upload(acme)
    process_all(world)
    first = acme("POST", f"{TEA}/reindex", {}, Idempotency_Key="k")
    again = acme("POST", f"{TEA}/reindex", {}, Idempotency_Key="k")
    assert first.status_code == again.status_code == 202
    assert body_of(first)["job_id"] == body_of(again)["job_id"]
    process_all(world)
    result = body_of(acme("GET", f"/v1/jobs/{body_of(first)['job_id']}"))["result"]
    assert result["embedded"] == result["chunks"] == result["removed"] > 0

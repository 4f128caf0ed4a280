"""The job of an upload embeds only what changed; the old version answers until the new one is whole. Rows: K1."""

import re
from dataclasses import replace
from uuid import UUID

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db.models.functions import Now

from snapshots.config import JOB_CONFIG
from snapshots.jobs import ASKED
from snapshots.knowledge.documents.config import DOCUMENT_CONFIG
from snapshots.knowledge.documents.document_store import (
    delete_document,
    edit_document,
    put_document,
    reindex_document,
)
from snapshots.knowledge.documents.selectors import load_text
from snapshots.knowledge.documents.values import DocumentEdit, DocumentUpload
from snapshots.knowledge.index.chunk_index_writes import prepare_index_rows
from snapshots.knowledge.processing import pipeline
from snapshots.models import Chunk, Document, Job, JobPart
from snapshots.queue.requested_jobs import claim_job, run_due_jobs, run_job
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tests.conftest import World

PARTS = [f"# Part {n}\n\n{f'Tea number {n} is brewed at {60 + n} degrees. 第{n}种茶。' * 30}" for n in range(8)]


@pytest.fixture
def tenant_id(world: World) -> UUID:
    return world.acme.tenant.id


def upload_text(tenant_id: UUID, content: str, name: str = "tea") -> None:
    """Upload Markdown under one id."""
    sent = DocumentUpload(content.encode(), "text/markdown", title="Teas")
    with tenant_tx(tenant_id):
        put_document(name, sent, by=COMMAND_LINE, accept=lambda *_: None)


def run(tenant_id: UUID) -> dict[str, int]:
    """Do all due jobs; return what the newest made."""
    run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
    with tenant_tx(tenant_id):
        return dict(Job.objects.latest("created_at").result)


def chunks(tenant_id: UUID) -> list[tuple[UUID, str]]:
    with tenant_tx(tenant_id):
        return list(Chunk.objects.order_by("position").values_list("id", "text"))


def find_numbers(tenant_id: UUID) -> set[str]:
    """Return which parts the chunks are of."""
    return {
        f"number {number}" for number in re.findall(r"Tea number (\d)", " ".join(text for _, text in chunks(tenant_id)))
    }


def test_one_changed_paragraph_embeds_few_chunks_and_an_unchanged_upload_none(tenant_id: UUID) -> None:
    upload_text(tenant_id, "\n\n".join(PARTS))
    first = run(tenant_id)
    assert first["embedded"] == first["chunks"] >= 8
    before = chunks(tenant_id)
    changed = [*PARTS[:3], PARTS[3].replace("63 degrees", "75 degrees", 1), *PARTS[4:]]
    upload_text(tenant_id, "\n\n".join(changed))
    second = run(tenant_id)
    assert 1 <= second["embedded"] <= 3
    assert len(set(before) & set(chunks(tenant_id))) == second["chunks"] - second["embedded"]
    upload_text(tenant_id, "\n\n".join([PARTS[7], *changed[:7]]))
    assert run(tenant_id)["embedded"] <= 2, "what moves keeps its vectors"
    upload_text(tenant_id, "\n\n".join([PARTS[7], *changed[:7]]) + "\n")
    assert run(tenant_id)["embedded"] == 0


def test_positions_and_spans_follow_what_moves(tenant_id: UUID) -> None:
    upload_text(tenant_id, "\n\n".join(PARTS))
    run(tenant_id)
    upload_text(tenant_id, "\n\n".join(["# New\n\nA new beginning. 新的开头。", *PARTS]))
    run(tenant_id)
    with tenant_tx(tenant_id):
        document = Document.objects.get()
        found = list(Chunk.objects.order_by("position"))
        text = load_text(document)
    assert [one.position for one in found] == list(range(len(found)))
    assert all(one.text.split("\n")[-1] in text[one.start : one.end] for one in found)


def test_repeated_paragraphs_keep_as_many_rows_as_there_are(tenant_id: UUID) -> None:
    upload_text(tenant_id, "\n\n".join([PARTS[0], PARTS[1], PARTS[0], PARTS[2], PARTS[0]]))
    first = run(tenant_id)
    upload_text(tenant_id, "\n\n".join([PARTS[0], PARTS[1], PARTS[0], PARTS[2]]))
    second = run(tenant_id)
    assert second["embedded"] == 0 and second["removed"] == first["chunks"] - second["chunks"] > 0
    assert len(chunks(tenant_id)) == second["chunks"]


def test_the_newer_upload_wins_whichever_job_ends_first(tenant_id: UUID) -> None:
    upload_text(tenant_id, PARTS[0])
    with tenant_tx(tenant_id):
        old = claim_job()
    assert old is not None
    upload_text(tenant_id, PARTS[1])
    run(tenant_id)
    run_job(tenant_id, old, pipeline.process_document)
    assert {"number 1"} == find_numbers(tenant_id)
    with tenant_tx(tenant_id):
        old.refresh_from_db()
        assert old.result == {"outcome": "replaced_meanwhile"}
        assert Document.objects.get().status == "ready"


@pytest.mark.parametrize("meanwhile", ["replaced", "deleted", "reindexed"])
def test_what_happens_while_a_worker_embeds_wins(
    tenant_id: UUID, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    upload_text(tenant_id, PARTS[0])
    run(tenant_id)
    upload_text(tenant_id, PARTS[1])
    waiting = [ACTS[meanwhile]]

    def embed(*args: object, **options: object) -> object:
        if waiting:
            waiting.pop()(tenant_id)
        return prepare_index_rows(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "prepare_index_rows", embed)
    run(tenant_id)
    wanted = {"replaced": {"number 2"}, "reindexed": {"number 1"}, "deleted": set()}
    assert find_numbers(tenant_id) == wanted[meanwhile]


def test_a_failure_in_the_middle_leaves_the_old_version_and_is_tried_again(
    tenant_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload_text(tenant_id, PARTS[0])
    run(tenant_id)
    before = chunks(tenant_id)
    upload_text(tenant_id, PARTS[1])

    def fail(*_: object, **__: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "swap_chunks", fail)
        run(tenant_id)
    assert chunks(tenant_id) == before
    with tenant_tx(tenant_id):
        job = Job.objects.latest("created_at")
        assert (job.status, job.error_code) == ("failed", "ConnectionError")
        Job.objects.filter(id=job.id).update(due_at=Now())
    run(tenant_id)
    assert {"number 1"} == find_numbers(tenant_id)


def test_what_was_embedded_stays_when_the_workers_time_ends(tenant_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "DOCUMENT_CONFIG", replace(DOCUMENT_CONFIG, batch=2))
    upload_text(tenant_id, "\n\n".join(PARTS))
    asked: list[int] = []

    def embed(rows: list[object], **options: object) -> object:
        asked.append(len(rows))
        if len(asked) == 3:
            raise SoftTimeLimitExceeded
        return prepare_index_rows(rows, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "prepare_index_rows", embed)
    with pytest.raises(SoftTimeLimitExceeded):
        run(tenant_id)
    with tenant_tx(tenant_id):
        job = Job.objects.get()
        assert (job.status, job.attempts, job.done) == ("queued", 0, 4)
    result = run(tenant_id)
    assert result["embedded"] == result["chunks"] and sum(asked) == 2 + result["chunks"]
    with tenant_tx(tenant_id):
        assert not JobPart.objects.exists()


@pytest.mark.parametrize("act", ["deleted", "replaced", "reindexed", "retitled"])
def test_what_a_job_that_was_given_up_embedded_is_gone_at_once(
    tenant_id: UUID, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    monkeypatch.setattr(pipeline, "DOCUMENT_CONFIG", replace(DOCUMENT_CONFIG, batch=2))
    asked: list[int] = []

    def embed(rows: list[object], **options: object) -> object:
        asked.append(len(rows))
        if len(asked) % 2 == 0:
            raise ConnectionError
        return prepare_index_rows(rows, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "prepare_index_rows", embed)
    for name in ("tea", "茶"):
        upload_text(tenant_id, "\n\n".join(PARTS), name)
    with tenant_tx(tenant_id):
        Job.objects.update(attempts=JOB_CONFIG.attempts - 1)
    run(tenant_id)
    with tenant_tx(tenant_id):
        assert (Job.objects.filter(status="dead").count(), JobPart.objects.count()) == (2, 2)
    ACTS[act](tenant_id)
    with tenant_tx(tenant_id):
        assert JobPart.objects.get().job_id == Document.objects.get(external_id="茶").job_id


def test_a_job_stages_nothing_of_an_upload_that_was_replaced(tenant_id: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "DOCUMENT_CONFIG", replace(DOCUMENT_CONFIG, batch=2))
    upload_text(tenant_id, "\n\n".join(PARTS))
    with tenant_tx(tenant_id):
        Job.objects.update(attempts=JOB_CONFIG.attempts - 1)
        old = claim_job()
    assert old is not None
    asked: list[int] = []

    def embed(rows: list[object], **options: object) -> object:
        asked.append(len(rows))
        if len(asked) == 2:
            raise ConnectionError
        _replace(tenant_id)
        return prepare_index_rows(rows, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "prepare_index_rows", embed)
    run_job(tenant_id, old, pipeline.process_document)
    with tenant_tx(tenant_id):
        old.refresh_from_db()
        assert old.result == {"outcome": "replaced_meanwhile"}
        assert not JobPart.objects.exists()


def test_a_worker_that_lost_its_lease_changes_nothing(tenant_id: UUID) -> None:
    upload_text(tenant_id, PARTS[0])
    with tenant_tx(tenant_id):
        lost = claim_job()
        Job.objects.update(lease_until=Now())
    assert lost is not None
    run(tenant_id)
    run_job(tenant_id, lost, pipeline.process_document)
    with tenant_tx(tenant_id):
        job = Job.objects.get()
        assert (job.status, job.result["outcome"]) == ("succeeded", "indexed")


def test_a_document_whose_workers_died_too_often_has_failed(tenant_id: UUID) -> None:
    upload_text(tenant_id, PARTS[0])
    for _ in range(9):
        with tenant_tx(tenant_id):
            claim_job()
            Job.objects.filter(status="running").update(lease_until=Now())
    with tenant_tx(tenant_id):
        document = Document.objects.select_related("job").get()
        assert (document.status, document.shown_status, document.job.error_code) == (
            "processing",
            "failed",
            "lease_expired",
        )


def _delete(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        delete_document("tea", by=COMMAND_LINE, accept=lambda *_: None)


def _reindex(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        reindex_document("tea", by=COMMAND_LINE)


def _replace(tenant_id: UUID) -> None:
    upload_text(tenant_id, PARTS[2])


def _retitle(tenant_id: UUID) -> None:
    with tenant_tx(tenant_id):
        edit_document("tea", DocumentEdit(title="Tees"), by=COMMAND_LINE, accept=lambda *_: None)


ACTS = {"deleted": _delete, "replaced": _replace, "reindexed": _reindex, "retitled": _retitle}

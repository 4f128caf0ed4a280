"""A folder of documents is imported, safe to repeat. Rows: K1."""

from io import StringIO
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from snapshots.jobs import ASKED
from snapshots.knowledge.documents.collections import put_collection
from snapshots.models import Document
from snapshots.queue.requested_jobs import claim_job, run_due_jobs, run_job
from tenants.isolation import tenant_tx
from tenants.services.audit import COMMAND_LINE
from tenants.services.usage.quotas import forget_counts, set_limits
from tests.conftest import World


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two documents, and things that are none."""
    (tmp_path / "tea").mkdir()
    (tmp_path / "tea" / "绿茶.md").write_text("# 绿茶\n\n用八十度的水。")
    (tmp_path / "coffee.txt").write_text("Coffee likes 93 degrees.")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / ".secret.md").write_text("hidden")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "outside.md").symlink_to("/etc/hostname")
    (tmp_path / f"{'x' * 190}.md").write_text("fits")
    (tmp_path / "tea" / f"{'x' * 200}.md").write_text("too long")
    return tmp_path


def load(folder: Path, *options: str) -> str:
    out = StringIO()
    call_command("import_documents", str(folder), "--tenant", "acme", *options, stdout=out, stderr=StringIO())
    return out.getvalue()


def test_a_folder_is_imported_once_and_only_changes_after_that(world: World, folder: Path) -> None:
    assert "3 new, 0 changed, 0 unchanged: nothing was stored" in load(folder, "--dry-run")
    with tenant_tx(world.acme.tenant.id):
        assert not Document.objects.exists()
    printed = load(folder)
    assert "3 new, 0 changed, 0 unchanged." in printed
    assert "its path cannot be an id" in printed and "1 .jpg" in printed
    (folder / "coffee.txt").write_text("Coffee likes 94 degrees.")
    assert "0 new, 1 changed, 2 unchanged" in load(folder)
    with tenant_tx(world.acme.tenant.id):
        found = {one.external_id: (one.content_type, one.metadata) for one in Document.objects.all()}
    assert found["tea:绿茶.md"] == ("text/markdown", {"path": "tea/绿茶.md"})
    assert ".secret.md" not in found and "outside.md" not in found and len(found) == 3


def test_documents_stay_in_their_collection_when_it_is_not_named_again(world: World, folder: Path) -> None:
    with tenant_tx(world.acme.tenant.id):
        put_collection("内部", access_label="staff", by=COMMAND_LINE)
    load(folder, "--collection", "内部")
    (folder / "coffee.txt").write_text("Coffee likes 94 degrees.")
    assert "0 new, 1 changed, 2 unchanged" in load(folder, "--dry-run")
    load(folder)
    with tenant_tx(world.acme.tenant.id):
        assert set(Document.objects.values_list("collection__external_id", flat=True)) == {"内部"}


def test_waiting_ends_when_workers_are_done_and_failures_are_told(world: World, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\n绿茶用八十度的水。")
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7")
    tenant_id, is_told = world.acme.tenant.id, Event()

    def work() -> None:
        while not is_told.wait(0.05):
            run_due_jobs(tenant_id, ASKED, may_go_on=lambda: True)
        connection.close()

    worker = Thread(target=work)
    worker.start()
    try:
        printed = load(tmp_path, "--wait")
    finally:
        is_told.set()
        worker.join()
    assert "that failed: 1. GET /v1/documents?status=failed says why" in printed
    with tenant_tx(tenant_id):
        assert set(Document.objects.values_list("external_id", "status")) == {
            ("tea.md", "ready"),
            ("scan.pdf", "failed"),
        }


def test_waiting_ends_when_no_worker_takes_the_work(world: World, tmp_path: Path) -> None:
    (tmp_path / "茶.md").write_text("# 茶\n\n绿茶用八十度的水。")
    with pytest.raises(CommandError, match=r"No worker took a job .* for 0\.2 s, and 1 documents wait.*start a worker"):
        load(tmp_path, "--wait", "--patience", "0.2")
    with tenant_tx(world.acme.tenant.id):
        assert Document.objects.get().status == "processing"


def test_waiting_goes_on_while_a_worker_has_a_job(world: World, tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\nWater of 80 degrees.")
    load(tmp_path)
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        job = claim_job()
    assert job is not None

    def work() -> None:
        sleep(1.5)  # three looks of the command, each later than its patience
        run_job(tenant_id, job, ASKED[job.kind])
        connection.close()

    worker = Thread(target=work)
    worker.start()
    printed = load(tmp_path, "--wait", "--patience", "0.1")
    worker.join()
    assert "indexing" in printed
    with tenant_tx(tenant_id):
        assert Document.objects.get().status == "ready"


def test_a_path_that_looks_like_another_is_left_out(world: World, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.md").write_text("one")
    (tmp_path / "a:b.md").write_text("two")
    printed = load(tmp_path)
    assert "1 new" in printed and "its id would be that of a/b.md" in printed


def test_what_cannot_be_done_is_said(world: World, folder: Path) -> None:
    with pytest.raises(CommandError, match="no such collection"):
        load(folder, "--collection", "hr")
    with pytest.raises(CommandError, match="Cannot read"):
        load(folder / "nowhere")
    with tenant_tx(world.acme.tenant.id):
        set_limits({"stored_documents": 1}, by=COMMAND_LINE)
    forget_counts()
    with pytest.raises(CommandError, match=r"stored_documents of 1 .*1 files were taken. Run the same command again"):
        load(folder)

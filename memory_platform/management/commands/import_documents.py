"""Import a folder of documents: ``manage.py import_documents FOLDER --tenant acme``."""

import time
from argparse import ArgumentParser
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand, choose_tenants, progress, silence_events
from memory_platform.management.document_folders import DocumentFolder, FoundFile, read_folder
from snapshots.config import JOB_CONFIG
from snapshots.knowledge.documents.document_store import preview_upload, put_document
from snapshots.knowledge.documents.selectors import list_documents
from snapshots.knowledge.documents.values import DocumentVerdict
from snapshots.models import Document, DocumentStatus
from snapshots.queue.requested_jobs import waits_for_worker
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.services.audit import COMMAND_LINE

AGAIN = "Run the same command again: what is stored already is skipped."
SHOWN = 20
LOOK_EVERY_S = 0.5
# Workers look for jobs that nobody told them of once a sweep.
PATIENCE_S = 2 * JOB_CONFIG.sweep_every.total_seconds()
NOBODY_WORKS = (
    "No worker took a job of the tenant for {seconds:g} s, and {waiting:,} documents wait. They are stored: start a "
    "worker (`make run`, or `celery -A memory_platform worker`), or look at the work queue in the console if workers "
    "run, and wait again with the same command."
)
WOULD_BE = {
    DocumentVerdict.STORED: "new",
    DocumentVerdict.REPLACED: "changed",
    DocumentVerdict.UNCHANGED: "unchanged",
}


class Command(PlatformCommand):
    help = "Load the documents of a folder into a tenant; workers index them. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="its files are taken by their endings, folders in it, too")
        parser.add_argument("--tenant", required=True, help="slug of the tenant that the documents belong to")
        parser.add_argument(
            "--collection", help="id of a collection, which must exist; without it documents stay where they are"
        )
        parser.add_argument("--dry-run", action="store_true", help="tell what is new or changed, and change nothing")
        parser.add_argument("--wait", action="store_true", help="wait until the workers have indexed the documents")
        help_text = "seconds after which waiting ends when no worker takes a job (default: %(default)g)"
        parser.add_argument("--patience", type=float, default=PATIENCE_S, metavar="SECONDS", help=help_text)

    def handle(self, **options: Any) -> None:
        folder, collection = options["folder"], options["collection"]
        [tenant] = choose_tenants(options["tenant"])
        try:
            found = read_folder(folder)
        except OSError as fault:
            raise CommandError(f"Cannot read {folder}: {fault.strerror}.") from None
        counts: Counter[str] = Counter()
        try:
            with (
                silence_events(),
                progress(self.stdout, folder.name or str(folder), len(found.files), "files") as advance,
            ):
                for one in found.files:
                    counts[self._store_file(tenant, one, collection, dry_run=options["dry_run"], documents=found)] += 1
                    advance(1)
        except MemoryPlatformError as refused:
            raise CommandError(f"{refused.detail} {sum(counts.values()):,} files were taken. {AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped after {sum(counts.values()):,} files. {AGAIN}", returncode=130) from None
        self._report(found, counts, dry_run=options["dry_run"])
        if options["wait"] and not options["dry_run"]:
            self._wait_until_indexed(tenant, options["patience"])

    def _store_file(
        self, tenant: Tenant, one: FoundFile, collection: str | None, *, dry_run: bool, documents: DocumentFolder
    ) -> str:
        """Store one file, or only find its verdict; return the verdict."""
        try:
            upload = one.read_upload(collection)
        except OSError as fault:
            documents.refused.append((one.path, f"it cannot be read: {fault.strerror}"))
            return "refused"
        with tenant_tx(tenant.id):
            if collection is None:  # a labelled document must not come into the open because an option was left out
                upload = replace(upload, collection=self._find_collection_of(one.document_id))
            if dry_run:
                return preview_upload(one.document_id, upload)
            return put_document(one.document_id, upload, by=COMMAND_LINE, accept=lambda *_: None).verdict

    def _find_collection_of(self, document_id: str) -> str | None:
        rows = Document.objects.filter(external_id=document_id, collection_id__isnull=False)
        return rows.values_list("collection__external_id", flat=True).first()

    def _report(self, documents: DocumentFolder, counts: "Counter[str]", *, dry_run: bool) -> None:
        told = ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in WOULD_BE.items())
        self.stdout.write(f"{told}{': nothing was stored (--dry-run)' if dry_run else ''}.")
        for path, reason in documents.refused[:SHOWN]:
            self.stdout.write(self.style.WARNING(f"Left out {path}: {reason}."))
        if len(documents.refused) > SHOWN:
            self.stdout.write(self.style.WARNING(f"And {len(documents.refused) - SHOWN:,} more were left out."))
        if documents.other_endings:
            others = ", ".join(f"{count:,} {ending}" for ending, count in documents.other_endings.most_common(SHOWN))
            self.stdout.write(f"Not documents by their endings: {others}.")

    def _wait_until_indexed(self, tenant: Tenant, patience_s: float) -> None:
        """Raises CommandError when nobody works at the documents."""
        waiting = self._count_documents(tenant, DocumentStatus.PROCESSING)
        with progress(self.stdout, "indexing", waiting, "documents") as advance:
            taken_at = time.monotonic()
            while waiting:
                time.sleep(LOOK_EVERY_S)
                left = self._count_documents(tenant, DocumentStatus.PROCESSING)
                with tenant_tx(tenant.id):
                    is_taken = left < waiting or not waits_for_worker()
                taken_at = time.monotonic() if is_taken else taken_at
                if time.monotonic() - taken_at > patience_s:
                    raise CommandError(NOBODY_WORKS.format(seconds=patience_s, waiting=left))
                advance(waiting - left)
                waiting = left
        failed = self._count_documents(tenant, DocumentStatus.FAILED)
        if failed:
            told = f"Documents of the tenant that failed: {failed:,}. GET /v1/documents?status=failed says why."
            self.stdout.write(self.style.WARNING(told))

    def _count_documents(self, tenant: Tenant, status: DocumentStatus) -> int:
        with tenant_tx(tenant.id):
            return list_documents(status=status).order_by().count()

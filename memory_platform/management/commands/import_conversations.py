"""Load a data set of conversations: ``manage.py import_conversations FILE --tenant acme``."""

import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from tqdm import tqdm

from memory_platform.kernel.errors import InvalidInput
from memory_platform.management.datasets import SAMPLE, Dataset, DatasetConversation, read_dataset
from memory_platform.observability.logs import Event, log
from profiles.services.subjects import ensure_subject
from snapshots.intake.accept import accept_messages
from snapshots.intake.end import end_on_request
from snapshots.intake.values import CONTENT_DIFFERS, IncomingMessage
from tenants.errors import TenantUnknown
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.selectors import tenant_by_slug

BATCH = 200
"""Messages in one transaction: a stop loses at most these, and a repeat takes them up."""
FAULTS_SHOWN = 10
AGAIN = "Run the same command again: what is stored already is skipped."


class Command(BaseCommand):
    help = "Load a data set of conversations into a tenant and end each conversation; safe to repeat."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.formatter_class = RawDescriptionHelpFormatter
        parser.epilog = f"The file:\n{SAMPLE}"
        parser.add_argument("file", type=Path, help="a JSON file as shown below")
        parser.add_argument("--tenant", required=True, help="slug of the tenant that the subjects belong to")
        parser.add_argument(
            "--subject-suffix", default="", help="added to each subject's id, to load a file once more: =-second"
        )

    def handle(self, **options: Any) -> None:
        dataset = self._dataset(options["file"], options["subject_suffix"])
        started = time.monotonic()
        counts: Counter[str] = Counter()
        try:
            tenant_id = self._tenant(options["tenant"])
            self._load(dataset, tenant_id, counts)
        except OperationalError:
            raise CommandError(
                f"The database does not answer; {counts['messages']:,} messages were loaded. "
                f"Start it (make run) or check DATABASE_URL. {AGAIN}"
            ) from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped after {counts['messages']:,} messages. {AGAIN}", returncode=130) from None
        self._report(dataset, counts, time.monotonic() - started)
        log(Event.IMPORT_FINISHED, tenant=tenant_id, messages=counts["messages"], stored=counts["stored"])

    def _dataset(self, path: Path, suffix: str) -> Dataset:
        try:
            return read_dataset(path, subject_suffix=suffix)
        except OSError as fault:
            raise CommandError(f"Cannot read {path}: {fault.strerror}. Name a JSON file that you may read.") from None
        except InvalidInput as fault:
            shown = [f"  {one.field}: {one.message}" for one in fault.faults[:FAULTS_SHOWN]]
            if len(fault.faults) > FAULTS_SHOWN:
                shown.append(f"  ... and {len(fault.faults) - FAULTS_SHOWN:,} more")
            raise CommandError(
                "\n".join([f"{path} is not a data set of conversations; nothing was loaded. Correct:", *shown])
            ) from None

    def _tenant(self, slug: str) -> UUID:
        try:
            return tenant_by_slug(slug).id
        except TenantUnknown:
            known = ", ".join(Tenant.objects.order_by("slug").values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no tenant {slug!r}. Tenants here: {known}.") from None

    def _load(self, dataset: Dataset, tenant_id: UUID, counts: "Counter[str]") -> None:
        bar: tqdm[Any] = tqdm(total=dataset.messages, unit=" messages", desc=dataset.name, disable=None)
        with bar:  # drawn on a terminal only; the report below says the same to everybody
            for conversation in dataset.conversations:
                for start in range(0, len(conversation.messages), BATCH):
                    batch = conversation.messages[start : start + BATCH]
                    accept(tenant_id, conversation, batch, counts)
                    bar.update(len(batch))
                if conversation.messages:
                    end(tenant_id, conversation)

    def _report(self, dataset: Dataset, counts: "Counter[str]", seconds: float) -> None:
        rate = round(counts["messages"] / max(seconds, 0.001))
        self.stdout.write(
            f"{dataset.name}: {dataset.subjects:,} subjects, {len(dataset.conversations):,} conversations, "
            f"{counts['messages']:,} messages in {seconds:.1f} s ({rate:,} a second)."
        )
        self.stdout.write(f"{counts['stored']:,} stored, {counts['duplicate']:,} were there already.")
        if counts[CONTENT_DIFFERS]:
            self.stdout.write(f"{counts[CONTENT_DIFFERS]:,} of those have other content here: the first one stays.")
        if not counts["stored"]:
            self.stdout.write(self.style.WARNING("Nothing is new: this data set was loaded before."))


def accept(
    tenant_id: UUID, conversation: DatasetConversation, batch: tuple[IncomingMessage, ...], counts: "Counter[str]"
) -> None:
    """Accept one batch in one transaction, and count what became of it."""
    with tenant_tx(tenant_id):
        accepted = accept_messages(ensure_subject(conversation.subject_id), conversation.conversation_id, batch)
    counts["messages"] += len(batch)
    counts.update(fate.verdict for fate in accepted.messages)
    counts.update(fate.reason for fate in accepted.messages if fate.reason)


def end(tenant_id: UUID, conversation: DatasetConversation) -> None:
    """End a conversation; a second time is the same end."""
    with tenant_tx(tenant_id):
        end_on_request(conversation.subject_id, conversation.conversation_id)

"""``manage.py make_notes``: make notes from messages and beliefs that are older than notes."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from memory_platform.management.base_command import choose_tenants, progress, silence_events
from snapshots.understanding.note_backfill import backfill_notes, count_unread_messages
from tenants.models import Tenant

AGAIN = "Run the same command again: it goes on where it was."


class Command(BaseCommand):
    help = "Read the messages that have no notes and make them; safe to repeat and to stop. An upgrade runs it once."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="slug of one tenant; all tenants without it")
        parser.add_argument("--dry-run", action="store_true", help="count the notes that would be made, and make none")

    def handle(self, *args: object, tenant: str | None, dry_run: bool, **options: object) -> None:
        try:
            for one in choose_tenants(tenant):
                self._make(one, dry_run=dry_run)
        except OperationalError:
            raise CommandError(f"The database does not answer: check DATABASE_URL. {AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {AGAIN}", returncode=130) from None

    def _make(self, tenant: Tenant, *, dry_run: bool) -> None:
        messages = notes = reviews = 0
        with (
            silence_events(),
            progress(self.stdout, tenant.slug, count_unread_messages(tenant.id), "messages") as advance,
        ):
            for done in backfill_notes(tenant.id, dry_run=dry_run):
                messages, notes = messages + done.messages, notes + done.notes
                reviews += done.reviews
                advance(done.messages)
        verb = "would be made" if dry_run else "were made"
        self.stdout.write(f"{tenant.slug}: {messages:,} messages read, {notes:,} notes {verb}.")
        if reviews:
            wait = "would wait" if dry_run else "wait"
            self.stdout.write(
                f"{tenant.slug}: {reviews:,} old beliefs that no lasting words support {wait} for review."
            )

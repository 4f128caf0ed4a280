"""``manage.py fill_fields``: fill a tenant's own fields from earlier notes."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

from memory_platform.management.base_command import choose_tenants, progress, silence_events
from memory_platform.providers.contracts import EmbeddingUnavailable
from snapshots.understanding.fields.field_backfill import backfill_fields, count_fillable_notes
from tenants.models import Tenant

AGAIN = "Run the same command again: what was filled is left as it is."


class Command(BaseCommand):
    help = "Fill newly asked fields from the notes that are held; safe to repeat and to stop."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="slug of one tenant; all tenants without it")
        parser.add_argument("--dry-run", action="store_true", help="count what would be filled, and write nothing")

    def handle(self, *args: object, tenant: str | None, dry_run: bool, **options: object) -> None:
        chosen = choose_tenants(tenant)
        try:
            for one in chosen:
                self._fill(one, dry_run=dry_run)
        except OperationalError:
            raise CommandError(f"The database does not answer: check DATABASE_URL. {AGAIN}") from None
        except EmbeddingUnavailable:
            raise CommandError(f"The sentence encoder's files are missing: reinstall the packages. {AGAIN}") from None
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {AGAIN}", returncode=130) from None

    def _fill(self, tenant: Tenant, *, dry_run: bool) -> None:
        notes = filled = 0
        with silence_events(), progress(self.stdout, tenant.slug, count_fillable_notes(tenant.id), "notes") as advance:
            for done in backfill_fields(tenant.id, dry_run=dry_run):
                notes, filled = notes + done.notes, filled + done.filled
                advance(done.notes)
        verb = "would be filled" if dry_run else "were filled"
        self.stdout.write(f"{tenant.slug}: {notes:,} notes read, {filled:,} fields {verb}.")

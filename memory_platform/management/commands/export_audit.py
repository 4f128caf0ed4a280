"""``manage.py export_audit --tenant SLUG``: export a tenant's audit trail as JSON lines with a chain of hashes."""

import os
from argparse import ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import orjson
from django.core.management.base import CommandError, CommandParser

from memory_platform.management.audit_files import check_audit_file
from memory_platform.management.base_command import PlatformCommand, choose_tenants, progress
from tenants.isolation import tenant_tx
from tenants.models import Tenant
from tenants.services.audit_export import STOPPED, ExportRange, choose_seals, export_trail
from tenants.services.audit_seals import seal_new_records


def parse_date(text: str) -> datetime:
    """Return a date or a time with its offset as a moment; a date begins at 00:00 UTC."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError("must be a date, such as 2026-01-31, or a time with its offset") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@contextmanager
def replace_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of ``path`` when the block ends well; readable by its owner only."""
    fresh = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            yield file
        fresh.replace(path)
    except OSError as fault:
        raise CommandError(f"Cannot write {path}: {fault.strerror}.") from None
    finally:
        fresh.unlink(missing_ok=True)


class Command(PlatformCommand):
    help = (
        "Seal a tenant's new audit records and export the sealed ones: a header, one JSON object a record, a signed "
        "trailer. Check the file with verify_audit. Safe to repeat."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="slug of the tenant")
        begin = parser.add_mutually_exclusive_group()
        begin.add_argument("--since", type=parse_date, help="only what was sealed at that date or later (UTC)")
        begin.add_argument("--after", type=Path, help="an earlier file; continue where it ends")
        parser.add_argument("--out", type=Path, help="file to write; without it, the lines go to standard output")

    def handle(self, *args: object, **options: Any) -> None:
        (tenant,) = choose_tenants(options["tenant"])
        seal_new_records(tenant.id)
        after = self._read_last_seal(tenant, options["after"]) if options["after"] else None
        with tenant_tx(tenant.id):
            seal_range = choose_seals(since=options["since"], after=after)
        if options["out"]:
            with replace_file(options["out"]) as file:
                self._write_lines(tenant, seal_range, file)
            self.stdout.write(f"{seal_range.count} records written to {options['out']}.")
        else:
            self._write_lines(tenant, seal_range, None)

    def _read_last_seal(self, tenant: Tenant, path: Path) -> int:
        earlier = check_audit_file(path)
        if earlier.header["tenant_id"] != str(tenant.id):
            raise CommandError(f"{path} is of {earlier.header['tenant']!r}. Name a file of {tenant.slug!r}.")
        return int(earlier.header["last_seal"])

    def _write_lines(self, tenant: Tenant, seal_range: ExportRange, file: BinaryIO | None) -> None:
        line = b""
        with progress(self.stderr, f"Exporting {tenant.slug}", seal_range.count + 2, "lines") as advance:
            for line in export_trail(tenant, seal_range):
                if file:
                    file.write(line)
                else:
                    self.stdout.write(line.decode(), ending="")
                advance(1)
        last = orjson.loads(line)
        if last["kind"] == STOPPED:
            raise CommandError(f"The export stopped. {last['why']}")

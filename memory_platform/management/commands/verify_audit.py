"""``manage.py verify_audit FILE`` and ``--tenant SLUG``: check exported audit records, or those in the database."""

from pathlib import Path

from django.core.management.base import CommandError, CommandParser

from memory_platform.management.audit_files import check_audit_file
from memory_platform.management.base_command import PlatformCommand, choose_tenants, progress
from tenants.isolation import tenant_tx
from tenants.models import AuditSeal, Tenant
from tenants.services.audit_chain import AuditFault
from tenants.services.audit_export import CheckedFile, check_against_seals, check_continuation
from tenants.services.audit_seals import check_seal, count_and_check_unsealed, read_sealed_records


class Command(PlatformCommand):
    help = (
        "Check that an audit trail is as it was sealed: a file of export_audit, the records of a tenant in the "
        "database, or a file against that tenant. Says at the first fault where it is, and fails."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", type=Path, help="a file of export_audit")
        parser.add_argument("--after", type=Path, help="an earlier file, which this one must continue")
        parser.add_argument("--tenant", help="slug of the tenant whose records to check; with a file, its tenant")

    def handle(
        self, *args: object, file: Path | None, after: Path | None, tenant: str | None, **options: object
    ) -> None:
        if file is None and (after or not tenant):
            raise CommandError("Name a file of export_audit, or a tenant with --tenant.")
        chosen = choose_tenants(tenant)[0] if tenant else None
        try:
            if file is not None:
                self._check_file(file, after, chosen)
            elif chosen is not None:
                self._check_tenant(chosen)
        except AuditFault as fault:
            raise CommandError(str(fault)) from None

    def _check_file(self, file: Path, after: Path | None, tenant: Tenant | None) -> None:
        checked = check_audit_file(file)
        if tenant is not None:
            self._check_owner(file, checked, tenant)
        if after is not None:
            check_continuation(check_audit_file(after), checked)
        is_continued = f" It continues {after}." if after else ""
        self.stdout.write(f"{file}: unchanged, {checked.count} records of {checked.header['tenant']}.{is_continued}")

    def _check_owner(self, file: Path, checked: CheckedFile, tenant: Tenant) -> None:
        if checked.header["tenant_id"] != str(tenant.id):
            raise CommandError(
                f"{file}: Line 1: The file is of {checked.header['tenant']!r}, not of {tenant.slug!r}. "
                "It says nothing about this tenant. Name a file of this tenant."
            )
        with tenant_tx(tenant.id):
            if not check_against_seals(checked):
                self.stdout.write("The database no longer has the seal where the file ends.")

    def _check_tenant(self, tenant: Tenant) -> None:
        with tenant_tx(tenant.id):
            counts = list(AuditSeal.objects.order_by("number").values_list("number", "count"))
        before, total = None, sum(count for _number, count in counts)
        with progress(self.stderr, f"Checking {tenant.slug}", total, "records") as advance:
            for number, _count in counts:
                with tenant_tx(tenant.id):
                    seal = AuditSeal.objects.get(number=number)
                    check_seal(seal, before)
                    for _record in read_sealed_records(seal):
                        advance(1)
                before = seal
        with tenant_tx(tenant.id):
            waiting = count_and_check_unsealed()
        first = f" from seal {counts[0][0]} on" if counts else ""
        self.stdout.write(
            f"{tenant.slug}: unchanged{first}, {total} sealed records in {len(counts)} seals; {waiting} not sealed yet."
        )

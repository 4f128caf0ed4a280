"""Read and check files of exported audit records."""

from pathlib import Path

from django.core.management.base import CommandError

from tenants.services.audit_chain import AuditFault
from tenants.services.audit_export import CheckedFile, check_file


def check_audit_file(path: Path) -> CheckedFile:
    """Return the contents of a file if it is unchanged. Raises CommandError with the file's name, the line and the
    fault."""
    try:
        with path.open("rb") as lines:
            return check_file(lines)
    except OSError as fault:
        raise CommandError(f"Cannot read {path}: {fault.strerror}.") from None
    except AuditFault as fault:
        raise CommandError(f"{path}: {fault}") from None

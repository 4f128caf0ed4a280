"""``manage.py create_key --tenant T``: create an API key and print it once."""

from argparse import ArgumentTypeError
from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand
from tenants.isolation import tenant_tx
from tenants.models import Scope
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key

DEFAULT_SCOPES = (Scope.MEMORY_READ, Scope.MEMORY_WRITE)
DAYS_MOST = 36_500


def parse_days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(DAYS_MOST)) and 1 <= int(text) <= DAYS_MOST):
        raise ArgumentTypeError(f"must be a whole number of days from 1 to {DAYS_MOST}")
    return int(text)


class Command(PlatformCommand):
    help = "Make an API key for a tenant. The key is printed once and cannot be shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="the tenant's slug, such as acme")
        parser.add_argument("--name", default="command line", help="what the key is for")
        parser.add_argument(
            "--scope", action="append", choices=Scope.values, help="may be repeated; memory:read and memory:write"
        )
        parser.add_argument("--subject", default="", help="your id of the only subject that the key may reach")
        parser.add_argument("--days", type=parse_days, help="days until the key expires; never when left out")

    def handle(self, *args: object, tenant: str, name: str, scope: list[str] | None, **options: Any) -> None:
        days = options["days"]
        try:
            found = tenant_by_slug(tenant)
            with tenant_tx(found.id):
                created = create_key(
                    name=name,
                    scopes=scope or list(DEFAULT_SCOPES),
                    by=COMMAND_LINE,
                    bound_subject=options["subject"],
                    expires_at=utc_now() + timedelta(days=days) if days is not None else None,
                )
        except MemoryPlatformError as refused:
            raise CommandError(refused.detail) from None
        self.stdout.write(created.token)

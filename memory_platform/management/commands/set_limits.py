"""``manage.py set_limits --tenant T``: set the limits of a tenant or of one of its keys."""

from argparse import ArgumentTypeError

from django.core.management.base import CommandError, CommandParser

from memory_platform.kernel.errors import MemoryPlatformError
from memory_platform.management.base_command import PlatformCommand
from tenants.isolation import tenant_tx
from tenants.selectors import tenant_by_slug
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import key_by_id
from tenants.services.usage.quotas import ALL_NAMES, set_limits

DEFAULT = "default"
DIGITS = 18


def parse_limit(text: str) -> int | str:
    if text == DEFAULT:
        return text
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS):
        raise ArgumentTypeError(f"must be a whole number or {DEFAULT!r}")
    return int(text)


class Command(PlatformCommand):
    help = "Set limits of a tenant, or of one of its keys; 'default' gives a limit back to the platform's policy."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", required=True, help="the tenant's slug, such as acme")
        parser.add_argument("--key", help="the public id of one key; without it the limits are the whole tenant's")
        parser.add_argument("--reason", default="", help="kept in the audit trail")
        for name in ALL_NAMES:
            parser.add_argument(f"--{name.replace('_', '-')}", type=parse_limit, metavar="N")

    def handle(self, *args: object, tenant: str, key: str | None, reason: str, **options: object) -> None:
        given = {name: options[name] for name in ALL_NAMES if options.get(name) is not None}
        values = {name: value if isinstance(value, int) else None for name, value in given.items()}
        if not values:
            raise CommandError(
                "name at least one limit: " + ", ".join(f"--{name.replace('_', '-')}" for name in ALL_NAMES)
            )
        try:
            found = tenant_by_slug(tenant)
            with tenant_tx(found.id):
                row = set_limits(values, by=COMMAND_LINE, api_key=key_by_id(key) if key else None, reason=reason)
        except MemoryPlatformError as refused:
            raise CommandError(refused.detail) from None
        for name in ALL_NAMES:
            held = getattr(row, name)
            self.stdout.write(f"{name}: {DEFAULT if held is None else held}")

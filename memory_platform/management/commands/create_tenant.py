"""``manage.py create_tenant SLUG --name NAME``: create a tenant."""

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError, CommandParser

from memory_platform.management.base_command import PlatformCommand
from tenants.services.audit import COMMAND_LINE
from tenants.services.tenants import create_tenant


class Command(PlatformCommand):
    help = "Make a tenant. Its first API key comes from create_key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name for commands: lower-case letters, digits and hyphens")
        parser.add_argument("--name", help="the company's name; the slug when left out")
        parser.add_argument("--locale", default="", help="language of prompts where nothing else tells: en-GB, zh-CN")

    def handle(self, *args: object, slug: str, name: str | None, locale: str, **options: object) -> None:
        try:
            tenant = create_tenant(slug=slug, name=name or slug, locale=locale, by=COMMAND_LINE)
        except ValidationError as invalid:
            if any(fault.code == "unique" for fault in invalid.error_dict.get("slug", ())):
                raise CommandError(
                    f"No tenant was made: {slug} is there already. Make a key of it with "
                    f"`manage.py create_key --tenant {slug}`, or choose another slug."
                ) from None
            faults = [f"{field}: {told}" for field, said in invalid.message_dict.items() for told in said]
            raise CommandError(f"No tenant was made: {'; '.join(faults)}") from None
        self.stdout.write(f"tenant {tenant.slug} ({tenant.id})")

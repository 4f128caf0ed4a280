"""What the platform's own commands share: an unreachable database is said in one sentence."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError

NO_DATABASE = "The database does not answer. Start the stack (make run), or check DATABASE_URL."


class PlatformCommand(BaseCommand):
    """A command that talks with the database."""

    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except OperationalError:
            raise CommandError(NO_DATABASE) from None

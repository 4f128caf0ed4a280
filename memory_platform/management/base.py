"""The base of the platform's commands: a missing or outdated database is reported in one sentence."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError
from psycopg.errors import UndefinedColumn, UndefinedTable

from tenants.models import Tenant

NO_DATABASE = "The database does not answer. Start the stack (make run), or check DATABASE_URL."
OTHER_TABLES = (
    "The database's tables are those of other code. Start the stack anew (make run brings them up to date), or run "
    "`manage.py migrate --database owner`."
)


class PlatformCommand(BaseCommand):
    """A command that talks with the database."""

    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except OperationalError:
            raise CommandError(NO_DATABASE) from None
        except ProgrammingError as error:
            if isinstance(error.__cause__, UndefinedColumn | UndefinedTable):
                raise CommandError(OTHER_TABLES) from error
            raise


def choose_tenants(slug: str | None) -> list[Tenant]:
    """Return the tenant with this slug, all tenants for None. Raises CommandError that lists the known ones."""
    tenants = list(Tenant.objects.order_by("slug"))
    chosen = [one for one in tenants if slug in (None, one.slug)]
    if not chosen:
        known = ", ".join(one.slug for one in tenants) or "none yet"
        raise CommandError(f"There is no tenant {slug!r}. Tenants here: {known}.")
    return chosen

"""The tenants app, and the app role's grants on tables that no migration of ours makes."""

from typing import Any

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate, pre_migrate
from django.utils.translation import gettext_lazy as _


class TenantsConfig(AppConfig):
    name = "tenants"
    verbose_name = _("Tenants and access")

    def ready(self) -> None:
        pre_migrate.connect(grant_default_privileges, sender=self)
        post_migrate.connect(make_migration_record_read_only, sender=self)


def grant_default_privileges(*, using: str, **kwargs: Any) -> None:
    """Let the app role use every table that the owner creates from now on. Runs before the first migration: set inside
    one, it would come too late for Django's own tables."""
    if using != "owner":
        return
    from tenants.isolation.protect import app_role  # noqa: PLC0415 - settings are read when migrating, not at import

    with connections[using].cursor() as cursor:
        for what in ("SELECT, INSERT, UPDATE, DELETE ON TABLES", "USAGE, SELECT ON SEQUENCES"):
            cursor.execute(f"ALTER DEFAULT PRIVILEGES GRANT {what} TO {app_role()}")


def make_migration_record_read_only(*, using: str, **kwargs: Any) -> None:
    """Let the app role read, but not change, the record of applied migrations: readiness needs it. After every run:
    Django makes the table by itself, with the default privileges."""
    if using != "owner":
        return
    from tenants.isolation.protect import app_role  # noqa: PLC0415 - settings are read when migrating, not at import

    with connections[using].cursor() as cursor:
        cursor.execute(f"REVOKE ALL ON django_migrations FROM {app_role()}")
        cursor.execute(f"GRANT SELECT ON django_migrations TO {app_role()}")

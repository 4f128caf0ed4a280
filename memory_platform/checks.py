"""System checks of the project that has the apps: settings, and the role that serves.

The role is looked at where Django looks at databases: by ``migrate``, ``check --database default`` and ``test``.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DEFAULT_DB_ALIAS, OperationalError, connections

from memory_platform.env.environment import LEAST_SECRET_CHARS
from memory_platform.env.host_project_settings import REQUIRED
from memory_platform.postgres.role_faults import list_role_faults

ENGINE = "memory_platform.postgres"
ROUTER = "memory_platform.routers.OwnerMigrates"
OWNER = "owner"
SEPARATE_ROLES = (
    "Let an ordinary role serve (alias `default`) and another own the tables (alias `owner`): `manage.py provision` "
    "makes both."
)


@register(Tags.compatibility)
def check_settings(**_: Any) -> list[CheckMessage]:
    """Report missing settings, without looking at a database."""
    return [*_find_missing_settings(), *_find_database_faults()]


def _find_missing_settings() -> Iterator[CheckMessage]:
    for name in REQUIRED:
        if not getattr(settings, name, ""):
            yield Error(
                f"The setting {name} is missing.", hint=f"Add {name} to the settings.", id="memory_platform.E001"
            )
    pepper = getattr(settings, "KEY_PEPPER", "")
    if pepper and len(pepper) < LEAST_SECRET_CHARS:
        yield Error(
            f"KEY_PEPPER has fewer than {LEAST_SECRET_CHARS} characters: API keys could be guessed from their hashes.",
            hint='Make one by `python -c "import secrets; print(secrets.token_urlsafe(48))"`, and keep it secret.',
            id="memory_platform.E002",
        )


def _find_database_faults() -> Iterator[CheckMessage]:
    databases = settings.DATABASES
    serving, owning = databases.get(DEFAULT_DB_ALIAS, {}), databases.get(OWNER)
    if owning is None or ROUTER not in settings.DATABASE_ROUTERS:
        yield Error(
            "The migrations of the memory platform need a database alias `owner` and its router.",
            hint=f'{SEPARATE_ROLES} Add the alias, and "{ROUTER}" to DATABASE_ROUTERS.',
            id="memory_platform.E003",
        )
    elif serving.get("USER") == owning.get("USER"):
        yield Error(
            "The database aliases `default` and `owner` have one role: it could take down the wall between tenants.",
            hint=SEPARATE_ROLES,
            id="memory_platform.E004",
        )
    if serving.get("ENGINE") != ENGINE:
        yield Error(
            f'The database alias `default` does not have the engine "{ENGINE}".',
            hint="It is Django's for Postgres, for tables whose primary key is (tenant_id, id). Change ENGINE.",
            id="memory_platform.E005",
        )
    if serving.get("ATOMIC_REQUESTS"):
        yield Error(
            "ATOMIC_REQUESTS is on for the database alias `default`: a tenant's transaction must be the outermost.",
            hint="Set it to False, and put `transaction.atomic` around those of your views that need it.",
            id="memory_platform.E006",
        )


@register(Tags.database)
def check_serving_role(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Report a role that row-level security does not bind. Checks of no database are left alone."""
    if databases is None or not {DEFAULT_DB_ALIAS, OWNER} & set(databases) or not _is_postgres():
        return []
    database = connections[DEFAULT_DB_ALIAS]
    try:
        faults = list_role_faults(database)
    except OperationalError:
        return []  # no answer: whoever asked for the database says so
    role = database.settings_dict["USER"]
    return [
        Error(
            f"The role {role} of the database alias `default` {fault}: row-level security would not hold, and tenants "
            "could read each other.",
            hint=SEPARATE_ROLES,
            id="memory_platform.E007",
        )
        for fault in faults
    ]


def _is_postgres() -> bool:
    return "postgres" in str(connections[DEFAULT_DB_ALIAS].settings_dict["ENGINE"])

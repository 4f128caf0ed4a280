"""A database that stopped at an earlier migration ends with the schema of a new one, which takes the squashed way."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command
from django.core.management.sql import emit_pre_migrate_signal
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from pytest_django.plugin import DjangoDbBlocker

from memory_platform.devstack.processes.program_command import find_unprivileged_identity
from memory_platform.devstack.servers.postgres import EmbeddedPostgres, installation
from tests.conftest import MIGRATED

OURS = ("profiles", "snapshots", "tenants")
EARLY = ("snapshots", "0001_conversations_snapshots_receipts_and_work")
MIDDLE = ("snapshots", "0022_agents_have_tasks_and_episodes")
# What pg_dump adds anew to each of its outputs.
NONCES = ("\\restrict ", "\\unrestrict ")


@contextmanager
def owner_in(database: str) -> Iterator[None]:
    """Let the owner's connection lead to another database for a while."""
    owner = connections["owner"]
    before = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = database
    yield
    owner.close()
    owner.settings_dict["NAME"] = before


def migrate_as_before(target: tuple[str, str]) -> None:
    """Migrate up to ``target`` by the replaced files, as a release without the squashed ones did."""
    emit_pre_migrate_signal(verbosity=0, interactive=False, db="owner")
    executor = MigrationExecutor(connections["owner"])
    executor.loader.replace_migrations = False  # type: ignore[attr-defined]  # missing in the stubs
    executor.loader.build_graph()
    executor.migrate([target])


def schema_of(postgres: EmbeddedPostgres, database: str) -> list[str]:
    program = installation(postgres.home, find_unprivileged_identity()) / "bin" / "pg_dump"
    command = [str(program), "--schema-only", postgres.superuser_url(database)]
    dump = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line for line in dump.splitlines() if not line.startswith(NONCES)]


@pytest.mark.processes
@pytest.mark.slow
def test_a_database_of_any_release_ends_with_the_schema_of_a_new_one(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, running_postgres: EmbeddedPostgres
) -> None:
    with django_db_blocker.unblock():
        with connections["owner"]._nodb_cursor() as cursor:
            cursor.execute("CREATE DATABASE test_memory_of_before")
        with owner_in("test_memory_of_before"):
            migrate_as_before(EARLY)
            call_command("migrate", *MIDDLE, database="owner", verbosity=0)
            call_command("migrate", database="owner", verbosity=0)
            squashed = {key for key in MigrationLoader(connections["owner"]).replacements if key[0] in OURS}
            assert squashed <= MigrationLoader(connections["owner"]).applied_migrations.keys()
    assert {app for app, _name in squashed} == set(OURS)
    assert schema_of(running_postgres, "test_memory_of_before") == schema_of(running_postgres, MIGRATED)

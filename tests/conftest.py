"""The test world: real Postgres as the app role, real commits, two tenants that must never meet."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db import connection, connections, transaction
from django.test.client import ClientHandler
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.devstack.servers.redis import EmbeddedRedis
from profiles.models import Subject
from tenants.isolation import tenant_tx
from tenants.models import Scope, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tenants.services.tenants import create_tenant
from tests.embedded_stack import once_per_run

# A line logged after pytest has taken its stream back is lost; the complaint about it would stand in another's output.
logging.raiseExceptions = False

HANDLER = ClientHandler(enforce_csrf_checks=False)
"""What the tests' clients ask: one with a handler of its own builds the middleware, which reads every static file."""


MIGRATED = "test_memory_migrated"


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    running_postgres: EmbeddedPostgres,
    running_redis: EmbeddedRedis,
    django_test_environment: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    """Give each xdist worker a database of the owner's, migrated, and let the app role serve it."""
    worker = getattr(request.config, "workerinput", {}).get("workerid", "solo")
    with django_db_blocker.unblock():
        name = copy_migrated_database(f"test_memory_{worker}")
        connections["owner"].settings_dict["NAME"] = name
        point_app_role_at(name)
    yield
    # The database is not dropped: its whole server is thrown away when the run ends (tests/embedded_stack.py).


def copy_migrated_database(name: str) -> str:
    """Make a database of this name from one that the first worker to come here migrates for all of them."""
    owner = connections["owner"]
    with once_per_run("migrated") as first:
        if first:
            owner.settings_dict["TEST"]["NAME"] = MIGRATED
            owner.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
            owner.close()
        with owner._nodb_cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name} TEMPLATE {MIGRATED}")
    return name


def point_app_role_at(name: str) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # the Postgres backend's
    connection.settings_dict["NAME"] = name


@pytest.fixture
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open the database for one test, with real commits; empty it afterwards, tenant by tenant, as the owner."""
    with opened_database(django_db_blocker):
        yield


@pytest.fixture(scope="module")
def shared_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open the database for all tests of a module, none of which may ask for one of its own."""
    with opened_database(django_db_blocker):
        yield


@contextmanager
def opened_database(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Let the block at an empty database, and empty it again."""
    with blocker.unblock():
        assert not Tenant.objects.exists(), "a test that shares its world with its module asks for another one"
        yield
        empty_database()


@contextmanager
def roll_back_writes() -> Iterator[None]:
    """Take back what the block writes, though it commits: nothing of it is seen by another connection."""
    around = transaction.atomic()
    around._from_testcase = True  # type: ignore[attr-defined]  # what Django's own test case says: scopes may open within
    with around:
        yield
        transaction.set_rollback(True)


def empty_database() -> None:
    """Delete every row that tests make. The guard fires in cascades too, so each tenant is named."""
    connection.close()
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            """
            DO $$ DECLARE t record; BEGIN
              FOR t IN SELECT id FROM tenant LOOP
                PERFORM set_config('app.tenant_id', t.id::text, true);
                DELETE FROM tenant WHERE id = t.id;
              END LOOP;
            END $$;
            DELETE FROM job_run; DELETE FROM embedding_space; DELETE FROM django_admin_log; DELETE FROM django_session;
            DELETE FROM usersessions_usersession; DELETE FROM mfa_authenticator; DELETE FROM staff_identity;
            DELETE FROM auth_user_groups; DELETE FROM auth_user_user_permissions; DELETE FROM auth_user;
            """
        )


@dataclass(frozen=True, slots=True)
class House:
    """One tenant of the test world: a key with all scopes and one subject."""

    tenant: Tenant
    token: str
    subject: Subject

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a request with this tenant's key."""
        return {"Authorization": f"Bearer {self.token}"}


@dataclass(frozen=True, slots=True)
class World:
    """acme (subject ada) and globex (subject gil, who must never see Ada)."""

    acme: House
    globex: House


def build_house(slug: str, name: str, subject_id: str) -> House:
    """Make a tenant with a key of every scope and one subject."""
    tenant = create_tenant(slug=slug, name=name, by=COMMAND_LINE)
    with tenant_tx(tenant.id):
        key = create_key(name="tests", scopes=Scope.values, by=COMMAND_LINE)
        subject = Subject.objects.create(external_id=subject_id)
    return House(tenant, key.token, subject)


def build_world() -> World:
    """Make two tenants with one subject each."""
    return World(acme=build_house("acme", "Acme", "ada"), globex=build_house("globex", "Globex", "gil"))


@pytest.fixture
def world(database: None) -> World:
    """Two tenants with one subject each."""
    return build_world()


@pytest.fixture(scope="module")
def shared_world(shared_database: None) -> World:
    """Two tenants with one subject each, for all tests of a module: what one test leaves, the next one finds."""
    return build_world()


@pytest.fixture
def redis_server(tmp_path: Path, settings: Settings) -> Iterator[EmbeddedRedis]:
    """A Redis that this test may stop or kill, in place of the configured one."""
    redis = EmbeddedRedis(tmp_path / "redis", durable=False)
    redis.start()
    settings.REDIS_URL = redis.url
    yield redis
    redis.stop()

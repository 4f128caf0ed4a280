"""The test world: real Postgres as the app role, real commits, two tenants that must never meet."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import connection, connections
from pytest_django.plugin import DjangoDbBlocker

from profiles.models import Subject
from snapshots.embedding.floors import LEARNT_FLOORS
from tenants.isolation import tenant_tx
from tenants.models import Scope, Tenant
from tenants.services.audit import COMMAND_LINE
from tenants.services.keys import create_key
from tenants.services.tenants import create_tenant

# A line logged after pytest has taken its stream back is lost; the complaint about it would stand in another's output.
logging.raiseExceptions = False


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest, django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """Create one database per xdist worker as the owner, migrate it, and let the app role serve it."""
    worker = getattr(request.config, "workerinput", {}).get("workerid", "solo")
    owner = connections["owner"]
    with django_db_blocker.unblock():
        owner.settings_dict["TEST"]["NAME"] = f"test_memory_{worker}"
        owner.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        point_app_role_at(str(owner.settings_dict["NAME"]))
    yield
    # The database is not dropped: its whole server is thrown away when the run ends (tests/embedded_stack.py).


def point_app_role_at(name: str) -> None:
    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # the Postgres backend's
    connection.settings_dict["NAME"] = name


@pytest.fixture
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Open the database for one test, with real commits; empty it afterwards, tenant by tenant, as the owner."""
    with django_db_blocker.unblock():
        LEARNT_FLOORS.read()  # none: what an earlier test's spaces have learnt is not kept, and no question reads them
        yield
        empty_database()


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


@pytest.fixture
def world(database: None) -> World:
    """Two tenants with one subject each."""
    return World(acme=build_house("acme", "Acme", "ada"), globex=build_house("globex", "Globex", "gil"))

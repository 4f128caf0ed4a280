"""A project whose settings or role would leave the wall open is told so before it migrates. Rows: D12, T2."""

from typing import Any

import pytest
from django.db import connection, connections
from psycopg.conninfo import conninfo_to_dict
from pytest_django.fixtures import Settings

from memory_platform.checks import check_serving_role, check_settings
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.postgres.role_faults import FAULTS, list_role_faults
from memory_platform.routers import OwnerMigrates


def list_ids() -> list[str]:
    return [str(message.id).removeprefix("memory_platform.") for message in check_settings()]


def test_the_services_own_settings_have_no_fault() -> None:
    assert list_ids() == []


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("KEY_PEPPER", "", ["E001"]),
        ("REDIS_URL", "", ["E001"]),
        ("KEY_PEPPER", "too short 太短", ["E002"]),
        ("DATABASE_ROUTERS", [], ["E003"]),
    ],
)
def test_a_fault_of_the_settings_is_told(settings: Settings, name: str, value: object, told: list[str]) -> None:
    setattr(settings, name, value)
    assert list_ids() == told


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"USER": "memory_owner"}, ["E004"]),
        ({"ENGINE": "django.db.backends.postgresql"}, ["E005"]),
        ({"ATOMIC_REQUESTS": True}, ["E006"]),
    ],
)
def test_a_fault_of_the_database_alias_is_told(settings: Settings, changes: dict[str, Any], told: list[str]) -> None:
    settings.DATABASES = {**settings.DATABASES, "default": {**settings.DATABASES["default"], **changes}}
    assert list_ids() == told


@pytest.mark.filterwarnings("ignore:Overriding setting DATABASES")
def test_a_project_without_an_owner_is_told(settings: Settings) -> None:
    settings.DATABASES = {"default": settings.DATABASES["default"]}
    assert list_ids() == ["E003"]


def test_the_role_that_serves_has_no_fault(database: None) -> None:
    assert check_serving_role(databases=["default"]) == []


def test_the_owner_is_told_from_the_role_that_serves(database: None) -> None:
    assert list_role_faults(connections["owner"]) == [FAULTS[2]]


def test_a_superuser_is_refused_where_databases_are_looked_at(
    database: None, running_postgres: EmbeddedPostgres
) -> None:
    serving = connections["default"]
    copied = connection.copy()
    copied.settings_dict["USER"] = str(conninfo_to_dict(running_postgres.superuser_url())["user"])
    copied.settings_dict["OPTIONS"].pop("pool")
    connections["default"] = copied
    try:
        assert check_serving_role(databases=None) == [], "a check of no database opens none"
        told = check_serving_role(databases=["owner"])
    finally:
        copied.close()
        connections["default"] = serving
    assert [message.id for message in told] == ["memory_platform.E007"] * 3
    assert "is a superuser" in told[0].msg
    assert "provision" in str(told[0].hint)


def test_a_database_that_does_not_answer_is_no_fault_of_the_role(django_db_blocker: Any) -> None:
    serving = connections["default"]
    away = serving.copy()
    away.settings_dict["HOST"] = "/nowhere"
    away.settings_dict["OPTIONS"].pop("pool")
    connections["default"] = away
    try:
        with django_db_blocker.unblock():
            assert check_serving_role(databases=["default"]) == []
    finally:
        connections["default"] = serving


def test_the_router_says_nothing_of_other_databases() -> None:
    router = OwnerMigrates()
    assert [router.allow_migrate(alias, "tenants") for alias in ("owner", "default", "figures")] == [True, False, None]

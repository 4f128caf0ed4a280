"""An export that tests import into worlds of their own, through the API as products do."""

from copy import deepcopy
from typing import Any

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.conftest import World, build_world, opened_database
from tests.memory_platform.api.conftest import Caller
from tests.snapshots.portability.exporting import fill_and_export


@pytest.fixture
def acme(world: World) -> Caller:
    """acme's key: its subject is ada."""
    return Caller(world.acme)


@pytest.fixture
def globex(world: World) -> Caller:
    """globex's key: it must never see Ada."""
    return Caller(world.globex)


@pytest.fixture(scope="session")
def exported_lines(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> list[dict[str, Any]]:
    """Lines of a subject with a memory of every kind, whose tenant is gone."""
    with opened_database(django_db_blocker):
        return fill_and_export(Caller(build_world().acme))


@pytest.fixture
def lines(exported_lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines for one test, to spoil or to import into its world."""
    return deepcopy(exported_lines)

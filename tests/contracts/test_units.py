"""A unit test that calls a server or starts a process after all is told what to do."""

import os
import subprocess

import pytest
from django.db import connection

from memory_platform.providers.redis.client import BoundedRedis
from tests.units import DATABASE_ADVICE, PROCESS_ADVICE, REDIS_ADVICE


def test_this_module_is_of_units(request: pytest.FixtureRequest) -> None:
    assert request.node.get_closest_marker("unit")


def test_the_database_is_refused_with_advice() -> None:
    with pytest.raises(pytest.fail.Exception) as refused:
        connection.ensure_connection()
    assert str(refused.value) == DATABASE_ADVICE


def test_redis_is_refused_with_advice() -> None:
    with pytest.raises(pytest.fail.Exception) as refused:
        BoundedRedis(os.environ["REDIS_URL"]).call("tests", lambda client: client.ping())
    assert str(refused.value) == REDIS_ADVICE


def test_a_process_is_refused_with_advice() -> None:
    with pytest.raises(pytest.fail.Exception) as refused:
        subprocess.run(["true"], check=True)  # noqa: S607
    assert str(refused.value) == PROCESS_ADVICE


def test_what_asks_for_the_database_is_no_unit(request: pytest.FixtureRequest, database: None) -> None:
    assert request.node.get_closest_marker("unit") is None

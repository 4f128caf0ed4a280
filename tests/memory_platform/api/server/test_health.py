"""Whether the process runs, whether it can serve, and what it counts. Rows: D5. Matrix: 41."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from time import perf_counter

import psycopg
import pytest
from django.db import connection
from django.test import Client
from psycopg import sql
from pytest_django.fixtures import Settings

from memory_platform.api.server import health as views
from memory_platform.devstack.servers.postgres import EmbeddedPostgres
from memory_platform.observability.health import Check, ProbeOutcome, migrations_applied, run_checks
from tests.embedded_stack import MARK
from tests.log_lines import log_lines
from tests.memory_platform.api.conftest import Caller, body_of

# One of them changes the role that all processes of the tests share: beside it none may ask whether it is ready, and
# none may try the wall.
pytestmark = pytest.mark.xdist_group("wall")


def test_live_touches_nothing() -> None:
    """No database fixture: a query would raise."""
    response = Client().get("/health/live")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response["X-Request-Id"]


def test_ready_names_all_four_parts(nobody: Caller) -> None:
    migrations_applied()
    response = nobody("GET", "/health/ready")
    assert response.status_code == 200
    assert body_of(response) == {
        "status": "ok",
        "checks": {"postgres": "ok", "redis": "ok", "embedding": "ok", "queue": "ok"},
    }


def test_without_redis_it_is_degraded_and_still_ready(nobody: Caller, settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    settings.EMBEDDER = "none"
    migrations_applied()  # a process reads its migrations once, and a busy machine takes its time for it
    body = body_of(nobody("GET", "/health/ready/"))
    assert body["status"] == "degraded"
    assert body["checks"] == {"postgres": "ok", "redis": "degraded", "embedding": "degraded", "queue": "ok"}


@pytest.fixture
def role_that_passes_the_wall(database: None) -> Iterator[None]:
    """The app role with BYPASSRLS, as a careless operator might have made it."""
    address = EmbeddedPostgres(Path(os.environ[MARK]) / "postgres", durable=False).superuser_url()
    role = sql.Identifier(str(connection.settings_dict["USER"]))
    with psycopg.connect(address, autocommit=True) as superuser:
        superuser.execute(sql.SQL("ALTER ROLE {} BYPASSRLS").format(role))
        yield
        superuser.execute(sql.SQL("ALTER ROLE {} NOBYPASSRLS").format(role))


def test_a_role_that_can_pass_the_wall_is_not_ready(role_that_passes_the_wall: None) -> None:
    response = Client().get("/health/ready")
    assert response.status_code == 503
    assert response["Retry-After"]
    assert response.json()["checks"]["postgres"] == "unavailable"


def test_a_part_that_hangs_is_reported_in_time() -> None:
    release = Event()

    def hang() -> ProbeOutcome:
        release.wait(60)
        return ProbeOutcome.OK

    hung = Check("hung", hang, wait_s=0.1)
    started = perf_counter()
    health = run_checks([hung, Check("fine", lambda: ProbeOutcome.OK)])
    release.set()
    assert health.checks == {"hung": ProbeOutcome.DEGRADED, "fine": ProbeOutcome.OK}
    assert perf_counter() - started < 30, "a minute is what it would take"


def test_a_part_is_waited_for_until_its_first_answer_and_then_is_late(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    release = Event()

    def slow() -> ProbeOutcome:
        release.wait(60)
        return ProbeOutcome.OK

    part = Check("slow to start", slow, wait_s=0.1)
    assert run_checks([part]).status is ProbeOutcome.DEGRADED
    assert [line["event"] for line in log_lines(caplog)] == ["probe.awaited"]
    release.set()
    assert run_checks([Check("slow to start", slow, wait_s=20)]).status is ProbeOutcome.OK
    release.clear()
    caplog.clear()
    assert run_checks([part]).status is ProbeOutcome.DEGRADED
    release.set()
    assert [(line["event"], line["part"], line["error"]) for line in log_lines(caplog)] == [
        ("probe.failed", "slow to start", "late")
    ]


def test_a_part_that_raises_is_what_its_failure_means() -> None:
    def raise_error() -> ProbeOutcome:
        raise ConnectionError("secret words")

    health = run_checks([Check("a", raise_error, failed=ProbeOutcome.UNAVAILABLE), Check("b", raise_error)])
    assert health.checks == {"a": ProbeOutcome.UNAVAILABLE, "b": ProbeOutcome.DEGRADED}
    assert health.status is ProbeOutcome.UNAVAILABLE


def test_metrics_count_requests_by_route_never_by_path(acme: Caller) -> None:
    acme("GET", "/v1/tenant")
    acme("GET", "/v1/subjects-of-nobody/ada")
    page = acme("GET", "/metrics").content.decode()
    assert 'api_request_seconds_count{method="GET",route="v1/tenant",status="200"}' in page
    assert "agent_memory_retrieval_seconds" in page
    assert "subjects-of-nobody" not in page


@pytest.mark.parametrize("name", ["postgres", "redis", "embedding", "queue"])
def test_every_part_has_a_bounded_wait(name: str) -> None:
    check = next(check for check in views.CHECKS if check.name == name)
    assert check.wait_s <= 1

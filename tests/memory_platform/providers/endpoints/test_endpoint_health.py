"""How calls went is shared by processes through Redis, and missed without it. Rows: L1."""

from collections.abc import Iterator

import pytest
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.config import HEALTH
from memory_platform.providers.endpoints.endpoint_health import (
    OK,
    EndpointHealth,
    identify_endpoint,
    read_health,
    record_call,
    start_recording,
    stop_recording,
)


@pytest.fixture(autouse=True)
def recording() -> Iterator[None]:
    start_recording()
    yield
    stop_recording()


def test_the_last_calls_are_kept_with_failures_in_a_row(database: None) -> None:
    endpoint = identify_endpoint("chat", str(new_id()))
    assert read_health(endpoint) == EndpointHealth()
    for number in range(HEALTH.calls + 5):
        record_call(endpoint, OK, number / 1000)
    record_call(endpoint, "timeout", 2.0)
    record_call(endpoint, "broken", 0.1, pause_s=15)
    health = read_health(endpoint)
    assert health is not None
    assert (len(health.latencies_ms), health.latencies_ms[0]) == (HEALTH.calls, HEALTH.calls + 4)
    assert (health.percentile_ms(0.5), health.percentile_ms(0.95)) == (104, 194)
    assert (health.failure, health.failures) == ("broken", 2)
    assert health.paused_until is not None
    assert 10 < (health.paused_until - utc_now()).total_seconds() < 15
    record_call(endpoint, OK, 0.2)
    health = read_health(endpoint)
    assert health is not None
    assert (health.failures, health.paused_until, health.failure) == (0, None, "broken")


def test_without_redis_nothing_is_known_and_nothing_fails(settings: Settings) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    record_call("any", OK, 0.2)
    assert read_health("any") is None


def test_a_process_that_does_not_record_asks_redis_for_nothing() -> None:
    stop_recording()
    record_call("any", OK, 0.2)  # the guard of unit tests fails at a call of Redis


def test_an_endpoint_without_calls_has_no_percentile() -> None:
    assert EndpointHealth().percentile_ms(0.5) is None
    assert EndpointHealth(latencies_ms=(7,)).percentile_ms(0.95) == 7

"""A key's requests a second: a bucket in Redis that refills, counts, and is nobody's outage. Rows: T6, X10."""

import threading
import time
from typing import Any, cast
from uuid import UUID

import pytest
from pytest_django.fixtures import Settings
from redis import Redis

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import redis_client
from tenants.errors import RateLimited
from tenants.services.usage.quotas import Limits
from tenants.services.usage.request_rates import BucketState, make_bucket_key, make_counts_key, take_request
from tests.black_hole import black_hole, redis_tried_once_per_pause

STEP_S = 1_000
A_THOUSANDTH: Any = 1 / STEP_S  # a second that the machine takes longer is no request more
# One request in a thousand seconds: what a bucket holds changes only where a test lets time pass.
SLOW = Limits(requests_per_second=A_THOUSANDTH, burst=3)


@pytest.fixture
def tenant() -> UUID:
    return new_id()


def take_requests(tenant: UUID, times: int, limits: Limits, key: str = "k1") -> tuple[int, int]:
    """Return how many of ``times`` requests were taken, and how many refused."""
    refused = 0
    for _ in range(times):
        try:
            take_request(tenant, key, limits)
        except RateLimited:
            refused += 1
    return times - refused, refused


def read_counts(tenant: UUID) -> dict[bytes, bytes]:
    key = make_counts_key(tenant, f"{utc_now():%Y-%m-%d}")
    return cast(dict[bytes, bytes], redis_client().call("test", lambda client: client.hgetall(key)))


def test_a_burst_is_taken_and_what_is_beyond_it_refused(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    left = [cast(BucketState, take_request(tenant, "k1", SLOW)).remaining for _ in range(3)]
    with pytest.raises(RateLimited) as refused:
        take_request(tenant, "k1", SLOW)

    assert left == [2, 1, 0]
    assert refused.value.limit == "requests_per_second"
    assert STEP_S / 2 < refused.value.retry_after_s <= STEP_S
    assert refused.value.resets_at is not None
    assert 2 * STEP_S < (refused.value.resets_at - utc_now()).total_seconds() <= 3 * STEP_S


def test_the_bucket_fills_again_at_its_rate(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    limits = Limits(requests_per_second=A_THOUSANDTH, burst=2)
    assert take_requests(tenant, 3, limits) == (2, 1)
    let_pass(tenant, seconds=STEP_S)
    assert take_requests(tenant, 2, limits) == (1, 1)
    let_pass(tenant, seconds=6 * STEP_S)
    assert take_requests(tenant, 3, limits) == (2, 1)  # never more than the burst


def let_pass(tenant: UUID, *, seconds: int) -> None:
    """Have the bucket full again so much sooner."""
    redis_client().call("test", lambda client: client.decrby(make_bucket_key(tenant, "k1"), seconds * 1_000_000))


def test_keys_and_tenants_have_buckets_of_their_own(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    assert take_requests(tenant, 4, SLOW) == (3, 1)
    assert take_requests(tenant, 4, SLOW, "k2") == (3, 1)
    assert take_requests(new_id(), 4, SLOW) == (3, 1)


def test_threads_together_get_no_more_than_one(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    results: list[tuple[int, int]] = []
    limits = Limits(requests_per_second=1, burst=50)
    threads = [threading.Thread(target=lambda: results.append(take_requests(tenant, 30, limits))) for _ in range(4)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 50 <= sum(took for took, _ in results) <= 51 + (time.monotonic() - started)


def test_what_is_taken_and_refused_is_counted_by_the_day(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    take_requests(tenant, 5, SLOW)
    take_requests(tenant, 1, SLOW, "k2")
    counts = read_counts(tenant)
    assert (counts[b"requests"], counts[b"refused"]) == (b"4", b"2")
    assert int(counts[b"epoch"]) > 0


def test_counts_begin_under_a_new_epoch_after_redis_lost_them(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    take_requests(tenant, 2, SLOW)
    first = read_counts(tenant)[b"epoch"]
    redis_client().call("test", lambda client: client.flushall())
    take_requests(tenant, 1, SLOW)
    assert read_counts(tenant)[b"epoch"] != first
    assert read_counts(tenant)[b"requests"] == b"1"


def test_a_bucket_and_a_count_pass_away_by_themselves(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    take_request(tenant, "k1", SLOW)
    client = Redis.from_url(redis_server.url)
    assert 0 < cast(int, client.pttl(make_bucket_key(tenant, "k1"))) <= STEP_S * 1_000
    assert 0 < cast(int, client.ttl(make_counts_key(tenant, f"{utc_now():%Y-%m-%d}"))) <= 4 * 86_400
    client.close()


def test_a_restarted_redis_learns_the_script_again(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    take_request(tenant, "k1", SLOW)
    redis_client().call("test", lambda client: client.script_flush())
    assert cast(BucketState, take_request(tenant, "k1", SLOW)).remaining == 1


def test_without_redis_nobody_is_limited(redis_server: EmbeddedRedis, tenant: UUID) -> None:
    take_request(tenant, "k1", SLOW)
    redis_server.stop()
    with redis_tried_once_per_pause():
        assert [take_request(tenant, "k1", SLOW) for _ in range(20)] == [None] * 20


def test_a_silent_redis_costs_its_time_out_once(settings: Settings, tenant: UUID) -> None:
    with black_hole() as port:
        settings.REDIS_URL = f"redis://127.0.0.1:{port}/0"
        with redis_tried_once_per_pause():
            assert [take_request(tenant, "k1", SLOW) for _ in range(20)] == [None] * 20

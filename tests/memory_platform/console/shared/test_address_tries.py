"""Tries of one network address are counted together, and the address itself is not stored. Rows: D14."""

from datetime import timedelta

import pytest
from django.test import RequestFactory

from memory_platform.console.shared.address_tries import build_tries_key, read_address, take_try
from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import redis_client
from tests.conftest import World

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("sent", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:2", "2001:db8::/64"),
        ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
        ("", ""),
        ("unix:", ""),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(rf: RequestFactory, sent: str, counted: str) -> None:
    assert read_address(rf.get("/", REMOTE_ADDR=sent)) == counted


def test_tries_are_counted_by_purpose_and_address_until_their_window_ends(world: World, rf: RequestFactory) -> None:
    purpose, here, there = str(new_id()), rf.get("/"), rf.get("/", REMOTE_ADDR="192.0.2.7")
    assert [take_try(here, purpose, allowed=2, per=MINUTE) for _ in range(3)] == [True, True, False]
    assert take_try(there, purpose, allowed=2, per=MINUTE)
    assert take_try(here, str(new_id()), allowed=2, per=MINUTE)
    key = build_tries_key(purpose, "127.0.0.1")
    assert "127.0.0.1" not in key
    left = redis_client().call("tests", lambda redis: redis.pttl(key))
    assert 0 < int(left) <= 60_000  # type: ignore[arg-type]  # redis-py answers for two kinds of clients
    redis_client().call("tests", lambda redis: redis.delete(key))
    assert take_try(here, purpose, allowed=2, per=MINUTE)

"""Tenants take turns at the workers: a backlog, however long, does not keep another tenant's message waiting.

A tenant's every commit wakes a worker, so a busy tenant has many wake-ups in the broker's one queue. While others wait,
only one of them is followed at a time, for no longer than a turn; the rest end at once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast
from uuid import UUID

from memory_platform.kernel.ids import new_id
from memory_platform.providers.redis.client import RedisAway, redis_client
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.draining.heartbeat import kept_up
from snapshots.queue.figures.counts import tenants_with_due_work
from snapshots.queue.policy import QUEUE_POLICY, QueuePolicy
from snapshots.queue.values import Handlers
from snapshots.queue.wake_up import nudge

USE = "queue"
_LEAVE = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
# Both scripts check the holder: the seat may have run out, and be another's by now.
_STAY = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0"


def take_turn(tenant_id: UUID, handlers: Handlers, *, policy: QueuePolicy = QUEUE_POLICY) -> None:
    """Do a tenant's due work; while others wait, only if no other worker serves the tenant, and for one turn.

    Asks for another turn where work is left. A wake-up that ends at once loses nothing: the worker in the seat does its
    work, or the sweep finds it.
    """

    def others_wait() -> bool:
        return any(other != tenant_id for other in tenants_with_due_work(2))

    with seat(tenant_id, policy) as is_first:
        if not is_first and others_wait():
            return
        report = drain_work(tenant_id, handlers, policy=policy, others_wait=others_wait)
    if report.more:
        nudge(tenant_id)


@contextmanager
def seat(tenant_id: UUID, policy: QueuePolicy = QUEUE_POLICY) -> Iterator[bool]:
    """Yield whether no other worker serves the tenant now; without Redis every worker seems to be the first.

    A seat is kept for as long as its holder lives, however long a batch takes, and is free ``seat`` after its death.
    """
    key, holder = seat_key(tenant_id), str(new_id())
    try:
        is_first = redis_client().call(USE, lambda client: bool(client.set(key, holder, nx=True, px=policy.seat)))
    except RedisAway:
        yield True
        return
    if not is_first:
        yield False
        return
    try:
        with kept_up(lambda: _stay(key, holder, policy), policy.seat_renewed_every):
            yield True
    finally:
        _leave(key, holder)


def seat_key(tenant_id: UUID) -> str:
    return f"memory:queue:seat:{tenant_id}"


def _stay(key: str, holder: str, policy: QueuePolicy) -> bool:
    """Keep one's seat for another ``seat``; return False when it is lost. Without Redis it counts as kept."""
    lasts = int(policy.seat.total_seconds() * 1_000)
    try:
        return bool(redis_client().call(USE, lambda client: cast(object, client.eval(_STAY, 1, key, holder, lasts))))
    except RedisAway:
        return True


def _leave(key: str, holder: str) -> None:
    try:
        redis_client().call(USE, lambda client: cast(object, client.eval(_LEAVE, 1, key, holder)))
    except RedisAway:
        return  # it runs out by itself

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
from snapshots.queue.config import QUEUE_CONFIG, QueueConfig
from snapshots.queue.draining.drain import drain_work
from snapshots.queue.draining.heartbeat import repeat_in_background
from snapshots.queue.metrics import find_tenants_with_due_work
from snapshots.queue.values import Handlers
from snapshots.queue.worker_wake_ups import wake_workers

USE = "queue"
_LEAVE_SEAT_SCRIPT = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"
# Both scripts check the holder: the seat may have run out, and be another's by now.
_RENEW_SEAT_SCRIPT = "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0"


def drain_for_one_turn(tenant_id: UUID, handlers: Handlers, *, config: QueueConfig = QUEUE_CONFIG) -> None:
    """Do a tenant's due work; while others wait, only if no other worker serves the tenant, and for one turn.

    Asks for another turn where work is left. A wake-up that ends at once loses nothing: the worker in the seat does its
    work, or the sweep finds it.
    """

    def others_wait() -> bool:
        return any(other != tenant_id for other in find_tenants_with_due_work(2))

    with hold_tenant_lock(tenant_id, config) as is_first:
        if not is_first and others_wait():
            return
        report = drain_work(tenant_id, handlers, config=config, others_wait=others_wait)
    if report.more:
        wake_workers(tenant_id)


@contextmanager
def hold_tenant_lock(tenant_id: UUID, config: QueueConfig = QUEUE_CONFIG) -> Iterator[bool]:
    """Yield whether no other worker serves the tenant now; without Redis each worker believes that it holds the turn. A
    seat is kept for as long as its holder lives, however long a batch takes, and is free ``seat`` after its death."""
    key, holder = make_tenant_lock_key(tenant_id), str(new_id())
    try:
        is_first = redis_client().call(USE, lambda client: bool(client.set(key, holder, nx=True, px=config.seat)))
    except RedisAway:
        yield True
        return
    if not is_first:
        yield False
        return
    try:
        with repeat_in_background(lambda: _renew_tenant_lock(key, holder, config), config.seat_renewed_every):
            yield True
    finally:
        _release_tenant_lock(key, holder)


def make_tenant_lock_key(tenant_id: UUID) -> str:
    return f"memory:queue:seat:{tenant_id}"


def _renew_tenant_lock(key: str, holder: str, config: QueueConfig) -> bool:
    """Keep one's seat for another ``seat``; return False when it is lost. Without Redis it counts as kept."""
    lasts = int(config.seat.total_seconds() * 1_000)
    try:
        return bool(
            redis_client().call(
                USE, lambda client: cast(object, client.eval(_RENEW_SEAT_SCRIPT, 1, key, holder, lasts))
            )
        )
    except RedisAway:
        return True


def _release_tenant_lock(key: str, holder: str) -> None:
    try:
        redis_client().call(USE, lambda client: cast(object, client.eval(_LEAVE_SEAT_SCRIPT, 1, key, holder)))
    except RedisAway:
        return  # it runs out by itself

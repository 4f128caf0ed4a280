"""What is used is counted once, whoever dies when. Rows: T6, X10. Matrix: 3."""

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection, connections
from pytest_django.fixtures import Settings

from memory_platform.devstack.servers.redis import EmbeddedRedis
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import redis_client
from tenants.config import LedgerConfig
from tenants.isolation import tenant_tx
from tenants.models import UsageDay, UsageEvent
from tenants.services.usage.ledger_entries import record_message_usage, roll_up_usage
from tenants.services.usage.quotas import Limits
from tenants.services.usage.request_rates import make_counts_key, take_request
from tests.conftest import World

ROOT = Path(__file__).resolve().parents[4]
SMALL = LedgerConfig(batch=7)


def note(tenant: UUID, *counts: int) -> None:
    for count in counts:
        with tenant_tx(tenant):
            record_message_usage(count)


def note_context(tenant: UUID, tokens: int, full_history: int, **sections: int) -> None:
    parts = [{"name": name, "tokens": count, "items": 1, "dropped": 0} for name, count in sections.items()]
    with tenant_tx(tenant):
        UsageEvent.objects.create(
            contexts=1, tokens_in_context=tokens, tokens_full_history=full_history, sections=parts
        )


def days(tenant: UUID) -> list[UsageDay]:
    with tenant_tx(tenant):
        return list(UsageDay.objects.order_by("day"))


def messages(tenant: UUID) -> int:
    return sum(day.messages for day in days(tenant))


def waiting(tenant: UUID) -> int:
    with tenant_tx(tenant):
        return UsageEvent.objects.count()


def test_events_become_one_day_with_its_sections(world: World) -> None:
    acme = world.acme.tenant.id
    note(acme, 3, 4)
    note_context(acme, 700, 9_000, system=200, memory=500)
    assert roll_up_usage(acme) == 3
    note_context(acme, 800, 10_000, memory=700, query=100)
    assert (roll_up_usage(acme), roll_up_usage(acme)) == (1, 0)

    (day,) = days(acme)
    assert (day.day, day.messages, day.contexts) == (utc_now().date(), 7, 2)
    assert (day.tokens_in_context, day.tokens_full_history) == (1_500, 19_000)
    assert day.sections == {"system": 200, "memory": 1_200, "query": 100}
    assert days(world.globex.tenant.id) == []


def test_an_event_belongs_to_the_day_on_which_it_was_noted(world: World) -> None:
    acme = world.acme.tenant.id
    note(acme, 3, 4)
    with tenant_tx(acme):
        UsageEvent.objects.filter(messages=3).update(at=utc_now() - timedelta(days=1))
    roll_up_usage(acme)
    assert [day.messages for day in days(acme)] == [3, 4]


def test_what_is_taken_back_is_not_counted(world: World) -> None:
    with pytest.raises(ZeroDivisionError), tenant_tx(world.acme.tenant.id):
        record_message_usage(5)
        raise ZeroDivisionError
    roll_up_usage(world.acme.tenant.id)
    assert days(world.acme.tenant.id) == []


def test_batches_and_workers_at_once_count_each_event_once(world: World) -> None:
    acme = world.acme.tenant.id
    note(acme, *range(1, 41))

    def work() -> None:
        roll_up_usage(acme, config=SMALL)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    roll_up_usage(acme)
    assert (messages(acme), waiting(acme)) == (sum(range(1, 41)), 0)


KILLED = """
import os, sys
from uuid import UUID
import django
django.setup()
from django.db import connection
connection.settings_dict["NAME"] = sys.argv[2]
from tenants.config import LedgerConfig
from tenants.services.usage import ledger_entries
home = os.getpid()
for _ in sys.stdin:  # a line asks for a worker: what is imported serves them all
    worker = os.fork()
    if not worker:
        print(os.getpid(), flush=True)
        while os.getppid() == home:
            ledger_entries.roll_up_usage(UUID(sys.argv[1]), config=LedgerConfig(batch=3))
    os.waitpid(worker, 0)
    print("ended", flush=True)
"""


@pytest.mark.slow
def test_a_worker_killed_at_any_moment_loses_and_doubles_nothing(world: World) -> None:
    acme = world.acme.tenant.id
    noted = 0
    database = str(connections["default"].settings_dict["NAME"])
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(acme), database]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin
        assert parent.stdout
        try:
            for round_number in range(3):
                note(acme, *[1] * 60)
                noted += 60
                print(file=parent.stdin, flush=True)
                worker = int(parent.stdout.readline())
                time.sleep(0.05 * (round_number + 1))
                os.kill(worker, signal.SIGKILL)
                assert parent.stdout.readline() == "ended\n"
                assert messages(acme) + waiting(acme) == noted
        finally:
            parent.kill()
    assert messages(acme) > 0
    roll_up_usage(acme)
    assert (messages(acme), waiting(acme)) == (noted, 0)


def test_requests_come_from_redis_as_often_as_they_are_told(world: World, redis_server: EmbeddedRedis) -> None:
    acme = world.acme.tenant.id
    for _ in range(5):
        take_request(acme, "k", Limits())
    roll_up_usage(acme)
    roll_up_usage(acme)
    take_request(acme, "k", Limits())
    roll_up_usage(acme)
    assert [(day.requests, day.refused) for day in days(acme)] == [(6, 0)]


def test_a_redis_that_lost_its_counts_takes_none_back(world: World, redis_server: EmbeddedRedis) -> None:
    acme = world.acme.tenant.id
    for _ in range(5):
        take_request(acme, "k", Limits())
    roll_up_usage(acme)
    redis_client().call("test", lambda client: client.unlink(make_counts_key(acme, f"{utc_now():%Y-%m-%d}")))
    take_request(acme, "k", Limits())
    roll_up_usage(acme)
    assert [day.requests for day in days(acme)] == [6]


def test_without_redis_the_rest_is_counted(world: World, settings: Settings) -> None:
    settings.REDIS_URL = "unix:///nowhere/at/all"
    note(world.acme.tenant.id, 2)
    assert roll_up_usage(world.acme.tenant.id) == 1
    assert messages(world.acme.tenant.id) == 2

"""Waking the workers costs a request nothing, whatever the broker does. Rows: C3. Matrix: 29, 30."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from celery import current_app
from django.conf import settings

from snapshots.queue.config import WakeUpConfig
from snapshots.queue.worker_wake_ups import DRAIN_JOB, WakeUps, publish_wake_up

PATIENCE = 30  # seconds; who waits for a silent broker waits for ever


@contextmanager
def black_hole() -> Iterator[str]:
    """A broker that accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        stop = threading.Event()
        taken: list[socket.socket] = []

        def accept() -> None:
            server.settimeout(0.05)
            while not stop.is_set():
                try:
                    taken.append(server.accept()[0])
                except TimeoutError:
                    continue

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        finally:
            stop.set()
            thread.join()
            for one in taken:
                one.close()


@contextmanager
def refusing() -> Iterator[str]:
    """A broker that is not there."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    yield f"redis://127.0.0.1:{port}/0"


@pytest.mark.parametrize("broker", [black_hole, refusing])
def test_a_broker_that_is_down_costs_nobody_any_time(broker: object) -> None:
    with broker() as url:  # type: ignore[operator]
        tried = threading.Event()

        def announce(tenant_id: UUID) -> None:
            # By connection: CELERY_BROKER_URL in the environment counts more for Celery than its settings.
            with current_app.connection_for_write(url=url) as connection:
                tried.set()
                current_app.send_task(
                    DRAIN_JOB, kwargs={"tenant_id": str(tenant_id)}, retry=False, connection=connection
                )

        wake_ups = WakeUps(announce)
        for _ in range(50):
            wake_ups.add(uuid4())
            time.sleep(0.002)
        assert tried.wait(PATIENCE)
        wake_ups.flush()  # what an ending process does; it comes back, though a silent broker never answers


def test_many_commits_of_the_quiet_time_become_few_wake_ups_and_none_is_forgotten() -> None:
    said: list[tuple[UUID, int]] = []
    commits = 0

    def announce(tenant_id: UUID) -> None:
        said.append((tenant_id, commits))

    farewell = timedelta(seconds=PATIENCE)
    wake_ups = WakeUps(announce, WakeUpConfig(quiet=timedelta(milliseconds=250), farewell=farewell))
    tenants = [uuid4(), uuid4()]
    for _ in range(200):
        commits += 1
        wake_ups.add(tenants[commits % 2])
    assert wake_ups.flush()
    assert {tenant_id for tenant_id, _ in said} == set(tenants)
    assert len(said) <= 20  # four, unless the loop was held up for seconds
    assert max(seen for _, seen in said) == commits  # the last commit was announced after it happened


def test_the_first_wake_up_leaves_at_once() -> None:
    said = threading.Event()
    wake_ups = WakeUps(lambda _: said.set(), WakeUpConfig(quiet=timedelta(hours=1)))
    wake_ups.add(uuid4())
    assert said.wait(PATIENCE)


def test_a_broker_that_comes_back_hears_the_next_one() -> None:
    broken = True
    said: list[UUID] = []

    def announce(tenant_id: UUID) -> None:
        if broken:
            raise ConnectionRefusedError
        said.append(tenant_id)

    wake_ups = WakeUps(announce)
    wake_ups.add(uuid4())
    assert wake_ups.flush()
    broken = False
    tenant_id = uuid4()
    wake_ups.add(tenant_id)
    assert wake_ups.flush()
    assert said == [tenant_id]


def test_a_forked_child_has_a_thread_of_its_own() -> None:
    said: list[UUID] = []
    wake_ups = WakeUps(said.append)
    wake_ups.add(uuid4())
    assert wake_ups.flush()
    wake_ups.reset()  # what the child does after the fork
    tenant_id = uuid4()
    wake_ups.add(tenant_id)
    assert wake_ups.flush()
    assert said[-1] == tenant_id


@pytest.mark.usefixtures("running_redis")
def test_a_wake_up_carries_a_tenants_id_and_expires() -> None:
    assert current_app.conf.broker_url == settings.CELERY_BROKER_URL
    tenant_id = uuid4()
    with current_app.connection_for_read() as connection:
        queue = connection.SimpleQueue(current_app.conf.task_default_queue)
        queue.clear()
        publish_wake_up(tenant_id)
        message = queue.get(timeout=2)
        message.ack()
        queue.close()
    assert message.headers["task"] == DRAIN_JOB
    assert message.headers["expires"] is not None
    assert message.payload[:2] == [[], {"tenant_id": str(tenant_id)}]

"""The platform as served keeps every message while its parts die. Rows: C1, C2, C3, C5, R6. Matrix: 29, 32, 34."""

import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx
import pytest
from django.db import connection
from django.db.models.functions import Now

from snapshots.models import (
    Message,
    Snapshot,
    SnapshotSource,
    Work,
    WorkKind,
    WorkState,
)
from snapshots.queue.config import QUEUE_CONFIG
from snapshots.queue.metrics import count_work
from snapshots.understanding.reading.courtesies import says_something
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.flows.stage import PLATFORM, PROGRAM, Process, Stage, wait_until
from tests.snapshots.held import MEMORY
from tests.snapshots.queue.world import expire_leases, states

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(180)]

THREADS = 4
ROUND = 16
"""Messages that each thread posts in one round."""
ROUNDS = 3
SAID = (
    "I bought {n} tickets for the museum in Porto.",
    "I'm allergic to peanuts and I paid {n} euros.",
    "Thanks!",
    "我上周在静安区花了{n}元买书。",
    "我家在上海市浦东新区世纪大道{n}号",
    "Not jazz, I like rock.",
)

Rows = dict[str, list[dict[str, object]]]
"""Rows by the name of their model."""


class Product:
    """A product that posts from several threads, a conversation each, and keeps what was acknowledged."""

    def __init__(self, stage: Stage, house: House) -> None:
        self._stage = stage
        self._house = house
        self._lock = threading.Lock()
        self.acknowledged: dict[str, str] = {}
        self.ends = 0

    def talk(self, round_: int) -> None:
        """Post one round of messages; the conversations end after it."""
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda thread: self._talk(round_, thread), range(THREADS)))

    def ask(self, path: str, **body: Any) -> dict[str, Any]:
        """Return the answer to a POST, or to a GET when there is no body; it must be a good one."""
        with self._stage.client(**self._house.headers) as client:
            answer = client.post(path, json=body) if body else client.get(path)
        assert answer.is_success, answer.text
        answered: dict[str, Any] = answer.json()
        return answered

    def _talk(self, round_: int, thread: int) -> None:
        conversation = f"/v1/subjects/ada/conversations/c{thread}"
        with self._stage.client(**self._house.headers) as client:
            for number in range(ROUND):
                said = SAID[(number + thread) % len(SAID)].format(n=100 * round_ + number + 1)
                self._post(client, conversation, f"m{round_}-{thread}-{number}", said)
            call = {"id": "t1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
            called = {"message_id": f"t{round_}-{thread}", "role": "assistant", "tool_calls": [call]}
            assert client.post(f"{conversation}/messages", json={"messages": [called]}).status_code == 202
            assert client.post(f"{conversation}/end").is_success
        with self._lock:
            self.ends += 1

    def _post(self, client: httpx.Client, conversation: str, message_id: str, said: str) -> None:
        message = {"message_id": message_id, "role": "user", "content": said}
        answer = client.post(f"{conversation}/messages", json={"messages": [message]})
        assert answer.status_code == 202, answer.text
        with self._lock:
            self.acknowledged[message_id] = said


@pytest.mark.slow
def test_what_was_acknowledged_is_remembered_once_whatever_dies_meanwhile(world: World, stage: Stage) -> None:
    acme = world.acme
    first, _ = stage.worker(app=PLATFORM), stage.beat(app=PLATFORM)
    stage.web()
    product = Product(stage, acme)
    product.talk(0)

    stage.redis.kill()
    first.kill()
    let_leases_run_out(acme)
    product.talk(1)
    window = product.ask("/v1/subjects/ada/conversations/c0/window")
    context = product.ask("/v1/subjects/ada/context", query="What am I allergic to?", conversation_id="c0")
    assert {window["degraded_reason"], context["degraded_reason"]} == {"redis_unavailable"}
    assert window["messages"][-1]["message_id"] == "t1-0"

    stage.redis.start()
    sleeper = stage.worker(app=PLATFORM)
    wait_until(lambda: open_items(acme) < THREADS * ROUND, 40)
    wait_until(lambda: is_stopped(sleeper))
    product.talk(2)
    let_leases_run_out(acme)
    stage.worker(app=PLATFORM)
    sleeper.signal(signal.SIGCONT)
    wait_until(lambda: open_items(acme) == 0, 60, every=0.2)

    assert_all_is_remembered_once(acme, product)
    before = memory(acme)
    deliver_again(acme)
    wait_until(lambda: open_items(acme) == 0, 60, every=0.2)
    changes = list(find_changes(before, memory(acme)))
    assert not changes, changes
    assert_all_is_remembered_once(acme, product)


def is_stopped(worker: Process) -> bool:
    """Stop a worker for good when it happens to hold no lock, else let it go on."""
    worker.signal(signal.SIGSTOP)
    time.sleep(0.1)  # what it asked for last is answered
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s AND xact_start IS NOT NULL", [PROGRAM]
        )
        if cursor.fetchone() == (0,):
            return True
    worker.signal(signal.SIGCONT)
    return False


def let_leases_run_out(house: House) -> None:
    """End the leases of who is dead or stopped, as a minute would."""
    with tenant_tx(house.tenant.id):
        expire_leases()


def open_items(house: House) -> int:
    with tenant_tx(house.tenant.id):
        return Work.objects.filter(state__in=(WorkState.READY, WorkState.LEASED)).count()


def deliver_again(house: House) -> None:
    """Make every item ready once more, in an order that nobody enqueued."""
    shuffle = random.Random(11)  # noqa: S311 - a repeatable order
    with tenant_tx(house.tenant.id):
        for work_id in Work.objects.values_list("id", flat=True):
            due_at = Now() - timedelta(seconds=shuffle.random() * 60)
            Work.objects.filter(id=work_id).update(state=WorkState.READY, done_at=None, due_at=due_at)


def memory(house: House) -> Rows:
    """Return every row of what is remembered, whole."""
    with tenant_tx(house.tenant.id):
        return {model.__name__: [plain(row) for row in model.objects.order_by("id").values()] for model in MEMORY}


def plain(row: Mapping[str, object]) -> dict[str, object]:
    """Return a row whose vectors can be compared, without its version: a sentence that makes a note doubtful says so
    again when it is delivered again."""
    told = {name: value for name, value in row.items() if name != "version"}
    return {name: str(value) if "Vector" in type(value).__name__ else value for name, value in told.items()}


def find_changes(before: Rows, after: Rows) -> Iterator[tuple[str, object]]:
    """Yield each table whose rows are others, and each value of a row that is another."""
    for model, rows in before.items():
        if [row["id"] for row in rows] != [row["id"] for row in after[model]]:
            yield model, {row["id"] for row in rows} ^ {row["id"] for row in after[model]}
            continue
        for row, now in zip(rows, after[model], strict=True):
            yield from ((f"{model}.{name}", (value, now[name])) for name, value in row.items() if now[name] != value)


def assert_all_is_remembered_once(house: House, product: Product) -> None:
    assert len(product.acknowledged) == THREADS * ROUND * ROUNDS
    with tenant_tx(house.tenant.id):
        messages = {message.id: message for message in Message.objects.filter(role="user")}
        kept = Counter((message.external_id, message.content) for message in messages.values())
        assert kept == Counter(product.acknowledged.items())
        statements = SnapshotSource.objects.filter(memory__kind="statement").values_list("message_id", flat=True)
        telling = [message.id for message in messages.values() if says_something(message.content)]
        assert Counter(statements) == Counter(telling)
        assert 0 < len(telling) < len(messages)
        current = Snapshot.objects.filter(kind="conversation", invalid_at__isnull=True)
        assert current.count() == current.values("conversation_id").distinct().count() == THREADS
        summaries = Work.objects.filter(kind=WorkKind.SUMMARY)
        newest = {row.conversation_id: row.generation for row in summaries.order_by("generation")}
        # A worker asks for the newest whole stretch behind what it has read: earlier ones may be skipped, that one not.
        assert list(newest.values()) == [ROUND * ROUNDS // QUEUE_CONFIG.summary_turns] * THREADS
        items = 2 * len(messages) + product.ends + summaries.count()
        assert states() == {"done": items}
        assert count_work().accepted_total == items

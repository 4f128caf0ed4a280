"""An embedding endpoint that hangs or drips: questions in their time, nothing lost, all made good. Rows: R6, C3, S5."""

from collections.abc import Iterator

import pytest
from django.test import override_settings

from memory_platform.providers.config import CIRCUIT
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.registry import forget_providers
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.jobs import HANDLERS
from snapshots.models import SnapshotVector, Work, WorkState
from snapshots.queue.draining.drain import drain_work
from snapshots.recall.values import DegradedReason
from snapshots.sensitive.detector import mask_sensitive
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.flows.stage import wait_until
from tests.model_server import ModelServer, Reply, Request, model_server
from tests.snapshots.embedding.world import counts
from tests.snapshots.held import remember, say
from tests.snapshots.recall.test_service import ask, texts

pytestmark = pytest.mark.slow

CELLO, PIANO = "My cello is at the repair shop", "钢琴在修理店"
MESSAGES = 200
# All of them take longer than a test may: who waits for one to end is stopped.
HANGS = Reply({}, hang_s=600)
DRIPS = Reply(b" " * 300, drip=True, pause_s=1.0)
NEVER_BEGINS = Reply(drip_head=True, pause_s=1.0)


def embeds(request: Request) -> Reply:
    read = request.body["input"]
    return Reply({"data": [{"index": i, "embedding": [1.0, len(text), 2.0, 3.0]} for i, text in enumerate(read)]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    redis_client().call("tests", lambda client: client.flushdb())
    with model_server(embeds) as running:
        asked = {"EMBEDDER": "openai:some-model", "EMBEDDING_LANGUAGES": "en,zh", "EMBEDDING_DIMENSIONS": 4}
        with override_settings(EMBEDDING_BASE_URL=running.url, **asked):
            forget_providers()
            yield running
    forget_providers()


@pytest.mark.parametrize("reply", [HANGS, DRIPS, NEVER_BEGINS], ids=["hangs", "drips", "never-begins"])
def test_questions_go_on_with_keywords_and_nothing_that_is_said_meanwhile_is_lost(
    world: World, server: ModelServer, reply: Reply
) -> None:
    acme = world.acme
    remember(acme, CELLO, PIANO)
    server.answer = lambda _: reply
    for question, answer in (("Where is my cello?", CELLO), ("我的钢琴在哪里", PIANO)):
        found = ask(acme, question)
        assert texts(found)[0] == answer
        assert found.degraded == {DegradedReason.EMBEDDING_UNAVAILABLE}
    said = [f"Was cup number {number} in kitchen {number} yesterday?" for number in range(MESSAGES)]  # makes no note
    asked = len(server.requests)
    say(acme, *said)
    assert len(server.requests) == asked, "no model is asked while a product waits"
    drain_work(acme.tenant.id, HANDLERS)
    assert len(server.requests) <= asked + CIRCUIT.failures, "an endpoint that hangs is soon left alone"
    drain_work(acme.tenant.id, HANDLERS)
    assert is_done(acme)
    assert counts(acme) == (MESSAGES + 2, MESSAGES + 2, 2)
    assert "Was cup number 77 in kitchen 77 yesterday?" in texts(ask(acme, "cup number 77"))
    server.answer = embeds
    wait_until(lambda: caught_up(acme), 2 * CIRCUIT.pause_s)
    assert counts(acme) == (MESSAGES + 2, MESSAGES + 2, MESSAGES + 2)
    assert ask(acme, "Where is my cello?").degraded == frozenset()


def is_done(house: House) -> bool:
    with tenant_tx(house.tenant.id):
        return not Work.objects.exclude(state=WorkState.DONE).exists()


def caught_up(house: House) -> bool:
    backfill_vectors(house.tenant.id, 10 * MESSAGES, mask=mask_sensitive)
    with tenant_tx(house.tenant.id):
        return SnapshotVector.objects.count() == MESSAGES + 2

"""A model that suddenly answers vectors of another length stores none, says so, and heals. Rows: S5, L1, R6."""

from collections.abc import Callable, Iterator

import pytest
from pytest_django.fixtures import Settings

from memory_platform.api.server.health import probe_embedding
from memory_platform.observability.health import ProbeOutcome
from memory_platform.providers.redis.client import redis_client
from memory_platform.providers.registry import forget_providers
from snapshots.embedding.upkeep.vector_backfill import backfill_vectors
from snapshots.models import EmbeddingSpace
from snapshots.sensitive.detector import mask_sensitive
from tests.conftest import World
from tests.log_lines import log_lines
from tests.model_server import ModelServer, Reply, Request, model_server
from tests.snapshots.embedding.world import counts, store


def vectors(length: int) -> Callable[[Request], Reply]:
    """Return an endpoint's answers of ``length`` numbers for each text."""

    def answer(request: Request) -> Reply:
        rows = [{"index": i, "embedding": [1.0] * length} for i in range(len(request.body["input"]))]
        return Reply({"data": rows})

    return answer


@pytest.fixture
def server(settings: Settings) -> Iterator[ModelServer]:
    redis_client().call("tests", lambda client: client.flushdb())
    forget_providers()
    with model_server(vectors(1_024)) as running:
        settings.EMBEDDING_BASE_URL = running.url
        yield running
    forget_providers()


@pytest.mark.parametrize("model", ["bge-m3", "house-model"], ids=["known by name", "learned from its first answer"])
def test_another_length_is_refused_said_once_shown_and_healed(
    world: World, server: ModelServer, settings: Settings, model: str, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EMBEDDER = f"openai:{model}"
    store(world.acme, "allergic to peanuts")
    assert counts(world.acme) == (1, 1, 1)

    server.answer = vectors(512)
    store(world.acme, "likes the aisle")
    said = log_lines(caplog)
    assert counts(world.acme) == (2, 2, 1)
    assert [line["error"] for line in said if line["event"] == "provider.failed"] == ["wrong_dimension"]
    assert "aisle" not in str(said)
    assert probe_embedding() is ProbeOutcome.DEGRADED
    assert [space.name for space in EmbeddingSpace.objects.all()] == [f"openai:{model}@1024"]

    server.answer = vectors(1_024)
    assert backfill_vectors(world.acme.tenant.id, 10, mask=mask_sensitive) == 1
    assert counts(world.acme) == (2, 2, 2)
    assert probe_embedding() is ProbeOutcome.OK


def test_a_process_that_starts_while_the_length_is_wrong_stores_nothing_either(
    world: World, server: ModelServer, settings: Settings
) -> None:
    settings.EMBEDDER = "openai:bge-m3"
    server.answer = vectors(512)
    store(world.acme, "allergic to peanuts")
    assert counts(world.acme) == (1, 1, 0)
    assert not EmbeddingSpace.objects.exists()


def test_a_model_of_unknown_length_is_asked_for_it_before_the_back_fill_looks_for_what_it_lacks(
    world: World, server: ModelServer, settings: Settings
) -> None:
    settings.EMBEDDER = "openai:house-model"
    store(world.acme, "allergic to peanuts", "likes the aisle")
    forget_providers()  # as a process that starts anew: it would look for a space of length 0, which holds nothing
    assert backfill_vectors(world.acme.tenant.id, 10, mask=mask_sensitive) == 0

"""What is no nearer to a question than strangers' memories are is not found. Rows: R3, R6, S5."""

import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.policy import FloorPolicy
from snapshots.embedding.upkeep.floors import LEARNT_FLOORS, LearntFloors
from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import EmbeddingSpace
from snapshots.recall.search import prepare_question
from snapshots.recall.service import recall
from snapshots.recall.values import RecallQuery
from tests.conftest import House, World
from tests.snapshots.embedding.strangers import CHINESE, ENGLISH, LONG_AGO, strangers
from tests.snapshots.held import remember, run_as_owner

PEANUTS, HIKING = "I am allergic to peanuts", "每个周末都去爬山"
UNRELATED = "Who invented zippers?"


@pytest.fixture(autouse=True)
def one_space(settings: Settings) -> None:
    settings.EMBEDDER = "hashing:64"


def found(house: House, question: str) -> set[str]:
    answer = recall(house.tenant.id, house.subject.external_id, RecallQuery(text=question, asked_at=utc_now()))
    assert not answer.degraded
    return {memory.text for memory in answer.memories}


def with_floor(floor: float | None) -> None:
    """Let the one space have learnt ``floor``, and this process know it."""
    EmbeddingSpace.objects.update(similarity_floor=floor)
    LEARNT_FLOORS.read()


def test_an_unrelated_question_finds_nothing_once_the_space_has_learnt_its_floor(world: World) -> None:
    remember(world.acme, PEANUTS, HIKING, said_at=LONG_AGO)
    assert found(world.acme, UNRELATED) == {PEANUTS, HIKING}
    strangers(world.globex, *ENGLISH, *CHINESE)
    count_embedding_spaces_job()
    LEARNT_FLOORS.read()
    assert found(world.acme, UNRELATED) == set()
    assert found(world.acme, "Which nuts? Peanuts?") == {PEANUTS}
    assert found(world.acme, "周末爬山吗") == {HIKING}


def test_a_process_reads_the_floors_once_in_ten_minutes(world: World) -> None:
    remember(world.acme, PEANUTS, said_at=LONG_AGO)
    patient, eager = LearntFloors(), LearntFloors(FloorPolicy(kept=timedelta(0)))
    EmbeddingSpace.objects.update(similarity_floor=0.25)
    with CaptureQueriesContext(connection) as asked:
        assert [patient.of({"hashing-64", "unheard-of"}) for _ in range(3)] == [{"hashing-64": 0.25}] * 3
    assert len(asked) == 1
    assert eager.of({"hashing-64"}) == {"hashing-64": 0.25}
    EmbeddingSpace.objects.update(similarity_floor=0.5)
    assert patient.of({"hashing-64"}) == {"hashing-64": 0.25}
    assert eager.of({"hashing-64"}) == {"hashing-64": 0.5}
    EmbeddingSpace.objects.update(similarity_floor=None)
    assert eager.of({"hashing-64"}) == {}


def test_a_measured_floor_wins_and_costs_no_query(world: World, settings: Settings) -> None:
    settings.EMBEDDER = "wordllama"
    remember(world.acme, PEANUTS, said_at=LONG_AGO)
    with_floor(0.9)
    with CaptureQueriesContext(connection) as asked:
        assert LearntFloors(FloorPolicy(kept=timedelta(0))).of(set()) == {}
        assert prepare_question("What may she not eat?").probe.floors == {}
    assert len(asked) == 0
    assert found(world.acme, "Which nut allergies are there?") == {PEANUTS}, "nearer than 0.134, farther than 0.9"


def test_while_the_database_is_away_what_was_read_before_holds_on(world: World) -> None:
    remember(world.acme, PEANUTS, HIKING, said_at=LONG_AGO)
    with_floor(0.9)
    new = LearntFloors()
    run_as_owner("ALTER TABLE embedding_space RENAME TO embedding_space_away")
    try:
        LEARNT_FLOORS.read()
        assert new.of({"hashing-64"}) == {}
        assert prepare_question(UNRELATED).probe.floors == {"hashing-64": 0.9}
        assert found(world.acme, UNRELATED) == set()
    finally:
        run_as_owner("ALTER TABLE embedding_space_away RENAME TO embedding_space")


def test_after_a_blip_the_floors_are_read_again_at_once_and_not_in_ten_minutes(world: World) -> None:
    remember(world.acme, PEANUTS, said_at=LONG_AGO)
    EmbeddingSpace.objects.update(similarity_floor=0.25)
    new = LearntFloors(FloorPolicy(tried_again=timedelta(milliseconds=50)))
    run_as_owner("ALTER TABLE embedding_space RENAME TO embedding_space_away")
    try:
        assert new.of({"hashing-64"}) == {}
        with CaptureQueriesContext(connection) as asked:
            new.of({"hashing-64"})
        assert len(asked) == 0, "not every question asks a database that is away"
    finally:
        run_as_owner("ALTER TABLE embedding_space_away RENAME TO embedding_space")
    time.sleep(0.06)
    assert new.of({"hashing-64"}) == {"hashing-64": 0.25}

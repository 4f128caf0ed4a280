"""The benchmark's world: equal on every machine, exactly as large as asked, and written as the product writes."""

from itertools import islice

import pytest

from lab.benchmarks.worlds.sentences import TURNS, make_questions, make_talks
from lab.benchmarks.worlds.world_builder import POOL, Pool, fill_pool, place_subjects
from lab.benchmarks.worlds.world_spec import (
    Cohort,
    WorldSpec,
    check_spec,
    cohort_ids,
    list_subject_sizes,
    plan_subjects,
)
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, InvalidInput
from memory_platform.kernel.text import detect_language
from profiles.models import Subject
from profiles.services.subjects import ensure_subject
from snapshots.intake.conversation_rows import end_conversation_on_request
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.jobs import HANDLERS
from snapshots.models import Message, Note, Snapshot, SnapshotVector, SnapshotWords, SubjectMemory
from snapshots.queue.draining.drain import drain_work
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World

SPEC = WorldSpec(snapshots=150, subjects=6, cohorts=(Cohort(1, 70), Cohort(2, 30)), pool=120, seed=7)


def nothing(_: int) -> None:
    """Hear of progress."""


def build(house: House, spec: WorldSpec = SPEC) -> Pool:
    pool = fill_pool(house.tenant.id, spec, advance=nothing)
    place_subjects(pool, spec, advance=nothing)
    return pool


def post(house: House, subject_id: str, spec: WorldSpec = SPEC) -> None:
    """Say through the product's verbs what a subject of the world says."""
    planned = next(one for one in plan_subjects(SPEC) if one.external_id == subject_id)
    said, left = make_talks(spec.seed, spec.talks), planned.size
    for number in planned.talks:
        turns = said[number].turns[:left]
        left -= len(turns)
        messages = [
            IncomingMessage(role="user", content=turn.text, message_id=str(i), said_at=turn.said_at)
            for i, turn in enumerate(turns, 1)
        ]
        with tenant_tx(house.tenant.id):
            accept_messages(ensure_subject(subject_id), said[number].conversation_id, messages)
        with tenant_tx(house.tenant.id):
            end_conversation_on_request(subject_id, said[number].conversation_id)
    drain_work(house.tenant.id, HANDLERS)


def answer(house: House, subject_id: str, question: str) -> RecallAnswer:
    return recall(house.tenant.id, subject_id, RecallQuery(text=question, asked_at=utc_now(), top_k=20, explain=True))


def result_rows(found: RecallAnswer) -> list[tuple[object, ...]]:
    return [
        (one.text, one.score, one.category, one.topics, one.said_at, one.valid_at, one.confidence, one.sources)
        for one in found.memories
    ]


def test_a_seed_says_the_same_on_every_machine_and_no_sentence_twice() -> None:
    said = make_talks(1, 60)
    assert said == make_talks(1, 60)
    assert said[:20] == make_talks(1, 20)
    assert said != make_talks(2, 60)
    texts = [turn.text for talk in said for turn in talk.turns]
    assert len(set(texts)) == len(texts) == 60 * TURNS
    assert [detect_language(talk.turns[0].text) for talk in said[:3]] == ["en", "en", "zh"]
    asked = list(islice(make_questions(1), 3_000))
    assert asked == list(islice(make_questions(1), 3_000))
    assert len(set(asked)) > 2_900


def test_cohorts_have_exactly_their_size_and_the_others_share_the_rest() -> None:
    sizes = dict(list_subject_sizes(SPEC))
    assert sizes["bench-70-00001"] == 70
    assert cohort_ids(list(sizes), 30) == ["bench-30-00001", "bench-30-00002"]
    assert sorted(sizes.values()) == [6, 7, 7, 30, 30, 70]
    whole = dict(list_subject_sizes(WorldSpec()))
    assert len(whole) == 20_000
    assert sum(whole.values()) == 1_000_000


def test_what_a_subject_says_does_not_depend_on_the_others() -> None:
    wider = WorldSpec(snapshots=500, subjects=16, cohorts=SPEC.cohorts, pool=120, seed=7)
    more = {one.external_id: one for one in plan_subjects(wider)}
    assert all(more[one.external_id] == one for one in plan_subjects(SPEC) if "other" not in one.external_id)


@pytest.mark.parametrize(
    "spec",
    [
        WorldSpec(snapshots=10, subjects=6, cohorts=(Cohort(1, 70),)),
        WorldSpec(snapshots=100, subjects=1, cohorts=(Cohort(2, 10),)),
        WorldSpec(snapshots=100, subjects=1, cohorts=(Cohort(1, 90),)),
        WorldSpec(snapshots=100, subjects=1, cohorts=(Cohort(1, 100),), pool=80),
        WorldSpec(snapshots=100, subjects=1, cohorts=(Cohort(1, 100),), pool=110),
    ],
)
def test_a_world_that_cannot_be_is_refused(spec: WorldSpec) -> None:
    with pytest.raises(InvalidInput):
        check_spec(spec)


@pytest.mark.slow
def test_a_subject_of_the_world_answers_as_if_the_product_had_heard_it(world: World) -> None:
    acme, globex = world.acme, world.globex
    build(acme)
    for subject_id in ("bench-70-00001", "bench-30-00002"):
        post(globex, subject_id)
        for question in islice(make_questions(3), 12):
            built, posted = answer(acme, subject_id, question), answer(globex, subject_id, question)
            assert result_rows(built) == result_rows(posted)
            assert len(built.memories) == 20
            assert built.lanes == posted.lanes
            assert built.degraded == posted.degraded


def post_one_without_notes(house: House) -> tuple[str, int]:
    """Post subjects until one is left without a note, for a world holds none; return its id and size."""
    for one in plan_subjects(SPEC):
        post(house, one.external_id)
        with tenant_tx(house.tenant.id):
            if not Note.objects.filter(subject__external_id=one.external_id).exists():
                return one.external_id, one.size
    raise AssertionError("every subject of the world has a note: its sentences tell too much")


@pytest.mark.slow
def test_its_rows_are_those_that_the_product_writes(world: World) -> None:
    acme, globex = world.acme, world.globex
    build(acme)
    subject_id, size = post_one_without_notes(globex)
    for model, differ in (
        (SubjectMemory, {"version"}),
        (Message, {"accepted_at"}),
        (Snapshot, {"recorded_at", "last_validated_at", "expires_at"}),
        (SnapshotWords, set()),
        (SnapshotVector, set()),
    ):
        own = {"id", "tenant", "subject", "conversation", "snapshot"} | differ
        names = [field.name for field in model._meta.local_concrete_fields if field.name not in own]
        rows = []
        for house in (acme, globex):
            with tenant_tx(house.tenant.id):
                held = model.objects.filter(subject__external_id=subject_id)
                rows.append(sorted(repr(row) for row in held.values_list(*names)))
        assert rows[0] == rows[1], model
        assert len(rows[0]) in {1, size}


@pytest.mark.slow
def test_building_again_makes_what_is_missing_and_refuses_another_world(world: World) -> None:
    pool = build(world.acme)
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.filter(external_id="bench-30-00002").delete()
    assert place_subjects(pool, SPEC, advance=nothing) == 1
    assert place_subjects(pool, SPEC, advance=nothing) == 0
    with tenant_tx(world.acme.tenant.id):
        assert Snapshot.objects.exclude(subject__external_id=POOL).count() == SPEC.snapshots
    with pytest.raises(Conflict):
        fill_pool(world.acme.tenant.id, WorldSpec(pool=120, seed=8), advance=nothing)

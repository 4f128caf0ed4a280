"""An embedding space learns from its own vectors from which cosine on nearness says something. Rows: R3, S5."""

from collections.abc import Sequence
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.test import override_settings
from pytest_django.fixtures import Settings

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.contextual import Turn, index_text
from snapshots.embedding.policy import FLOOR, FloorPolicy
from snapshots.embedding.rows import Float32
from snapshots.embedding.spaces import active_embedders, space_id
from snapshots.embedding.upkeep.floors import (
    LEARNT_FLOORS,
    NO_PAIRS,
    Unrelated,
    floor_of,
    sample_unrelated,
    unrelated_pairs,
)
from snapshots.embedding.upkeep.space_counts import added_up, count_spaces
from snapshots.jobs import count_embedding_spaces_job
from snapshots.models import EmbeddingSpace, Snapshot
from snapshots.recall.policy import ScoringPolicy
from snapshots.recall.service import recall
from snapshots.recall.values import RecallQuery
from tenants.isolation import tenant_tx
from tenants.models import JobRun
from tests.conftest import House, World
from tests.snapshots.embedding.strangers import CHINESE, ENGLISH, LONG_AGO, person, strangers
from tests.snapshots.held import remember

EVERYBODY = ENGLISH + CHINESE
ANSWERED = {
    "Which instrument does your sister play?": ENGLISH[0],
    "Where does your cat sleep?": ENGLISH[7],
    "Is the rent going up?": ENGLISH[21],
    "How fast does he run a marathon?": ENGLISH[35],
}
"""Questions, each with the one memory that answers it."""


@pytest.fixture(autouse=True)
def one_space(settings: Settings) -> None:
    settings.EMBEDDER = "hashing:64"


def learnt(house: House, policy: FloorPolicy = FLOOR, *, seed: int = 0) -> Unrelated:
    """Return what the house's memories say of the floor of the first listed space."""
    (embedder, *_) = active_embedders()
    with tenant_tx(house.tenant.id):
        return sample_unrelated(space_id(embedder), policy, seed=seed)


def nearness(questions: Sequence[str], texts: Sequence[str]) -> Float32:
    """Return the cosines that recall would find, shape (questions, texts): the nearer of a memory's two views."""
    (embedder,) = active_embedders()
    indexed = [index_text(Turn(text, None, LONG_AGO)) for text in texts]
    dated, undated = (embedder.embed([getattr(one, view) for one in indexed]) for view in ("dated", "continued"))
    asked = embedder.embed(list(questions))
    return np.asarray(np.maximum(asked @ dated.T, asked @ undated.T), np.float32)


@pytest.mark.parametrize(("model", "least_below"), [("wordllama", 0.45), ("hashing:64", 0.25)])
def test_the_floor_parts_what_answers_from_what_has_nothing_to_do_with_the_question(
    world: World, settings: Settings, model: str, least_below: float
) -> None:
    settings.EMBEDDER = model
    strangers(world.acme, *EVERYBODY)
    floor = floor_of([learnt(world.acme)])
    assert floor is not None
    cosines = nearness(list(ANSWERED), ENGLISH)
    answers = np.array([[text == answer for text in ENGLISH] for answer in ANSWERED.values()])
    assert cosines[answers].min() > floor + 0.1
    assert (cosines[~answers] < floor).mean() >= least_below


def test_the_learnt_floor_is_near_to_the_measured_one(world: World, settings: Settings) -> None:
    # Measured on people's chatter, whose floor is learnt as 0.144; plain sentences of strangers are farther apart, and
    # the questions that they do not answer are too: three quarters lie below 0.066.
    settings.EMBEDDER = "wordllama"
    strangers(world.acme, *ENGLISH)
    floor = floor_of([learnt(world.acme)])
    assert floor == pytest.approx(ScoringPolicy().cosine_floor("wordllama-l2_supercat-256"), abs=0.13)
    assert floor == pytest.approx(float(np.percentile(nearness(list(ANSWERED), ENGLISH), 75)), abs=0.06)


def test_memories_of_one_subject_are_no_strangers_to_each_other(world: World) -> None:
    remember(world.acme, *EVERYBODY)
    assert learnt(world.acme) == NO_PAIRS
    strangers(world.acme, "a stranger's cello")
    assert learnt(world.acme).pairs == 2 * FLOOR.subject_sample


def test_what_is_retired_or_expired_teaches_nothing(world: World) -> None:
    retired, expired, *_ = strangers(world.acme, *ENGLISH[:5])
    assert learnt(world.acme).pairs == 5 * 4
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=retired).update(retired_at=utc_now())
        Snapshot.objects.filter(id=expired).update(expires_at=utc_now())
    assert learnt(world.acme).pairs == 3 * 2


def test_a_sample_is_bounded_and_the_same_for_the_same_seed(world: World) -> None:
    strangers(world.acme, *EVERYBODY)
    small = FloorPolicy(sample=10)
    assert learnt(world.acme, small) == learnt(world.acme, small)
    samples = {seed: learnt(world.acme, small, seed=seed) for seed in range(5)}
    assert {one.pairs for one in samples.values()} == {10 * 9}, "also where the ids come to their end"
    assert len({one.cosine for one in samples.values()}) > 1
    assert {learnt(world.acme, seed=seed) for seed in range(5)} == {learnt(world.acme)}, "all are in the sample"


def test_tenants_are_sampled_apart_and_each_has_one_voice(world: World) -> None:
    strangers(world.acme, *EVERYBODY)
    alone = learnt(world.acme)
    strangers(world.globex, *reversed(ENGLISH[:20]))
    acme, globex = learnt(world.acme), learnt(world.globex)
    assert acme == alone, "what another tenant stores is in no sample of this one"
    assert (acme.pairs, globex.pairs) == (48 * 47, 20 * 19), "pairs across tenants would be 2 x 48 x 20 more"
    embedders = active_embedders()
    both = added_up(*(count_spaces(one.tenant.id, embedders) for one in (world.acme, world.globex)))
    together = both[space_id(embedders[0])].unrelated
    assert sorted(together, key=str) == sorted((acme, globex), key=str)
    assert floor_of(together) == min(acme.cosine, globex.cosine)


def test_the_floor_is_the_lower_median_of_the_tenants_that_say_enough() -> None:
    def taught(*samples: tuple[int, float]) -> float | None:
        return floor_of([Unrelated(*sample) for sample in samples])

    assert (taught((1_499, 0.2)), taught((1_500, 0.2)), taught((1_300, 0.2), (200, 0.1))) == (None, 0.2, 0.1)
    assert taught((1_400, 0.2), (199, 0.1)) is None
    assert taught((90_000, 0.1), (1_500, 0.2), (300, 0.15)) == 0.15
    assert floor_of([]) is None


@pytest.mark.parametrize("stored", [-1.0, 0.649, 1.0])
def test_one_tenant_raises_no_floor_of_others(stored: float) -> None:
    honest, liar = [Unrelated(9_000, cosine) for cosine in (0.1, 0.12, 0.14)], Unrelated(90_000, stored)
    assert floor_of([liar]) == min(stored, FLOOR.highest_of_few), "who has nothing else to go by loses nothing"
    for others in (honest[:1], honest[:2], honest):
        floor = floor_of([*others, liar])
        assert floor is not None
        assert floor <= max(other.cosine for other in others)
    assert floor_of([*honest, liar]) in {0.1, 0.12}
    narrow = [Unrelated(9_000, cosine) for cosine in (0.71, 0.72, 0.99)]
    assert (floor_of(narrow[:2]), floor_of(narrow), floor_of(narrow[2:] * 3)) == (0.25, 0.72, FLOOR.highest)


def flood(house: House, texts: Sequence[str], *people: str) -> None:
    """Let each of ``people`` say the texts again and again, two hundred times."""
    for name in people:
        remember(person(house, name), *(texts[n % len(texts)] for n in range(200)), said_at=LONG_AGO)


ADVERTS = ("buy cheap watches now", "现在购买便宜手表")


def test_another_tenants_flood_hides_nothing(world: World) -> None:
    strangers(world.acme, *EVERYBODY)
    remember(world.acme, "I am allergic to peanuts", "我对花生过敏", said_at=LONG_AGO)
    floor = relearnt()
    before = [found(world.acme, question) for question in ("peanut allergy?", "花生过敏吗")]
    flood(world.globex, ADVERTS[:1], "bot", "机器人")
    assert relearnt() == floor
    assert [found(world.acme, question) for question in ("peanut allergy?", "花生过敏吗")] == before
    assert all(before)


@pytest.mark.parametrize(
    "texts", [ADVERTS[:1], ADVERTS[1:], tuple(f"{ADVERTS[0]} {n} {ADVERTS[1]}" for n in range(200))]
)
def test_two_subjects_who_flood_their_tenant_move_its_floor_by_little(world: World, texts: Sequence[str]) -> None:
    strangers(world.acme, *EVERYBODY)
    floor = relearnt()
    flood(world.acme, texts, "bot", "机器人")
    assert relearnt() == pytest.approx(floor, abs=0.05)


def relearnt() -> float | None:
    """Count anew and return the floor of the one space, which this process then knows."""
    JobRun.objects.all().delete()
    count_embedding_spaces_job()
    LEARNT_FLOORS.read()
    return EmbeddingSpace.objects.get(name="hashing-64").similarity_floor


def found(house: House, question: str) -> set[str]:
    answer = recall(house.tenant.id, house.subject.external_id, RecallQuery(text=question, asked_at=utc_now()))
    return {memory.text for memory in answer.memories}


def test_a_vector_that_says_nothing_is_in_no_pair() -> None:
    subjects: list[UUID] = [uuid4() for _ in range(3)]
    vectors = np.array([[1, 0], [0.5, 0.75], [0, 0]], np.float32)
    assert unrelated_pairs(subjects, vectors, vectors, FLOOR) == Unrelated(2, 0.5)


def test_the_job_keeps_the_floor_on_the_space_and_takes_it_away_from_one_with_too_few(world: World) -> None:
    with override_settings(EMBEDDER="hashing:32"):
        remember(world.acme, "two", "of one subject")
        EmbeddingSpace.objects.update(similarity_floor=0.5)  # learnt while there was more
    strangers(world.acme, *EVERYBODY)
    with override_settings(EMBEDDER="hashing:64,hashing:32"):
        count_embedding_spaces_job()
    floors = dict(EmbeddingSpace.objects.values_list("name", "similarity_floor"))
    assert floors == {"hashing-64": pytest.approx(learnt(world.acme).cosine), "hashing-32": None}


def test_a_space_that_is_not_listed_keeps_its_floor(world: World) -> None:
    strangers(world.acme, *EVERYBODY)
    count_embedding_spaces_job()
    JobRun.objects.all().delete()
    floor = EmbeddingSpace.objects.get().similarity_floor
    with override_settings(EMBEDDER="hashing:32"):
        count_embedding_spaces_job()
    assert EmbeddingSpace.objects.get(name="hashing-64").similarity_floor == floor is not None

"""One recall: all lanes at once, in one scope, and what it does without a part. Rows: R1, R2, R6, R7, R8, P4."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext, override_settings

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from memory_platform.providers.embedders.known_models import input_prefixes
from memory_platform.providers.registry import forget_providers
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders, make_spaces_key
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.models import Snapshot
from snapshots.recall.answer import RecallAnswer
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.filtering.filter_grammar import parse_filter
from snapshots.recall.loading.loaded_indexes import INDEXES, SUBJECTS, IndexKey
from snapshots.recall.pipeline import recall
from snapshots.recall.question import prepare_question
from snapshots.recall.values import DegradedReason, RecallQuery
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.model_server import Reply, Request, model_server
from tests.snapshots.held import broken_pgvector, know, label, prefer, remember, say

PEANUTS = "I am allergic to peanuts"
HAIKING = "我每个周末都去爬山"
LIGATURE = "\ufdfa"
LIGATURE_READ = "صلى الله عليه وسلم"


def ask(house: House, text: str, subject_id: str = "", **query: Any) -> RecallAnswer:
    asked = RecallQuery(text=text, asked_at=utc_now(), **query)
    return recall(house.tenant.id, subject_id or house.subject.external_id, asked)


def texts(found: RecallAnswer) -> list[str]:
    return [memory.text for memory in found.memories]


def test_all_lanes_answer_at_once_in_english_and_chinese(world: World) -> None:
    remember(world.acme, PEANUTS, HAIKING, "The meeting is on Monday")
    know(world.acme, name="Ada", occupation="programmer")
    prefer(world.acme, "navigation", "avoid_highway", True)
    label(world.acme, "家", address="上海市浦东新区世纪大道100号")

    english = ask(world.acme, "Which food is she allergic to?")
    assert texts(english)[0] == PEANUTS
    assert english.lanes.beliefs.profile == {"name": "Ada", "occupation": "programmer"}
    assert english.lanes.beliefs.preference_values == {"navigation": {"avoid_highway": True}}
    assert english.degraded == frozenset()

    chinese = ask(world.acme, "周末去哪里爬山")
    assert texts(chinese)[0] == HAIKING
    assert [match.tag.label for match in ask(world.acme, "导航回家").lanes.meant_tags] == ["家"]


def test_only_the_lanes_that_are_asked_for_are_read(world: World) -> None:
    remember(world.acme, PEANUTS)
    know(world.acme, name="Ada")
    prefer(world.acme, "food", "diet", "vegetarian")
    found = ask(world.acme, "peanuts", lanes=frozenset({"preferences"}))
    assert found.lanes.beliefs.preference_values == {"food": {"diet": "vegetarian"}}
    assert (texts(found), found.lanes.beliefs.profile, found.lanes.tags) == ([], {}, ())


def test_a_memory_names_its_message_and_explains_itself(world: World) -> None:
    messages = say(world.acme, PEANUTS)
    remember(world.acme, PEANUTS, messages=messages)
    memory = ask(world.acme, "peanuts", explain=True).memories[0]
    assert [(one.conversation_id, one.message_id) for one in memory.sources] == [("trip", messages[0].external_id)]
    assert memory.explain is not None
    assert memory.explain.keyword is not None
    assert memory.explain.keyword.rank == 1


@pytest.mark.parametrize(
    ("within", "named"),
    [
        (None, {"here", "there", "anywhere"}),
        ("here", {"here", "anywhere"}),
        ("", {"anywhere"}),
        ("不存在", {"anywhere"}),
    ],
)
def test_sources_come_of_one_conversation_and_of_what_belongs_to_none(
    world: World, within: str | None, named: set[str]
) -> None:
    for place in ("here", "there", "anywhere"):
        messages = say(world.acme, f"peanuts {place} 花生", conversation=place)
        own = None if place == "anywhere" else messages[0].conversation_id
        remember(world.acme, f"peanuts {place} 花生", messages=messages, conversation_id=own)
    found = ask(world.acme, "peanuts 花生", sources_within=within).memories
    assert len(found) == 3
    assert {one.conversation_id for memory in found for one in memory.sources} == named


def test_an_unknown_subject_has_nothing_and_stays_unknown(world: World) -> None:
    found = ask(world.acme, "anything", subject_id="nobody")
    assert (found.memories, found.lanes.beliefs.profile, found.lanes.tags) == ((), {}, ())
    with tenant_tx(world.acme.tenant.id):
        assert not Subject.objects.filter(external_id="nobody").exists()


def test_preferences_follow_both_clocks(world: World) -> None:
    then = utc_now() - timedelta(days=30)
    prefer(world.acme, "food", "favourite_drink", "茶", valid_at=then)
    between = utc_now()
    prefer(world.acme, "food", "favourite_drink", "咖啡")

    def drink(**query: Any) -> Any:
        return ask(world.acme, "喝什么", **query).lanes.beliefs.preference_values

    assert drink() == {"food": {"favourite_drink": "咖啡"}}
    assert drink(as_of=then + timedelta(days=1)) == {"food": {"favourite_drink": "茶"}}
    assert drink(known_at=between) == {"food": {"favourite_drink": "茶"}}
    assert drink(known_at=then) == {}


def test_a_filter_narrows_the_snapshots(world: World) -> None:
    remember(world.acme, PEANUTS, metadata={"channel": "app"})
    remember(world.acme, "peanuts are cheap", metadata={"channel": "web"})
    narrowed = ask(world.acme, "peanuts", filter=parse_filter({"metadata.channel": {"eq": "web"}}))
    assert texts(narrowed) == ["peanuts are cheap"]


def test_an_answer_takes_two_round_trips_in_a_new_process_after_a_write_and_otherwise(world: World) -> None:
    remember(world.acme, PEANUTS)
    know(world.acme, name="Ada")
    prefer(world.acme, "food", "diet", "vegetarian")
    label(world.acme, "home", address="1 High Street")
    INDEXES.clear()
    SUBJECTS.clear()
    cold, warm = statements_of(world.acme), statements_of(world.acme)
    assert (round_trips(cold), round_trips(warm)) == (2, 2)
    assert cold[2:] == warm[2:]
    assert len(warm) == 8, "the tenant, what is new in the memory; the tenant, state, clock, beliefs, tags, texts"
    SUBJECTS.clear()
    assert round_trips(statements_of(world.acme)) == 2, "the index is held, and whose it is has to be asked"
    with tenant_tx(world.acme.tenant.id):
        begin_memory_epoch(world.acme.subject.id, changed=[])
    assert round_trips(statements_of(world.acme)) == 2, "just written: the change, the answer"


def test_an_unknown_subject_takes_one_round_trip(world: World) -> None:
    with CaptureQueriesContext(connection) as queries:
        ask(world.acme, "anything", subject_id="nobody")
    assert round_trips([query["sql"] for query in queries.captured_queries]) == 1


def round_trips(statements: list[str]) -> int:
    """Return how many there were: each opens the tenant for itself. None was a transaction of several."""
    assert "BEGIN" not in statements
    return sum("app.tenant_id" in sql for sql in statements)


def statements_of(house: House) -> list[str]:
    """Return the SQL of one question about peanuts."""
    with CaptureQueriesContext(connection) as queries:
        assert texts(ask(house, "peanuts")) == [PEANUTS]
    return [query["sql"] for query in queries.captured_queries]


def test_what_an_index_no_longer_says_is_not_answered(world: World) -> None:
    (peanuts,) = remember(world.acme, PEANUTS)
    assert texts(ask(world.acme, "peanuts")) == [PEANUTS]
    remember(world.acme, "peanuts are fine again")
    assert set(texts(ask(world.acme, "peanuts"))) == {PEANUTS, "peanuts are fine again"}
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(id=peanuts).delete()
    assert texts(ask(world.acme, "peanuts")) == ["peanuts are fine again"], "also before the version says so"


def test_a_subject_that_begins_anew_under_its_id_remembers_nothing(world: World) -> None:
    remember(world.acme, PEANUTS)
    assert texts(ask(world.acme, "peanuts")) == [PEANUTS]
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT set_config('app.tenant_id', %s, false)", [str(world.acme.tenant.id)])
        owner.execute("DELETE FROM subject WHERE id = %s", [world.acme.subject.id])
        owner.execute("SELECT set_config('app.tenant_id', '', false)")
    assert texts(ask(world.acme, "peanuts")) == []
    with tenant_tx(world.acme.tenant.id):
        Subject.objects.create(external_id=world.acme.subject.external_id)
    assert texts(ask(world.acme, "peanuts")) == []


def test_a_warm_index_answers_its_own_tenant_alone(world: World) -> None:
    remember(world.acme, PEANUTS)
    assert texts(ask(world.acme, "peanuts")) == [PEANUTS]
    assert ask(world.globex, "peanuts", subject_id=world.acme.subject.external_id).memories == ()
    # Even a cache that has mixed up two tenants shows nobody else's words: they come through the wall.
    SUBJECTS.put((world.globex.tenant.id, "ada-stolen"), world.acme.subject.id)
    stolen = IndexKey(world.globex.tenant.id, world.acme.subject.id, make_spaces_key(active_embedders()))
    held = INDEXES.get(IndexKey(world.acme.tenant.id, world.acme.subject.id, stolen.spaces))
    assert held is not None
    INDEXES.put_newest(stolen, held)
    assert ask(world.globex, "peanuts", subject_id="ada-stolen").memories == ()


def test_without_pgvector_keywords_still_find_and_the_answer_says_so(world: World) -> None:
    remember(world.acme, PEANUTS, HAIKING)
    INDEXES.clear()
    with broken_pgvector():
        found = ask(world.acme, "peanuts", explain=True)
        assert texts(ask(world.acme, "周末爬山"))[0] == HAIKING
    assert texts(found) == [PEANUTS]
    assert found.degraded == {DegradedReason.PGVECTOR_UNAVAILABLE}
    assert found.memories[0].explain is not None
    assert found.memories[0].explain.dense is None
    healed = ask(world.acme, "peanuts", explain=True)
    assert healed.degraded == frozenset()
    assert healed.memories[0].explain is not None
    assert healed.memories[0].explain.dense is not None


def test_without_an_embedding_model_keywords_answer(world: World) -> None:
    remember(world.acme, PEANUTS, HAIKING)
    with override_settings(EMBEDDER="none"):
        assert texts(ask(world.acme, "peanuts")) == [PEANUTS]


def test_no_model_is_asked_for_lanes_that_need_none(world: World) -> None:
    label(world.acme, "home")
    forget_providers()
    with override_settings(EMBEDDER="openai:nobody", EMBEDDING_BASE_URL="http://127.0.0.1:1/v1"):
        assert ask(world.acme, "navigate home").degraded == {DegradedReason.EMBEDDING_UNAVAILABLE}
        alone = ask(world.acme, "navigate home", lanes=frozenset({"tags"}))
    forget_providers()
    assert alone.degraded == frozenset()
    assert [match.tag.label for match in alone.lanes.meant_tags] == ["home"]


def test_a_question_is_sent_as_the_model_was_trained_to_read_it_and_a_memory_as_it_is(world: World) -> None:
    name = f"bge-small-zh-{new_id()}"
    reading = input_prefixes(name)
    assert reading is not None

    def one_vector_each(request: Request) -> Reply:
        return Reply({"data": [{"index": i, "embedding": [1, 0, 0, 0]} for i in range(len(request.body["input"]))]})

    forget_providers()
    with (
        model_server(one_vector_each) as server,
        override_settings(EMBEDDER=f"openai:{name}", EMBEDDING_BASE_URL=server.url, EMBEDDING_DIMENSIONS=4),
    ):
        remember(world.acme, HAIKING)
        stored = len(server.requests)
        assert texts(ask(world.acme, "周末去哪里爬山")) == [HAIKING]
        sent = [request.body["input"] for request in server.requests]
    forget_providers()
    assert not any(text.startswith(reading.question) for batch in sent[:stored] for text in batch)
    assert sent[stored:] == [[f"{reading.question}周末去哪里爬山"]]


def test_a_tag_is_meant_by_what_a_long_question_says_first(world: World) -> None:
    label(world.acme, "家")
    most = DEFAULT_RECALL.tag_question_chars

    def meant_labels(before: int) -> list[str]:
        return [match.tag.label for match in ask(world.acme, "。" * before + "导航回家").lanes.meant_tags]

    assert meant_labels(most - len("导航回家")) == ["家"]
    assert meant_labels(most) == []


def test_a_question_is_as_long_as_it_is_to_its_reader(world: World) -> None:
    most = DEFAULT_RECALL.question_chars // len(LIGATURE_READ)
    held, left = prepare_question(LIGATURE * most), prepare_question(LIGATURE * 21_845)
    assert left.probe.terms == held.probe.terms
    assert [row.tolist() for row in left.probe.vectors.values()] == [
        row.tolist() for row in held.probe.vectors.values()
    ]
    label(world.acme, "家")
    before = DEFAULT_RECALL.tag_question_chars // len(LIGATURE_READ)
    assert [match.tag.label for match in ask(world.acme, LIGATURE * 3 + "导航回家").lanes.meant_tags] == ["家"]
    assert ask(world.acme, LIGATURE * before + "导航回家").lanes.meant_tags == ()


HOSTILE = [
    "",
    " ",
    "a",
    "家",
    "😀🚀",
    "'; DROP TABLE snapshot; --",
    "a & !b | (c:*",
    "%s %(x)s",
    "SELECT * FROM x" * 4_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_every_text_is_a_question(world: World, text: str) -> None:
    remember(world.acme, PEANUTS)
    assert ask(world.acme, text).degraded == frozenset()


def test_another_tenant_asking_for_the_same_id_finds_nothing_and_changes_nothing(world: World) -> None:
    remember(world.acme, PEANUTS)
    assert texts(ask(world.acme, "peanuts")) == [PEANUTS]
    stranger = ask(world.globex, "peanuts", subject_id="ada")
    assert stranger.memories == ask(world.globex, "peanuts", subject_id="nobody").memories == ()
    with tenant_tx(world.globex.tenant.id):
        assert Subject.objects.count() == 1
    assert texts(ask(world.acme, "peanuts")) == [PEANUTS]

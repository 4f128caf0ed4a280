"""``POST subjects/{id}/recall``. Rows: R1, R2, R6, R7, D1. Matrix: 46, 47."""

import math
from datetime import timedelta

import orjson
import pytest

from memory_platform.api.reference.schema import openapi_document
from memory_platform.api.v1.recall.common_recall_fields import RESERVED
from memory_platform.kernel.clock import utc_now
from snapshots.recall.loading.loaded_indexes import INDEXES
from snapshots.recall.values import DegradedReason
from tenants.policies.arms import Arm
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.memory_platform.api.v1.recall_calls import ADA, NOBODY, PEANUTS, recall, texts
from tests.snapshots.held import broken_pgvector, know, label, prefer, remember, say
from tests.snapshots.notes_held import note_down
from tests.snapshots.policies.test_effective_policies import experiment, make

HIKING = "我每个周末都去爬山"


def test_an_answer_has_every_member_of_the_contract(acme: Caller, world: World) -> None:
    message = say(world.acme, PEANUTS)[0]
    remember(world.acme, PEANUTS, messages=[message])
    know(world.acme, name="Ada")
    prefer(world.acme, "navigation", "avoid_highway", True)
    label(world.acme, "家", address="上海市浦东新区世纪大道100号", phone="021-1234")
    answer = recall(acme, "peanuts at home", explain=True)

    assert answer.keys() == {
        "memories",
        "profile",
        "preferences",
        "notes",
        "replies",
        "tags",
        "abstained",
        "intent",
        "policy_version",
        "experiment",
        "degraded_reason",
        "timings_ms",
    }
    memory = answer["memories"][0]
    assert (memory["text"], memory["lane"], memory["kind"]) == (PEANUTS, "snapshots", "statement")
    assert (memory["confidence"], memory["provenance"], memory["category"]) == (0.6, "observation", None)
    assert memory["sources"] == [{"conversation_id": "trip", "message_id": message.external_id}]
    assert memory["said_at"].endswith("Z")
    assert memory["explain"]["dense"]["rank"] == memory["explain"]["keyword"]["rank"] == 1
    factors = memory["explain"]["factors"]
    assert factors == {"recency": 1.05, "confidence_effective": 0.6, "provenance": 0.6, "frequency": 1.0}
    product = factors["recency"] * factors["confidence_effective"] * factors["provenance"]
    assert memory["score"] == pytest.approx(memory["explain"]["semantic"] * product, abs=1e-6)
    parts = memory["explain"]["relevance"]
    assert memory["explain"]["semantic"] == pytest.approx(parts["need"] * parts["as_statement"], abs=0.001)
    assert parts["as_note"] < memory["relevance"] < parts["as_statement"]
    assert answer["abstained"] is None
    assert answer["profile"] == {"name": "Ada"}
    assert answer["preferences"] == {"navigation": {"avoid_highway": True}}
    assert answer["notes"] == []
    assert [(tag["label"], tag["address"]) for tag in answer["tags"]] == [("家", "上海市浦东新区世纪大道100号")]
    assert answer["degraded_reason"] is None
    assert answer["timings_ms"].keys() == {"embed", "search", "total"}


@pytest.mark.parametrize(("said", "query"), [(PEANUTS, "May I eat peanuts?"), (HIKING, "周末爬山")])
def test_an_answer_that_holds_nothing_says_why(acme: Caller, world: World, said: str, query: str) -> None:
    remember(world.acme, said)
    narrow = recall(acme, query, filter={"topics": {"eq": "no such topic"}})
    assert (narrow["memories"], narrow["abstained"]) == ([], {"reason": "nothing_relevant"})
    assert recall(acme, query)["abstained"] is None
    unknown = body_of(acme("POST", "/v1/subjects/nobody/recall", {"query": query}))
    assert (unknown["memories"], unknown["abstained"]) == ([], {"reason": "unknown_subject"})


def test_chinese_questions_find_chinese_memories_tags_and_intent(acme: Caller, world: World) -> None:
    remember(world.acme, PEANUTS, HIKING)
    label(world.acme, "家", address="世纪大道100号")
    assert texts(recall(acme, "周末爬山"))[0] == HIKING
    home = recall(acme, "导航回家")
    assert (home["intent"], [tag["label"] for tag in home["tags"]]) == ("navigation", ["家"])


def test_notes_stand_in_their_own_key_with_what_is_known_of_them(acme: Caller, world: World) -> None:
    message = say(world.acme, "My son Theo can't have cashews")[0]
    remember(world.acme, "My son Theo can't have cashews", messages=[message])
    about = {"about_kind": "contact", "about_label": "my son Theo", "relation": "son"}
    note_down(
        world.acme,
        "Theo can't have cashews",
        messages=[message],
        grade="limit",
        vital_class="allergy",
        topics=("food",),
        confidence=0.9,
        provenance="confirmed_by_user",
        **about,
    )
    note_down(world.acme, "我每周三晚上打羽毛球", grade="habit", context="平时运动吗?")
    answer = recall(acme, "cashews")
    note = answer["notes"][0]
    assert (note.pop("id"), note.pop("said_at")[-1], note.pop("valid_at")[-1], note.pop("score") > 0.05)[1:] == (
        "Z",
        "Z",
        True,
    )
    assert note == {
        "text": "Theo can't have cashews",
        "grade": "limit",
        "about": {"kind": "contact", "id": None, "label": "my son Theo", "relation": "son"},
        "vital": True,
        "vital_class": "allergy",
        "relevance": note["relevance"],
        "confidence": 0.9,
        "provenance": "confirmed_by_user",
        "possibly_outdated": False,
        "context": None,
        "topics": ["food"],
        "aliases": [],
        "metadata": {},
        "sources": [{"conversation_id": "trip", "message_id": message.external_id}],
        "explain": None,
    }
    assert texts(answer) == ["My son Theo can't have cashews"]

    chinese = recall(acme, "羽毛球", explain=True)["notes"][0]
    assert (chinese["text"], chinese["about"], chinese["vital"], chinese["vital_class"]) == (
        "我每周三晚上打羽毛球",
        None,
        False,
        None,
    )
    assert (chinese["grade"], chinese["context"]) == ("habit", "平时运动吗?")
    assert chinese["explain"]["keyword"]["rank"] == 1
    factors = chinese["explain"]["factors"].values()
    assert chinese["score"] == round(chinese["explain"]["semantic"] * math.prod(factors), 6)
    assert chinese["relevance"] == chinese["explain"]["semantic"]
    parts = chinese["explain"]["relevance"]
    assert parts.keys() >= {"need", "as_note"}
    assert parts["need"] * parts["as_note"] == pytest.approx(chinese["relevance"], abs=0.001)


def test_the_lane_of_notes_can_be_asked_alone_or_turned_off(acme: Caller, globex: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    note_down(world.acme, *(f"peanuts, reason {number}" for number in range(5)))
    assert recall(acme, "peanuts", lanes=["snapshots"])["notes"] == []
    alone = recall(acme, "peanuts", lanes=["notes"], top_k=3)
    assert (alone["memories"], len(alone["notes"])) == ([], 3)
    assert recall(acme, "peanuts", lanes=["notes"], path=NOBODY)["notes"] == []
    assert recall(globex, "peanuts")["notes"] == []


def test_whoever_asks_for_notes_among_the_memories_is_told_where_they_are(acme: Caller) -> None:
    problem = problem_of(acme("POST", ADA, {"query": "a", "kinds": ["note"]}), 400)
    assert "lane `notes`" in problem["errors"][0]["message"]


def test_a_lane_that_is_off_is_empty(acme: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    know(world.acme, name="Ada")
    answer = recall(acme, "peanuts", lanes=["snapshots"])
    assert texts(answer) == [PEANUTS]
    assert (answer["profile"], answer["preferences"], answer["tags"]) == ({}, {}, [])
    assert texts(recall(acme, "peanuts", lanes=["profile"])) == []


@pytest.mark.parametrize("path", [ADA, "/v1/subjects/nobody/recall"])
@pytest.mark.parametrize("lanes", [["documents"], ["documents", "tags"], ["documents", "snapshots"]])
@pytest.mark.parametrize("then", [{}, {"known_at": "2020-01-01T00:00:00Z"}], ids=["now", "then"])
def test_a_tenant_without_documents_is_answered_by_its_memory(
    acme: Caller, world: World, path: str, lanes: list[str], then: dict[str, str]
) -> None:
    remember(world.acme, PEANUTS)
    answer = recall(acme, "peanuts", path=path, lanes=lanes, **then)
    assert answer["degraded_reason"] is None
    assert texts(answer) == ([PEANUTS] if path == ADA and "snapshots" in lanes and not then else [])
    assert (answer["abstained"] is None) == bool(texts(answer))


def test_explain_is_null_unless_asked_for_and_a_lane_that_found_nothing_is_null(acme: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    assert recall(acme, "peanuts")["memories"][0]["explain"] is None
    INDEXES.clear()
    with broken_pgvector():
        answer = recall(acme, "peanuts", explain=True)
    assert answer["degraded_reason"] == "pgvector_unavailable"
    assert answer["memories"][0]["explain"]["dense"] is None
    assert recall(acme, "peanuts")["degraded_reason"] is None


def test_top_k_kinds_topics_filter_and_time_narrow_the_answer(acme: Caller, world: World) -> None:
    remember(world.acme, "peanuts one", "peanuts two", "peanuts three", topics=("food",))
    remember(world.acme, "peanuts by hand", kind="manual", metadata={"channel": "app"})
    assert len(texts(recall(acme, "peanuts", top_k=2))) == 2
    assert texts(recall(acme, "peanuts", kinds=["manual"])) == ["peanuts by hand"]
    assert len(texts(recall(acme, "peanuts", topics=["food"]))) == 3
    assert texts(recall(acme, "peanuts", topics=["Food"])) == []
    assert texts(recall(acme, "peanuts", filter={"not": {"topics": {"contains": "food"}}})) == ["peanuts by hand"]
    assert texts(recall(acme, "peanuts", filter={"metadata.channel": {"eq": "app"}})) == ["peanuts by hand"]
    assert texts(recall(acme, "peanuts", filter={"metadata.channel": {"eq": "App"}})) == []
    assert texts(recall(acme, "peanuts", filter={"metadata.channel": {"contains": "AP"}})) == ["peanuts by hand"]
    assert texts(recall(acme, "peanuts", filter={"topics": {"contains": "Food"}})) == []
    assert texts(recall(acme, "peanuts", time_range={"to": "2020-01-01T00:00:00Z"})) == []
    assert len(texts(recall(acme, "peanuts", time_range={"from": "2020-01-01T00:00:00+08:00"}))) == 4
    assert texts(recall(acme, "peanuts", as_of="2020-01-01T00:00:00Z")) == []
    assert texts(recall(acme, "peanuts", known_at="2020-01-01T00:00:00Z")) == []


def test_known_at_answers_with_what_was_held_before_an_edit_and_a_retirement(acme: Caller) -> None:
    made = body_of(acme("POST", "/v1/subjects/ada/snapshots", {"text": "The key is under the mat"}))
    path = f"/v1/subjects/ada/snapshots/{made['id']}"
    before = utc_now().isoformat()
    acme("PATCH", path, {"text": "The key is under the pot"})
    between = utc_now().isoformat()
    acme("DELETE", path)
    assert texts(recall(acme, "key", known_at=before)) == ["The key is under the mat"]
    assert texts(recall(acme, "key", known_at=between)) == ["The key is under the pot"]
    assert texts(recall(acme, "key")) == []


def test_options_without_a_model_are_accepted_and_the_answer_names_them(acme: Caller, world: World) -> None:
    remember(world.acme, PEANUTS)
    answer = recall(acme, "peanuts", rerank=True, rewrite=True, conversation_id="another talk", filter=None)
    assert texts(answer) == [PEANUTS]
    assert answer["degraded_reason"] == "rerank_unconfigured,rewrite_unconfigured"
    assert recall(acme, "peanuts", rewrite=True)["degraded_reason"] == "rewrite_unconfigured"
    assert recall(acme, "peanuts")["degraded_reason"] is None


@pytest.mark.parametrize(
    ("option", "says"),
    [
        ("rerank", "rerank_unconfigured"),
        ("rewrite", "rewrite_unconfigured"),
        ("conversation_id", "that asks"),
        ("lanes", "documents_unavailable"),
        ("topics", "`Food` is not `food`"),
        ("filter", "case counts"),
    ],
)
def test_the_document_says_what_an_option_does_without_a_model(option: str, says: str) -> None:
    document = orjson.loads(openapi_document())
    assert says in document["components"]["schemas"]["RecallInputRequest"]["properties"][option]["description"]


def test_the_document_names_every_reason_and_those_that_are_only_reserved() -> None:
    document = orjson.loads(openapi_document())
    said = document["components"]["schemas"]["RecallOutput"]["properties"]["degraded_reason"]["description"]
    given, _, reserved = said.partition("Reserved")
    assert [reason in given for reason in DegradedReason] == [reason not in RESERVED for reason in DegradedReason]
    assert all(reason in reserved for reason in RESERVED)


@pytest.mark.parametrize("query", ["peanuts", "周末爬山", "where did we meet"])
def test_a_reader_can_recompute_every_score(acme: Caller, world: World, query: str) -> None:
    for number, text in enumerate((PEANUTS, HIKING, "We met at the aquarium", "The meeting is on Monday")):
        remember(world.acme, text, confidence=0.1 + 0.17 * number, said_at=utc_now() - timedelta(days=20 * number))
    for memory in recall(acme, query, explain=True)["memories"]:
        why = memory["explain"]
        assert memory["score"] == round(why["semantic"] * math.prod(why["factors"].values()), 6)
        assert why["keyword"] or why["dense"]


def test_an_idempotency_key_is_ignored(acme: Caller, world: World) -> None:
    first = acme("POST", ADA, {"query": "peanuts"}, Idempotency_Key="k")
    remember(world.acme, PEANUTS)
    second = acme("POST", ADA, {"query": "other"}, Idempotency_Key="k")
    assert (first.status_code, second.status_code) == (200, 200)
    assert not second.has_header("Idempotent-Replayed")


def test_the_active_policy_says_how_many_and_in_what_order(acme: Caller, world: World) -> None:
    for n in range(5):
        remember(world.acme, f"{PEANUTS}, said for the time number {n}")
    plain = recall(acme, "peanuts", explain=True)
    assert (plain["policy_version"], plain["experiment"], len(plain["memories"])) == ("1", None, 5)

    make(world.acme, {"recall": {"top_k": 2}, "ranking": {"use_provenance": False}}, activate=True)
    steered = recall(acme, "peanuts", explain=True)
    assert (steered["policy_version"], len(steered["memories"])) == ("2", 2)
    assert len(recall(acme, "peanuts", top_k=4)["memories"]) == 4
    assert {memory["explain"]["factors"]["provenance"] for memory in steered["memories"]} == {1.0}
    assert {memory["explain"]["factors"]["provenance"] for memory in plain["memories"]} != {1.0}


def test_an_answer_names_experiment_and_arm(acme: Caller, world: World) -> None:
    number = make(world.acme, {"recall": {"top_k": 2}})
    experiment(world.acme, Arm("as it is", 1, 50), Arm("少", number, 50))
    told = [recall(acme, "peanuts", path=f"/v1/subjects/s{n}/recall") for n in range(30)]
    assert {(one["experiment"]["name"], one["experiment"]["arm"], one["policy_version"]) for one in told} == {
        ("trial", "as it is", "1"),
        ("trial", "少", "2"),
    }

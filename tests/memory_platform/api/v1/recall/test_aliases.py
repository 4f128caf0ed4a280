"""Aliases and metadata of memories, through the API. Rows: X11, R2, R7, S1."""

from typing import Any

import pytest

from snapshots.models import Note, NoteGrade, Snapshot
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, fields_of, problem_of
from tests.snapshots.held import remember, say
from tests.snapshots.understanding.making import say as tell
from tests.snapshots.understanding.making import settle

ADA = "/v1/subjects/ada"
DEPLOY = {
    "text": "Rolling deploys run on the cluster in Frankfurt",
    "aliases": ["k8s", "Kubernetes"],
    "metadata": {"scope": "work", "rank": 3},
}


def post(caller: Caller, body: dict[str, Any], subject: str = ADA) -> dict[str, Any]:
    response = caller("POST", f"{subject}/snapshots", body)
    assert response.status_code == 201, response.content
    return body_of(response)


def recall_memories(caller: Caller, query: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body_of(caller("POST", f"{ADA}/recall", {"query": query, **more}))["memories"]
    return found


def test_aliases_and_metadata_come_back_wherever_a_memory_is_shown(acme: Caller, world: World) -> None:
    made = post(acme, DEPLOY)
    assert (made["aliases"], made["metadata"]) == (DEPLOY["aliases"], DEPLOY["metadata"])
    (found,) = recall_memories(acme, "Where do deploys run?")
    assert (found["aliases"], found["metadata"]) == (DEPLOY["aliases"], DEPLOY["metadata"])
    (listed,) = body_of(acme("GET", f"{ADA}/snapshots"))["data"]
    assert listed["aliases"] == DEPLOY["aliases"]


@pytest.mark.parametrize(
    ("plain", "mixed", "answered"),
    [
        (
            "I am allergic to peanuts",
            "I am vegetarian. My sister Ruth lives in Leeds.",
            "I recommend the Miller Creek trail, 12 km.",
        ),
        (
            "我对花生过敏",
            "我是一名护士，在成都的医院上班。我姐姐林燕对海鲜过敏。",
            "我推荐你去走米勒溪步道，全长12公里。",
        ),
    ],
)
def test_every_recalled_memory_has_grade_aliases_and_metadata(
    acme: Caller, world: World, plain: str, mixed: str, answered: str
) -> None:
    tell(world.acme, plain, mixed)
    say(world.acme, answered, role="assistant", conversation="other")
    settle(world.acme)
    with tenant_tx(world.acme.tenant.id):
        Snapshot.objects.filter(kind="reply").update(metadata={"scope": "outdoors"}, aliases=["hike"])
        statement = Snapshot.objects.get(text=mixed, kind="statement")
        first, *others = Note.objects.filter(statement_id=statement.id)
        assert others
        Note.objects.filter(id=first.id).update(grade=NoteGrade.PLAN)
    body = body_of(
        acme("POST", f"{ADA}/recall", {"query": f"{plain} {mixed} {answered}", "lanes": ["snapshots", "replies"]})
    )
    shown = {one["text"]: one["grade"] for one in body["memories"]}
    assert (shown[plain], shown[mixed]) == (NoteGrade.LIMIT, None)
    (reply,) = body["replies"]
    assert (reply["aliases"], reply["metadata"]) == (["hike"], {"scope": "outdoors"})


def test_a_strict_question_takes_what_it_names_by_an_alias(acme: Caller, world: World) -> None:
    made = post(acme, DEPLOY)
    post(acme, {"text": "The gym opens at seven", "aliases": ["fitness"]})
    for query in ("what about K8S?", "kubernets?", "which kubernetes version"):
        assert [one["id"] for one in recall_memories(acme, query, strict=True)] == [made["id"]], query
    assert recall_memories(acme, "what about k9s?", strict=True) == []


def test_an_edited_alias_names_at_once_and_history_keeps_the_old_one(acme: Caller, world: World) -> None:
    made = post(acme, DEPLOY)
    acme("PATCH", f"{ADA}/snapshots/{made['id']}", {"aliases": ["nomad", "nomad"]})
    assert [one["aliases"] for one in recall_memories(acme, "nomad?", strict=True)] == [["nomad"]]
    assert recall_memories(acme, "k8s?", strict=True) == []
    states = body_of(acme("GET", f"{ADA}/snapshots/{made['id']}/history"))["data"]
    assert [one["aliases"] for one in states] == [DEPLOY["aliases"], ["nomad"]]


def test_an_explanation_names_the_words_that_match(acme: Caller, world: World) -> None:
    post(acme, DEPLOY)
    (found,) = recall_memories(acme, "Where do our deploys run, on K8s or in Frankfurt?", explain=True)
    assert found["explain"]["keyword"]["words"] == ["deploys", "run", "K8s", "Frankfurt"]


def test_an_explanation_names_no_words_where_the_rank_is_that_of_the_words_around_it(
    acme: Caller, world: World
) -> None:
    said = ("We took the ferry to Naxos", "Yes, it was windy")
    talk = say(world.acme, *said)[0].conversation_id
    for number, text in enumerate(said):
        remember(world.acme, text, conversation_id=talk, seq=number)
    found = {one["text"]: one["explain"]["keyword"] for one in recall_memories(acme, "Naxos", explain=True)}
    assert found["We took the ferry to Naxos"]["words"] == ["Naxos"]
    assert found["Yes, it was windy"]["view"] == "window"
    assert "words" not in found["Yes, it was windy"]


def test_a_card_number_is_no_alias(acme: Caller, world: World) -> None:
    assert post(acme, {**DEPLOY, "aliases": ["4111 1111 1111 1111", "k8s"]})["aliases"] == ["k8s"]


def test_bad_aliases_are_refused(acme: Caller) -> None:
    for bad in ("k8s", ["x" * 101], ["a"] * 21, [7]):
        problem = problem_of(acme("POST", f"{ADA}/snapshots", {"text": "a", "aliases": bad}), 400)
        assert {field.split(".")[0] for field in fields_of(problem)} == {"aliases"}


def test_another_tenant_gets_what_it_gets_for_an_id_nobody_has(acme: Caller, globex: Caller, world: World) -> None:
    made = post(acme, DEPLOY)
    body = {"aliases": ["mine"]}
    foreign = globex("PATCH", f"{ADA}/snapshots/{made['id']}", body)
    unknown = globex("PATCH", f"{ADA}/snapshots/0191d3a0-0000-7000-8000-000000000000", body)
    assert problem_of(foreign, 404)["code"] == problem_of(unknown, 404)["code"]
    assert recall_memories(globex, "k8s", strict=True) == []
    assert [one["aliases"] for one in recall_memories(acme, "k8s", strict=True)] == [DEPLOY["aliases"]]

"""Two web processes answer alike whatever is written, and by whom. Rows: R1, S5, C3, E6, E8."""

from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from snapshots.recall.loading.loaded_indexes import INDEXES, SUBJECTS
from snapshots.recall.pipeline import recall
from snapshots.recall.ranking.score_factors import DIGITS
from snapshots.recall.values import RecallQuery
from tests.conftest import House, World
from tests.flows.stage import PLATFORM, Stage, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

ADA = "/v1/subjects/ada"
WEBS = ("one", "other")
DOG, MUSEUM, TEA, WALK = "My dog Rex is ill", "I paid 12 euros at the museum in Porto", "我每天早上喝绿茶", "周末去爬山"
QUESTION = "dog museum 绿茶 爬山"

Told = list[tuple[str, str, float]]
"""Ids, texts and scores of an answer, in its order."""


@pytest.mark.slow
def test_two_processes_answer_as_a_new_one_does_whatever_is_written(world: World, stage: Stage) -> None:
    for web in WEBS:
        stage.web(web)
    stage.worker(app=PLATFORM, processes=1)

    said = [{"role": "user", "content": text} for text in (DOG, MUSEUM, TEA, WALK)]
    calls(stage, world.acme, "one", "POST", f"{ADA}/conversations/trip/messages", {"messages": said})
    wait_until(lambda: calls(stage, world.acme, "one", "GET", f"{ADA}/pending")["pending"] == 0)
    held = ids(all_tell(stage, world.acme))
    assert held.keys() == {DOG, MUSEUM, TEA, WALK}

    calls(stage, world.acme, "other", "PATCH", f"{ADA}/snapshots/{held[DOG]}", {"text": "My dog Rex is well again"})
    assert ids(all_tell(stage, world.acme)).keys() == {"My dog Rex is well again", MUSEUM, TEA, WALK}

    calls(stage, world.acme, "one", "DELETE", f"{ADA}/snapshots/{held[MUSEUM]}")
    assert ids(all_tell(stage, world.acme)).keys() == {"My dog Rex is well again", TEA, WALK}

    calls(stage, world.acme, "other", "POST", f"{ADA}/snapshots/{held[TEA]}/forget", {})
    assert ids(all_tell(stage, world.acme)).keys() == {"My dog Rex is well again", WALK}

    calls(stage, world.acme, "one", "DELETE", ADA)
    assert all_tell(stage, world.acme) == []

    calls(stage, world.acme, "other", "POST", f"{ADA}/snapshots", {"text": "a new dog"})
    assert ids(all_tell(stage, world.acme)).keys() == {"a new dog"}


def all_tell(stage: Stage, house: House) -> Told:
    """Return what both processes answer, twice each, and what one does that has never been asked."""
    new = by_a_new_process(house)
    for web in (*WEBS, *WEBS):
        assert tells(stage, house, web) == new, web
    return new


def tells(stage: Stage, house: House, web: str) -> Told:
    answer = calls(stage, house, web, "POST", f"{ADA}/recall", {"query": QUESTION})
    assert answer["degraded_reason"] is None
    return [(one["id"], one["text"], one["score"]) for one in answer["memories"]]


def by_a_new_process(house: House) -> Told:
    """This process holds nothing of the subject: it reads everything anew."""
    INDEXES.clear()
    SUBJECTS.clear()
    found = recall(house.tenant.id, "ada", RecallQuery(QUESTION, asked_at=utc_now()))
    return [(str(one.id), one.text, round(one.score, DIGITS)) for one in found.memories]


def ids(told: Told) -> dict[str, str]:
    return {text: memory for memory, text, _ in told}


def calls(stage: Stage, house: House, web: str, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
    with stage.client(web, **house.headers) as client:
        answer = client.request(method, path, json=body)
    assert answer.is_success, answer.text
    return answer.json() if answer.content else None

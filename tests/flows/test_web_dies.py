"""The web is killed between commit and answer, and the client asks again. Rows: C1, C3, D1. Matrix: 22."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from snapshots.models import Message, Work
from snapshots.queue.metrics import count_work
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.flows.stage import LINGERING, Stage, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("flows"), pytest.mark.timeout(300)]

MESSAGES = "/v1/subjects/ada/conversations/trip/messages"
BODY = {"messages": [{"message_id": "m1", "role": "user", "content": "I am allergic to peanuts. 我对花生过敏。"}]}


@pytest.mark.slow
def test_a_retry_after_the_web_died_before_its_answer_stores_nothing_twice(world: World, stage: Stage) -> None:
    committed = stage.home / "committed"
    web = stage.web(application=LINGERING, TEST_COMMITTED=str(committed))
    with ThreadPoolExecutor(1) as pool:
        unanswered = pool.submit(post, stage, world.acme)
        wait_until(committed.exists)
        web.kill()
        with pytest.raises(httpx.TransportError):
            unanswered.result()
    assert_held_once(world.acme)  # it was committed, and nobody was told

    stage.web()
    again = post(stage, world.acme)
    assert again.status_code == 202
    assert again.headers["Idempotent-Replayed"] == "true"
    assert verdicts(again) == [("m1", 1, "stored")]
    under_another_key = post(stage, world.acme, key="second")
    assert verdicts(under_another_key) == [("m1", 1, "duplicate")]
    assert_held_once(world.acme)


def post(stage: Stage, house: House, *, key: str = "first") -> httpx.Response:
    with stage.client(**house.headers) as client:
        return client.post(MESSAGES, json=BODY, headers={"Idempotency-Key": key})


def verdicts(answer: httpx.Response) -> list[tuple[Any, ...]]:
    return [(fate["message_id"], fate["seq"], fate["verdict"]) for fate in answer.json()["accepted"]]


def assert_held_once(house: House) -> None:
    with tenant_tx(house.tenant.id):
        (message,) = Message.objects.all()
        work = Work.objects.values_list("kind", "message_id", "state").order_by("kind")
        assert list(work) == [("extract", message.id, "ready"), ("statement", message.id, "ready")]
        assert count_work().accepted_total == 2

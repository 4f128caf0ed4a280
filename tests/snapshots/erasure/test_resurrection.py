"""What was forgotten does not come back from an old export, or from a dead letter. Rows: E8, D1.

Matrix: 57.
"""

from collections.abc import Iterator

import pytest

from memory_platform.providers.redis.client import redis_client
from profiles.models import Preference, ProfileFact, Tag
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.jobs import ASKED, drain_work_job
from snapshots.models import Conversation, Message, Snapshot, Work
from snapshots.queue.enqueue import end_conversation
from snapshots.queue.requested_jobs import run_due_jobs
from tenants.isolation import tenant_tx
from tests.conftest import House, World
from tests.memory_platform.api.conftest import Caller, body_of
from tests.snapshots.erasure.everywhere import redis_holds, tables_with
from tests.snapshots.held import say

ADA = "/v1/subjects/ada"
LINES = "application/x-ndjson"
SAID = (
    ("I love Kestrel4711 ice cream. My name is Fay Kestrel4711.", ("kestrel4711",)),
    ("我喜欢红隼四七一一冰淇淋。我家住在上海市红隼四七一一路1266号。", ("红隼四七一一",)),
)
KEPT = "I am allergic to peanuts and my brother keeps bees in Ghent"


@pytest.fixture(autouse=True)
def clean_redis() -> Iterator[None]:
    redis_client().call("tests", lambda client: client.flushdb())
    yield


def work(house: House) -> None:
    drain_work_job(tenant_id=str(house.tenant.id))
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)


def talk(house: House, said: str) -> None:
    """Have something said in a conversation that ends, is summarised, and becomes a snapshot of its own."""
    say(house, "Please find a quiet hotel near the station", said, KEPT)
    with tenant_tx(house.tenant.id):
        Message.objects.filter(seq=1).update(tool_calls=[{"name": "search"}])
        end_conversation(lock_conversation("ada", "trip"))
    work(house)
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(summary=f"So far: {said}", summarised_seq=2)


def texts_of(house: House) -> list[str]:
    with tenant_tx(house.tenant.id):
        return list(Snapshot.objects.values_list("text", flat=True))


def statement(house: House, text: str) -> Snapshot:
    with tenant_tx(house.tenant.id):
        return Snapshot.objects.get(kind="statement", text=text)


@pytest.mark.parametrize(("said", "words"), SAID)
@pytest.mark.parametrize("scope", ["memory", "conversation"])
def test_an_export_from_before_brings_nothing_of_it_back(
    world: World, said: str, words: tuple[str, ...], scope: str
) -> None:
    house, acme = world.acme, Caller(world.acme)
    talk(house, said)
    acme("POST", f"{ADA}/context", {"query": said, "conversation_id": "trip"})
    with tenant_tx(house.tenant.id):
        assert Preference.objects.exists()
        assert ProfileFact.objects.exists() or Tag.objects.exists()
    exported = acme("GET", f"{ADA}/export").content
    if scope == "memory":
        acme("POST", f"{ADA}/snapshots/{statement(house, said).id}/forget", {})
    else:
        acme("DELETE", f"{ADA}/conversations/trip")
    work(house)
    assert tables_with(*words) == {}

    accepted = acme("POST", "/v1/import", exported, Content_Type=LINES)
    assert accepted.status_code == 202, accepted.content
    work(house)
    work(house)

    job = body_of(acme("GET", f"/v1/jobs/{body_of(accepted)['job_id']}"))
    assert (job["status"], tables_with(*words), redis_holds(*words)) == ("succeeded", {}, [])
    assert job["result"]["forgotten"]["message"] == (1 if scope == "memory" else 3)
    assert job["result"]["forgotten"]["preference"] >= 1
    assert set(texts_of(house)) >= ({KEPT} if scope == "memory" else set())
    allowed = acme("POST", "/v1/import?allow_forgotten=true", exported, Content_Type=LINES)
    assert allowed.status_code == 202
    work(house)
    assert tables_with(*words).keys() >= {"snapshot", "preference"}


def test_an_export_from_before_brings_no_forgotten_belief_back(world: World) -> None:
    acme, house = Caller(world.acme), world.acme
    tea = f"{ADA}/preferences/drinks/tea"
    for value in ("Kestrel4711", "Kestrel4711 with milk"):
        acme("PUT", tea, {"value": value})
    acme("PATCH", f"{ADA}/profile", {"occupation": "养Kestrel4711的人", "attributes": {"bird": "Kestrel4711"}})
    tag = body_of(acme("POST", f"{ADA}/tags", {"label": "mews", "kind": "place", "address": "Kestrel4711 Lane"}))
    acme("PUT", f"{ADA}/preferences/drinks/coffee", {"value": "black"})
    before = acme("GET", f"{ADA}/export").content
    acme("POST", f"{tea}/forget", {})
    acme("POST", f"{ADA}/profile/forget", {"field": "occupation"})
    acme("POST", f"{ADA}/profile/forget", {"field": "attributes.bird"})
    acme("POST", f"{ADA}/tags/{tag['id']}/forget", {})
    acme("DELETE", f"{ADA}/preferences/drinks/coffee")

    taken = acme("POST", "/v1/import", before, Content_Type="application/x-ndjson")
    run_due_jobs(house.tenant.id, ASKED, may_go_on=lambda: True)

    left_out = body_of(acme("GET", f"/v1/jobs/{body_of(taken)['job_id']}"))["result"]["forgotten"]
    assert left_out == {"preference": 3, "profile_fact": 2, "tag": 1}
    assert "Kestrel4711" not in acme("GET", f"{ADA}/export").content.decode()
    assert acme("PUT", tea, {"value": "Kestrel4711"}).status_code == 200, "what the product states again is believed"


@pytest.mark.parametrize(("said", "words"), SAID)
@pytest.mark.parametrize("scope", ["memory", "conversation"])
def test_an_import_that_waits_brings_nothing_back_that_is_forgotten_meanwhile(
    world: World, said: str, words: tuple[str, ...], scope: str
) -> None:
    house, acme = world.acme, Caller(world.acme)
    talk(house, said)
    exported = acme("GET", f"{ADA}/export").content
    accepted = body_of(acme("POST", "/v1/import", exported, Content_Type=LINES))
    if scope == "memory":
        acme("POST", f"{ADA}/snapshots/{statement(house, said).id}/forget", {})
    else:
        acme("DELETE", f"{ADA}/conversations/trip")
    work(house)
    work(house)
    job = body_of(acme("GET", f"/v1/jobs/{accepted['job_id']}"))
    assert (job["status"], tables_with(*words), redis_holds(*words)) == ("succeeded", {}, [])
    assert job["result"]["forgotten"]["message"] == (1 if scope == "memory" else 3)
    assert job["result"]["forgotten"]["preference"] >= 1
    assert job["progress"]["done"] == job["progress"]["total"]


@pytest.mark.slow
def test_a_dead_letter_of_forgotten_words_makes_nothing_when_it_is_replayed(world: World) -> None:
    house, acme = world.acme, Caller(world.acme)
    said, words = SAID[0]
    talk(house, said)
    with tenant_tx(house.tenant.id):
        Work.objects.update(state="dead", done_at=None)
    acme("POST", f"{ADA}/snapshots/{statement(house, said).id}/forget", {})
    with tenant_tx(house.tenant.id):
        Work.objects.filter(state="dead").update(state="ready", attempts=0)
    work(house)
    assert (tables_with(*words), redis_holds(*words)) == ({}, [])

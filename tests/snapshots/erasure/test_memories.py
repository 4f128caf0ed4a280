"""One memory is forgotten with its words, wherever they stand, and does not come back. Rows: E8. Matrix: 57."""

import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import cast

import orjson
import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.providers.redis.client import redis_client
from profiles.models import Candidate, Erasure, Forgotten, Preference, Subject
from profiles.services.erasure_certificates import build_certificate, is_genuine
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.erasure import memories
from snapshots.erasure.check_and_sign import has_unsigned_erasure, sign_unsigned_erasures
from snapshots.intake.pipeline import accept_messages
from snapshots.intake.values import IncomingMessage
from snapshots.models import (
    Conversation,
    Receipt,
    SnapshotKind,
    SnapshotWords,
    Work,
)
from snapshots.queue.metrics import count_work
from snapshots.recall.pipeline import recall
from snapshots.recall.values import RecallQuery
from snapshots.understanding.statements import statements
from snapshots.window.cached_window import load_window
from snapshots.window.redis_store import make_window_key
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.snapshots.erasure.memories import (
    CANARIES,
    SECRET,
    SECRET_ZH,
    alone_draft,
    forget,
    hits,
    snapshot_saying,
    texts,
    work,
)
from tests.snapshots.held import say


@pytest.mark.parametrize(("said", "after"), [(SECRET, "She plays the cello"), (SECRET_ZH, "她拉大提琴")])
def test_a_forgotten_memory_leaves_no_word_anywhere(world: World, said: str, after: str) -> None:
    say(world.acme, "Hello there, how are you doing today?", said, after)
    work(world.acme)
    with tenant_tx(world.acme.tenant.id):
        load_window(Conversation.objects.get())
    assert hits(world.acme).keys() >= {"message", "snapshot"}

    erasure = forget(world.acme, said)

    assert hits(world.acme) == {}
    assert said not in texts(world.acme)
    assert after in texts(world.acme)
    with tenant_tx(world.acme.tenant.id):
        conversation = Conversation.objects.get()
        assert [turn.content for turn in load_window(conversation).turns][-1] == after
        key = make_window_key(world.acme.tenant.id, conversation.id)
        assert is_genuine(build_certificate(erasure))
    held = redis_client().call("tests", lambda client: cast(bytes, client.hget(key, "turns")))
    assert held
    assert not any(word in held.decode().casefold() for word in CANARIES)
    assert (erasure.erased["snapshot"], erasure.erased["note"]) == (2, 1)
    assert erasure.erased["message"] == 1
    assert erasure.verified == {"rows_left": {}}


def test_what_was_said_again_is_refused_wherever_it_comes_in(acme: Caller, world: World) -> None:
    say(world.acme, SECRET)
    work(world.acme)
    forget(world.acme, SECRET)

    say(world.acme, SECRET.upper(), conversation="another")
    work(world.acme)
    single = acme("POST", "/v1/subjects/ada/snapshots", {"text": f"  {SECRET}"})
    bulk = body_of(acme("POST", "/v1/subjects/ada/snapshots/bulk", {"items": [{"text": SECRET}, {"text": "Tea"}]}))

    assert problem_of(single, 422)["code"] == "forgotten"
    assert [(one["verdict"], one["reason"]) for one in bulk["data"]] == [("rejected", "forgotten"), ("stored", None)]
    assert texts(world.acme) == ["Tea"]
    tea = bulk["data"][1]["id"]
    assert problem_of(acme("PATCH", f"/v1/subjects/ada/snapshots/{tea}", {"text": SECRET}), 422)["code"] == "forgotten"
    allowed = acme("POST", "/v1/subjects/ada/snapshots", {"text": SECRET, "allow_forgotten": True})
    assert allowed.status_code == 201


def test_a_repeated_post_of_the_message_brings_nothing_back(world: World) -> None:
    (message,) = say(world.acme, SECRET)
    work(world.acme)
    forget(world.acme, SECRET)

    with tenant_tx(world.acme.tenant.id):
        again = IncomingMessage(role="user", content=SECRET, message_id=message.external_id)
        (fate,) = accept_messages(world.acme.subject, "trip", [again]).messages
    work(world.acme)

    assert fate.verdict == "duplicate"
    assert hits(world.acme) == {}
    assert texts(world.acme) == []


def test_what_extraction_reads_from_forgotten_words_is_rejected_with_the_reason(world: World) -> None:
    liked = "I love pistachio ice cream"
    say(world.acme, liked)
    work(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert Preference.objects.exists()
    forget(world.acme, liked)

    with tenant_tx(world.acme.tenant.id):
        assert set(Candidate.objects.values_list("value", flat=True)) == {None}
    say(world.acme, liked, conversation="again")
    work(world.acme)

    with tenant_tx(world.acme.tenant.id):
        assert not Preference.objects.exists()
        refused = Candidate.objects.filter(reason="forgotten")
        assert refused.exists()
        assert set(refused.values_list("verdict", "value")) == {("rejected", None)}


def test_a_worker_that_read_the_words_before_writes_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    say(world.acme, SECRET)
    work(world.acme)
    say(world.acme, SECRET, role="assistant")  # its words are indexed with what is said after it
    say(world.acme, "She has two cats")
    real: Callable[..., object] = prepare_snapshots

    def forgotten_meanwhile(*args: object) -> object:
        prepared = real(*args)
        monkeypatch.setattr(statements, "prepare_snapshots", real)
        forget(world.acme, SECRET)
        return prepared

    monkeypatch.setattr(statements, "prepare_snapshots", forgotten_meanwhile)
    work(world.acme)
    work(world.acme)

    assert texts(world.acme) == ["She has two cats"]
    with tenant_tx(world.acme.tenant.id):
        row = SnapshotWords.objects.exclude(snapshot__kind=SnapshotKind.NOTE).get()
        assert bytes(row.words) == prepare_snapshots([alone_draft(row.snapshot)], ())[0].words
        counts = count_work()
    assert counts.accepted_total == 5
    assert (counts.done, counts.removed) == (2, 3)


def test_receipts_and_kept_answers_that_showed_it_lose_their_words(acme: Caller, world: World) -> None:
    acme("POST", "/v1/subjects/ada/snapshots", {"text": SECRET}, Idempotency_Key="k")
    acme("POST", "/v1/subjects/ada/context", {"query": "Where does my sister live?"})
    acme("POST", "/v1/subjects/ada/context", {"query": SECRET})
    acme("POST", "/v1/subjects/ada/context", {"query": "好的"})

    shown = acme("POST", f"/v1/subjects/ada/snapshots/{snapshot_saying(world.acme, SECRET)}/forget", {})

    assert body_of(shown)["certificate"]["erased"]["receipt.rendered"] >= 2
    with tenant_tx(world.acme.tenant.id):
        rendered = [bytes(one) for one in Receipt.objects.values_list("rendered", flat=True) if one]
    assert not any(CANARIES[0] in zlib.decompress(one).decode().casefold() for one in rendered)
    assert hits(world.acme) == {}


def test_forgetting_is_repeated_by_key_and_unknown_without(acme: Caller, world: World) -> None:
    made = body_of(acme("POST", "/v1/subjects/ada/snapshots", {"text": SECRET}))
    path = f"/v1/subjects/ada/snapshots/{made['id']}/forget"

    first, second = (acme("POST", path, {}, Idempotency_Key="f") for _ in "12")

    assert body_of(first) == body_of(second)
    assert second["Idempotent-Replayed"] == "true"
    assert problem_of(acme("POST", path, {}), 404)
    shown = body_of(acme("GET", f"/v1/erasures/{body_of(first)['certificate']['id']}"))
    assert shown["genuine"]
    assert "kestrel" not in orjson.dumps(shown).decode().casefold()


def test_marks_tell_no_word_and_go_with_the_subject(world: World) -> None:
    say(world.acme, SECRET)
    work(world.acme)
    forget(world.acme, SECRET)
    with tenant_tx(world.acme.tenant.id):
        assert Forgotten.objects.count() == 2
        assert {len(bytes(one)) for one in Forgotten.objects.values_list("digest", flat=True)} == {32}
        Work.objects.all().delete()
        Subject.objects.filter(id=world.acme.subject.id).delete()
        assert Forgotten.objects.count() == 0


def test_recall_no_longer_finds_it(world: World) -> None:
    say(world.acme, SECRET, "My brother keeps bees in Ghent")
    work(world.acme)
    query = RecallQuery(text="Where does my sister live?", asked_at=utc_now())
    assert SECRET in [memory.text for memory in recall(world.acme.tenant.id, "ada", query).memories]

    forget(world.acme, SECRET)

    assert SECRET not in [memory.text for memory in recall(world.acme.tenant.id, "ada", query).memories]


def test_an_erasure_that_nobody_signed_is_signed_by_the_next(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    house = world.acme
    say(house, SECRET)
    work(house)
    with monkeypatch.context() as patched:
        patched.setattr(memories, "sign_after_commit", lambda *args: None)
        erasure = forget(house, SECRET)
    assert (erasure.state, erasure.signature) == ("running", "")
    with tenant_tx(house.tenant.id):
        assert not has_unsigned_erasure()
        Erasure.objects.update(requested_at=utc_now() - timedelta(hours=1))
        assert has_unsigned_erasure()

    assert sign_unsigned_erasures(house.tenant.id) == 1

    with tenant_tx(house.tenant.id):
        erasure.refresh_from_db()
    assert erasure.verified["rows_left"] == {}
    assert erasure.verified["late"]
    assert is_genuine(build_certificate(erasure))

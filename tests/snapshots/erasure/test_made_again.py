"""What was made of a forgotten memory is made again without it. Rows: E8, E3, E7, C4. Matrix: 57."""

import zlib
from datetime import timedelta

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.intake.conversation_rows import lock_conversation
from snapshots.lifecycle.retention.message_archive import archive_tenant
from snapshots.models import (
    Consolidation,
    Conversation,
    Message,
    MessageArchive,
    Snapshot,
    SnapshotVector,
    SnapshotWords,
    Work,
)
from snapshots.queue.enqueue import end_conversation
from tenants.isolation import tenant_tx
from tests.conftest import World
from tests.memory_platform.api.conftest import Caller, body_of, problem_of
from tests.snapshots.erasure.memories import (
    SECRET,
    alone_draft,
    forget,
    hits,
    texts,
    work,
)
from tests.snapshots.held import remember, say


def test_the_statement_after_it_is_indexed_without_it(world: World) -> None:
    say(world.acme, SECRET, role="assistant")
    say(world.acme, "Yes, that is right, in a house", SECRET)
    work(world.acme)
    with tenant_tx(world.acme.tenant.id):
        before = bytes(SnapshotWords.objects.get(snapshot__text="Yes, that is right, in a house").words)

    forget(world.acme, SECRET)

    with tenant_tx(world.acme.tenant.id):
        row = SnapshotWords.objects.get(snapshot__text="Yes, that is right, in a house")
        after, alone = bytes(row.words), prepare_snapshots([alone_draft(row.snapshot)], ())[0].words
        assert SnapshotVector.objects.filter(snapshot_id=row.snapshot_id).exists()
    assert before != alone
    assert after == alone
    assert hits(world.acme) == {}


def test_a_snapshot_of_the_conversation_is_made_again_without_it(world: World) -> None:
    say(world.acme, "Please find a hotel near the station", SECRET, "Something quiet would be lovely, thanks")
    with tenant_tx(world.acme.tenant.id):
        conversation = lock_conversation("ada", "trip")
        Message.objects.filter(seq=1).update(tool_calls=[{"name": "search"}])
        end_conversation(conversation)
    work(world.acme)
    with tenant_tx(world.acme.tenant.id):
        (made,) = Snapshot.objects.filter(kind="conversation").values_list("text", flat=True)
    assert "Kestrel4711" in made

    forget(world.acme, SECRET)
    with tenant_tx(world.acme.tenant.id):
        assert not Snapshot.objects.filter(kind="conversation").exists()
    work(world.acme)

    with tenant_tx(world.acme.tenant.id):
        (again,) = Snapshot.objects.filter(kind="conversation").values_list("text", flat=True)
    assert again
    assert hits(world.acme) == {}


def test_a_consolidation_is_taken_apart_and_its_other_members_hold_again(world: World) -> None:
    house, others = world.acme, ["I really like Utrecht", "Utrecht is my favourite"]
    members = remember(house, SECRET, *others)
    (joined,) = remember(house, f"{SECRET}; likes Utrecht", kind="consolidated")
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id__in=members).update(invalid_at=utc_now(), superseded_by_id=joined)
        Consolidation.objects.create(
            subject=house.subject, lane="snapshots", memory_ref=joined, members=members, similarity=0.9
        )

    erasure = forget(house, SECRET)

    assert texts(house) == others
    assert hits(house) == {}
    with tenant_tx(house.tenant.id):
        assert not Consolidation.objects.exists()
        assert not Snapshot.objects.filter(invalid_at__isnull=False).exists()
    assert (erasure.erased["snapshot"], erasure.erased["consolidation"]) == (2, 1)


def test_forgetting_what_was_joined_forgets_its_members(world: World) -> None:
    house = world.acme
    members = remember(house, SECRET, f"{SECRET}, near the canal")
    (joined,) = remember(house, f"{SECRET} by a canal", kind="consolidated")
    with tenant_tx(house.tenant.id):
        Snapshot.objects.filter(id__in=members).update(invalid_at=utc_now(), superseded_by_id=joined)

    forget(house, f"{SECRET} by a canal")

    assert texts(house) == []


def test_what_an_edit_replaced_is_forgotten_with_the_memory(acme: Caller, world: World) -> None:
    made = body_of(acme("POST", "/v1/subjects/ada/snapshots", {"text": SECRET}))
    acme("PATCH", f"/v1/subjects/ada/snapshots/{made['id']}", {"text": "My sister lives abroad"})

    acme("POST", f"/v1/subjects/ada/snapshots/{made['id']}/forget", {})

    assert hits(world.acme) == {}
    assert problem_of(acme("POST", "/v1/subjects/ada/snapshots", {"text": SECRET}), 422)["code"] == "forgotten"


def test_archived_words_are_forgotten_in_the_archive_and_exported_from_it(acme: Caller, world: World) -> None:
    house = world.acme
    say(house, SECRET, "She plays the cello")
    with tenant_tx(house.tenant.id):
        end_conversation(lock_conversation("ada", "trip"))
    work(house)
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(last_accepted_at=utc_now() - timedelta(days=3_000))
    assert archive_tenant(house.tenant.id) == 2
    assert SECRET.encode() in acme("GET", "/v1/subjects/ada/export").content

    forget(house, SECRET)

    exported = acme("GET", "/v1/subjects/ada/export").content
    assert SECRET.encode() not in exported
    assert b"She plays the cello" in exported
    with tenant_tx(house.tenant.id):
        (packed,) = MessageArchive.objects.values_list("packed", flat=True)
    assert b"Kestrel" not in zlib.decompress(bytes(packed))


def test_a_running_summary_is_dropped_and_written_again(world: World) -> None:
    house = world.acme
    (message, *_) = say(house, SECRET, "She plays the cello")
    work(house)
    with tenant_tx(house.tenant.id):
        Conversation.objects.update(summary=f"So far: {SECRET}.", summarised_seq=1)
        item = Work.objects.create(
            subject=house.subject,
            conversation_id=message.conversation_id,
            kind="summary",
            generation=1,
            state="done",
            done_at=utc_now(),
        )

    erasure = forget(house, SECRET)

    assert hits(house) == {}
    assert erasure.erased["conversation.summary"] == 1
    with tenant_tx(house.tenant.id):
        item.refresh_from_db()
        assert (item.state, item.done_at) == ("ready", None)
        assert Conversation.objects.get().summarised_seq == 0

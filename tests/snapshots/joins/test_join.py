"""An anonymous visitor who logs in is joined with who they are; the join is undone. Rows: P13, P1, P4, E8, T1."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import MemoryPlatformError, NotFound
from profiles.models import Erasure, Preference, Subject, SubjectAlias, SubjectJoin, Tag
from profiles.selectors import current_preferences, current_profile, find_subject, group_preference_values, tags_of
from profiles.services.erasure_certificates import build_certificate, hash_subject, is_genuine
from profiles.services.subjects import ensure_subject
from profiles.services.tombstones import find_forgotten_texts, record_tombstones
from snapshots.conversation_queries import find_conversation
from snapshots.erasure.subject_tables import count_rows_left
from snapshots.erasure.subjects import erase_subject
from snapshots.jobs import drain_work_job
from snapshots.joins.config import JoinConfig
from snapshots.joins.errors import (
    ImportIsRunning,
    JoinedWithItself,
    JoinUndoneAlready,
    LaterJoinFirst,
    TooLargeToJoin,
    WordsAreWithheld,
)
from snapshots.joins.join import join_subjects
from snapshots.joins.moved_rows import OWN_TABLES
from snapshots.joins.undo_join import undo_join
from snapshots.models import Conversation, ForgetOrder, Job, Message, Snapshot, Work
from snapshots.queue.metrics import count_work
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tenants.services.audit import COMMAND_LINE
from tests.conftest import House, World
from tests.memory_platform.api.wall import rows_of
from tests.memory_platform.console.rows import make_one_of_each
from tests.snapshots.held import prefer, remember, say
from tests.snapshots.joins.conftest import APRIL, MARCH, Visit, make_visit_full, texts_recalled


def rows_of_subject(house: House, subject_id: UUID) -> dict[str, int]:
    with tenant_tx(house.tenant.id):
        return {name: rows for name, rows in count_rows_left(subject_id).items() if name not in OWN_TABLES}


def test_everything_moves_and_the_newest_said_wins(visit: Visit) -> None:
    make_visit_full(visit)
    acme = visit.ada
    before = rows_of_subject(acme, visit.visitor.subject.id)
    join = visit.join()
    with tenant_tx(acme.tenant.id):
        ada = find_subject("visitor-7")
        assert ada == find_subject("ada")
        assert ada is not None
        assert group_preference_values(current_preferences(ada)) == {
            "travel": {"seat": "window"},
            "music": {"genre": "jazz"},
            "food": {"dish": "noodles"},
        }
        assert current_profile(ada)["name"] == "Ada"
        assert {tag.label: tag.address for tag in tags_of(ada)} == {"home": "window road", "home 2": "aisle road"}
        moved = Conversation.objects.exclude(external_id="trip").get()
        assert moved.external_id == "trip (visitor-7)"
        assert find_conversation("visitor-7", "trip").subject_id == ada.id
        assert not Subject.objects.filter(id=visit.visitor.subject.id).exists()
        assert count_rows_left(visit.visitor.subject.id) == {}
        assert join.counts == before
        assert {name: len(ids) for name, ids in join.moved.items()}.items() >= {"message": 1, "snapshot": 1}.items()
        positions = Snapshot.objects.filter(subject=ada).values_list("position", flat=True)
        assert len(set(positions)) == len(positions)
        record = AuditRecord.objects.get(action="subject.joined")
        assert (record.subject_ref, record.object_id, record.reason) == (ada.id, str(join.id), "logged in")
    for name in ("ada", "visitor-7"):
        assert {"They like the aisle seat", "They like the window seat"} <= set(
            texts_recalled(acme, name, "Which seat do they like?")
        )


def test_an_undo_gives_each_row_back(visit: Visit) -> None:
    make_visit_full(visit)
    acme = visit.ada
    both = [visit.ada.subject.id, visit.visitor.subject.id]
    before = [rows_of_subject(acme, one) for one in both]
    join = visit.join()
    texts_recalled(acme, "visitor-7", "seat")  # this process holds an image of it
    join = visit.undo(join)
    after = [rows_of_subject(acme, one) for one in both]
    with tenant_tx(acme.tenant.id):
        visitor, ada = find_subject("visitor-7"), find_subject("ada")
        assert visitor is not None
        assert ada is not None
        assert visitor.id == visit.visitor.subject.id
        assert visitor.created_at == visit.visitor.subject.created_at
        assert group_preference_values(current_preferences(ada)) == {
            "travel": {"seat": "aisle"},
            "music": {"genre": "jazz"},
        }
        assert group_preference_values(current_preferences(visitor)) == {
            "travel": {"seat": "window"},
            "music": {"genre": "rock"},
            "food": {"dish": "noodles"},
        }
        assert [tag.label for tag in (*tags_of(ada), *tags_of(visitor))] == ["home", "home"]
        assert {talk.external_id for talk in Conversation.objects.all()} == {"trip"}
        assert not SubjectAlias.objects.exists()
        assert AuditRecord.objects.filter(action="subject.join_undone").count() == 1
    # What ended and holds again left images; nothing else is more or less.
    histories = {"preference", "tag_detail", "subject_join"}
    for earlier, later in zip(before, after, strict=True):
        assert {**earlier, **dict.fromkeys(histories)} == {**later, **dict.fromkeys(histories)}
    assert join.returned["reinstated"] == 2
    assert "They like the window seat" not in texts_recalled(acme, "ada", "Which seat do they like?")
    assert texts_recalled(acme, "visitor-7", "Which seat do they like?")[:1] == ["They like the window seat"]
    with pytest.raises(JoinUndoneAlready):
        visit.undo(join)


def test_what_was_learnt_since_stays_and_what_was_said_since_goes_along(visit: Visit) -> None:
    acme = visit.ada
    say(visit.visitor, "I like tea", conversation="chat")
    prefer(visit.visitor, "food", "drink", "tea")
    prefer(acme, "food", "snack", "nuts", valid_at=MARCH)
    prefer(visit.visitor, "food", "snack", "chips", valid_at=APRIL)
    join = visit.join()
    as_alias = replace(acme, subject=find_in(acme, "visitor-7"))
    say(as_alias, "And I like my tea with milk", conversation="chat")
    say(acme, "I am on a train", conversation="train")
    prefer(acme, "food", "drink", "coffee")
    prefer(acme, "food", "snack", "fruit")
    drain_work_job(tenant_id=str(acme.tenant.id))
    join = visit.undo(join)
    with tenant_tx(acme.tenant.id):
        said = dict(Message.objects.values_list("content", "subject__external_id"))
        assert said == {
            "I like tea": "visitor-7",
            "And I like my tea with milk": "visitor-7",
            "I am on a train": "ada",
        }
        for model in (Message, Snapshot):
            talks = model.objects.exclude(conversation=None).values_list("subject_id", "conversation__subject_id")
            assert all(one == other for one, other in talks), model
        ada, visitor = find_subject("ada"), find_subject("visitor-7")
        assert ada is not None
        assert visitor is not None
        food = [group_preference_values(current_preferences(one)).get("food", {}) for one in (ada, visitor)]
        assert food == [{"drink": "coffee", "snack": "fruit"}, {"likes": ["tea"]}]
        assert not Preference.objects.filter(subject=visitor, superseded_by__isnull=False).exists()
        assert join.returned["not_reinstated"] == 1
        work = Work.objects.exclude(message=None).values_list("subject_id", "message__subject_id")
        assert work
        assert all(one == other for one, other in work)


def find_in(house: House, name: str) -> Subject:
    with tenant_tx(house.tenant.id):
        found = find_subject(name)
    assert found is not None
    return found


def test_a_row_of_every_kind_goes_and_comes_back(world: World) -> None:
    tenant_id = world.acme.tenant.id
    with tenant_tx(tenant_id):
        made = make_one_of_each("peanuts")
        make_one_of_each("peanuts", 1)
        ForgetOrder.objects.all().delete()  # a day must pass
        one, other = Subject.objects.exclude(external_id="ada").order_by("external_id")
        assert one == made[Subject]
    before = {name: rows for name, rows in rows_of(tenant_id).items() if any(str(other.id) in row for row in rows)}
    assert len(before) > 20
    join = join_subjects(tenant_id, one.id, other.id, by=COMMAND_LINE, reason="")
    held = {name for name, rows in rows_of(tenant_id).items() if any(str(other.id) in row for row in rows)}
    assert held <= {"subject_join", "subject_alias", "audit_record", "kept_prefix"}  # which the test named by the id
    undo_join(tenant_id, join.id, by=COMMAND_LINE, reason="")
    after = {name: rows for name, rows in rows_of(tenant_id).items() if any(str(other.id) in row for row in rows)}
    count = {name: sum(str(other.id) in row for row in rows) for name, rows in before.items()}
    again = {name: sum(str(other.id) in row for row in rows) for name, rows in after.items()}
    told = {"preference", "profile_fact", "tag_detail", "audit_record", "subject_join", *OWN_TABLES}
    told |= {"idempotent_reply", "kept_prefix", "receipt_memory"}  # the undo drops replies, and reads receipts
    assert {name: rows for name, rows in again.items() if name not in told} == {
        name: rows for name, rows in count.items() if name not in told
    }


def test_work_of_the_visitor_is_done_for_ada(visit: Visit) -> None:
    acme = visit.ada
    say(visit.visitor, "My seat is by the window", conversation="trip")
    with tenant_tx(acme.tenant.id):
        Work.objects.update(state="leased", lease_token=uuid4(), lease_until=utc_now())
        accepted = count_work().accepted_total
    visit.join()
    with tenant_tx(acme.tenant.id):
        assert set(Work.objects.values_list("state", "lease_token", "subject__external_id")) == {("ready", None, "ada")}
        assert count_work().accepted_total == accepted


def test_joins_in_a_chain_are_undone_from_the_last(visit: Visit) -> None:
    acme = visit.ada
    with tenant_tx(acme.tenant.id):
        third = replace(acme, subject=ensure_subject("visitor-8"))
    remember(third, "The third likes opera")
    second = Visit(visit.visitor, third)
    early, late = second.join(), visit.join()
    with tenant_tx(acme.tenant.id):
        assert find_subject("visitor-8") == find_subject("visitor-7") == find_subject("ada")
    with pytest.raises(LaterJoinFirst):
        second.undo(early)
    visit.undo(late)
    with tenant_tx(acme.tenant.id):
        found = find_subject("visitor-8")
        assert found is not None
        assert found.external_id == "visitor-7"
    second.undo(early)
    assert find_in(acme, "visitor-8").id == third.subject.id
    assert texts_recalled(acme, "visitor-8", "Who likes opera?") == ["The third likes opera"]
    assert texts_recalled(acme, "ada", "Who likes opera?") == []


def test_somebody_with_too_many_rows_is_not_joined(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    say(visit.visitor, "one", "two")
    monkeypatch.setattr("snapshots.joins.join.JOINS", JoinConfig(max_rows=1))
    with pytest.raises(TooLargeToJoin):
        visit.join()


def test_who_cannot_be_joined(visit: Visit, world: World) -> None:
    acme, gil = visit.ada, world.globex.subject
    tenant_id, ada, visitor = acme.tenant.id, acme.subject.id, visit.visitor.subject.id
    say(visit.visitor, "one")

    def join(one: UUID, other: UUID) -> SubjectJoin:
        return join_subjects(tenant_id, one, other, by=COMMAND_LINE, reason="")

    with pytest.raises(JoinedWithItself):
        join(ada, ada)
    for one, other in ((ada, gil.id), (gil.id, ada), (ada, uuid4()), (uuid4(), ada)):
        with pytest.raises(NotFound):
            join(one, other)
    with tenant_tx(tenant_id):
        order = ForgetOrder.objects.create(
            subject=visit.visitor.subject, message_ref=uuid4(), kept=b"x", erase_at=utc_now()
        )
        job = Job.objects.create(kind="import", params={"subject": str(ada)})
    with pytest.raises(ImportIsRunning):
        join(ada, visitor)
    with tenant_tx(tenant_id):
        job.delete()
    with pytest.raises(WordsAreWithheld):
        join(ada, visitor)
    with tenant_tx(tenant_id):
        order.delete()
    join(ada, visitor)
    with pytest.raises(NotFound):  # joined already
        join(ada, visitor)
    with tenant_tx(tenant_id):
        join_id = SubjectJoin.objects.get().id
    with pytest.raises(NotFound):
        undo_join(world.globex.tenant.id, join_id, by=COMMAND_LINE, reason="")
    with tenant_tx(world.globex.tenant.id):
        assert find_subject("visitor-7") is None


@pytest.mark.slow
def test_erasing_ada_erases_the_visitor_with_a_certificate_for_each_id(visit: Visit) -> None:
    acme = visit.ada
    make_visit_full(visit)
    visit.join()
    erasure, _job = erase_subject(acme.tenant.id, "visitor-7", by=COMMAND_LINE)
    with tenant_tx(acme.tenant.id):
        certificates = list(Erasure.objects.all())
        assert erasure.subject_hash == hash_subject("visitor-7")
        assert AuditRecord.objects.filter(action="subject.erased").count() == 1
        assert certificates[0].erased == certificates[1].erased
        assert certificates[0].erased["preference"] >= 5
        assert {one.subject_hash for one in certificates} == {hash_subject("ada"), hash_subject("visitor-7")}
        assert all(one.state == "done" and is_genuine(build_certificate(one)) for one in certificates)
        assert not SubjectJoin.objects.exists()
        assert find_subject("ada") is find_subject("visitor-7") is None
        assert ensure_subject("visitor-7").id != visit.visitor.subject.id  # starts anew
    left = rows_of(acme.tenant.id)
    for name in ("visitor-7", "window road", "noodles"):
        found = [table for table, rows in left.items() if any(name in row for row in rows)]
        assert found in ([], ["subject"]), name


def test_what_the_visitor_had_forgotten_stays_forgotten(visit: Visit) -> None:
    acme = visit.ada
    with tenant_tx(acme.tenant.id):
        record_tombstones(visit.visitor.subject.id, texts=["I like herring"])
    join = visit.join()
    with tenant_tx(acme.tenant.id):
        assert find_forgotten_texts(acme.subject.id, ["I like herring"]) == {"I like herring"}
    assert remember(acme, "I like herring") == []
    visit.undo(join)
    with tenant_tx(acme.tenant.id):
        assert find_forgotten_texts(acme.subject.id, ["I like herring"]) == set()
        assert find_forgotten_texts(visit.visitor.subject.id, ["I like herring"]) == {"I like herring"}


def elsewhere(pool: ThreadPoolExecutor, verb: Any) -> Any:
    def work() -> object:
        try:
            return verb()
        except MemoryPlatformError as refused:
            return refused
        finally:
            connection.close()

    return pool.submit(work)


@pytest.mark.slow
def test_joins_erasures_and_writers_at_once_leave_nothing_behind(visit: Visit) -> None:
    acme, names = visit.ada, ("ada", "visitor-7")
    tenant_id = acme.tenant.id
    ids = [acme.subject.id, visit.visitor.subject.id]

    def post(number: int) -> int:
        address = f"/v1/subjects/{names[number % 2]}/conversations/talk {number % 3}/messages"
        body = {"messages": [{"role": "user", "content": f"word {number}"}]}
        return Client(headers=acme.headers).post(address, body, "application/json").status_code

    def join(one: UUID, other: UUID) -> object:
        return join_subjects(tenant_id, one, other, by=COMMAND_LINE, reason="")

    with ThreadPoolExecutor(4) as pool:
        posts = [elsewhere(pool, lambda number=number: post(number)) for number in range(12)]
        joins = [elsewhere(pool, lambda: join(*ids)), elsewhere(pool, lambda: join(*reversed(ids)))]
        posts += [elsewhere(pool, lambda number=number: post(number)) for number in range(12, 24)]
        outcomes = [one.result() for one in joins]
        statuses = [one.result() for one in posts]
    assert sorted(isinstance(one, SubjectJoin) for one in outcomes) == [False, True]
    assert set(statuses) <= {200, 201, 202}  # a writer that came during the join was tried again
    with tenant_tx(tenant_id):
        assert Subject.objects.filter(external_id__in=names).count() == 1
        assert Message.objects.count() == len(posts)
        assert find_subject("ada") == find_subject("visitor-7")
        rows = (model.objects.values_list("subject_id", "conversation__subject_id") for model in (Message, Work))
        assert all(one == other for pairs in rows for one, other in pairs)
    (held,) = [one for one in outcomes if isinstance(one, SubjectJoin)]
    undo_and_erase_at_once(acme, held, names)


def undo_and_erase_at_once(house: House, held: SubjectJoin, names: tuple[str, str]) -> None:
    tenant_id = house.tenant.id
    with ThreadPoolExecutor(2) as pool:
        undo = elsewhere(pool, lambda: undo_join(tenant_id, held.id, by=COMMAND_LINE, reason=""))
        erasure = elsewhere(pool, lambda: erase_subject(tenant_id, names[0], by=COMMAND_LINE))
        undo.result()
        erasure.result()
    with tenant_tx(tenant_id):
        left = set(Subject.objects.values_list("external_id", flat=True))
        assert left <= {names[1]}
        assert Tag.objects.count() == 0

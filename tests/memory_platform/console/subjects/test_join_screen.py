"""Joining two people in the console: preview, record, undo. Rows: D2, P13, T1, T3, T7."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory_platform.kernel.clock import utc_now
from profiles.models import Preference, Subject, SubjectJoin, Tag
from profiles.selectors import current_preferences, find_subject, group_preference_values
from profiles.services.preferences import record_preference
from profiles.services.subjects import ensure_subject
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim
from snapshots.models import Conversation, ForgetOrder
from tenants.isolation import tenant_tx
from tenants.models import AuditRecord
from tests.conftest import World
from tests.memory_platform.console.conftest import Staff
from tests.memory_platform.console.subjects.test_subject_screen import store_fact
from tests.snapshots.held import label, prefer, say


@pytest.fixture
def visitor(world: World) -> Subject:
    """A visitor who sits by the window; Ada liked the aisle."""
    prefer(world.acme, "travel", "seat", "aisle")
    label(world.acme, "home", address="12 Willow Lane")
    say(world.acme, "hello", conversation="trip")
    with tenant_tx(world.acme.tenant.id):
        visitor = ensure_subject("visitor-7")
        record_preference(visitor, "travel", "seat", make_stated_claim("window"))
        record_preference(visitor, "food", "dish", make_stated_claim("noodles"))
        Conversation.objects.create(subject=visitor, external_id="trip")
    return visitor


def page_of(subject: Subject, verb: str = "join") -> str:
    return f"/console/profiles/subject/{subject.pk}/{verb}/"


def test_a_visitor_is_joined_with_a_preview_a_record_and_an_undo(world: World, staff: Staff, visitor: Subject) -> None:
    acme, mia = world.acme, staff.mia
    ada = acme.subject
    page = page_of(ada)
    assert page in mia.get(page_of(ada, "change")).content.decode()
    shown = mia.get(page, {"other": " visitor-7 "}).content.decode()
    assert "<li>2 preferences, earlier ones included</li>" in shown
    assert "checked> <bdi>window</bdi>" in shown
    assert "> <bdi>aisle</bdi>" in shown
    assert "One “trip” is called “trip (visitor-7)” afterwards." in shown
    assert "goes on saying in a conversation of such a name reaches that of “ada”" in shown
    assert "noodles" not in shown  # only one of them has it
    sent = {"other": "visitor-7", "reason": "logged in"}
    with tenant_tx(acme.tenant.id):
        assert find_subject("visitor-7") == visitor
    record = mia.post(page, sent, follow=True)
    address = record.redirect_chain[-1][0]
    letter = record.content.decode()
    assert "mia joined “visitor-7” into “ada”. Reason: logged in" in letter
    assert "<li>1 conversation</li>" in letter
    assert "1 value was superseded by a newer one" in letter
    assert "found nothing left under the former id" in letter
    found = mia.get("/console/profiles/subject/find/", {"q": "visitor-7"}, follow=True)
    assert found.redirect_chain[-1][0] == page_of(ada, "change")
    assert "also visitor-7" in found.content.decode()
    assert mia.post(page, sent).status_code == 200  # sent twice: the id is Ada's own now
    check_undo(world, staff, address.replace("/change/", "/undo/"), letter)
    with tenant_tx(acme.tenant.id):
        assert find_subject("visitor-7") == visitor
        assert group_preference_values(current_preferences(visitor)) == {
            "travel": {"seat": "window"},
            "food": {"dish": "noodles"},
        }


def check_undo(world: World, staff: Staff, undo: str, letter: str) -> None:
    """A manager undoes the join once, with a reason; both acts are on record."""
    mia = staff.mia
    assert undo in letter
    with CaptureQueriesContext(connection) as asked:
        assert "visitor-7" in mia.get("/console/profiles/subjectjoin/").content.decode()
    assert not any('"subject_join"."moved"' in one["sql"] for one in asked)  # as long as what was joined
    with tenant_tx(world.acme.tenant.id):
        ada = Subject.objects.get(external_id="ada")
        order = ForgetOrder.objects.create(subject=ada, message_ref=uuid4(), kept=b"x", erase_at=utc_now())
    refused = mia.post(undo, {"reason": "x"}).content.decode()
    assert "They have asked to forget something, which is withheld for a day." in refused
    with tenant_tx(world.acme.tenant.id):
        order.delete()
    assert "visitor-7" in mia.get(undo).content.decode()
    assert staff.sam.post(undo, {"reason": "x"}).status_code == 403
    assert staff.gus.post(undo, {"reason": "x"}).status_code in (403, 404)
    assert mia.post(undo, {"reason": ""}).status_code == 200
    undone = mia.post(undo, {"reason": "somebody else"}, follow=True).content.decode()
    assert "The join was undone on" in undone
    assert "1 superseded value is current again." in undone
    assert "1 value was superseded by a newer one" in undone
    assert undo not in undone
    assert "This join was undone already." in mia.get(undo).content.decode()
    with tenant_tx(world.acme.tenant.id):
        join = SubjectJoin.objects.get()
        acts = AuditRecord.objects.filter(action__startswith="subject.join").order_by("at")
        told = [(one.action, one.subject_ref, one.object_id, one.reason) for one in acts]
    assert told == [
        ("subject.joined", join.subject_id, str(join.pk), "logged in"),
        ("subject.join_undone", join.subject_id, str(join.pk), "somebody else"),
    ]


def test_who_may_join_whom(world: World, staff: Staff, visitor: Subject) -> None:
    ada, gil = world.acme.subject, world.globex.subject
    sent = {"other": "visitor-7", "reason": "x"}
    for client in (staff.sam, staff.vic):
        assert client.post(page_of(ada), sent).status_code == 403
        assert page_of(ada) not in client.get(page_of(ada, "change")).content.decode()
    mia = staff.mia
    unknown = mia.post(page_of(ada), sent | {"other": "nobody"}).content.decode()
    theirs = mia.post(page_of(ada), sent | {"other": gil.external_id}).content.decode()
    assert "Nobody in this tenant has this id." in unknown
    assert "Nobody in this tenant has this id." in theirs
    assert "This is the same person." in mia.post(page_of(ada), sent | {"other": "ada"}).content.decode()
    assert "required" in mia.post(page_of(ada), sent | {"reason": " "}).content.decode()
    assert mia.get(page_of(ada), {"other": "\x00"}).status_code == 200
    for key in (ada.pk, uuid4(), "x"):
        for client in (staff.gus, staff.mia) if key != ada.pk else (staff.gus,):
            assert client.post(f"/console/profiles/subject/{key}/join/", sent).status_code in (403, 404)
    with tenant_tx(world.acme.tenant.id):
        assert find_subject("visitor-7") == visitor
        assert not SubjectJoin.objects.exists()


def test_words_of_the_other_person_offer_them(world: World, staff: Staff, visitor: Subject) -> None:
    with tenant_tx(world.acme.tenant.id):
        store_fact("visitor-7", "Noor 努尔")
    for words in ("noor", "努尔"):
        page = staff.mia.get(page_of(world.acme.subject), {"other": words}).content.decode()
        assert '<a href="?other=visitor-7"><b><bdi>Noor 努尔</bdi></b>' in page
    gil = world.globex.subject.external_id
    for words in ("ada", gil):
        assert '<a href="?other=' not in staff.mia.get(page_of(world.acme.subject), {"other": words}).content.decode()


def test_a_manager_chooses_which_of_two_is_kept(world: World, staff: Staff, visitor: Subject) -> None:
    acme, mia, page = world.acme, staff.mia, page_of(world.acme.subject)
    with tenant_tx(acme.tenant.id):
        upsert_tag(visitor, TagDraft("home", {"address": "3 Mill Road"}))
        aisle = Preference.objects.get(subject=acme.subject, key="seat").pk
        home = Tag.objects.get(subject=acme.subject).pk
        foreign = Preference.objects.get(subject=visitor, key="dish").pk
    shown = mia.get(page, {"other": "visitor-7"}).content.decode()
    assert "3 Mill Road" in shown
    assert f'value="{home}"> ' in shown  # it was changed earlier
    sent = {"other": "visitor-7", "keep-1": str(aisle), "keep-2": str(home)}
    again = mia.post(page, {**sent, "reason": ""}).content.decode()
    assert f'value="{aisle}" checked>' in again
    assert f'value="{home}" checked>' in again
    refused = mia.post(page, {**sent, "keep-1": str(foreign), "reason": "x"}, follow=True).content.decode()
    assert "One of the two values has changed since." in refused
    assert "What moves from “visitor-7”" in refused
    with tenant_tx(acme.tenant.id):
        assert find_subject("visitor-7") == visitor
    mia.post(page, {**sent, "reason": "she said so on the phone"})
    with tenant_tx(acme.tenant.id):
        ada = find_subject("visitor-7")
        assert ada is not None
        assert group_preference_values(current_preferences(ada))["travel"] == {"seat": "aisle"}
        assert {tag.label: tag.address for tag in Tag.objects.all()} == {
            "home": "12 Willow Lane",
            "home 2": "3 Mill Road",
        }

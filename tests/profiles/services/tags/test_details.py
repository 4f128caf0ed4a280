"""Details of tags have a past on two clocks: what was overwritten can be seen and brought back. Rows: P4, P6, P10."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from memory_platform.kernel.clock import utc_now
from profiles.belief_queries import load_tags
from profiles.models import Subject, Tag, TagDetail
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import detail_history, tag_by_id, tags_at, tags_known_at
from profiles.services.tags.details import list_columns_to_restore
from profiles.services.tags.tags import TagDraft, TagOutcome, delete_tag, patch_tag, restore_tag, upsert_tag
from tenants.isolation import tenant_tx
from tests.conftest import World

MAY, JUNE, JULY, AUGUST = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 6, 7, 8))


def put_tag(subject: Subject, label: str, at: datetime, **details: Any) -> TagOutcome:
    return upsert_tag(subject, TagDraft(label, details, confidence=0.9, valid_at=at))


def past(tag: Tag, detail: str) -> list[tuple[Any, datetime, datetime | None]]:
    rows = detail_history(tag).filter(detail=detail).order_by("valid_at", "recorded_at")
    return [(row.value, row.valid_at, row.invalid_at) for row in rows]


def details_at(subject: Subject, **moment: datetime) -> list[tuple[str, str, str]]:
    selected = tags_known_at(list(tags_at(subject, **moment)), **moment)
    told = [(tag.label, tag.address, tag.phone) for tag in selected]
    assert told == [(tag.label, tag.address, tag.phone) for tag in load_tags(subject.id, **moment)]
    return told


@pytest.mark.parametrize(
    ("label", "old", "new"), [("home", "12 Elm Street", "48 Larkspur Lane"), ("家", "枫林路203号", "世纪大道100号")]
)
def test_an_address_that_changes_keeps_what_it_was(ada: Subject, label: str, old: str, new: str) -> None:
    put_tag(ada, label, MAY, address=old)
    outcome = put_tag(ada, label, JULY, address=new)
    assert (outcome.verdict, outcome.tag.address) == ("superseded", new)
    assert past(outcome.tag, "address") == [(old, MAY, JULY), (new, JULY, None)]
    assert details_at(ada, as_of=JUNE) == [(label, old, "")]
    assert details_at(ada, as_of=AUGUST) == [(label, new, "")]
    assert details_at(ada, as_of=MAY - timedelta(days=1)) == []


def test_what_was_said_earlier_and_came_later_goes_into_the_past(ada: Subject) -> None:
    put_tag(ada, "mum", JULY, phone="555-0102", kind="contact")
    late = put_tag(ada, "mum", MAY, phone="555-0101", kind="contact", relation="mum")
    assert (late.verdict, late.tag.phone, late.tag.relation) == ("merged", "555-0102", "mum")
    assert past(late.tag, "phone") == [("555-0101", MAY, JULY), ("555-0102", JULY, None)]
    again = put_tag(ada, "mum", JUNE, phone="555-0103")
    assert (again.verdict, again.reason, again.tag.phone) == ("unchanged", "older", "555-0102")
    assert details_at(ada, as_of=MAY) == [("mum", "", "555-0101")]


def test_what_was_known_is_not_what_was_true(ada: Subject) -> None:
    put_tag(ada, "home", MAY, address="12 Elm Street")
    before = utc_now()
    put_tag(ada, "home", JUNE, address="48 Larkspur Lane")
    assert details_at(ada, known_at=before) == [("home", "12 Elm Street", "")]
    assert details_at(ada, as_of=JULY, known_at=before) == [("home", "12 Elm Street", "")]
    assert details_at(ada, as_of=JULY) == [("home", "48 Larkspur Lane", "")]
    assert details_at(ada, known_at=MAY) == []


def test_an_old_address_is_brought_back_with_its_place_on_the_map(ada: Subject) -> None:
    place = {"address": "12 Elm Street", "lat": 31.2, "lon": 121.5}
    put_tag(ada, "home", MAY, **place)
    moved = put_tag(ada, "home", JULY, address="48 Larkspur Lane").tag
    assert (moved.lat, moved.lon) == (None, None)
    old = detail_history(moved).select_related("tag__subject").get(detail="address", value="12 Elm Street")
    patch_tag(ada, moved, list_columns_to_restore(old))
    stored = tag_by_id(ada, moved.id)
    assert (stored.address, stored.lat, stored.lon) == tuple(place.values())
    assert [value for value, _, _ in past(moved, "address")] == ["12 Elm Street", "48 Larkspur Lane", "12 Elm Street"]


def test_a_change_that_is_put_back_was_never_so(ada: Subject) -> None:
    tag = put_tag(ada, "home", MAY, address="12 Elm Street").tag
    before = utc_now()
    patch_tag(ada, tag, {"address": "1 Wrong Way", "phone": "555-0101"})
    wrong = utc_now()
    restore_tag(ada, tag, {"address": "12 Elm Street", "phone": ""})
    assert (tag_by_id(ada, tag.id).address, tag_by_id(ada, tag.id).phone) == ("12 Elm Street", "")
    assert past(tag, "address") == [("12 Elm Street", MAY, None)]
    assert past(tag, "phone") == []
    assert details_at(ada, known_at=before) == [("home", "12 Elm Street", "")]
    assert details_at(ada, known_at=wrong) == [("home", "1 Wrong Way", "555-0101")]


def test_a_name_and_a_relation_have_a_past_too(ada: Subject) -> None:
    tag = put_tag(ada, "Ana", MAY, relation="girlfriend").tag
    patch_tag(ada, tag, {"label": "Ana Ruiz", "relation": "wife"}, valid_at=JULY)
    assert [tag.label for tag in tags_known_at(list(tags_at(ada, as_of=JUNE)), as_of=JUNE)] == ["Ana"]
    assert [value for value, _, _ in past(tag, "relation")] == ["girlfriend", "wife"]
    patch_tag(ada, tag, {"relation": "fiancée"}, valid_at=JUNE)
    assert tag_by_id(ada, tag.id).relation == "wife"
    assert past(tag, "relation")[1] == ("fiancée", JUNE, JULY)


def test_an_observation_replaces_nothing_that_was_confirmed_and_a_confirmation_is_kept(ada: Subject) -> None:
    tag = upsert_tag(ada, TagDraft("mum", {"phone": "1"}, Provenance.OBSERVATION, 0.5, valid_at=MAY)).tag
    patch_tag(ada, tag, {"provenance": "confirmed_by_user", "confidence": 1.0})
    weak = upsert_tag(ada, TagDraft("mum", {"phone": "2"}, Provenance.OBSERVATION, 0.5, valid_at=JULY))
    assert (weak.verdict, weak.reason, weak.tag.phone) == ("rejected", "weaker_than_current", "1")
    current = TagDetail.objects.get(tag=tag, detail="phone", retired_at=None)
    assert (current.provenance, current.confidence) == ("confirmed_by_user", 1.0)


def test_a_tag_from_before_details_were_kept_is_as_it_was_made(ada: Subject) -> None:
    tag = Tag.objects.create(subject=ada, label="gym", kind="place", address="1 Mill Rd")
    now = utc_now()
    assert details_at(ada, as_of=now) == [("gym", "1 Mill Rd", "")]
    assert details_at(ada, as_of=now - timedelta(days=1)) == []
    patch_tag(ada, tag, {"address": "2 Mill Rd"})
    assert [value for value, _, _ in past(tag, "address")] == ["1 Mill Rd", "2 Mill Rd"]
    assert details_at(ada, as_of=now) == [("gym", "1 Mill Rd", "")]


def test_a_deleted_tag_takes_its_past_with_it(ada: Subject) -> None:
    tag = put_tag(ada, "home", MAY, address="12 Elm Street").tag
    put_tag(ada, "home", JULY, address="48 Larkspur Lane")
    delete_tag(ada, tag)
    assert not TagDetail.objects.exists()
    assert details_at(ada, as_of=JUNE) == []


def test_details_are_their_tenants_own(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        tag = put_tag(world.acme.subject, "home", MAY, address="12 Elm Street").tag
    with tenant_tx(world.globex.tenant.id):
        assert not TagDetail.objects.exists()
        assert not list(detail_history(tag))
        assert not load_tags(world.acme.subject.id, as_of=AUGUST)
        assert TagDetail.objects.filter(tag_id=tag.id).update(value="gone") == 0
    with tenant_tx(world.acme.tenant.id):
        assert past(tag, "address") == [("12 Elm Street", MAY, None)]

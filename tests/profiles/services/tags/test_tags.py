"""Tags are made once per label, learn, are used and deleted. Rows: P6, P8."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from memory_platform.kernel.errors import NotFound
from profiles.models import Candidate, Subject, Tag
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import subject_by_external_id, tag_by_id, tags_of
from profiles.services.tags.tags import (
    LabelTaken,
    TagDraft,
    TagOutcome,
    delete_tag,
    empty_columns,
    find_tag_by_label,
    patch_tag,
    record_tag_use,
    upsert_tag,
)
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services.audit import Actor
from tests.conftest import World


def put(subject: Subject, label: str, **details: Any) -> TagOutcome:
    return upsert_tag(subject, TagDraft(label, details))


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ({"address": "1 Abbey Road"}, "place"),
        ({}, "place"),
        ({"phone": "110"}, "contact"),
        ({"relation": "母亲"}, "contact"),
        ({"phone": "110", "address": "派出所"}, "place"),
        ({"phone": "110", "kind": "place"}, "place"),
    ],
)
def test_a_new_tag_is_stored_and_its_kind_follows_from_its_details(ada: Subject, details: Any, kind: str) -> None:
    outcome = put(ada, "家", **details)
    assert (outcome.verdict, outcome.created, outcome.tag.kind) == ("stored", True, kind)


def test_a_known_label_learns_and_changes_instead_of_being_made_again(ada: Subject) -> None:
    first = put(ada, "Home", address="1 Abbey Road", aliases=["nest"]).tag
    learnt = put(ada, "HOME", phone="110", aliases=["Nest", "住处"], address=None)
    assert (learnt.verdict, learnt.created, learnt.tag.id) == ("merged", False, first.id)
    assert (learnt.tag.aliases, learnt.tag.address) == (["nest", "住处"], "1 Abbey Road")
    assert put(ada, "home", address="2 Baker Street").verdict == "superseded"
    assert put(ada, "home", address="2 Baker Street").verdict == "unchanged"
    assert [tag.label for tag in tags_of(ada)] == ["Home"]


def test_a_weaker_provenance_fills_gaps_and_replaces_nothing(ada: Subject) -> None:
    put(ada, "家", address="浦东")
    weak = TagDraft("家", {"address": "浦西"}, Provenance.OBSERVATION, 0.5)
    for _ in range(2):
        outcome = upsert_tag(ada, weak)
        assert (outcome.verdict, outcome.reason, outcome.tag.address) == ("rejected", "weaker_than_current", "浦东")
    assert Candidate.objects.get(subject=ada).value == {"address": "浦西"}
    filled = upsert_tag(ada, TagDraft("家", {"phone": "110"}, Provenance.OBSERVATION, 0.5))
    assert (filled.verdict, filled.tag.provenance) == ("merged", "confirmed_by_user")


def test_a_stronger_provenance_is_taken_over(ada: Subject) -> None:
    upsert_tag(ada, TagDraft("家", {"address": "浦东"}, Provenance.OBSERVATION, 0.5))
    tag = put(ada, "家").tag
    assert (tag.provenance, tag.confidence) == ("confirmed_by_user", 1.0)


def test_a_replaced_detail_is_as_sure_as_who_replaced_it(ada: Subject) -> None:
    put(ada, "家", address="浦东")
    doubted = upsert_tag(ada, TagDraft("家", {"address": "浦西"}, Provenance.CONFIRMED_BY_USER, 0.7))
    assert (doubted.verdict, doubted.tag.confidence) == ("superseded", 0.7)
    filled = upsert_tag(ada, TagDraft("家", {"phone": "110"}, Provenance.CONFIRMED_BY_USER, 0.6))
    assert (filled.verdict, filled.tag.confidence) == ("merged", 0.7)


def test_a_tag_is_patched_and_details_are_cleared(ada: Subject) -> None:
    tag = put(ada, "家", address="浦东", lat=31.2, lon=121.5, aliases=["窝"]).tag
    patch_tag(ada, tag, {"label": "老家", **empty_columns(["address", "lat", "lon", "aliases"])})
    stored = tag_by_id(ada, tag.id)
    assert (stored.label, stored.address, stored.lat, stored.aliases) == ("老家", "", None, [])
    assert stored.version == 2


def test_a_label_of_another_tag_is_refused(ada: Subject) -> None:
    put(ada, "Home")
    work = put(ada, "Work").tag
    with pytest.raises(LabelTaken):
        patch_tag(ada, work, {"label": "home"})
    patch_tag(ada, work, {"label": "WORK"})
    assert find_tag_by_label(ada, "work") == work


def test_using_a_tag_counts_it(ada: Subject) -> None:
    tag = put(ada, "妈妈", phone="110").tag
    record_tag_use(ada, tag.id)
    used = record_tag_use(ada, tag.id)
    assert used.use_count == 2 and used.last_used_at is not None and used.version == 3


def test_a_deleted_tag_is_gone_also_from_the_search_text(ada: Subject) -> None:
    tag = put(ada, "妈妈", phone="13800138000").tag
    assert "13800138000" in subject_by_external_id("ada").search_text
    delete_tag(ada, tag, by=Actor(ActorKind.STAFF, "7"), reason="wrong number")
    with pytest.raises(NotFound):
        tag_by_id(ada, tag.id)
    assert subject_by_external_id("ada").search_text == "ada"
    assert AuditRecord.objects.filter(action="tag.deleted", object_id=str(tag.id)).exists()


def test_of_many_makers_of_one_label_one_makes(world: World) -> None:
    barrier = Barrier(6)

    def make(number: int) -> bool:
        barrier.wait(timeout=30)
        try:
            with tenant_tx(world.acme.tenant.id):
                return put(world.acme.subject, "Home" if number % 2 else "HOME").created
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        assert sum(threads.map(make, range(6))) == 1
    with tenant_tx(world.acme.tenant.id):
        assert Tag.objects.count() == 1

"""Preferences: lists by entry, corrections without an object, retraction, many writers at once. Rows: P3, P4."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound, Refused
from profiles.models import Preference, Subject
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import current_preference, current_preferences, group_preference_values
from profiles.services.preferences import (
    change_list_preference,
    record_preference,
    remove_from_opposite,
    retract_preference,
)
from profiles.services.subjects import ensure_subject
from profiles.services.value_claims import ConfidenceAboveCeiling, ValidInFuture, make_learned_claim, make_stated_claim
from tenants.isolation import tenant_tx
from tenants.models import ActorKind, AuditRecord
from tenants.services.audit import Actor
from tests.conftest import World

LIKES = ("food", "likes")


def amend_likes(subject: Subject, add: list[str], remove: list[str] | None = None) -> tuple[str, str, Any]:
    outcome = change_list_preference(subject, LIKES, make_stated_claim(None), add=add, remove=remove or [])
    values = group_preference_values(current_preferences(subject)).get("food", {})
    return str(outcome.verdict.value), outcome.reason, values.get("likes")


def test_a_list_grows_and_shrinks_by_entry_with_a_version_per_change(ada: Subject) -> None:
    assert amend_likes(ada, ["火锅"]) == ("stored", "", ["火锅"])
    assert amend_likes(ada, ["figs", "火鍋"]) == ("merged", "", ["火锅", "figs"])
    assert amend_likes(ada, ["sushi"], ["Figs"]) == ("merged", "", ["火锅", "sushi"])
    assert amend_likes(ada, ["Sushi "]) == ("unchanged", "", ["火锅", "sushi"])
    assert amend_likes(ada, [], ["tofu"]) == ("unchanged", "absent", ["火锅", "sushi"])
    assert amend_likes(ada, [], ["火锅", "sushi"]) == ("merged", "", None)
    assert Preference.objects.filter(subject=ada, retired_at__isnull=True).count() == 3


def test_a_weaker_entry_does_not_change_a_stronger_list(ada: Subject) -> None:
    amend_likes(ada, ["figs"])
    weaker = make_learned_claim(None, provenance=Provenance.OBSERVATION, confidence=0.5, said_at=utc_now())
    outcome = change_list_preference(ada, LIKES, weaker, add=["tofu"])
    assert (outcome.verdict, outcome.reason) == ("rejected", "weaker_than_current")
    assert change_list_preference(ada, LIKES, weaker, remove=["figs"]).verdict == "rejected"
    assert current_preference(ada, *LIKES).value == ["figs"]


def test_what_is_liked_now_leaves_what_was_disliked_and_the_rest_stays_as_sure(ada: Subject) -> None:
    seen = make_learned_claim(
        None, provenance=Provenance.OBSERVATION, confidence=0.5, said_at=utc_now(), statement="ugh"
    )
    change_list_preference(ada, ("drinks", "dislikes"), seen, add=["coffee", "cola"])
    change_list_preference(ada, ("food", "dislikes"), seen, add=["Coffee"])

    changed = remove_from_opposite(ada, "likes", make_stated_claim(None), ["coffee"])

    rest = current_preference(ada, "drinks", "dislikes")
    assert (rest.value, rest.provenance, rest.confidence, rest.statement) == (["cola"], "observation", 0.5, "ugh")
    assert group_preference_values(current_preferences(ada)) == {"drinks": {"dislikes": ["cola"]}}
    assert {(row.category, row.key) for row in changed} == {("drinks", "dislikes"), ("food", "dislikes")}


def test_what_is_known_better_or_has_no_opposite_stays_whole(ada: Subject) -> None:
    change_list_preference(ada, ("food", "dislikes"), make_stated_claim(None), add=["coffee"])
    change_list_preference(ada, ("food", "allergies"), make_stated_claim(None), add=["nuts"])
    weaker = make_learned_claim(None, provenance=Provenance.OBSERVATION, confidence=0.5, said_at=utc_now())
    assert remove_from_opposite(ada, "likes", weaker, ["coffee"]) == []
    assert remove_from_opposite(ada, "likes", make_stated_claim(None), ["nuts"]) == []
    assert remove_from_opposite(ada, "avoid_food", make_stated_claim(None), ["coffee"]) == []
    assert group_preference_values(current_preferences(ada)) == {
        "food": {"dislikes": ["coffee"], "allergies": ["nuts"]}
    }


def test_a_retracted_preference_is_gone_and_its_history_stays(ada: Subject) -> None:
    record_preference(ada, "music", "favourite_band", make_stated_claim("Radiohead"))
    retract_preference(ada, "music", "favourite_band")
    with pytest.raises(NotFound):
        current_preference(ada, "music", "favourite_band")
    with pytest.raises(NotFound):
        retract_preference(ada, "music", "favourite_band")
    assert Preference.objects.get(subject=ada, retired_at__isnull=True).invalid_at is not None


def test_a_staff_member_who_retracts_leaves_an_audit_record_without_content(ada: Subject) -> None:
    row = record_preference(ada, "music", "favourite_band", make_stated_claim("五月天")).row
    retract_preference(ada, "music", "favourite_band", by=Actor(ActorKind.STAFF, "7"), reason="asked by phone")
    record = AuditRecord.objects.get(action="preference.retracted")
    assert row is not None and (record.object_id, record.reason) == (str(row.id), "asked by phone")


def test_confidence_above_its_ceiling_is_refused_when_stated_and_cut_when_learned() -> None:
    with pytest.raises(ConfidenceAboveCeiling) as refused:
        make_stated_claim(1, provenance=Provenance.OBSERVATION, confidence=0.7)
    assert [fault.field for fault in refused.value.faults] == ["confidence"]
    assert isinstance(refused.value, Refused)
    assert make_stated_claim(1, provenance=Provenance.ANALYSIS).confidence == 0.8
    assert make_learned_claim(1, provenance=Provenance.OBSERVATION, confidence=0.9, said_at=utc_now()).confidence == 0.6


def test_a_value_cannot_be_stated_to_hold_from_the_future() -> None:
    with pytest.raises(ValidInFuture):
        make_stated_claim(1, valid_at=utc_now() + timedelta(days=1))


def test_the_products_own_word_may_lower_the_confidence_of_the_same_value(ada: Subject) -> None:
    record_preference(ada, "music", "volume", make_stated_claim(7))
    outcome = record_preference(ada, "music", "volume", make_stated_claim(7, confidence=0.5, statement="about seven"))
    held = current_preference(ada, "music", "volume")
    assert (outcome.verdict, held.confidence, held.statement) == ("unchanged", 0.5, "about seven")


def test_fifty_writers_at_once_leave_one_current_value_and_a_whole_history(world: World) -> None:
    barrier = Barrier(10)

    def write(number: int) -> str:
        barrier.wait(timeout=60)
        try:
            with tenant_tx(world.acme.tenant.id):
                subject = ensure_subject("新人")
                return str(record_preference(subject, "navigation", "avoid", make_stated_claim(number)).verdict.value)
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as threads:
        verdicts = list(threads.map(write, range(50)))
    assert sorted(verdicts) == ["stored", *["superseded"] * 49]
    with tenant_tx(world.acme.tenant.id):
        rows = Preference.objects.filter(category="navigation", retired_at__isnull=True).order_by("valid_at")
        ends = [row.invalid_at for row in rows]
        assert ends == [*[row.valid_at for row in rows][1:], None]
        assert {row.value for row in rows} == set(range(50))

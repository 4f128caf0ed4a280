"""The one statement of the answering path reads what the selectors read. Rows: P2, P3, P4."""

from datetime import UTC, datetime, timedelta

import pytest

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.belief_queries import find_subject_id, load_beliefs, load_tags
from profiles.selectors import build_profile, group_preference_values, preferences_at, profile_facts, tags_of
from profiles.services.preferences import record_preference, retract_preference
from profiles.services.profile import FactChange, FactName, patch_profile
from profiles.services.tags.tags import TagDraft, upsert_tag
from profiles.services.value_claims import make_stated_claim
from tenants.isolation import tenant_tx
from tests.conftest import House, World

START = utc_now() - timedelta(days=40)
UNLIKE = {"_state": None, "valid_at": None}
"""What the one statement reads and the selectors do not."""


def change_mind(house: House) -> list[datetime]:
    """Let Ada change her mind and return the moments between."""
    moments = [START]
    with tenant_tx(house.tenant.id):
        record_preference(house.subject, "food", "favourite_drink", make_stated_claim("茶", valid_at=START))
        record_preference(house.subject, "navigation", "avoid_highway", make_stated_claim(True))
        facts = (FactName("occupation"), FactName("city", is_attribute=True))
        patch_profile(
            house.subject,
            [FactChange(facts[0], make_stated_claim("程序员")), FactChange(facts[1], make_stated_claim("London"))],
        )
    moments.append(utc_now())
    with tenant_tx(house.tenant.id):
        record_preference(
            house.subject, "food", "favourite_drink", make_stated_claim("咖啡", valid_at=START + timedelta(days=20))
        )
        retract_preference(house.subject, "navigation", "avoid_highway")
        patch_profile(house.subject, [FactChange(facts[0], make_stated_claim("teacher"))], remove=[facts[1]])
    return [*moments, START + timedelta(days=10), START + timedelta(days=30), utc_now()]


@pytest.mark.parametrize("clock", ["now", "as_of", "known_at", "both"])
def test_both_clocks_are_read_as_the_selectors_read_them(world: World, clock: str) -> None:
    moments = change_mind(world.acme)
    for moment in moments:
        as_of = moment if clock in {"as_of", "both"} else None
        known_at = moment if clock in {"known_at", "both"} else None
        with tenant_tx(world.acme.tenant.id):
            held = load_beliefs(world.acme.subject.id, as_of=as_of, known_at=known_at)
            preferences = list(preferences_at(world.acme.subject, as_of=as_of, known_at=known_at))
            facts = list(profile_facts(world.acme.subject, as_of=as_of, known_at=known_at))
        assert held.preference_values == group_preference_values(preferences)
        assert {one.id for one in held.preferences} == {one.value_id for one in preferences}
        assert {one.id for one in held.facts} == {one.value_id for one in facts}
        full = build_profile(facts)
        assert held.profile == {field: value for field, value in full.items() if value not in (None, {})}


def test_only_what_is_asked_for_is_read(world: World) -> None:
    change_mind(world.acme)
    with tenant_tx(world.acme.tenant.id):
        assert load_beliefs(world.acme.subject.id, facts=False).profile == {}
        assert load_beliefs(world.acme.subject.id, preferences=False).preference_values == {}
        assert load_beliefs(new_id()).facts == ()


def test_a_subject_is_known_in_its_own_tenant_only(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        assert find_subject_id("ada") == world.acme.subject.id
        assert find_subject_id("nobody") is None
    change_mind(world.acme)
    with tenant_tx(world.globex.tenant.id):
        assert find_subject_id("ada") is None
        assert load_beliefs(world.acme.subject.id).preferences == ()


def test_a_tag_is_as_old_as_what_it_says_now(world: World) -> None:
    subject = world.acme.subject
    made, moved = (datetime(2026, month, 2, tzinfo=UTC) for month in (5, 9))
    with tenant_tx(world.acme.tenant.id):
        upsert_tag(subject, TagDraft("home", {"address": "12 Elm Street"}, valid_at=made))
        assert [tag.valid_at for tag in load_tags(subject.id)] == [made]
        upsert_tag(subject, TagDraft("home", {"address": "48 Larkspur Lane"}, valid_at=moved))
        assert [tag.valid_at for tag in load_tags(subject.id)] == [moved]
        (then,) = load_tags(subject.id, as_of=datetime(2026, 6, 1, tzinfo=UTC))
    assert (then.address, then.valid_at) == ("12 Elm Street", made)


def test_tags_are_those_of_the_selectors(world: World) -> None:
    with tenant_tx(world.acme.tenant.id):
        upsert_tag(
            world.acme.subject, TagDraft("家", {"kind": "place", "address": "世纪大道100号", "lat": 31.2, "lon": 121.5})
        )
        upsert_tag(world.acme.subject, TagDraft("mum", {"kind": "contact", "phone": "1", "aliases": ["妈妈"]}))
        held, selected = load_tags(world.acme.subject.id), list(tags_of(world.acme.subject))
        assert [vars(tag) | UNLIKE for tag in held] == [vars(tag) | UNLIKE for tag in selected]
        assert [tag.aliases for tag in held] == [[], ["妈妈"]]
    with tenant_tx(world.globex.tenant.id):
        assert load_tags(world.acme.subject.id) == ()

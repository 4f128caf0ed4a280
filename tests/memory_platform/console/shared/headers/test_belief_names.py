"""What the platform reads in talk has a name in the reader's language; what a product made up stays. Rows: D2, E9."""

import pytest
from django.utils import translation

from memory_platform.console.shared.headers.belief_names import (
    CATEGORY_LABELS,
    PREFERENCE_KEY_LABELS,
    PROFILE_FIELD_LABELS,
    READ_ATTRIBUTE_LABELS,
    label_belief,
    label_target,
)
from memory_platform.console.shared.headers.memory_sentences import describe_preference
from profiles.models import CandidateKind, Preference, ProfileFact
from snapshots.understanding.slots.candidate_builders import SLOTS, build_fact
from snapshots.understanding.slots.slot_patterns import load_language
from tenants.isolation import tenant_tx
from tests.conftest import House

READ_CATEGORIES = {
    category for code in ("en", "zh") for category in load_language(code).words.category_by_word.values()
}
READ_FACTS = {slot.name for slot in SLOTS.values() if slot.build is build_fact and slot.name}


@pytest.mark.parametrize("category", sorted(READ_CATEGORIES))
def test_every_category_that_is_read_has_a_chinese_name(category: str) -> None:
    with translation.override("zh-hans"):
        assert str(CATEGORY_LABELS[category]) != category


@pytest.mark.parametrize("field", sorted(READ_FACTS))
def test_every_field_that_is_read_has_a_chinese_name(field: str) -> None:
    with translation.override("zh-hans"):
        assert str({**PROFILE_FIELD_LABELS, **READ_ATTRIBUTE_LABELS}[field]) != field


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "climate, temperature"), ("zh-hans", "温控 · 温度")],
)
def test_a_preference_is_named_in_the_readers_language(acme: House, language: str, told: str) -> None:
    with tenant_tx(acme.tenant.id), translation.override(language):
        assert label_belief(Preference(category="climate", key="temperature")) == told
        assert label_target(CandidateKind.PREFERENCE, "climate/temperature") == told


def test_a_name_that_a_product_made_up_stays(acme: House) -> None:
    with tenant_tx(acme.tenant.id), translation.override("zh-hans"):
        assert label_belief(Preference(category="greeting", key="salute")) == "greeting · salute"
        assert label_belief(ProfileFact(field="loyalty_tier", is_attribute=True)) == "loyalty_tier"
        assert label_target(CandidateKind.TAG, "home") == "home"
        assert label_target(CandidateKind.PROFILE, "attributes.city") == "城市"


def test_every_key_has_a_chinese_name() -> None:
    with translation.override("zh-hans"):
        assert [key for key, label in PREFERENCE_KEY_LABELS.items() if str(label) == key] == []


@pytest.mark.parametrize(
    ("language", "who", "told"),
    [("en", "Ada", "Ada’s climate preference: temperature 19 °C"), ("zh-hans", "林悦", "林悦的温控偏好：温度 19 °C")],
)
def test_the_sentence_of_a_preference_has_one_colon(acme: House, language: str, who: str, told: str) -> None:
    with tenant_tx(acme.tenant.id), translation.override(language):
        wish = Preference(category="climate", key="temperature", value={"value": 19, "unit": "°C"})
        assert describe_preference(wish, who) == told

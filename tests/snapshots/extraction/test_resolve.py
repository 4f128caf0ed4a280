"""A change that names no object finds what it means among the current values. Rows: P3, G4."""

import pytest

from snapshots.extraction.corrections import may_correct
from snapshots.extraction.pipeline import extract
from snapshots.extraction.resolve import CurrentValue, resolve_change, unit_of
from snapshots.extraction.values import ExtractionContext, PreferenceCandidate
from tests.golden.labels import rows
from tests.snapshots.extraction.said import said

TEMPERATURE = CurrentValue("climate", "temperature", "21 degrees", order=2, same_conversation=True)
HOTEL = CurrentValue("travel", "hotel_limit", "150 euros", order=3, same_conversation=True)
DRINKS = CurrentValue("food", "likes", ("coffee", "sushi"), order=1, same_conversation=False)
FLAG = CurrentValue("navigation", "avoid_highway", value=True, order=9, same_conversation=True)
CURRENT = [TEMPERATURE, HOTEL, DRINKS, FLAG]


def _change(text: str) -> PreferenceCandidate:
    found = extract(said(text), context=ExtractionContext()).corrections[0]
    assert isinstance(found, PreferenceCandidate)
    return found


def test_a_number_with_a_unit_replaces_the_newest_value_of_that_unit() -> None:
    found = resolve_change(_change("换成25度"), CURRENT)
    assert found is not None
    assert (found.category, found.key, found.mode) == ("climate", "temperature", "set")
    assert (found.value, found.replaces) == ("25度", "21 degrees")


def test_a_bare_number_replaces_the_newest_number_of_the_conversation() -> None:
    found = resolve_change(_change("Change that to 120."), CURRENT)
    assert found is not None
    assert found.key == "hotel_limit"


def test_values_of_other_conversations_are_not_meant() -> None:
    elsewhere = CurrentValue("climate", "temperature", "21 degrees", order=2, same_conversation=False)
    assert resolve_change(_change("换成25度"), [elsewhere]) is None


def test_a_named_old_value_is_found_in_lists_anywhere() -> None:
    found = resolve_change(_change("Not the coffee, tea."), CURRENT)
    assert found is not None
    assert (found.category, found.key, found.mode, found.replaces) == ("food", "likes", "replace", "coffee")


def test_an_unknown_old_value_changes_nothing() -> None:
    assert resolve_change(_change("Not whisky, gin."), CURRENT) is None
    assert resolve_change(_change("No, I meant Tuesday."), CURRENT) is None


def test_a_change_that_names_its_object_stays_as_it_is() -> None:
    change = _change("I no longer like coffee.")
    assert resolve_change(change, []) is change


UNITS = [
    *(("23度", None, "degree"), ("23", "temperature", "degree"), ("23", "seat", "number"), ("$30", None, "money")),
    *(("100码", None, "speed"), ("40%", None, "percent"), ("jazz", None, None)),
]


@pytest.mark.parametrize(("value", "key", "unit"), UNITS)
def test_units_are_read_in_both_languages(value: str, key: str | None, unit: str | None) -> None:
    assert unit_of(value, key) == unit


def test_the_cheap_cue_misses_no_correction() -> None:
    assert all(
        may_correct(row["text"]) for row in rows("corrections") if row["expect"] and "change" in row["expect"][0]
    )

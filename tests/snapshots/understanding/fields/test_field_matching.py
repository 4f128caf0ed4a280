"""Which field a note fills: right or silent, in both languages, on fields that taught nothing. Row: P11."""

from itertools import chain

from lab.measuring.golden_sets import GOLDEN
from lab.teaching.fields import EACH, hash_sets, read_held_out_sentences
from snapshots.understanding.fields.field_matching import TOO_CLOSE, UNSURE, load_field_classifier, match_notes
from tenants.policies.descriptions_value_kind import FieldDescription

SEAT = FieldDescription(
    "seat", "Where on the plane or train the traveller likes to sit: window, aisle, front, exit row."
)
PARCELS = FieldDescription("parcels", "How and where parcels should be delivered: pick-up point, neighbour, express.")


def test_a_description_in_english_is_filled_by_words_in_both_languages() -> None:
    said = ["I always sit by the window on long flights", "我坐飞机喜欢靠过道的座位", "I have two cats", "我家在三楼"]
    assert [fit.field for fit in match_notes(said, (SEAT, PARCELS))] == ["seat", "seat", "", ""]


def test_one_field_alone_is_no_reason_to_be_filled() -> None:
    (fit,) = match_notes(["My sister works as a flight attendant"], (SEAT,))
    assert (fit.field, fit.why_not) == ("", UNSURE)


def test_two_fields_that_are_described_alike_are_filled_by_neither() -> None:
    again = FieldDescription("place_to_sit", SEAT.description)
    (fit,) = match_notes(["I always sit by the window on long flights"], (SEAT, again))
    assert fit.field == ""
    assert fit.why_not in {TOO_CLOSE, UNSURE}


def test_nothing_is_matched_without_fields_or_notes() -> None:
    assert [fit.field for fit in match_notes(["I live in Ghent"], ())] == [""]
    assert match_notes([], (SEAT,)) == []


def test_the_reader_names_the_sets_that_taught_it() -> None:
    assert load_field_classifier().taught["sets"] == hash_sets()
    assert (GOLDEN / "fields" / "travel.toml").name in load_field_classifier().taught["sets"]
    assert "shopping.toml" not in load_field_classifier().taught["sets"]


def test_fields_that_taught_nothing_are_filled_rightly_or_not_at_all() -> None:
    found = list(chain.from_iterable(read_held_out_sentences(each) for each in EACH[:1]))
    filled = [(one.sentence.field, one.chosen_field()) for one in found]
    told = [(wanted, field) for wanted, field in filled if field]
    right = sum(wanted == field for wanted, field in told)
    assert right / len(told) >= 0.86
    assert right / sum(bool(wanted) for wanted, _ in filled) >= 0.35

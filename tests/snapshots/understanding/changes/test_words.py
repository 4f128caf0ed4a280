"""The ways of changes name the sides that their examples say; no pattern takes long on a hostile text. Rows: G4, E9."""

import pytest

from snapshots.understanding.changes.ways import named_in, ways
from snapshots.understanding.changes.words import cues_in, events_in, kinds_in, may_change, people_in
from snapshots.understanding.reading.forms import language_of, matching_form
from tests.growth import assert_linear

HOSTILE = [
    "not " * 500,
    "不是" * 1000,
    "a, " * 600,
    "从" * 2000,
    "I " * 900 + "now",
    "my old the " * 180,
    "是不是," * 500,
]


def test_every_way_names_its_sides() -> None:
    for way in ways():
        for text, old, new in way.examples:
            form = matching_form(text)
            named = [
                (form[slice(*one.old)], form[slice(*one.new)] if one.new else "")
                for one in named_in(form, language_of(form))
            ]
            assert (old, new) in named, (text, named)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_all_patterns_take_linear_time(text: str) -> None:
    def read(form: str) -> None:
        may_change(form), cues_in(form), kinds_in(form), people_in(form), events_in(form)
        list(named_in(form, language_of(form)))

    assert_linear(read, matching_form(text))

"""The ways of changes name the sides that their examples say; no pattern takes long on a hostile text. Rows: G4, E9."""

import pytest

from snapshots.understanding.changes.change_words import (
    find_cues,
    find_event_verbs,
    find_people_words,
    find_thing_kinds,
    has_change_cue,
)
from snapshots.understanding.changes.replacement_patterns import find_replacements, load_replacement_patterns
from snapshots.understanding.reading.text_folding import detect_rule_language, fold_for_matching
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
    for way in load_replacement_patterns():
        for text, old, new in way.examples:
            form = fold_for_matching(text)
            named = [
                (form[slice(*one.old)], form[slice(*one.new)] if one.new else "")
                for one in find_replacements(form, detect_rule_language(form))
            ]
            assert (old, new) in named, (text, named)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_all_patterns_take_linear_time(text: str) -> None:
    def read(form: str) -> None:
        has_change_cue(form), find_cues(form), find_thing_kinds(form), find_people_words(form), find_event_verbs(form)
        list(find_replacements(form, detect_rule_language(form)))

    assert_linear(read, fold_for_matching(text))

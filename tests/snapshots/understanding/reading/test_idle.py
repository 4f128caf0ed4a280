"""What friends say all day teaches nothing about them, and takes nothing from what does. Rows: E1, E2."""

import pytest

from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import ExtractionContext
from tests.snapshots.understanding.utterances import utter


def values(text: str) -> list[str]:
    found = extract_candidates(utter(text), context=ExtractionContext())
    return [str(one.value) for one in found.facts] + [str(one.value) for one in found.preferences]


@pytest.mark.parametrize(
    "text",
    [
        "No problem at all!",
        "Oh, no worries, enjoy the lake.",
        "Nothing so far, but I will tell you.",
        "Same here!",
        "It must have been such a relief to hear that.",
        "Wow, that must be exciting!",
        "Just like any other good neighbour.",
        "I'm here for ya.",
        "Never give up, you are nearly there.",
        "Turns out the ferry was late.",
        "Glad it all worked out.",
    ],
)
def test_small_talk_teaches_nothing(text: str) -> None:
    assert values(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("No problem, but I can't eat peanuts.", "peanuts"),
        ("Same here, I love cycling.", "cycling"),
        ("Wow, I hate long queues.", "long queues"),
        ("I like jazz, just like any Saturday.", "jazz"),
    ],
)
def test_what_stands_beside_it_is_learned(text: str, value: str) -> None:
    assert any(value in one for one in values(text))

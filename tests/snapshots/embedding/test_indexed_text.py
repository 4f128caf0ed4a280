"""What is indexed of a memory beside its words. Rows: S2, S4."""

from datetime import UTC, datetime

from snapshots.embedding.indexed_text import SpokenTurn, index_text, render_spoken_date
from snapshots.embedding.marker_terms import make_alias_marks

EIGHTH_OF_MAY = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)


def test_the_dense_text_says_when_and_who_and_the_turn_before() -> None:
    asked = SpokenTurn("Which seat shall I book?", "assistant", EIGHTH_OF_MAY)
    indexed = index_text(SpokenTurn("The aisle, please", "Ada", EIGHTH_OF_MAY), previous=asked)
    assert indexed.dated == "[8 May 2026] Ada: The aisle, please"
    assert indexed.continued == "assistant: Which seat shall I book?\nAda: The aisle, please"


def test_terms_stand_in_the_field_they_come_from() -> None:
    indexed = index_text(SpokenTurn("Aisle seats", "Ada", EIGHTH_OF_MAY), category="travel", topics=["flights"])
    assert indexed.text == ("aisl", "seat")
    assert indexed.speaker == ("ada",)
    assert set(indexed.about) == {"8", "may", "2026", "travel", "flight"} | make_alias_marks(["flights"])


def test_a_chinese_memory_carries_a_chinese_date() -> None:
    indexed = index_text(SpokenTurn("我喜欢靠过道的座位", None, EIGHTH_OF_MAY))
    assert indexed.language == "zh"
    assert indexed.dated == "[2026年5月8日] 我喜欢靠过道的座位"


def test_a_turn_before_that_is_no_memory_of_its_own_lends_its_words() -> None:
    asked = SpokenTurn("Window or aisle?", "assistant")
    assert index_text(SpokenTurn("The second"), previous=asked, previous_is_memory=False).before == (
        "assist",
        "window",
        "aisl",
    )
    assert index_text(SpokenTurn("The second"), previous=asked, previous_is_memory=True).before == ()


def test_without_a_date_or_a_turn_before_the_words_stand_alone() -> None:
    indexed = index_text(SpokenTurn("Peanuts are out"))
    assert indexed.dated == indexed.continued == "Peanuts are out"
    assert render_spoken_date(None, "en") == ""

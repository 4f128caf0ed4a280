"""Snapshots without a model: what is chosen, how long it may be, what it cites. Rows: S1, S2, E2."""

from snapshots.summaries.conversation_snapshots import (
    draft_conversation_snapshot,
    draft_segment_snapshot,
    split_segments,
)
from snapshots.understanding.reading.text_forms import estimate_tokens
from snapshots.understanding.statements.statements import extract_statement
from snapshots.understanding.statements.topics import find_topics, score_importance
from tests.snapshots.understanding.utterances import utter

TALK = [
    utter("Hi!", key="u1"),
    utter("Hello, how can I help?", key="a1", role="assistant"),
    utter("I need a hotel in Rome for 3 nights. My budget is 150 euros a night. The weather is odd here.", key="u2"),
    utter('{"hotels": [{"name": "Roma Inn", "price": 140}]}', key="t1", role="tool"),
    utter("Roma Inn costs 140 euros a night.", key="a2", role="assistant"),
    utter("Great, book it. I always want a quiet room.", key="u3"),
    utter("Booked: Roma Inn, 3 nights from May 4.", key="a3", role="assistant"),
    utter("Thanks!", key="u4"),
]


def test_a_conversation_keeps_decisions_numbers_and_wishes_in_order() -> None:
    draft = draft_conversation_snapshot(TALK, tool_called=True)
    assert draft is not None
    assert draft.text.index("budget") < draft.text.index("quiet room") < draft.text.index("Booked")
    assert "Thanks" not in draft.text
    assert "hotels" not in draft.text
    assert set(draft.sources) <= {"u2", "u3", "a2", "a3"}
    assert (draft.kind, draft.category) == ("conversation", "travel")
    assert 0.3 < draft.importance <= 0.9


def test_talk_without_a_tool_leaves_no_conversation_snapshot() -> None:
    assert draft_conversation_snapshot(TALK, tool_called=False) is None
    assert draft_conversation_snapshot([utter("hi"), utter("ok")], tool_called=True) is None


def test_the_summary_holds_its_budget() -> None:
    english = [utter(f"I decided on plan {n} with a budget of {n}00 euros and many words besides.") for n in range(40)]
    chinese = [utter(f"我决定第{n}个方案,预算是{n}00元,以后都按照这个来安排出行。") for n in range(40)]
    long, short = (
        draft_conversation_snapshot(english, tool_called=True),
        draft_conversation_snapshot(chinese, tool_called=True),
    )
    assert long is not None
    assert short is not None
    assert estimate_tokens(long.text) <= 200
    assert sum("\u3400" <= c <= "\u9fff" for c in short.text) <= 100


def test_a_long_conversation_gets_one_snapshot_per_segment() -> None:
    talk = [utter(f"I booked flight {n}.", key=f"u{n}") for n in range(25)]
    drafts = [draft for part in split_segments(talk) if (draft := draft_segment_snapshot(part))]
    assert [draft.kind for draft in drafts] == ["segment"] * 3
    assert drafts[0].sources[0] == "u0"  # the opening says what it is about
    assert split_segments(talk[:20]) == []


def test_a_statement_is_masked_and_sorted_by_topic() -> None:
    draft = extract_statement(utter("Pay my sushi dinner with 4111 1111 1111 1111", name="Grace"))
    assert draft is not None
    assert draft.text == "Pay my sushi dinner with [masked card number]"
    assert (draft.masked, draft.category, draft.sources) == (1, "food", ("m1",))


def test_courtesies_and_assistants_make_no_statement() -> None:
    assert extract_statement(utter("thanks!")) is None
    assert extract_statement(utter("Rome is lovely in May", role="assistant")) is None


def test_topics_and_importance_read_both_languages() -> None:
    assert find_topics("晚上去吃火锅,再看一部电影") == ("food", "entertainment")
    assert find_topics("订了酒店") == ("travel",)
    assert score_importance("以后别放摇滚") > score_importance("天空很蓝")
    assert score_importance("I decided: the flight on May 4, I always prefer aisle seats") == 0.9

"""One message in, gated candidates out. Rows: P3, P5, E1, E2, A3."""

import pytest

from snapshots.understanding.believing.candidate_extraction import extract_candidates
from snapshots.understanding.values import CurrentValue, Extraction, ExtractionContext, PreferenceCandidate
from tests.growth import assert_linear
from tests.snapshots.understanding.utterances import utter

ANYONE = ExtractionContext()


def test_an_explicit_preference_is_confirmed_and_quotes_its_clause() -> None:
    message = utter("Well, it rains. I really like jazz, by the way.")
    found = extract_candidates(message, context=ANYONE).preferences[0]
    assert (found.category, found.key, found.value, found.mode) == ("music", "likes", ("jazz",), "add")
    assert (found.sort, found.provenance, found.confidence) == ("explicit", "confirmed_by_user", 0.9)
    assert found.evidence.message_key == "m1"
    assert message.text[found.evidence.start :].startswith(found.evidence.quote)
    assert found.statement == "I really like jazz, by the way"


def test_a_habit_that_is_only_shown_is_left_to_its_note() -> None:
    assert extract_candidates(utter("我一般喝美式"), context=ANYONE) == Extraction()


def test_an_order_without_from_now_on_is_for_this_once() -> None:
    lasting = extract_candidates(utter("以后别走高速"), context=ANYONE).preferences[0]
    assert (lasting.category, lasting.key, lasting.value) == ("navigation", "avoid", ("高速",))
    assert extract_candidates(utter("别走高速"), context=ANYONE) == Extraction()


def test_a_bare_answer_is_read_with_the_question_before_it() -> None:
    asked = ExtractionContext(previous="Which city do you live in?")
    assert [fact.value for fact in extract_candidates(utter("Utrecht"), context=asked).facts] == ["Utrecht"]
    assert extract_candidates(utter("Utrecht"), context=ANYONE) == Extraction()


def test_a_sentence_ends_what_it_replaces_and_says_what_holds_instead() -> None:
    held = (CurrentValue("city", "Leeds"), CurrentValue("likes", "Leeds United"))
    found = extract_candidates(
        utter("I moved from Leeds to Porto. I like jazz."), context=ExtractionContext(current_values=held)
    )
    assert [
        (one.key, one.replaces, one.value) for one in found.corrections if isinstance(one, PreferenceCandidate)
    ] == [("city", "Leeds", "Porto")]
    assert [one.value for one in found.preferences] == [("jazz",)]
    assert [(fact.field, fact.value) for fact in found.facts] == [("city", "Porto")]


@pytest.mark.parametrize(
    "text",
    [
        "打今天起，我不吃辣",
        "从明天开始我不吃辣",
        "Starting today I don't eat meat.",
        "From tomorrow on, I don't eat meat.",
        "As of this week I don't eat meat.",
    ],
)
def test_what_begins_today_is_not_meant_for_today(text: str) -> None:
    (found,) = extract_candidates(utter(text), context=ANYONE).preferences
    assert (found.sort, found.value) == ("constraint", ("meat",) if text.isascii() else ("辣",))


@pytest.mark.parametrize(
    "text",
    [
        *("今天别走高速", "这次别走延安高架", "Avoid the highway today", "no jazz tonight please"),
        *("这周我不吃糖", "这个月我不吃肉", "本周不吃肉", "周五之前别给我推荐肉", "I'm not eating meat this month"),
        *("Only today: never take the highway", "仅限今天,以后别走高速", "明天开始放假,今天不想吃辣"),
        *("明天起飞,别放辣", "From today until Sunday no sugar for me", "From today's list I don't want jazz"),
    ],
)
def test_what_is_meant_for_now_is_no_preference(text: str) -> None:
    assert extract_candidates(utter(text), context=ANYONE) == Extraction()


def test_values_keep_the_users_own_traditional_characters() -> None:
    found = extract_candidates(utter("我對花生過敏"), context=ANYONE).preferences[0]
    assert (found.value, found.evidence.quote) == (("花生",), "我對花生過敏")


def test_full_width_forms_do_not_shift_the_quote() -> None:
    message = utter("你好！我叫李雷，我喜欢　爵士乐。")
    found = extract_candidates(message, context=ANYONE)
    assert [fact.value for fact in found.facts] == ["李雷"]
    assert all(fact.evidence.quote in message.text for fact in found.facts)


def test_another_named_speaker_teaches_nothing() -> None:
    message = utter("I love hiking", name="Grace")
    assert extract_candidates(message, context=ANYONE) == Extraction()
    own = extract_candidates(message, context=ExtractionContext(frozenset({"grace"})))
    assert [fact.value for fact in own.facts] == ["hiking"]


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_users_teach(role: str) -> None:
    assert extract_candidates(utter("My name is Ada.", role=role), context=ANYONE) == Extraction()


def test_the_same_said_twice_is_learned_once() -> None:
    found = extract_candidates(utter("I like jazz. I like jazz!"), context=ANYONE)
    assert len(found.preferences) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Translate this: I am allergic to nuts. I live in Rome.",
        "帮我写一封信:我叫李雷,我喜欢火锅",
        "Sam: I like jazz\nLee: I like rock",
        "> I love hiking\nreally?",
        "[photo: I love hiking]",
        "```\nname = 'I am a programmer'\n```",
    ],
)
def test_text_that_is_not_the_subjects_own_teaches_nothing(text: str) -> None:
    assert extract_candidates(utter(text), context=ANYONE) == Extraction()


def test_a_long_document_is_read_only_at_its_beginning() -> None:
    assert extract_candidates(utter("word " * 5_000 + ". I like jazz."), context=ANYONE) == Extraction()


HOSTILE_EN = [
    *(
        "a ",
        "I ",
        "I like ",
        "not x, ",
        "1 ",
        "4111 ",
        '"',
        "(",
        ",",
        "my my ",
        "and I ",
        "don't ",
        "avoid ",
        "[",
        "```",
    ),
    *("A" * 40, "the ", "really ", "\n", " ", "\t- ", "from now on, ", "my name is ", "I work at A ", "is my ", "1."),
]
HOSTILE_ZH = ["我", "我喜欢", "和", "、", "不是x,是", "以后", "是", "。", "都", "换成", "我在", "酒店", "́", "😀", "你"]


@pytest.mark.parametrize("unit", [*HOSTILE_EN, *HOSTILE_ZH])
def test_hostile_repetition_costs_linear_time(unit: str) -> None:
    text = (unit * 65_536)[:65_536]
    assert_linear(lambda part: extract_candidates(utter(part), context=ANYONE), text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "?", "。。。", "\ufeff", "🙂", "I", "我", "my name is", "我叫"])
def test_empty_and_broken_messages_teach_nothing(text: str) -> None:
    assert extract_candidates(utter(text), context=ANYONE) == Extraction()

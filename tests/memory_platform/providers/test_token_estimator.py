"""The token estimate: close to what models count, and safe to add up. Rows: L1, X1."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_platform.providers.contracts import TokenCounter
from memory_platform.providers.token_estimator import TokenEstimator, TokenWeights
from tests.growth import assert_linear

ESTIMATE = TokenEstimator()


def test_it_answers_what_is_asked_of_a_token_counter() -> None:
    assert isinstance(ESTIMATE, TokenCounter)
    assert ESTIMATE.name == "estimate-2"


def test_nothing_and_blanks_are_free() -> None:
    assert ESTIMATE.count("") == 0
    assert ESTIMATE.count("   \t ") == 0


def test_an_english_sentence_counts_a_token_a_word_and_one_for_the_full_stop() -> None:
    assert ESTIMATE.count("I'm allergic to peanuts.") == 7  # I'm, aller|gic, to, peanut|s, .


def test_a_chinese_character_counts_less_than_one_token() -> None:
    assert ESTIMATE.count("我家在上海市浦东新区") == 9  # 10 characters at 0.85


def test_chinese_punctuation_and_emoji_are_counted() -> None:
    assert ESTIMATE.count("，") >= 1
    assert ESTIMATE.count("👨‍👩‍👧") >= 3


def test_long_numbers_cost_a_token_for_three_digits() -> None:
    assert ESTIMATE.count("2026") == 2
    assert ESTIMATE.count("123456789") == 3


def test_scripts_without_a_rule_of_their_own_still_cost_something() -> None:
    assert ESTIMATE.count("Привет") == 2
    assert ESTIMATE.count("สวัสดี") >= 1


def test_a_calibrated_model_scales_the_whole_estimate() -> None:
    doubled = TokenEstimator(TokenWeights(scale_hundredths=200))
    assert doubled.count("hello world") == 2 * ESTIMATE.count("hello world")


def test_64_kib_are_counted_in_linear_time() -> None:
    for text in (
        "a." * 32_768,
        "I like aisle seats. " * 3_277,
        "以后别走延安高架。" * 2_427,
        "e\u0301" * 20_000,
    ):
        assert_linear(ESTIMATE.count, text)


@settings(max_examples=500, deadline=None)
@given(st.text(), st.text())
def test_the_whole_never_costs_more_than_its_parts_and_never_less_than_one(left: str, right: str) -> None:
    whole = ESTIMATE.count(left + right)
    assert max(ESTIMATE.count(left), ESTIMATE.count(right)) <= whole <= ESTIMATE.count(left) + ESTIMATE.count(right)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text("ab1 _'.<>\"\n我，é🙂п"), max_size=12))
def test_many_small_parts_are_a_bound_for_the_text_they_make(parts: list[str]) -> None:
    assert ESTIMATE.count("".join(parts)) <= sum(map(ESTIMATE.count, parts))

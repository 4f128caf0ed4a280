"""The terms of the keyword index in two languages and any mixture. Rows: R2."""

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.kernel.keyword_terms import TERM_LENGTH, split_terms
from tests.growth import assert_linear


def test_english_is_stemmed_and_its_stop_words_go() -> None:
    assert split_terms("She was running to the Restaurants!") == ["run", "restaur"]


def test_an_apostrophe_belongs_to_the_word_in_either_form() -> None:
    assert (
        split_terms("Caroline's dog doesn't bark")
        == split_terms("Caroline\u2019s dog doesn\u2019t bark")
        == ["carolin", "dog", "bark"]
    )


def test_chinese_gives_characters_and_bigrams() -> None:
    assert split_terms("浦东机场") == ["浦", "东", "机", "场", "浦东", "东机", "机场"]


def test_a_bigram_goes_only_when_both_characters_say_nothing() -> None:
    assert "不辣" in split_terms("不辣")
    assert "的是" not in split_terms("的是")


def test_traditional_chinese_finds_simplified() -> None:
    assert split_terms("導航回家") == split_terms("导航回家")


def test_mixed_script_is_split_where_the_script_changes() -> None:
    assert split_terms("用React开发") == ["用", "react", "开", "发", "开发"]


def test_numbers_and_code_are_words() -> None:
    assert split_terms("set temperature_limit = 23.5 # v2") == ["set", "temperatur", "limit", "23", "5", "v2"]


def test_what_has_no_words_has_no_terms() -> None:
    assert split_terms("") == split_terms("🎉🎉 ... \u200b") == []


def test_a_long_run_is_cut() -> None:
    assert split_terms("a" * 65_536) == ["a" * TERM_LENGTH]


def test_sixty_four_kib_of_distinct_words_are_read_in_linear_time() -> None:
    hostile = " ".join(f"w{i}" for i in range(9_500))
    assert len(split_terms(hostile)) == 9_500
    assert_linear(split_terms, hostile)


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_every_text_gives_encodable_terms(text: str) -> None:
    assert all(term.encode() for term in split_terms(text))

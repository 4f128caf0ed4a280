"""Text in normal form, whatever is thrown at it. Rows: R2, S3."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory_platform.kernel.text import (
    MARK_RUN,
    content_hash,
    detect_language,
    index_form,
    normalise,
    remove_invisible,
    simplify,
    to_comparable,
    truncate_text,
)
from tests.growth import assert_linear


def test_full_width_letters_and_ligatures_become_plain() -> None:
    assert normalise("ＡＢＣ１２３ ﬁne") == "ABC123 fine"


def test_traditional_and_simplified_chinese_are_the_same_to_the_index() -> None:
    assert index_form("導航回家，臺灣的餐廳") == index_form("导航回家,台湾的餐厅")


def test_simplified_chinese_stays_as_it_is() -> None:
    assert simplify("我家在上海市浦东新区") == "我家在上海市浦东新区"


def test_characters_that_show_nothing_do_not_split_a_word() -> None:
    assert remove_invisible("pass\u200bword \u202eabc\u2066 \ufeff家\ufe0f") == "password abc 家"


def test_a_run_of_combining_marks_is_cut_and_the_letter_keeps_its_accent() -> None:
    assert normalise("e\u0301") == "é"
    assert len(normalise("e" + "\u0301\u0323" * 20_000)) <= MARK_RUN + 1


@pytest.mark.parametrize(
    "hostile",
    [
        "a" + "\u0301\u0323" * 20_000,
        "\u0f73" * 21_000,  # of combining class 0 itself, two marks in normal form
        "\uff9e" * 21_000,
        "\ufdfa" * 21_000,  # 18 characters each in normal form
        "\u1100\u1161\u11a8" * 7_000,
        "\U0001f469\u200d" * 10_000,
    ],
    ids=["marks", "tibetan", "kana-marks", "ligature", "jamo", "joiners"],
)
def test_any_text_is_read_in_linear_time(hostile: str) -> None:
    assert_linear(index_form, hostile)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("hello there", "hello"),
        ("我喜欢喝茶水", "我喜欢喝茶"),
        ("ＡＢＣＤＥＦ", "ＡＢＣＤＥ"),
        ("\ufb03\ufb03", "\ufb03"),  # ffi
        ("家\ufdfa家", "家"),  # 18 characters
        ("ab…cd", "ab…"),
        ("e\u0301" * 5, "e\u0301e\u0301e"),
        ("", ""),
    ],
)
def test_a_text_is_cut_where_its_reader_has_had_enough(text: str, begins: str) -> None:
    assert truncate_text(text, 5) == begins


@pytest.mark.slow
@given(st.text(), st.integers(0, 50))
def test_a_beginning_is_as_long_as_asked_and_all_of_what_fits(text: str, limit: int) -> None:
    begins = truncate_text(text, limit)
    assert text.startswith(begins)
    assert len(normalise(begins)) <= limit
    assert begins == text[:limit] or len(normalise(text[:limit])) > limit


def test_what_a_reader_calls_the_same_hashes_the_same() -> None:
    assert content_hash("Peanuts  are\nout\u200b ") == content_hash("Peanuts are out")
    assert content_hash("peanuts") != content_hash("Peanuts")
    assert len(content_hash("")) == 32


def test_comparing_ignores_case_width_and_the_script_of_chinese() -> None:
    assert to_comparable(" Ada ｌｉｋｅｓ  導航 ") == "ada likes 导航"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where does Ada live?", "en"),
        ("我家在上海市浦东新区", "zh"),
        ("Bart在动物园看到可爱的小熊猫", "zh"),
        ("帮我找 React hooks best practice documentation", "en"),
        ("東京に住んでいます", "ja"),
        ("저는 서울에 살아요", "ko"),
        ("Я живу в Москве", "other"),
        ("12345 🎉", "und"),
        ("", "und"),
    ],
)
def test_language_follows_the_script(text: str, language: str) -> None:
    assert detect_language(text) == language


@given(st.text(alphabet=st.characters(exclude_categories=[])))
@example("1日\ud800")
def test_no_text_raises(text: str) -> None:
    assert len(content_hash(text)) == 32
    assert detect_language(text)
    assert index_form(index_form(text)) is not None

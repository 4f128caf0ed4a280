"""Stored values are shown readable and escaped. Rows: D2."""

import pytest

from memory_platform.console.shared.value_rendering import (
    format_json_value,
    render_line,
    render_share_bar,
    render_text,
    render_value,
    render_value_line,
    render_word,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        ("", ""),
        ([], ""),
        ({}, ""),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (22.5, "22.5"),
        ("延安高架", "延安高架"),
        (["花生", "peanuts", 3], "花生, peanuts, 3"),
        ({"上限": [1, 2]}, '{"上限": [1, 2]}'),
        ([["a"], {"b": None}], '[["a"], {"b": null}]'),
    ],
)
def test_json_is_read_as_words(value: object, shown: str) -> None:
    assert format_json_value(value) == shown


def test_lists_show_the_beginning_and_pages_the_whole() -> None:
    text = "我家在上海市浦东新区锦绣路100号。" * 20
    assert len(render_line(text)) < len(text)
    assert "…" in render_line(text)
    assert text in render_text(text)


def test_nested_json_is_laid_out_in_its_own_script() -> None:
    shown = render_value({"预算": {"上限": 300}})
    assert "预算" in shown
    assert shown.count("\n") > 1


def test_a_confidence_is_a_number_with_a_bar() -> None:
    bar = '<meter min="0" low="0.5" high="0.75" optimum="1" max="1" value="0.60"></meter>'
    assert render_share_bar(0.6) == f'<span class="share">{bar}0.60</span>'
    assert render_share_bar(0.0).endswith("0.00</span>")
    assert render_share_bar(None) == "-"


@pytest.mark.parametrize("show", [render_line, render_word, render_text, render_value_line, render_value])
def test_markup_is_shown_and_does_nothing(show: object) -> None:
    shown = show('<script>alert("1")</script>')  # type: ignore[operator]  # one of the functions above
    assert "&lt;script&gt;" in shown
    assert "<script" not in shown
    assert show("") == "-"  # type: ignore[operator]  # the same


def test_text_that_turns_the_direction_turns_only_itself() -> None:
    assert render_word("\u202eevil").startswith("<bdi>")
    assert render_line("\u202eevil").startswith("<bdi ")

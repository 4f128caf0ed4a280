"""What counts as covered. Rows: D4, X1."""

import pytest

from lab.evaluation.contexts.budget_curves import compute_coverage, remove_dates


@pytest.mark.parametrize(
    ("text", "part", "stands"),
    [
        ("She works at Saltbox.", "saltbox", True),
        ("Annabel came", "ann", True),
        ("Joanna came", "anna", False),
        ("at 15 o'clock", "5", False),
        ("at 51 o'clock", "5", False),
        ("改到十三点", "三点", False),
        ("改到周三三点", "三点", True),
    ],
)
def test_a_string_stands_where_it_begins_a_word_and_ends_a_number(text: str, part: str, stands: bool) -> None:
    assert compute_coverage(text, [[part]]) == float(stands)


def test_it_is_the_share_of_groups_and_any_string_of_a_group_does() -> None:
    assert compute_coverage("Bring the Merlot", [["red wine", "merlot"], ["cheese"]]) == 0.5


def test_dates_of_lines_answer_nothing() -> None:
    dated = "- run (5 Oct)\n- swim (5 Oct 2026)\n- 跑步 (10月5日)\n- 游泳 (2026年10月5日)\n- dose 7 (until 2026-10-05)"
    assert compute_coverage(remove_dates(dated), [["5"], ["10月"], ["2026"], ["7"]]) == 0.25


def test_headings_and_the_day_of_the_question_answer_nothing() -> None:
    english = "Today is Monday, 16 Nov 2026.\n16 Nov:\n- run at 7\n3 Oct 2025:\n- swim"
    chinese = "今天是2026年11月16日，周一。\n11月16日：\n- 跑步"
    left = remove_dates(f"{english}\n{chinese}")
    assert compute_coverage(left, [["16"], ["nov"], ["monday"], ["11月"], ["周一"], ["7"]]) == 1 / 6

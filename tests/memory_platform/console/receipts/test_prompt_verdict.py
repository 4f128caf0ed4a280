"""Whether an old value still stands in a prompt, by its telling parts. Rows: D2, G1."""

from memory_platform.console.receipts.prompt_verdict import (
    MissingReason,
    PromptLine,
    judge_replaced_values,
    name_replaced_value,
    omit_repeated_values,
)
from snapshots.lifecycle.staff_actions.value_mentions import ReplacedValue

ADDRESS = ReplacedValue("400 Harbor Street, Portland", "88 Mill Avenue, Portland")


def test_the_verdict_is_good_when_the_new_value_is_told_and_the_old_one_is_gone() -> None:
    new, old = PromptLine("- office: 88 Mill Avenue, Portland"), PromptLine("~ I parked in 400 Harbor Street", "/page/")
    good = judge_replaced_values([ADDRESS], [new], {})
    (told,) = good.values
    assert (good.tone, told.still, told.missing) == ("good", (), None)
    assert told.sentence == (
        "The prompt now says “88 Mill Avenue, Portland”. The old value “400 Harbor Street, Portland” no longer occurs."
    )
    left = judge_replaced_values([ADDRESS], [new, old], {})
    assert (left.tone, left.values[0].still) == ("warning", (old,))


def test_each_value_has_its_own_lines_and_the_reason_why_it_is_missing() -> None:
    city, old = ReplacedValue("Portland", "Seattle"), PromptLine("~ I parked in 400 Harbor Street", "/page/")
    lines = [old, PromptLine("- office: 88 Mill Avenue, Portland")]
    full = MissingReason("Left out: no room for it.", "/playground/")
    verdict = judge_replaced_values([city, ADDRESS], lines, {"Seattle": full})
    assert verdict.tone == "warning" and verdict.has_old_value
    assert [one.missing for one in verdict.values] == [full, None]
    assert [one.still for one in verdict.values] == [(lines[1],), (old,)]
    assert judge_replaced_values([ReplacedValue("a1", "b2")], [], {}).tone == "warning", "also without a known reason"


def test_a_value_is_named_without_the_label_that_both_lines_have() -> None:
    assert name_replaced_value("office: 1 Low Road", "office: 2 Low Road") == ReplacedValue("1 Low Road", "2 Low Road")
    assert name_replaced_value("office: 1 Low Road", "work: 1 Low Road").old == "office: 1 Low Road"
    assert name_replaced_value("diet: vegan", "") == ReplacedValue("vegan")


def test_a_note_that_ended_with_the_value_is_not_told_twice() -> None:
    note = ReplacedValue("my office is at 400 Harbor Street, Portland")
    assert omit_repeated_values([ADDRESS, note]) == [ADDRESS]
    assert omit_repeated_values([note]) == [note]

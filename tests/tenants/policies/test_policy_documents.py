"""Documents of overrides are checked against the policies whose defaults they replace. Rows: T4."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from memory_platform.kernel.errors import InvalidInput
from memory_platform.kernel.number_sources import promised
from tenants.policies.policy_documents import (
    Change,
    Section,
    check_document,
    check_removable,
    check_together,
    effective_values,
    list_differences,
    merge_changes,
)
from tenants.policies.value_kinds import (
    Choice,
    Days,
    DaysOrNever,
    Flag,
    Kind,
    NamedValues,
    Number,
    Numbers,
    WholeNumber,
    WrongValue,
)


@dataclass(frozen=True, slots=True)
class TeaPolicy:
    """How tea is made."""

    cups: int = promised(2)
    kept: timedelta = promised(timedelta(days=7))
    sweet: bool = promised(False)
    by_guest: tuple[tuple[str, int], ...] = promised((("ada", 1),))
    secret: str = promised("leaf")


TEA = Section(
    "tea",
    TeaPolicy(),
    {"cups": WholeNumber(1, 9), "kept": Days(1, 30), "sweet": Flag(), "by_guest": NamedValues(WholeNumber(0, 5))},
)
SECTIONS = {"tea": TEA}


def too_sweet(tea: TeaPolicy) -> list[tuple[str, str]]:
    return [("sweet", "Not with so many cups.")] if tea.sweet and tea.cups > 5 else []


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Flag(), [1, "true", None]),
        (Choice(("steps", "episode")), ["other", 1, None, ["steps"]]),
        (WholeNumber(1, 9), [0, 10, True, "3", 2.5, float("nan"), float("inf"), None, 10**400]),
        (Days(1, 30), [0, 31, "7"]),
        (DaysOrNever(1, 30), [0, 31, "7", "never", True, 2.5, float("nan"), []]),
        (Number(0, 2), [-0.1, 2.1, True, "1", float("nan"), float("inf"), 10**400, None]),
        (Numbers(2, Number(0, 2)), [[1], [1, 2, 1], [1, 3], "11", None, [1, "1"], [1, 10**400]]),
        (Numbers(2, Number(0, 9), rising=True), [[2, 1], [1, 1]]),
        (
            NamedValues(WholeNumber(0, 5)),
            [{"家": 6}, {"": 1}, {"a" * 41: 1}, {"a\n": 1}, [], {str(n): 1 for n in range(51)}],
        ),
    ],
)
def test_a_value_outside_its_bounds_is_refused_in_words_without_it(kind: Kind, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(WrongValue):
            kind.read(value)


@pytest.mark.parametrize(
    ("kind", "value", "held"),
    [
        (WholeNumber(1, 9), 5.0, 5),
        (Days(1, 30), 14, timedelta(days=14)),
        (DaysOrNever(1, 30), 14, timedelta(days=14)),
        (DaysOrNever(1, 30), None, None),
        (Number(0, 2), 1, 1.0),
        (Numbers(2, Number(0, 2), rising=True), [0, 1.5], (0.0, 1.5)),
        (NamedValues(WholeNumber(0, 5)), {"推荐": 3, "complaint": 2}, (("complaint", 2), ("推荐", 3))),
    ],
)
def test_a_value_within_its_bounds_is_held_and_shown_again(kind: Kind, value: Any, held: Any) -> None:
    assert kind.read(value) == held
    assert kind.to_json(held) == value


def test_everything_wrong_is_named_at_once_with_what_is_known() -> None:
    with pytest.raises(InvalidInput) as refused:
        check_document({"tea": {"cups": 0, "secret": "x", "sugar": 1}, "coffee": {}, "soup": 3}, SECTIONS)
    said = {fault.field: (fault.code, fault.message) for fault in refused.value.faults}
    known = "Must be one of cups, kept, sweet, by_guest."
    assert said == {
        "tea.cups": ("wrong_value", "Must be between 1 and 9."),
        "tea.secret": ("unknown_field", known),
        "tea.sugar": ("unknown_field", known),
        "coffee": ("unknown_section", "Must be one of tea."),
        "soup": ("unknown_section", "Must be one of tea."),
    }


@pytest.mark.parametrize("document", [None, [], "tea", {"tea": None}, {"tea": [1]}])
def test_what_is_no_object_is_refused(document: Any) -> None:
    with pytest.raises(InvalidInput):
        check_document(document, SECTIONS)


def test_changes_lie_over_a_document_and_what_is_removed_has_its_default_again() -> None:
    document = merge_changes(
        {"tea": {"cups": 3, "sweet": True}}, check_document({"tea": {"cups": 4.0}}, SECTIONS), ["tea.sweet"]
    )
    assert document == {"tea": {"cups": 4}}
    assert effective_values(document, SECTIONS)["tea"] == {
        "cups": 4,
        "kept": 7,
        "sweet": False,
        "by_guest": {"ada": 1},
    }
    assert merge_changes(document, {}, ["tea"]) == {}
    assert list_differences({}, document, SECTIONS) == [Change("tea", "cups", 2, 4)]
    assert list_differences({}, {"tea": {"cups": 2}}, SECTIONS) == []


def test_only_known_names_can_be_removed() -> None:
    check_removable(["tea", "tea.cups"], SECTIONS)
    with pytest.raises(InvalidInput) as refused:
        check_removable(["tea.cups", "tea.secret"], SECTIONS)
    assert [fault.field for fault in refused.value.faults] == ["remove.1"]


def test_a_document_that_outlived_the_code_steers_by_what_is_still_known() -> None:
    assert TEA.apply_values({"cups": 3, "kept": 900, "gone": 1}) == TeaPolicy(cups=3)
    assert TEA.apply_values({}) is TEA.default


def test_values_that_do_not_go_together_are_refused_where_they_meet() -> None:
    strict = {"tea": replace(TEA, rule=too_sweet)}
    assert check_together({"tea": {"cups": 9}}, strict) == {"tea": {"cups": 9}}
    with pytest.raises(InvalidInput) as refused:
        check_together({"tea": {"cups": 9, "sweet": True}}, strict)
    assert [(fault.field, fault.code) for fault in refused.value.faults] == [("tea.sweet", "not_together")]

"""Quantities as people write them. Row: P3."""

import pytest

from profiles.provenance_and_verdict import describe_value
from profiles.services.quantities import complete_unit, have_same_unit, parse_quantity


@pytest.mark.parametrize(
    ("value", "number", "unit"),
    [
        ("25度", "25", "degree"),
        ("25 ℃", "25", "degree"),
        ("二十五度", "25", "degree"),
        ("三百块钱", "300", "yuan"),
        ("¥300", "300", "yuan"),
        ("$1,250.50", "1,250.50", "dollar"),
        ("23 Degrees", "23", "degree"),
        ("8:30 a.m.", "8:30", "o'clock"),
        ("两个小时", "2", "hour"),
        (23, "23", ""),
        (2.5, "2.5", ""),
        ("23", "23", ""),
    ],
)
def test_a_number_and_its_unit_are_read(value: object, number: str, unit: str) -> None:
    quantity = parse_quantity(value)
    assert quantity is not None and (quantity.number, quantity.unit) == (number, unit)


@pytest.mark.parametrize(
    "value", ["window seat", "靠窗", True, None, ["25度"], "", "between 20 and 25 degrees", "a" * 999]
)
def test_anything_else_is_no_quantity(value: object) -> None:
    assert parse_quantity(value) is None


def test_units_are_compared_across_languages() -> None:
    assert have_same_unit("25度", "23 degrees") and parse_quantity("25度") == parse_quantity("25 degrees")
    assert have_same_unit("25度", 23) and have_same_unit("靠窗", "aisle")
    assert (
        not have_same_unit("25度", "23元")
        and not have_same_unit("靠窗", "23")
        and parse_quantity("25度") != parse_quantity("23度")
    )


def test_a_bare_number_takes_over_the_old_unit() -> None:
    assert complete_unit("25 degrees", "23") == "23 degrees"
    assert complete_unit("¥300", 250) == "¥250"
    assert complete_unit("二十五度", "23") == "23度"
    assert complete_unit("25度", "23元") == "23元"
    assert complete_unit(25, 23) == 23


@pytest.mark.parametrize(
    ("new", "right"),
    [
        ("23", {"value": 23, "unit": "°C"}),
        ("23.5度", {"value": 23.5, "unit": "°C"}),
        ("73 °F", {"value": 73, "unit": "°F"}),
        ("blue", "blue"),
        ("8:30", "8:30"),
    ],
)
def test_what_is_kept_as_number_and_unit_stays_so(new: str, right: object) -> None:
    held = {"value": 25, "unit": "°C"}
    assert complete_unit(held, new) == right
    assert describe_value(held) == "25 °C"


def test_a_number_and_its_unit_is_the_quantity_that_people_say() -> None:
    assert parse_quantity({"value": 25, "unit": "°C"}) == parse_quantity("25度")
    assert parse_quantity({"value": 25, "unit": "°C"}) != parse_quantity("24度")

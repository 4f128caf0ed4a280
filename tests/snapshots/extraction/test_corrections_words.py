"""How a correction's words fit a held value, and what stands there afterwards. Rows: G4, P3."""

import pytest

from profiles.services.lists import alike
from snapshots.extraction.corrections_words import Fit, Wrong, named, put_right


@pytest.mark.parametrize(
    ("held", "old", "new", "after"),
    [
        ("aisle seats", "aisle", "window", "window seats"),
        ("aisle seat", "the aisle seats", "window seats", "window seats"),
        ("window seats", "window", "aisle", "aisle seats"),
        ("spicy Sichuan food", "spicy food", "Italian food", "Italian food"),
        ("spicy Sichuan food", "spicy", "mild", "mild Sichuan food"),
        ("red wine", "red", "white", "white wine"),
        ("green tea", "green", "coffee", "coffee"),
        ("black coffee", "coffee", "tea", "tea"),
        ("美式咖啡", "美式", "拿铁", "拿铁"),
        ("靠窗的座位", "靠窗", "靠过道", "靠过道的座位"),
        ("安静的房间", "安静的", "朝南的房间", "朝南的房间"),
        ("靠窗的座位", "座位", "包厢", "包厢"),
    ],
)
def test_what_is_new_completes_a_thing_or_stands_alone(held: str, old: str, new: str, after: str) -> None:
    how = named(held, Wrong.of(old))
    assert how is not None
    assert put_right(held, how, new) == after


@pytest.mark.parametrize(
    ("held", "old", "new", "after"),
    [
        ("Jon Smith", "Jon", "John", "John Smith"),
        ("Jon Smith", "Jon", "John Smith", "John Smith"),
        ("Jon Smith", "Smith", "Smythe", "Jon Smythe"),
        ("5 Oak Road", "5", "7", "7 Oak Road"),
        ("5 Oak Road", "Oak Road", "Elm Road", "5 Elm Road"),
        ("5 Oak Road", "5 Oak Road", "7 Oak Road", "7 Oak Road"),
        ("人民路8号", "8号", "18号", "人民路18号"),
    ],
)
def test_of_a_name_or_an_address_only_the_wrong_part_changes(held: str, old: str, new: str, after: str) -> None:
    how = named(held, Wrong.of(old))
    assert how is not None
    assert put_right(held, how, new, exact=True) == after


@pytest.mark.parametrize(
    ("held", "old"),
    [
        ("tea", "green tea"),
        ("aisle seats", "isle"),
        ("人民路18号", "8号"),
        ("咖啡馆", "咖啡"),
        ("绿茶", "茶"),
        ("tea", ""),
    ],
)
def test_other_words_do_not_name_a_value(held: str, old: str) -> None:
    assert named(held, Wrong.of(old)) is None


def test_the_words_of_its_key_may_stand_beside_those_of_a_value() -> None:
    how = named("aisle", Wrong.of("the aisle seat"), key="favourite_seat")
    assert how is not None
    assert how.fit is Fit.SCATTERED
    assert named("aisle", Wrong.of("the aisle seat"), key="favourite_colour") is None


@pytest.mark.parametrize(
    ("held", "old", "is_all"),
    [
        ("black coffee", "coffee", True),
        ("coffee shops", "coffee", False),
        ("hard rock music", "rock", True),
        ("古典音乐", "古典", True),
        ("window seats", "window", False),
        ("spicy Sichuan food", "spicy food", True),
    ],
)
def test_who_denies_a_thing_denies_its_kinds_and_not_what_it_describes(held: str, old: str, is_all: bool) -> None:
    how = named(held, Wrong.of(old))
    assert how is not None
    assert how.is_all is is_all


@pytest.mark.parametrize(
    ("one", "several"),
    [("window seat", "window seats"), ("shoe", "shoes"), ("movie", "movies"), ("box", "boxes"), ("berry", "berries")],
)
def test_one_and_several_are_the_same_entry(one: str, several: str) -> None:
    assert alike(one, several)
    assert not alike("glass", "glade")

"""A part of a value that is named as wrong: words change places one for one, else the value ends. Rows: G4, P3, P9."""

import pytest

from snapshots.understanding.correcting.value_matching import splice_value
from snapshots.understanding.values import CurrentValue
from tests.conftest import World
from tests.golden.talk import list_beliefs
from tests.snapshots.understanding.correcting.test_kinds import find_changes
from tests.snapshots.understanding.correcting.test_note_corrections import TUESDAY, list_notes
from tests.snapshots.understanding.making import say, settle


@pytest.mark.parametrize(
    ("key", "old", "text", "new"),
    [
        ("interests", "hiking in the Alps", "It's the Dolomites, not the Alps", "hiking in the Dolomites"),
        ("name", "Jon Smith", "John, not Jon", "John Smith"),
        ("likes", "oat milk lattes", "It's almond, not oat", "almond milk lattes"),
        ("likes", "red wine", "White, not red.", "white wine"),
        ("likes", "green tea", "Not green, black tea please.", "black tea"),
        ("likes", "aisle seats", "Not aisle, a window seat", "window seat"),
        ("likes", "trips to New York", "Not New York, San Francisco", "trips to San Francisco"),
        ("name", "王小伟", "不是小伟,是小玮", "王小玮"),
        ("likes", "四川火锅", "不是四川,是重庆", "重庆火锅"),
        ("likes", "安静的房间", "不要安静的,要朝南的房间", "朝南的房间"),
        ("address", "12 Elm Street", "Not 12, 21 Elm Street", "21 Elm Street"),
        ("address", "12 Elm Street", "Sorry, not 12, it's 21", "21 Elm Street"),
        ("address", "人民路110号", "不是110号,是101号", "人民路101号"),
        ("address", "上海市徐汇区漕溪北路110号", "不是110号,是101号", "上海市徐汇区漕溪北路101号"),
        ("phone", "07700 900123", "Not 900123, 900124", "07700 900124"),
    ],
)
def test_a_word_takes_the_place_of_the_one_that_is_named(key: str, old: str, text: str, new: str) -> None:
    assert find_changes(text, CurrentValue(key, old)) == [(old, new)]


@pytest.mark.parametrize(
    ("key", "old", "text"),
    [
        ("likes", "oat milk lattes", "Not oat milk, almond"),
        ("employer", "Stripe Payments Europe", "It's Square, not Stripe"),
        ("interests", "hiking in the Alps", "Not the Alps, the Swiss Jura"),
        ("employer", "博世汽车", "不是博世,是西门子"),
        ("address", "12 Elm Street", "It's Oak Street, not Elm Street"),
        ("diet", "vegetarian", "I'm not vegetarian anymore, I eat fish"),
        ("diet", "素食", "我不再吃素食了,我吃鱼"),
        ("car", "Golf", "I used to drive a Golf, now I take the bus"),
        ("occupation", "nurse", "I'm not a nurse, I drive trucks"),
        ("occupation", "司机", "我不是司机,我开面馆"),
    ],
)
def test_what_is_not_certain_to_be_the_value_only_ends_it(key: str, old: str, text: str) -> None:
    assert find_changes(text, CurrentValue(key, old)) == [(old, None)]


@pytest.mark.parametrize(
    ("value", "old", "new"),
    [("York and New York", "York", "Hull"), ("oat milk lattes", "oat", "milk"), ("oat milk", "soy", "rice")],
)
def test_nothing_is_put_where_the_place_is_not_certain(value: str, old: str, new: str) -> None:
    assert splice_value(value, old, new) == ""


@pytest.mark.parametrize(
    ("said", "correction", "gone"),
    [
        ("I like oat milk lattes", "not oat milk, almond", "milk"),
        ("I work at Stripe Payments Europe", "it's Square, not Stripe", "Stripe"),
        ("我在博世上班", "不是博世，是西门子", "博世"),
    ],
)
def test_what_is_right_instead_is_a_note_in_the_person_s_own_words(
    world: World, said: str, correction: str, gone: str
) -> None:
    say(world.acme, said)
    settle(world.acme)
    say(world.acme, correction, at=TUESDAY)
    settle(world.acme)
    assert list_notes(world.acme) == [correction]
    assert [value for _, value in list_beliefs(world.acme) if gone in value] == []

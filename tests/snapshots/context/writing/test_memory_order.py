"""In which order a model reads its memories. Rows: X3, X4."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.context.choosing.profile_facts import FactCertainty, make_preference_fact
from snapshots.context.values import ContextMaterial, StandingProfile
from snapshots.context.writing.memory_order import arrange_items
from tests.snapshots.context.world import SINCE, context, kept_ids, memory


def test_a_u_shape_has_the_best_first_the_second_best_last_and_the_rest_between() -> None:
    assert arrange_items([1, 2, 3, 4, 5], "u_shape") == [1, 3, 5, 4, 2]
    assert arrange_items([1, 2, 3, 4], "u_shape") == [1, 3, 4, 2]


def test_relevance_first_keeps_the_order() -> None:
    assert arrange_items([1, 2, 3], "relevance_first") == [1, 2, 3]


def test_one_memory_and_none_need_no_order() -> None:
    assert arrange_items([1], "u_shape") == [1]
    assert arrange_items([], "u_shape") == []


@given(st.lists(st.integers(), unique=True))
def test_ordering_loses_nothing_and_the_weakest_stands_in_the_middle(best_first: list[int]) -> None:
    shaped = arrange_items(best_first, "u_shape")
    assert sorted(shaped) == sorted(best_first)
    if best_first:
        assert abs(shaped.index(best_first[-1]) - (len(shaped) - 1) / 2) <= 0.5


def test_a_context_is_u_shaped_unless_asked_otherwise() -> None:
    material = ContextMaterial(memories=tuple(memory(n) for n in (3, 1, 5, 2, 4)))
    assert kept_ids(context(material)) == ["m-1", "m-3", "m-5", "m-4", "m-2"]
    assert kept_ids(context(material, order="relevance_first")) == ["m-1", "m-2", "m-3", "m-4", "m-5"]


SURE = {"confidence": 0.9, "provenance": "confirmed_by_user"}
TOLD = {
    "en": "On day {} I told of my garden in London, number {}",
    "zh": "第{}天我讲了我在伦敦的花园，编号{}",
}


def spread(language: str, kind: str = "statement") -> ContextMaterial:
    """Return six memories, the best first: of two elements, and of two days each."""
    return ContextMaterial(
        memories=tuple(
            memory(
                n,
                TOLD[language].format(n % 2, n),
                kind=kind,
                valid_since=SINCE + timedelta(days=n % 2),
                **(SURE if n in {2, 3} else {}),
            )
            for n in range(1, 7)
        )
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("shape", [{"style": "full"}, {"format": "plain"}])
def test_where_nothing_is_shared_each_memory_has_its_own_place(language: str, shape: dict[str, Any]) -> None:
    best_first, u_shape = (
        kept_ids(context(spread(language), order=order, **shape)) for order in ("relevance_first", "u_shape")
    )
    assert best_first == [f"m-{n}" for n in range(1, 7)]
    assert u_shape == [f"m-{n}" for n in (1, 3, 5, 6, 4, 2)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_elements_days_and_lines_stand_in_the_order_asked_for(language: str) -> None:
    best_first, u_shape = (kept_ids(context(spread(language), order=order)) for order in ("relevance_first", "u_shape"))
    assert best_first == [f"m-{n}" for n in (1, 5, 4, 6, 2, 3)]
    assert u_shape == [f"m-{n}" for n in (1, 5, 4, 6, 2, 3)]
    one_element = [
        kept_ids(context(spread(language), order=order, style="compact")) for order in ("relevance_first", "u_shape")
    ]
    assert one_element == [[f"m-{n}" for n in (1, 3, 5, 2, 4, 6)], [f"m-{n}" for n in (1, 5, 3, 2, 6, 4)]]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_whole_small_memory_stands_oldest_first_unless_an_order_is_named(language: str) -> None:
    notes = spread(language, "note")
    whole, named = (kept_ids(context(notes, order=order, style="full")) for order in (None, "relevance_first"))
    assert whole == [f"m-{n}" for n in (2, 4, 6, 1, 3, 5)]
    assert named == [f"m-{n}" for n in range(1, 7)]


PICKUP = {"en": ("Pickup is at {} o'clock", "Pickup moved, {} now"), "zh": ("{}点接孩子", "改了，现在{}点接")}


def hours(language: str, *, kind: str, best: str) -> ContextMaterial:
    """Return what was said at 3, then at 2 o'clock of one day, and the day before; what is ``best`` scores highest."""
    earlier, later = PICKUP[language]
    said = {
        "m-1": (earlier.format(3), SINCE),
        "m-2": (later.format(2), SINCE + timedelta(hours=6)),
        "m-3": (earlier.format(4), SINCE - timedelta(days=1)),
    }
    return ContextMaterial(
        memories=tuple(
            memory(int(name[2:]), text, kind=kind, valid_since=since, score=0.9 if name == best else 0.5)
            for name, (text, since) in said.items()
        )
    )


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("style", ["grouped", "compact"])
@pytest.mark.parametrize("kind", ["note", "statement"])
@pytest.mark.parametrize("best", ["m-1", "m-2"])
def test_what_was_said_later_on_a_day_stands_behind_unless_an_order_is_named(
    best: str, kind: str, style: str, language: str
) -> None:
    material = hours(language, kind=kind, best=best)
    as_told = [one for one in kept_ids(context(material, style=style)) if one != "m-3"]
    best_first = [one for one in kept_ids(context(material, style=style, order="relevance_first")) if one != "m-3"]
    assert as_told == ["m-1", "m-2"]
    assert best_first == sorted(("m-1", "m-2"), key=lambda name: name != best)


@pytest.mark.parametrize("vital", [False, True])
@pytest.mark.parametrize("names", [(1, 2), (2, 1)])
def test_what_was_said_later_on_a_day_stands_behind_in_the_prefix(names: tuple[int, int], vital: bool) -> None:
    earlier, later = (memory(n, kind="note", vital=vital, valid_since=SINCE) for n in names)
    later = replace(later, valid_since=SINCE + timedelta(minutes=1))
    slot = make_preference_fact(
        "p-1", ("food", "likes"), "rye", FactCertainty(0.6, "observation", SINCE + timedelta(seconds=1))
    )
    profile = StandingProfile(preferences=(slot,), notes=(later, earlier))
    expected = [earlier.id, later.id, slot.id] if vital else [earlier.id, slot.id, later.id]
    assert kept_ids(context(ContextMaterial(profile))) == expected

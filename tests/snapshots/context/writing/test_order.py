"""In which order a model reads its memories. Rows: X3."""

from hypothesis import given
from hypothesis import strategies as st

from snapshots.context.values import Material
from snapshots.context.writing.order import arranged
from tests.snapshots.context.world import context, kept_ids, memory


def test_a_u_shape_has_the_best_first_the_second_best_last_and_the_rest_between() -> None:
    assert arranged([1, 2, 3, 4, 5], "u_shape") == [1, 3, 5, 4, 2]
    assert arranged([1, 2, 3, 4], "u_shape") == [1, 3, 4, 2]


def test_relevance_first_keeps_the_order() -> None:
    assert arranged([1, 2, 3], "relevance_first") == [1, 2, 3]


def test_one_memory_and_none_need_no_order() -> None:
    assert arranged([1], "u_shape") == [1]
    assert arranged([], "u_shape") == []


@given(st.lists(st.integers(), unique=True))
def test_ordering_loses_nothing_and_the_weakest_stands_in_the_middle(best_first: list[int]) -> None:
    shaped = arranged(best_first, "u_shape")
    assert sorted(shaped) == sorted(best_first)
    if best_first:
        assert abs(shaped.index(best_first[-1]) - (len(shaped) - 1) / 2) <= 0.5


def test_a_context_is_u_shaped_unless_asked_otherwise() -> None:
    material = Material(memories=tuple(memory(n) for n in (3, 1, 5, 2, 4)))
    assert kept_ids(context(material)) == ["m-1", "m-3", "m-5", "m-4", "m-2"]
    assert kept_ids(context(material, order="relevance_first")) == ["m-1", "m-2", "m-3", "m-4", "m-5"]

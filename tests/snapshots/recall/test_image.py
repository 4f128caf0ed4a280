"""The packed memory of one subject. Rows: R2, S5."""

from dataclasses import replace
from datetime import timedelta

import numpy as np

from snapshots.recall.image import build_image
from tests.snapshots.recall.world import EMBEDDER, NOW, conversation, image_of, memory


def test_memories_of_one_conversation_are_neighbours_in_order_of_seq() -> None:
    first, second, third = conversation("one apple", "two pears", "three plums")
    image = image_of([third, first, second])
    assert image.neighbours.previous.tolist() == [2, 3, 1, 3]
    assert image.neighbours.next.tolist() == [3, 2, 0, 3]
    assert image.neighbours.previous2.tolist() == [1, 3, 3, 3]


def test_conversations_do_not_touch_and_a_memory_without_seq_stands_alone() -> None:
    rows = [
        *conversation("one", conversation_id="c1"),
        *conversation("two", conversation_id="c2"),
        memory("three", conversation_id="c2"),
    ]
    assert image_of(rows).neighbours.previous.tolist() == [3] * 4


def test_the_image_knows_its_bytes() -> None:
    small, large = image_of([memory("one")]), image_of([memory(f"memory {i}") for i in range(50)])
    assert 0 < small.nbytes < large.nbytes < 50 * 2_000


def test_without_an_embedding_space_there_are_no_dense_views() -> None:
    assert build_image([memory("one")]).spaces == ()
    assert image_of([memory("one", embed=False)]).spaces == ()
    (space,) = image_of([memory("one", embed=False), memory("two")]).spaces
    assert space.rows.tolist() == [1]


def test_nothing_remembered_is_an_image_too() -> None:
    assert image_of([]).size == 0


def test_a_filter_reads_every_field_of_a_row() -> None:
    row = memory(
        "aisle",
        topics=("seats",),
        metadata={"channel": "app"},
        name="Ada",
        confidence=0.5,
        valid_at=None,
        expires_at=NOW + timedelta(days=1),
        conversation_id="c1",
    )
    columns = image_of([row]).columns
    read = {
        f: columns.value(0, f)
        for f in (
            "kind",
            "topics",
            "name",
            "conversation_id",
            "confidence",
            "provenance",
            "said_at",
            "valid_at",
            "expires_at",
            "created_at",
            "metadata.channel",
            "metadata.none",
        )
    }
    assert read == {
        "kind": "statement",
        "topics": ("seats",),
        "name": "Ada",
        "conversation_id": "c1",
        "confidence": 0.5,
        "provenance": "observation",
        "said_at": NOW - timedelta(hours=1),
        "valid_at": None,
        "expires_at": NOW + timedelta(days=1),
        "created_at": NOW,
        "metadata.channel": "app",
        "metadata.none": None,
    }


def test_the_order_of_rows_changes_no_row() -> None:
    rows = conversation("one apple", "two pears")
    there, back = image_of(rows), image_of(rows[::-1])
    assert np.array_equal(np.sort(there.dated_length), np.sort(back.dated_length))
    assert there.postings.keys.tolist() == back.postings.keys.tolist()
    assert [space.dated.shape for space in there.spaces] == [(2, EMBEDDER.dimensions)]
    assert replace(rows[0], seq=None).seq is None

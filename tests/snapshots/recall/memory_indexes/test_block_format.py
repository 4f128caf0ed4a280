"""A packed block says what its rows said, and nothing else passes for one. Rows: R2, S5."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snapshots.recall.memory_indexes.block_format import DamagedBlock, compute_checksum, pack_block, unpack_block
from snapshots.recall.memory_indexes.memory_index import join_rows, link_rows, unpack_memories
from snapshots.recall.values import MemoryRow
from tests.snapshots.recall.memory_indexes.test_memory_index import same
from tests.snapshots.recall.world import EMBEDDER, NOW, memory

SPACES = {EMBEDDER.name: EMBEDDER.dimensions}

_rows = st.lists(
    st.builds(
        memory,
        st.text(alphabet="ab 家门?", max_size=12),
        embed=st.booleans(),
        conversation_id=st.sampled_from([None, "c1", "会话"]),
        seq=st.none() | st.integers(0, 6),
        name=st.sampled_from([None, "Ada", "小明"]),
        said_at=st.sampled_from([None, NOW]),
        expires_at=st.sampled_from([None, NOW]),
        topics=st.sampled_from([(), ("旅行", "travel")]),
    ),
    max_size=12,
)


@given(_rows, st.integers(0, 12))
def test_an_index_of_blocks_is_the_index_of_their_rows(rows: list[MemoryRow], cut: int) -> None:
    read = [unpack_block(pack_block(unpack_memories(part, SPACES))) for part in (rows[:cut], rows[cut:])]
    assert same(
        link_rows(join_rows(read)),
        link_rows(join_rows([unpack_memories(rows[:cut], SPACES), unpack_memories(rows[cut:], SPACES)])),
    )
    assert same(link_rows(read[0]), link_rows(unpack_memories(rows[:cut], SPACES)))


def test_what_was_read_is_not_written_to() -> None:
    rows = unpack_block(pack_block(unpack_memories([memory("aisle seats")], SPACES)))
    link_rows(rows)
    assert not rows.ids.flags.writeable


def _with_header(packed: bytes, **changed: object) -> bytes:
    """Return a block whose header says something else, and whose checksum is right."""
    length = int(np.frombuffer(packed, "<u4", 1)[0])
    header = json.loads(packed[8 : 8 + length]) | changed
    head = json.dumps(header).encode()
    body = head + bytes(-len(head) % 8) + packed[8 + length + -length % 8 :]
    return np.array([len(head), compute_checksum(len(head), body)], "<u4").tobytes() + body


@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: b"",
        lambda packed: packed[:100],
        lambda packed: packed[:-600],
        lambda packed: b"\xff" * len(packed),
        lambda packed: b"\0\0\0\0" + packed[4:],
        lambda packed: _with_header(packed, arrays=[]),
        lambda packed: _with_header(packed, spaces=["another", "and another"]),
        lambda packed: _with_header(packed, texts=None),
        lambda packed: _with_header(packed, arrays={"ids": 1}),
        lambda packed: _with_header(packed, texts={}),
    ],
)
def test_a_damaged_block_is_refused(damage: object) -> None:
    packed = pack_block(unpack_memories([memory("aisle seats"), memory("家")], SPACES))
    assert callable(damage)
    with pytest.raises(DamagedBlock):
        unpack_block(damage(packed))


def test_one_flipped_bit_anywhere_is_found() -> None:
    packed = pack_block(unpack_memories([memory("aisle seats", topics=("旅行",)), memory("家")], SPACES))
    for place in range(len(packed)):
        flipped = bytearray(packed)
        flipped[place] ^= 1 << place % 8
        with pytest.raises(DamagedBlock):
            unpack_block(bytes(flipped))

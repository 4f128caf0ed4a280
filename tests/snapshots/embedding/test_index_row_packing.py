"""The packed columns of an index row. Rows: S3, S5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from snapshots.embedding.index_row_packing import (
    MAX_TF,
    SPEAKER,
    TEXT,
    DamagedIndexRow,
    hash_term,
    pack_postings,
    pack_vector_pair,
    pack_vector_rows,
    quantise,
    replace_text_postings,
    unpack_postings,
    unpack_vector_rows,
)
from snapshots.embedding.indexed_text import SpokenTurn, index_text


def test_a_posting_keeps_term_field_and_frequency() -> None:
    postings = unpack_postings(pack_postings(index_text(SpokenTurn("aisle aisle", "Ada"))))
    assert [(int(p["term"]), int(p["code"])) for p in postings] == [
        (hash_term("aisl"), TEXT << 6 | 2),
        (hash_term("ada"), SPEAKER << 6 | 1),
    ]


def test_a_posting_takes_five_bytes_and_a_memory_without_words_none() -> None:
    assert len(pack_postings(index_text(SpokenTurn("座位")))) == 5 * 3
    assert pack_postings(index_text(SpokenTurn("🎉"))) == b""


def test_frequencies_are_capped_not_wrapped() -> None:
    assert unpack_postings(pack_postings(index_text(SpokenTurn("aisle " * 500))))[0]["code"] & 63 == MAX_TF


def test_half_a_posting_is_damage() -> None:
    with pytest.raises(DamagedIndexRow):
        unpack_postings(b"1234")


def test_vectors_of_another_dimension_are_damage() -> None:
    row = pack_vector_pair(np.ones(8, np.float32), np.ones(8, np.float32))
    with pytest.raises(DamagedIndexRow):
        unpack_vector_rows([row], 16)


def test_a_memory_that_means_nothing_to_the_model_has_no_dense_row() -> None:
    zero = np.zeros(8, np.float32)
    assert pack_vector_pair(zero, zero) is None
    scales, (dated, _) = unpack_vector_rows([None], 8)
    assert scales.tolist() == [[0], [0]]
    assert dated.shape == (1, 8)


@given(arrays(np.float32, 16, elements=st.floats(-1, 1, width=32)))
def test_a_packed_vector_points_where_it_pointed(vector: np.typing.NDArray[np.float32]) -> None:
    row = pack_vector_pair(vector, vector)
    length = np.linalg.norm(vector)
    if row is None or length < 1e-3:
        return
    scales, (dated, _) = unpack_vector_rows([row], 16)
    assert np.allclose(dated[0] * scales[0, 0], vector / length, atol=0.01)


def test_a_vector_that_is_not_finite_is_no_vector() -> None:
    scale, packed = quantise(np.array([np.nan, 1], np.float32))
    assert scale == 0
    assert not packed.any()


def test_packing_many_rows_equals_packing_each() -> None:
    random = np.random.default_rng(7)
    dated, continued = (random.normal(size=(5, 8)).astype(np.float32) for _ in range(2))
    dated[3] = continued[3] = 0.0
    one_by_one = [pack_vector_pair(a, b) or bytes(24) for a, b in zip(dated, continued, strict=True)]
    assert pack_vector_rows(dated, continued) == one_by_one


def test_other_words_leave_the_speaker_and_the_turn_before() -> None:
    before = SpokenTurn("Which seat?", "Sam")
    held = pack_postings(index_text(SpokenTurn("aisle", "Ada"), previous=before, previous_is_memory=False))
    whole = index_text(SpokenTurn("window", "Ada"), previous=before, previous_is_memory=False, topics=("trip",))
    other = replace_text_postings(held, index_text(SpokenTurn("window", "Somebody"), topics=("trip",)))
    assert sorted(unpack_postings(other).tolist()) == sorted(unpack_postings(pack_postings(whole)).tolist())

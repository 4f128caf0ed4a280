"""The packed columns of an index row. Rows: S3, S5."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from snapshots.embedding.contextual import Turn, index_text
from snapshots.embedding.rows import (
    MAX_TF,
    SPEAKER,
    TEXT,
    DamagedIndexRow,
    decode_dense,
    decode_lex,
    encode_dense,
    encode_lex,
    pack_dense,
    quantise,
    reworded,
    term_key,
)


def test_a_posting_keeps_term_field_and_frequency() -> None:
    postings = decode_lex(encode_lex(index_text(Turn("aisle aisle", "Ada"))))
    assert [(int(p["term"]), int(p["code"])) for p in postings] == [
        (term_key("aisl"), TEXT << 6 | 2),
        (term_key("ada"), SPEAKER << 6 | 1),
    ]


def test_a_posting_takes_five_bytes_and_a_memory_without_words_none() -> None:
    assert len(encode_lex(index_text(Turn("座位")))) == 5 * 3
    assert encode_lex(index_text(Turn("🎉"))) == b""


def test_frequencies_are_capped_not_wrapped() -> None:
    assert decode_lex(encode_lex(index_text(Turn("aisle " * 500))))[0]["code"] & 63 == MAX_TF


def test_half_a_posting_is_damage() -> None:
    with pytest.raises(DamagedIndexRow):
        decode_lex(b"1234")


def test_vectors_of_another_dimension_are_damage() -> None:
    row = encode_dense(np.ones(8, np.float32), np.ones(8, np.float32))
    with pytest.raises(DamagedIndexRow):
        decode_dense([row], 16)


def test_a_memory_that_means_nothing_to_the_model_has_no_dense_row() -> None:
    zero = np.zeros(8, np.float32)
    assert encode_dense(zero, zero) is None
    scales, (dated, _) = decode_dense([None], 8)
    assert scales.tolist() == [[0], [0]]
    assert dated.shape == (1, 8)


@given(arrays(np.float32, 16, elements=st.floats(-1, 1, width=32)))
def test_a_packed_vector_points_where_it_pointed(vector: np.typing.NDArray[np.float32]) -> None:
    row = encode_dense(vector, vector)
    length = np.linalg.norm(vector)
    if row is None or length < 1e-3:
        return
    scales, (dated, _) = decode_dense([row], 16)
    assert np.allclose(dated[0] * scales[0, 0], vector / length, atol=0.01)


def test_a_vector_that_is_not_finite_is_no_vector() -> None:
    scale, packed = quantise(np.array([np.nan, 1], np.float32))
    assert scale == 0
    assert not packed.any()


def test_packing_many_rows_equals_packing_each() -> None:
    random = np.random.default_rng(7)
    dated, continued = (random.normal(size=(5, 8)).astype(np.float32) for _ in range(2))
    dated[3] = continued[3] = 0.0
    one_by_one = [encode_dense(a, b) or bytes(24) for a, b in zip(dated, continued, strict=True)]
    assert pack_dense(dated, continued) == one_by_one


def test_other_words_leave_the_speaker_and_the_turn_before() -> None:
    before = Turn("Which seat?", "Sam")
    held = encode_lex(index_text(Turn("aisle", "Ada"), previous=before, previous_is_memory=False))
    whole = index_text(Turn("window", "Ada"), previous=before, previous_is_memory=False, topics=("trip",))
    other = reworded(held, index_text(Turn("window", "Somebody"), topics=("trip",)))
    assert sorted(decode_lex(other).tolist()) == sorted(decode_lex(encode_lex(whole)).tolist())

"""The packed columns of an index row: postings (``lex``) and two int8 vectors (``dense``).

``lex``: 5 bytes a posting, little-endian: crc32 of the term (u4), then ``field << 6 | min(tf, 63)`` (u1). ``dense``:
two scales (f4), then the int8 vectors of the dated and the continued text, d bytes each. The neighbours' words are
never stored, so that an append touches no other row.
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.errors import MemoryPlatformError
from snapshots.embedding.indexed_text import IndexedText

# Field codes, two bits each.
TEXT, SPEAKER, ABOUT, BEFORE = range(4)

MAX_TF = 63
Bytes = npt.NDArray[np.uint8]
POSTING = np.dtype([("term", "<u4"), ("code", "u1")])
_SCALES_BYTES = 8

Int8 = npt.NDArray[np.int8]
Float32 = npt.NDArray[np.float32]


class DamagedIndexRow(MemoryPlatformError):
    """A packed column has a wrong length: the row has to be indexed again."""

    code = "damaged_index_row"


def hash_term(term: str) -> int:
    """Return the 32-bit key of a term, the same in every field."""
    return zlib.crc32(term.encode())


def pack_postings(indexed: IndexedText) -> bytes:
    """Pack the terms of all fields, each posting once. Empty for a memory without terms."""
    fields = ((TEXT, indexed.text), (SPEAKER, indexed.speaker), (ABOUT, indexed.about), (BEFORE, indexed.before))
    postings = [
        (hash_term(term), code << 6 | min(tf, MAX_TF)) for code, terms in fields for term, tf in Counter(terms).items()
    ]
    return np.array(postings, POSTING).tobytes()


def replace_text_postings(lex: bytes, indexed: IndexedText) -> bytes:
    """Return ``lex`` with the text, date, category and topics of ``indexed``; speaker and previous turn stay."""
    held = unpack_postings(lex)
    code = held["code"] >> np.uint8(6)
    around: bytes = held[(code == SPEAKER) | (code == BEFORE)].tobytes()
    return around + pack_postings(replace(indexed, speaker=(), before=()))


def is_whole_postings(lex: bytes) -> bool:
    return not len(lex) % POSTING.itemsize


def unpack_postings(lex: bytes) -> npt.NDArray[np.void]:
    """Return the postings as a structured array with fields ``term`` and ``code``. Raises DamagedIndexRow."""
    if not is_whole_postings(lex):
        raise DamagedIndexRow("lex is not a whole number of postings")
    return np.frombuffer(lex, POSTING)


def quantise(vector: Float32) -> tuple[float, Int8]:
    """Return ``(scale, int8 vector)``, vector ~ scale x int8; scale 0 for a zero or non-finite vector."""
    top = float(np.abs(vector).max(initial=0.0))
    if not np.isfinite(top) or top == 0.0:
        return 0.0, np.zeros(len(vector), np.int8)
    return top / 127, np.round(vector * (127 / top)).astype(np.int8)


def pack_vector_pair(dated: Float32, continued: Float32) -> bytes | None:
    """Pack the unit vectors of both texts; None when neither says anything to the model."""
    packed = [quantise(_normalise_vector(view)) for view in (dated, continued)]
    if not any(scale for scale, _ in packed):
        return None
    scales = np.array([scale for scale, _ in packed], "<f4")
    return scales.tobytes() + b"".join(view.tobytes() for _, view in packed)


def pack_vector_rows(dated: Float32, continued: Float32) -> list[bytes]:
    """Pack many rows at once, matrices of shape (n, d), as ``pack_vector_pair`` does, zero rows included."""
    packed = [_quantise_rows(view) for view in (dated, continued)]
    scales = np.stack([scale for scale, _ in packed], axis=1).astype("<f4").view(np.uint8)
    rows = np.concatenate([scales, *(view.view(np.uint8) for _, view in packed)], axis=1)
    whole, size = rows.tobytes(), rows.shape[1]
    return [whole[start : start + size] for start in range(0, len(whole), size)]


def unpack_vector_rows(rows: Sequence[bytes | None], dimensions: int) -> tuple[Float32, tuple[Int8, Int8]]:
    """Return scales (2, n) and the two int8 matrices (n, dimensions); scale 0 where a row has no vectors. Raises
    DamagedIndexRow when a row has another dimension."""
    size = _SCALES_BYTES + 2 * dimensions
    empty = bytes(size)
    if any(row is not None and len(row) != size for row in rows):
        raise DamagedIndexRow(f"dense rows do not hold two vectors of {dimensions} dimensions")
    packed = np.frombuffer(b"".join(empty if row is None else row for row in rows), np.uint8).reshape(-1, size)
    scales = np.ascontiguousarray(packed[:, :_SCALES_BYTES]).view("<f4").T
    vectors = packed[:, _SCALES_BYTES:].view(np.int8)
    dated, continued = vectors[:, :dimensions], vectors[:, dimensions:]
    return np.ascontiguousarray(scales, np.float32), (np.ascontiguousarray(dated), np.ascontiguousarray(continued))


def _quantise_rows(matrix: Float32) -> tuple[Float32, Int8]:
    """Return scales (n,) and int8 rows of the unit vectors; scale 0 for a zero or non-finite row."""
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    usable = np.isfinite(lengths) & (lengths > 0)
    unit = np.where(usable, matrix / np.where(usable, lengths, 1), 0)
    top = np.abs(unit).max(axis=1, initial=0.0)
    steps = np.divide(127, top, out=np.zeros_like(top), where=top > 0)
    return (top / 127).astype(np.float32), np.round(unit * steps[:, None]).astype(np.int8)


def _normalise_vector(vector: Float32) -> Float32:
    length = float(np.linalg.norm(vector))
    return vector / np.float32(length) if np.isfinite(length) and length else np.zeros_like(vector)

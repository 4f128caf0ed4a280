"""A block of a large memory as one value: a JSON header, then the arrays of its rows.

It begins with the header's length and a checksum of all the rest. Numbers are little-endian, each array begins at a
multiple of eight bytes, and postings are sorted, so that an index can merge blocks.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.errors import MemoryPlatformError
from snapshots.embedding.index_row_packing import MAX_TF
from snapshots.recall.memory_indexes.index_columns import IndexColumns, LabelColumn, LabelListColumn
from snapshots.recall.memory_indexes.memory_index import DenseSpace, UnlinkedRows

# The version of this format. A process reads blocks of its own format only.
FORMAT = 4

_ALIGNED = 8
_NUMBER = np.dtype("<u4")
_FRONT = 2 * _NUMBER.itemsize
_FIELD_BITS = np.uint64(2)

Array = npt.NDArray[Any]


class DamagedBlock(MemoryPlatformError):
    """A packed block does not match its header: it has to be sealed again."""

    code = "damaged_block"


def pack_block(rows: UnlinkedRows) -> bytes:
    arrays = {name: np.ascontiguousarray(array) for name, array in _list_arrays(rows)}
    header = {
        "arrays": [[name, array.dtype.str, array.shape] for name, array in arrays.items()],
        "spaces": [space.name for space in rows.spaces],
        "texts": {f.name: value.texts for f, value in _list_columns(rows.columns) if not isinstance(value, np.ndarray)},
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    body = b"".join([_pad_bytes(head), *(_pad_bytes(array.tobytes()) for array in arrays.values())])
    return np.array([len(head), compute_checksum(len(head), body)], _NUMBER).tobytes() + body


def compute_checksum(length: int, body: bytes | memoryview) -> int:
    return crc32(body, length)


def unpack_block(packed: bytes) -> UnlinkedRows:
    """Return the rows of a packed block. Raises DamagedBlock."""
    try:
        header, arrays = _parse_block(packed)
        return _make_rows(header, arrays)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as fault:
        raise DamagedBlock("a block does not hold what its header says") from fault


def _list_arrays(rows: UnlinkedRows) -> Iterator[tuple[str, Array]]:
    order = np.argsort(rows.keys, kind="stable")  # what is sorted here is merged later, in a tenth of the time
    yield "ids", rows.ids
    yield "terms", (rows.keys[order] >> _FIELD_BITS).astype("<u4")
    yield "codes", ((rows.keys[order] & np.uint64(3)) << np.uint64(6)).astype("u1") | rows.tf[order].astype("u1")
    yield "docs", rows.docs[order].astype("<u2")
    yield "lengths", rows.lengths
    for field, value in _list_columns(rows.columns):
        if isinstance(value, np.ndarray):
            yield field.name, value
        else:
            yield field.name, value.codes
        if isinstance(value, LabelListColumn):
            yield f"{field.name} ptr", value.ptr
    for number, space in enumerate(rows.spaces):
        yield f"rows {number}", space.rows.astype("<u2")
        yield f"scales {number}", space.scales
        yield f"dated {number}", space.dated
        yield f"continued {number}", space.continued


def _list_columns(columns: IndexColumns) -> Iterator[tuple[Any, Any]]:
    return ((field, getattr(columns, field.name)) for field in fields(IndexColumns))


def _pad_bytes(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % _ALIGNED)


def _parse_block(packed: bytes) -> tuple[Mapping[str, Any], dict[str, Array]]:
    length, stated = map(int, np.frombuffer(packed, _NUMBER, 2))
    if compute_checksum(length, memoryview(packed)[_FRONT:]) != stated:
        raise ValueError("the checksum is another")
    header = json.loads(packed[_FRONT : _FRONT + length])
    at = _FRONT + length
    arrays: dict[str, Array] = {}
    for name, kind, shape in header["arrays"]:
        at += -at % _ALIGNED
        dtype = np.dtype(kind)
        arrays[name] = np.frombuffer(packed, dtype, int(np.prod(shape)), at).reshape(shape)
        at += arrays[name].nbytes
    return header, arrays


def _make_rows(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> UnlinkedRows:
    codes = arrays["codes"]
    return UnlinkedRows(
        ids=arrays["ids"],
        columns=_make_columns(header, arrays),
        keys=arrays["terms"].astype(np.uint64) << _FIELD_BITS | codes >> np.uint8(6),
        docs=arrays["docs"].astype(np.int32),
        tf=(codes & np.uint8(MAX_TF)).astype(np.float32),
        lengths=arrays["lengths"],
        spaces=tuple(_make_space(number, name, arrays) for number, name in enumerate(header["spaces"])),
    )


def _make_columns(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> IndexColumns:
    texts: Mapping[str, Sequence[str]] = header["texts"]
    labels = {name: LabelColumn(arrays[name], tuple(texts[name])) for name in _list_columns_of_type(LabelColumn)}
    lists = {
        name: LabelListColumn(arrays[f"{name} ptr"], arrays[name], tuple(texts[name]))
        for name in _list_columns_of_type(LabelListColumn)
    }
    held: dict[str, Any] = {**arrays, **labels, **lists}
    return IndexColumns(**{field.name: held[field.name] for field in fields(IndexColumns)})


def _list_columns_of_type(kind: type) -> list[str]:
    return [field.name for field in fields(IndexColumns) if field.type is kind]


def _make_space(number: int, name: str, arrays: Mapping[str, Array]) -> DenseSpace:
    return DenseSpace(
        name=name,
        rows=arrays[f"rows {number}"].astype(np.int32),
        scales=arrays[f"scales {number}"],
        dated=arrays[f"dated {number}"],
        continued=arrays[f"continued {number}"],
    )

"""A block of a large memory as one value: a header in JSON, then the arrays of its rows as they stand in memory.

Little-endian, each array at a multiple of eight bytes. Its postings are sorted, so that an image merges its blocks'.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_platform.kernel.errors import MemoryPlatformError
from snapshots.embedding.rows import MAX_TF
from snapshots.recall.columns import Columns, Labels
from snapshots.recall.image import DenseSpace, Rows

FORMAT = 2
"""Of what stands here. A process reads blocks of its own format only; the job that seals replaces the others."""

_ALIGNED = 8
_LENGTH = np.dtype("<u4")
_FIELD_BITS = np.uint64(2)
_LABELLED = [field.name for field in fields(Columns) if field.type is Labels]

Array = npt.NDArray[Any]


class DamagedBlock(MemoryPlatformError):
    """A packed block does not hold what its header says: it has to be sealed again."""

    code = "damaged_block"


def pack_block(rows: Rows) -> bytes:
    """Return ``rows`` as one value; :func:`unpack_block` reads it."""
    arrays = {name: np.ascontiguousarray(array) for name, array in _arrays(rows)}
    columns = rows.columns
    header = {
        "arrays": [[name, array.dtype.str, array.shape] for name, array in arrays.items()],
        "spaces": [space.name for space in rows.spaces],
        "texts": {f.name: value.texts for f, value in _columns(columns) if isinstance(value, Labels)},
        "topics": {row: topics for row, topics in enumerate(columns.topics) if topics},
        "metadata": {row: held for row, held in enumerate(columns.metadata) if held},
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    length = np.array([len(head)], _LENGTH).tobytes()
    return b"".join([_padded(length + head), *(_padded(array.tobytes()) for array in arrays.values())])


def unpack_block(packed: bytes) -> Rows:
    """Return the rows of a packed block. Raises DamagedBlock."""
    try:
        header, arrays = _read(packed)
        return _rows(header, arrays)
    except (ValueError, KeyError, TypeError, IndexError) as fault:
        raise DamagedBlock("a block does not hold what its header says") from fault


def _arrays(rows: Rows) -> Iterator[tuple[str, Array]]:
    order = np.argsort(rows.keys, kind="stable")  # what is sorted here is merged later, in a tenth of the time
    yield "ids", rows.ids
    yield "terms", (rows.keys[order] >> _FIELD_BITS).astype("<u4")
    yield "codes", ((rows.keys[order] & np.uint64(3)) << np.uint64(6)).astype("u1") | rows.tf[order].astype("u1")
    yield "docs", rows.docs[order].astype("<u2")
    yield "lengths", rows.lengths
    for field, value in _columns(rows.columns):
        if isinstance(value, Labels):
            yield field.name, value.codes
        elif isinstance(value, np.ndarray):
            yield field.name, value
    for number, space in enumerate(rows.spaces):
        yield f"rows {number}", space.rows.astype("<u2")
        yield f"scales {number}", space.scales
        yield f"dated {number}", space.dated
        yield f"continued {number}", space.continued


def _columns(columns: Columns) -> Iterator[tuple[Any, Any]]:
    return ((field, getattr(columns, field.name)) for field in fields(Columns))


def _padded(raw: bytes) -> bytes:
    return raw + bytes(-len(raw) % _ALIGNED)


def _read(packed: bytes) -> tuple[Mapping[str, Any], dict[str, Array]]:
    length = int(np.frombuffer(packed, _LENGTH, 1)[0])
    header = json.loads(packed[_LENGTH.itemsize : _LENGTH.itemsize + length])
    at = _LENGTH.itemsize + length
    arrays: dict[str, Array] = {}
    for name, kind, shape in header["arrays"]:
        at += -at % _ALIGNED
        dtype = np.dtype(kind)
        arrays[name] = np.frombuffer(packed, dtype, int(np.prod(shape)), at).reshape(shape)
        at += arrays[name].nbytes
    return header, arrays


def _rows(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Rows:
    codes = arrays["codes"]
    return Rows(
        ids=arrays["ids"],
        columns=_columns_of(header, arrays),
        keys=arrays["terms"].astype(np.uint64) << _FIELD_BITS | codes >> np.uint8(6),
        docs=arrays["docs"].astype(np.int32),
        tf=(codes & np.uint8(MAX_TF)).astype(np.float32),
        lengths=arrays["lengths"],
        spaces=tuple(_space(number, name, arrays) for number, name in enumerate(header["spaces"])),
    )


def _columns_of(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Columns:
    size = len(arrays["ids"])
    sparse: dict[str, tuple[Any, ...]] = {
        "topics": _spread(header["topics"], size, (), tuple),
        "metadata": _spread(header["metadata"], size, None, dict),
    }
    labelled = {name: Labels(arrays[name], tuple(header["texts"][name])) for name in _LABELLED}
    held: dict[str, Any] = {**arrays, **sparse, **labelled}
    return Columns(**{field.name: held[field.name] for field in fields(Columns)})


def _spread(held: Mapping[str, Any], size: int, nothing: Any, kind: Callable[[Any], Any]) -> tuple[Any, ...]:
    spread = [nothing] * size
    for row, value in held.items():
        spread[int(row)] = kind(value)
    return tuple(spread)


def _space(number: int, name: str, arrays: Mapping[str, Array]) -> DenseSpace:
    return DenseSpace(
        name=name,
        rows=arrays[f"rows {number}"].astype(np.int32),
        scales=arrays[f"scales {number}"],
        dated=arrays[f"dated {number}"],
        continued=arrays[f"continued {number}"],
    )

"""Chunks enter the index and leave it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from tenants.isolation import current_tenant_id


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the index will hold of a chunk."""

    chunk_id: UUID


def find_part(collection_id: UUID | None) -> UUID:
    """Return the part of the index that a collection's chunks stand in; the tenant's own for those without one."""
    return collection_id or current_tenant_id()


def prepare_index_rows(
    chunks: Sequence[tuple[UUID, str, str]], *, advance: Callable[[int], object] = lambda _: None
) -> list[IndexRow]:
    """Return the index rows of chunks, given as (id, place, text). No transaction may be open."""
    advance(len(chunks))
    return [IndexRow(chunk_id) for chunk_id, _, _ in chunks]


def store_index_rows(part: UUID, rows: Sequence[IndexRow]) -> None:
    """Store rows of chunks that the open scope has stored."""


def remove_from_index(chunk_ids: Sequence[UUID]) -> int:
    """Remove chunks from the index in the open scope, before they are deleted; return how many it held."""
    return 0


def move_in_index(chunk_ids: Sequence[UUID], collection_id: UUID | None) -> None:
    """Move chunks into the part of another collection, in the open scope, without embedding them again."""

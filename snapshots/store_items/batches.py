"""A batch of operations: reads see the items before the batch, then the writes are made, the last of a key."""

from collections.abc import Sequence
from uuid import UUID

from snapshots.store_items.item_embedding import embed_queries, embed_texts
from snapshots.store_items.reading import list_namespaces, load_items, refresh_lives, search_items
from snapshots.store_items.store_operations import (
    FoundItem,
    GetItem,
    ListNamespaces,
    Namespace,
    Operation,
    PutItem,
    Result,
    SearchItems,
)
from snapshots.store_items.writing import write_items
from tenants.isolation import tenant_tx


def run_batch(tenant_id: UUID, operations: Sequence[Operation]) -> list[Result]:
    """Return the result of each operation, in order; a write has none. Opens its own scopes.

    Raises EmbeddingUnavailable before anything is written, InvalidInput for a filter that cannot be.
    """
    results: dict[int, Result] = {}
    results |= _answer_gets(tenant_id, {i: one for i, one in enumerate(operations) if isinstance(one, GetItem)})
    results |= _answer_searches(tenant_id, {i: one for i, one in enumerate(operations) if isinstance(one, SearchItems)})
    results |= _answer_listings(
        tenant_id, {i: one for i, one in enumerate(operations) if isinstance(one, ListNamespaces)}
    )
    _refresh_read_items(tenant_id, operations, results)
    _write(tenant_id, [one for one in operations if isinstance(one, PutItem)])
    return [results.get(i) for i in range(len(operations))]


def _answer_gets(tenant_id: UUID, gets: dict[int, GetItem]) -> dict[int, FoundItem | None]:
    return dict(zip(gets, load_items(tenant_id, list(gets.values())), strict=True)) if gets else {}


def _answer_searches(tenant_id: UUID, searches: dict[int, SearchItems]) -> dict[int, list[FoundItem]]:
    if not searches:
        return {}
    vectors = embed_queries([one.query for one in searches.values()])
    with tenant_tx(tenant_id):
        return {i: search_items(one, vectors.get(one.query, {})) for i, one in searches.items()}


def _answer_listings(tenant_id: UUID, listings: dict[int, ListNamespaces]) -> dict[int, list[Namespace]]:
    if not listings:
        return {}
    with tenant_tx(tenant_id):
        return {i: list_namespaces(one) for i, one in listings.items()}


def _refresh_read_items(tenant_id: UUID, operations: Sequence[Operation], results: dict[int, Result]) -> None:
    read: list[FoundItem] = []
    for i, one in enumerate(operations):
        if isinstance(one, GetItem | SearchItems) and one.refresh:
            found = results.get(i)
            several = [found] if isinstance(found, FoundItem) else found or ()
            read += [item for item in several if isinstance(item, FoundItem) and item.has_life]
    if read:
        with tenant_tx(tenant_id):
            refresh_lives([item.row_id for item in read])


def _write(tenant_id: UUID, puts: Sequence[PutItem]) -> None:
    last = {(one.namespace, one.key): one for one in puts}
    if last:
        vectors = embed_texts([text for one in last.values() for _, text in one.texts])
        with tenant_tx(tenant_id):
            write_items(list(last.values()), vectors)

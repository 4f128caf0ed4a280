"""The indexes a process holds. Rows: R2, T1."""

from uuid import UUID, uuid4

from snapshots.recall.loading.load_stored_memory import MemoryState
from snapshots.recall.loading.loaded_indexes import IndexCache, IndexKey, LoadedIndexes
from snapshots.recall.memory_indexes.memory_index import MemoryIndex
from tests.snapshots.recall.world import index_of, memory

ACME, GLOBEX, ADA, GIL = (uuid4() for _ in range(4))
INDEX = index_of([memory("aisle")])


def at(version: int, index: MemoryIndex = INDEX) -> LoadedIndexes:
    return LoadedIndexes(ADA, index, MemoryState(version=version, epoch=1, next_position=2))


def read_index(cache: IndexCache, wanted: IndexKey) -> MemoryIndex | None:
    found = cache.get(wanted)
    return found.index if found else None


def key(tenant: UUID = ACME, subject: UUID = ADA, space: str = "") -> IndexKey:
    return IndexKey(tenant, subject, space)


def test_an_index_is_held_with_the_state_of_the_memory_it_shows() -> None:
    cache = IndexCache(10**6)
    cache.put_newest(key(), at(3))
    assert cache.get(key()) == at(3)


def test_another_tenant_subject_or_space_never_meets_it() -> None:
    cache = IndexCache(10**6)
    cache.put_newest(key(), at(1))
    assert read_index(cache, key(tenant=GLOBEX)) is None
    assert read_index(cache, key(subject=GIL)) is None
    assert read_index(cache, key(space="other")) is None


def test_an_older_index_does_not_replace_a_newer_one() -> None:
    cache = IndexCache(10**6)
    cache.put_newest(key(), at(5))
    cache.put_newest(key(), at(4, index_of([])))
    assert read_index(cache, key()) is INDEX


def test_the_least_recently_used_leaves_when_bytes_run_out() -> None:
    cache = IndexCache(2 * INDEX.nbytes)
    cache.put_newest(key(subject=ADA), at(1))
    cache.put_newest(key(subject=GIL), at(1))
    assert cache.get(key(subject=ADA)) is not None
    cache.put_newest(key(tenant=GLOBEX, subject=GIL), at(1))
    assert read_index(cache, key(subject=GIL)) is None
    assert read_index(cache, key(subject=ADA)) is INDEX
    assert (len(cache), cache.size) == (2, 2 * INDEX.nbytes)


def test_what_is_larger_than_the_cache_is_not_held() -> None:
    cache = IndexCache(INDEX.nbytes - 1)
    cache.put_newest(key(), at(1))
    assert (len(cache), cache.size) == (0, 0)


def test_a_forgotten_subject_leaves_in_every_space_and_nobody_else_does() -> None:
    cache = IndexCache(10**6)
    for one in (key(), key(space="other"), key(subject=GIL)):
        cache.put_newest(one, at(1))
    cache.discard_subject(ACME, ADA)
    assert cache.get(key()) is cache.get(key(space="other")) is None
    assert cache.size == INDEX.nbytes
    cache.clear()
    assert (len(cache), cache.size) == (0, 0)

"""The cache that everything uses which a process keeps for later. Rows: R2."""

from memory_platform.kernel.caches import LruCache


def test_the_least_recently_used_leaves_first() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert [cache.get(key) for key in "abc"] == [1, None, 3]
    assert (len(cache), cache.size) == (2, 2)


def test_sizes_add_up_and_what_is_larger_than_the_whole_cache_is_not_stored() -> None:
    cache: LruCache[str, bytes] = LruCache(10, size_of=len)
    cache.put("a", bytes(6))
    cache.put("b", bytes(4))
    cache.put("a", bytes(5))
    assert (len(cache), cache.size) == (2, 9)
    cache.put("c", bytes(11))
    assert (cache.get("c"), cache.size) == (None, 9)
    cache.put("c", bytes(10))
    assert (len(cache), cache.size) == (1, 10)


def test_the_present_value_may_stay() -> None:
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 5)
    cache.put("a", 4, unless=lambda present: present > 4)
    assert cache.get("a") == 5


def test_some_keys_or_all_are_removed() -> None:
    cache: LruCache[str, int] = LruCache(5)
    for key in ("a1", "a2", "b1"):
        cache.put(key, 1)
    cache.discard(lambda key: key.startswith("a"))
    assert (len(cache), cache.size) == (1, 1)
    cache.clear()
    assert (len(cache), cache.size) == (0, 0)

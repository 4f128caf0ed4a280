"""A bounded cache: the value that was not used for longest goes first. Rows: T4."""

from memory_platform.providers.lru_cache import LruCache


def test_the_least_recently_used_value_goes_first() -> None:
    cache = LruCache[str, int](2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c"), len(cache)) == (1, None, 3, 2)

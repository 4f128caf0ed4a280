"""The images a process holds. Rows: R2, T1."""

from uuid import UUID, uuid4

from snapshots.recall.cache import ImageCache, ImageKey
from tests.snapshots.recall.world import image_of, memory

ACME, GLOBEX, ADA, GIL = (uuid4() for _ in range(4))
IMAGE = image_of([memory("aisle")])


def key(tenant: UUID = ACME, subject: UUID = ADA, space: str = "") -> ImageKey:
    return ImageKey(tenant, subject, space)


def test_an_image_answers_for_its_own_version_only() -> None:
    cache = ImageCache(10**6)
    cache.put(key(), 3, IMAGE)
    assert cache.get(key(), 3) is IMAGE
    assert cache.get(key(), 4) is None


def test_another_tenant_subject_or_space_never_meets_it() -> None:
    cache = ImageCache(10**6)
    cache.put(key(), 1, IMAGE)
    assert cache.get(key(tenant=GLOBEX), 1) is None
    assert cache.get(key(subject=GIL), 1) is None
    assert cache.get(key(space="other"), 1) is None


def test_an_older_image_does_not_replace_a_newer_one() -> None:
    cache = ImageCache(10**6)
    cache.put(key(), 5, IMAGE)
    cache.put(key(), 4, image_of([]))
    assert cache.get(key(), 5) is IMAGE


def test_the_least_recently_used_leaves_when_bytes_run_out() -> None:
    cache = ImageCache(2 * IMAGE.nbytes)
    cache.put(key(subject=ADA), 1, IMAGE)
    cache.put(key(subject=GIL), 1, IMAGE)
    assert cache.held(key(subject=ADA)) is not None
    cache.put(key(tenant=GLOBEX, subject=GIL), 1, IMAGE)
    assert cache.get(key(subject=GIL), 1) is None
    assert cache.get(key(subject=ADA), 1) is IMAGE
    assert (len(cache), cache.nbytes) == (2, 2 * IMAGE.nbytes)


def test_what_is_larger_than_the_cache_is_not_held() -> None:
    cache = ImageCache(IMAGE.nbytes - 1)
    cache.put(key(), 1, IMAGE)
    assert (len(cache), cache.nbytes) == (0, 0)


def test_a_forgotten_subject_leaves_in_every_space_and_nobody_else_does() -> None:
    cache = ImageCache(10**6)
    for held in (key(), key(space="other"), key(subject=GIL)):
        cache.put(held, 1, IMAGE)
    cache.discard(ACME, ADA)
    assert cache.held(key()) is cache.held(key(space="other")) is None
    assert cache.nbytes == IMAGE.nbytes
    cache.clear()
    assert (len(cache), cache.nbytes) == (0, 0)

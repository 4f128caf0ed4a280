"""The images a process holds. Rows: R2, T1."""

from uuid import UUID, uuid4

from snapshots.recall.loading.loaded_images import ImageCache, ImageKey, LoadedImages
from snapshots.recall.loading.stored_memory import MemoryState
from snapshots.recall.memory_images.memory_image import MemoryImage
from tests.snapshots.recall.world import image_of, memory

ACME, GLOBEX, ADA, GIL = (uuid4() for _ in range(4))
IMAGE = image_of([memory("aisle")])


def at(version: int, image: MemoryImage = IMAGE) -> LoadedImages:
    return LoadedImages(ADA, image, MemoryState(version=version, epoch=1, next_position=2))


def read_image(cache: ImageCache, wanted: ImageKey) -> MemoryImage | None:
    found = cache.get(wanted)
    return found.image if found else None


def key(tenant: UUID = ACME, subject: UUID = ADA, space: str = "") -> ImageKey:
    return ImageKey(tenant, subject, space)


def test_an_image_is_held_with_the_state_of_the_memory_it_shows() -> None:
    cache = ImageCache(10**6)
    cache.put_newest(key(), at(3))
    assert cache.get(key()) == at(3)


def test_another_tenant_subject_or_space_never_meets_it() -> None:
    cache = ImageCache(10**6)
    cache.put_newest(key(), at(1))
    assert read_image(cache, key(tenant=GLOBEX)) is None
    assert read_image(cache, key(subject=GIL)) is None
    assert read_image(cache, key(space="other")) is None


def test_an_older_image_does_not_replace_a_newer_one() -> None:
    cache = ImageCache(10**6)
    cache.put_newest(key(), at(5))
    cache.put_newest(key(), at(4, image_of([])))
    assert read_image(cache, key()) is IMAGE


def test_the_least_recently_used_leaves_when_bytes_run_out() -> None:
    cache = ImageCache(2 * IMAGE.nbytes)
    cache.put_newest(key(subject=ADA), at(1))
    cache.put_newest(key(subject=GIL), at(1))
    assert cache.get(key(subject=ADA)) is not None
    cache.put_newest(key(tenant=GLOBEX, subject=GIL), at(1))
    assert read_image(cache, key(subject=GIL)) is None
    assert read_image(cache, key(subject=ADA)) is IMAGE
    assert (len(cache), cache.size) == (2, 2 * IMAGE.nbytes)


def test_what_is_larger_than_the_cache_is_not_held() -> None:
    cache = ImageCache(IMAGE.nbytes - 1)
    cache.put_newest(key(), at(1))
    assert (len(cache), cache.size) == (0, 0)


def test_a_forgotten_subject_leaves_in_every_space_and_nobody_else_does() -> None:
    cache = ImageCache(10**6)
    for one in (key(), key(space="other"), key(subject=GIL)):
        cache.put_newest(one, at(1))
    cache.discard_subject(ACME, ADA)
    assert cache.get(key()) is cache.get(key(space="other")) is None
    assert cache.size == IMAGE.nbytes
    cache.clear()
    assert (len(cache), cache.size) == (0, 0)

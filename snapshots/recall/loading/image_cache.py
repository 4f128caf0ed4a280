"""The images that this process holds, bounded by bytes. They hold ids and numbers, never text.

Texts come from the database under its row-level security, so that a fault here cannot show one tenant's words to
another. Every use is checked against the version in the database.
"""

from dataclasses import dataclass
from uuid import UUID

from memory_platform.kernel.caches import LruCache
from snapshots.embedding.embedding_spaces import Embedders, make_spaces_key
from snapshots.recall.config import DEFAULT_RECALL
from snapshots.recall.loading.loaded_images import LoadedImages, load_images
from snapshots.recall.loading.stored_memory import SubjectReader


@dataclass(frozen=True, slots=True)
class ImageKey:
    """Whose memory, and the names of its embedding spaces in order."""

    tenant_id: UUID
    subject_id: UUID
    spaces: str = ""


class ImageCache(LruCache[ImageKey, LoadedImages]):
    """Images are built outside: two threads may build the same one, and one is kept."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(limit_bytes, size_of=lambda loaded: loaded.nbytes)

    def put_newest(self, key: ImageKey, loaded: LoadedImages) -> None:
        """Store an image unless a later version is there."""
        self.put(key, loaded, unless=lambda held: held.state.version > loaded.state.version)

    def discard_subject(self, tenant_id: UUID, subject_id: UUID) -> None:
        """Remove every image of one subject."""
        self.discard(lambda key: (key.tenant_id, key.subject_id) == (tenant_id, subject_id))


IMAGES = ImageCache(DEFAULT_RECALL.image_cache_bytes)
# Ids of subjects by tenant and the product's own id. An id may belong to a subject that is erased since.
SUBJECTS: LruCache[tuple[UUID, str], UUID] = LruCache(DEFAULT_RECALL.known_subjects)


def find_cached_image(whose: SubjectReader, embedders: Embedders) -> LoadedImages | None:
    """Return the image that this process holds of the subject, which may be out of date."""
    subject_id = whose.subject_id or SUBJECTS.get((whose.tenant_id, whose.external_id or ""))
    return IMAGES.get(ImageKey(whose.tenant_id, subject_id, make_spaces_key(embedders))) if subject_id else None


def load_current_image(
    whose: SubjectReader, embedders: Embedders, held: LoadedImages | None = None
) -> LoadedImages | None:
    """Return the up-to-date image of a subject, extended from ``held`` or new; None for an unknown subject.

    An image without vectors is not cached, so that the next call tries again.
    """
    loaded = load_images(whose, embedders, held)
    if loaded is None or loaded.degraded:
        return loaded
    if whose.external_id:
        SUBJECTS.put((whose.tenant_id, whose.external_id), loaded.subject_id)
    IMAGES.put_newest(ImageKey(whose.tenant_id, loaded.subject_id, make_spaces_key(embedders)), loaded)
    return loaded

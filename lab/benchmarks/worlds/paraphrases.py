"""A world whose subjects say the same again in other words, for consolidation: three in ten memories do.

Written through the product's own store; the sentences are those of ``bench build``.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from random import Random
from uuid import UUID

from lab.benchmarks.worlds.sentences import make_talks
from lab.benchmarks.worlds.world_spec import PREFIX
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import stable_id
from memory_platform.kernel.text import detect_language
from profiles.models import Subject
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.embedding.snapshot_drafts import SnapshotToStore, prepare_snapshots
from snapshots.embedding.snapshot_store import store_snapshots
from tenants.isolation import tenant_tx

POOL_TALKS = 100
THREE = 3


def fill_repeats(tenant_id: UUID, subjects: int, each: int, *, advance: Callable[[int], object]) -> None:
    """Make subjects with ``each`` statements, three in ten of them paraphrases of others. Safe to repeat."""
    said = [turn.text for talk in make_talks(1, POOL_TALKS) for turn in talk.turns]
    for number in range(subjects):
        with tenant_tx(tenant_id):
            subject, is_new = Subject.objects.get_or_create(external_id=f"{PREFIX}-repeats-{number:05d}")
        if is_new:
            prepared = prepare_snapshots(list(_make_drafts(subject.id, said, each)), active_embedders())
            with tenant_tx(tenant_id):
                store_snapshots(prepared)
        advance(each)


def _make_drafts(subject_id: UUID, sentences: list[str], each: int) -> Iterator[SnapshotToStore]:
    threes = each // 10
    texts = Random(str(subject_id)).sample(sentences, each - (THREE - 1) * threes)  # noqa: S311 - a draw, no secret
    repeated = [again for text in texts[:threes] for again in _reword_text(text)]
    now = utc_now()
    for order, text in enumerate(texts + repeated):
        said_at = now - timedelta(minutes=order)
        yield SnapshotToStore(
            id=stable_id("repeats", subject_id, order),
            subject_id=subject_id,
            kind="statement",
            text=text,
            said_at=said_at,
            valid_at=said_at,
            expires_at=now + timedelta(days=180),
        )


def _reword_text(text: str) -> tuple[str, str]:
    if detect_language(text) == "zh":
        return f"{text}啊", f"{text}呢"
    return f"Really, {text}", f"{text} really"

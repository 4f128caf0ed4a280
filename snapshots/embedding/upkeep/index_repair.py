"""Index memories again that have no words in the index, damaged ones, or no number of their saying."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from uuid import UUID

from django.db import connection
from django.db.models import F, Func, IntegerField
from django.db.models.functions import Mod

from memory_platform.observability.logs import Event, log
from memory_platform.observability.metrics import INDEX_DAMAGED
from snapshots.embedding.config import SAYING, SayingConfig
from snapshots.embedding.index_row_packing import POSTING
from snapshots.embedding.near_duplicates import hash_saying
from snapshots.embedding.snapshot_drafts import MaskText, PreparedSnapshot, load_reindexing_drafts, prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory, make_words_row
from snapshots.embedding.upkeep.index_entry_walk import build_in_use_condition
from snapshots.models import Snapshot, SnapshotWords
from tenants.isolation import current_tenant_id, tenant_tx


def add_missing_words(tenant_id: UUID, ids: Sequence[UUID], mask: MaskText) -> None:
    """Add the words of those memories that are in use and have no words in the index.

    ``mask`` masks statements. Opens scopes of its own. Safe to run twice, also at once.
    """
    with tenant_tx(tenant_id):
        snapshots = list(Snapshot.objects.filter(build_in_use_condition(), id__in=ids).order_by("subject_id", "id"))
        drafts = load_reindexing_drafts(snapshots, mask)
    ready = list(zip(snapshots, prepare_snapshots(drafts, ()), strict=True))
    for subject_id, group in groupby(ready, key=lambda one: one[0].subject_id):
        with tenant_tx(tenant_id):
            _add_words_of_subject(subject_id, list(group))


def _add_words_of_subject(subject_id: UUID, ready: Sequence[tuple[Snapshot, PreparedSnapshot]]) -> None:
    """Add words to memories that nobody has changed since they were read; words that are there stay."""
    lock_memory(subject_id)
    ids = [snapshot.id for snapshot, _ in ready]
    versions = dict(
        Snapshot.objects.filter(build_in_use_condition(), id__in=ids).order_by().values_list("id", "version")
    )
    held = set(SnapshotWords.objects.filter(snapshot_id__in=ids).order_by().values_list("snapshot_id", flat=True))
    without = [one for one in ready if one[0].id not in held and versions.get(one[0].id) == one[0].version]
    if not without:
        return
    log(Event.RECALL_DEGRADED, provider="snapshot_words", rows=len(without), error="missing_index_row")
    INDEX_DAMAGED.labels(kind="words").inc(len(without))
    begin_memory_epoch(subject_id, changed=[snapshot.position for snapshot, _ in without])
    SnapshotWords.objects.bulk_create([make_words_row(prepared, snapshot.position) for snapshot, prepared in without])


# A text that was edited meanwhile has the number of its new words already.
NUMBER = """
UPDATE snapshot_words w SET saying = said.saying FROM unnest(%s::uuid[], %s::bigint[]) AS said (snapshot_id, saying)
WHERE w.tenant_id = %s AND w.snapshot_id = said.snapshot_id AND w.saying IS NULL
"""


def reindex_stale_words(tenant_id: UUID, *, mask: MaskText, config: SayingConfig = SAYING) -> int:
    """Index the unread memories of a tenant again; return how many were read.

    ``mask`` masks statements. Opens scopes of its own. Safe to run twice, also at once, and to stop anywhere.
    """
    read = 0
    while read < config.a_run:
        with tenant_tx(tenant_id):
            batch = load_stale_words(config.batch)
            drafts = load_reindexing_drafts(find_damaged_snapshots(batch), mask)
        anew = {prepared.draft.id: prepared for prepared in prepare_snapshots(drafts, ())}
        for subject_id, words in groupby(batch, key=lambda one: one.subject_id):
            _store_reindexed_words(tenant_id, subject_id, list(words), anew)
        read += len(batch)
        if len(batch) < config.batch:
            break
    return read


def count_stale_words() -> int:
    return min(SAYING.a_run, SnapshotWords.objects.filter(saying__isnull=True).count())


def load_stale_words(most: int) -> list[SnapshotWords]:
    """Return unread words with their snapshots. In the open scope.

    Two statements: joined, on tables that had grown a thousandfold since their statistics, one took an hour and more.
    """
    unread = SnapshotWords.objects.filter(saying__isnull=True).order_by("subject_id").defer("words")
    found = list(unread[:most])
    snapshots = Snapshot.objects.in_bulk([words.snapshot_id for words in found])
    held = [words for words in found if words.snapshot_id in snapshots]
    for words in held:
        words.snapshot = snapshots[words.snapshot_id]
    return held


def find_damaged_snapshots(batch: Sequence[SnapshotWords]) -> list[Snapshot]:
    """Return the snapshots whose words are no whole number of postings."""
    length = Func(F("words"), function="octet_length", output_field=IntegerField())
    damaged = SnapshotWords.objects.annotate(beyond=Mod(length, POSTING.itemsize)).exclude(beyond=0)
    ids = set(damaged.filter(id__in=[one.id for one in batch]).values_list("id", flat=True))
    return [one.snapshot for one in batch if one.id in ids]


def _store_reindexed_words(
    tenant_id: UUID, subject_id: UUID, words: Sequence[SnapshotWords], anew: Mapping[UUID, PreparedSnapshot]
) -> None:
    """Write the new words of one subject's texts that nobody has changed since."""
    sayings = [hash_saying(one.snapshot.text, one.snapshot.name) for one in words]
    with tenant_tx(tenant_id):
        begin_memory_epoch(subject_id, changed=[one.position for one in words])
        for prepared in (anew[one.snapshot_id] for one in words if one.snapshot_id in anew):
            held = SnapshotWords.objects.filter(subject_id=subject_id, snapshot_id=prepared.draft.id)
            held.filter(saying__isnull=True).update(words=prepared.words, language=prepared.language)
        with connection.cursor() as cursor:
            cursor.execute(NUMBER, [[one.snapshot_id for one in words], sayings, current_tenant_id()])

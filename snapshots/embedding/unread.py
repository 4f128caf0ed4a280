"""Memories that were indexed before sayings had numbers get theirs: what they would be indexed with today."""

from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from django.db import connection

from snapshots.embedding.policy import SAYING, SayingPolicy
from snapshots.embedding.sayings import saying_of
from snapshots.embedding.store import touch_memory
from snapshots.models import SnapshotWords
from tenants.isolation import current_tenant_id, tenant_tx

NUMBER = """
UPDATE snapshot_words w SET saying = said.saying FROM unnest(%s::uuid[], %s::bigint[]) AS said (snapshot_id, saying)
WHERE w.tenant_id = %s AND w.snapshot_id = said.snapshot_id AND w.saying IS NULL
"""
"""What was edited after it was read has the number of its new text already."""


def number_sayings(tenant_id: UUID, policy: SayingPolicy = SAYING) -> int:
    """Give memories of a tenant that have none the numbers of their sayings; return how many were read.

    Opens scopes of its own. Safe to run twice, also at once, and to be stopped anywhere.
    """
    read = 0
    while read < policy.a_run:
        with tenant_tx(tenant_id):
            unread = SnapshotWords.objects.filter(saying__isnull=True).order_by("subject_id").defer("words")
            batch = list(unread.select_related("snapshot")[: policy.batch])
        for subject_id, words in groupby(batch, key=lambda one: one.subject_id):
            _number(tenant_id, subject_id, list(words))
        read += len(batch)
        if len(batch) < policy.batch:
            break
    return read


def _number(tenant_id: UUID, subject_id: UUID, words: Sequence[SnapshotWords]) -> None:
    sayings = [saying_of(one.snapshot.text, one.snapshot.name) for one in words]
    with tenant_tx(tenant_id):
        touch_memory(subject_id, changed=[one.position for one in words])
        with connection.cursor() as cursor:
            cursor.execute(NUMBER, [[one.snapshot_id for one in words], sayings, current_tenant_id()])

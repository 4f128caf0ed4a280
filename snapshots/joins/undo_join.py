"""Undo a join: each row goes back to the subject that it came from.

Later turns of a conversation that goes back go with it, and so do memories learned from its messages alone. Everything
else that was learned since stays. A value that gave way holds again, unless another one holds since.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import NotFound
from memory_platform.providers.registry import prompt_keeper
from profiles.models import IdempotentReply, Preference, ProfileFact, Subject, SubjectAlias, SubjectJoin, Tag
from profiles.services.subject_search_text import search_text_of
from profiles.services.tombstones import copy_tombstones
from snapshots.embedding.snapshot_store import begin_memory_epoch, lock_memory
from snapshots.erasure.derived_rows import dissolve_consolidations
from snapshots.erasure.forgotten_word_copies import ForgottenWords, strip_receipts
from snapshots.erasure.subject_tables import count_rows_left
from snapshots.joins.conflicts import reinstate_losers, rename_back
from snapshots.joins.errors import IdIsTaken, JoinUndoneAlready, LaterJoinFirst, OrderIsOpen
from snapshots.joins.join import lock_both, touch_profiles, try_again
from snapshots.joins.moved_rows import (
    OWN_TABLES,
    cut_keys_between,
    end_leases_of_subject,
    list_positions,
    move_listed_rows,
    move_rows_that_go_along,
    number_snapshots,
)
from snapshots.models import (
    SOURCES,
    BeliefCounter,
    Calibration,
    Consolidation,
    ForgetOrder,
    ForgetOrderState,
    KeptPrefix,
    MemoryAct,
    MemoryReview,
    Snapshot,
    SubjectMemory,
)
from snapshots.prompt_cache.cache_prefix import remove_prefixes
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.recall.loading.loaded_indexes import INDEXES
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit

# Rows that name a memory by its id without a key.
TABLES_ABOUT_MEMORIES = (BeliefCounter, Calibration, MemoryAct, MemoryReview)


def load_join(join_id: UUID) -> SubjectJoin:
    """Return one join of the open tenant. Raises NotFound."""
    found = SubjectJoin.objects.select_related("subject").filter(id=join_id, subject__erasing=False).first()
    if found is None:
        raise NotFound("No join with this id.")
    return found


def check_undoable(join: SubjectJoin) -> None:
    """Raise JoinNotUndone if the join cannot be undone now."""
    if join.undone_at is not None:
        raise JoinUndoneAlready
    others = SubjectJoin.objects.filter(subject_id=join.subject_id, undone_at=None)
    if others.filter(joined_at__gt=join.joined_at).exists():
        raise LaterJoinFirst
    if Subject.objects.filter(external_id=join.former_external_id).exists():
        raise IdIsTaken
    # What is withheld is packed as one, and would go back to whom the order stays with.
    if ForgetOrder.objects.filter(subject_id=join.subject_id, state=ForgetOrderState.WITHHELD).exists():
        raise OrderIsOpen


def undo_join(tenant_id: UUID, join_id: UUID, *, by: Actor, reason: str) -> SubjectJoin:
    """Undo a join. Opens a scope of its own. Raises NotFound, JoinNotUndone."""
    with tenant_tx(tenant_id):
        kept_id = load_join(join_id).subject_id
    join = try_again(partial(_undo_in_scope, tenant_id, kept_id, join_id, by=by, reason=reason))
    INDEXES.discard_subject(tenant_id, kept_id)
    for one in (kept_id, join.former_id):
        _remove_kept_prompts(tenant_id, one)
    return join


def _remove_kept_prompts(tenant_id: UUID, subject_id: UUID) -> None:
    """Delete prompts that a vendor keeps: they may show both. Prompts that it did not delete stay listed for an
    erasure."""
    with tenant_tx(tenant_id):
        ids = list(KeptPrefix.objects.filter(subject_id=subject_id).order_by().values_list("id", flat=True))
    if ids and not remove_prefixes(tenant_id, subject_id, prompt_keeper()).get("left"):
        with tenant_tx(tenant_id):
            KeptPrefix.objects.filter(subject_id=subject_id, id__in=ids, claim=None).delete()


def _undo_in_scope(tenant_id: UUID, kept_id: UUID, join_id: UUID, *, by: Actor, reason: str) -> SubjectJoin:
    with tenant_tx(tenant_id):
        kept = lock_both(kept_id, kept_id).get(kept_id)
        if kept is None:
            raise NotFound("No subject with this id.")
        join = load_join(join_id)
        if join.subject_id != kept_id:  # joined elsewhere meanwhile
            raise LaterJoinFirst
        check_undoable(join)
        former = _restore_subject(join)
        _move_back(join, former)
        subjects = {kept.id: kept, former.id: former}
        _move_rows_about_memories(kept.id, former.id)
        _dissolve_consolidations(kept.id, former.id)
        back, gone = reinstate_losers(join.ended, subjects)
        cut_keys_between(kept.id, former.id)
        rename_back(join.renamed, subjects)
        _number_and_mark_memory(join, former)
        _forget_prompts(kept.id, former.id)
        for subject in (kept, former):
            end_leases_of_subject(subject.id)
        touch_profiles([kept, former])
        returned = {table: rows for table, rows in count_rows_left(former.id).items() if table not in OWN_TABLES}
        join.undone_at, join.returned = utc_now(), {"rows": returned, "reinstated": back, "not_reinstated": gone}
        # It is no longer needed, and tells of somebody else.
        join.former, join.moved, join.ended, join.renamed = {}, {}, [], []
        join.save(update_fields=["undone_at", "returned", "former", "moved", "ended", "renamed"])
        record_audit(
            by,
            "subject.join_undone",
            object_kind="subject_join",
            object_id=str(join.pk),
            subject_ref=kept.id,
            reason=reason[:500],
        )
        transaction.on_commit(partial(wake_workers, tenant_id), robust=True)
        return join


def _restore_subject(join: SubjectJoin) -> Subject:
    """Make the joined subject's row anew, under its ids."""
    SubjectAlias.objects.filter(external_id=join.former_external_id, former_id=join.former_id).delete()
    former = Subject(
        id=join.former_id,
        external_id=join.former_external_id,
        metadata=join.former["metadata"],
        # Higher than any that a product has seen.
        version=join.former["version"] + 1,
        profile_version=join.subject.profile_version + 1,
        search_text=search_text_of(join.former_external_id, [], []),
    )
    former.save(force_insert=True)
    created_at = datetime.fromisoformat(join.former["created_at"])
    Subject.objects.filter(id=former.id).update(created_at=created_at)
    former.created_at = created_at
    return former


def _move_back(join: SubjectJoin, former: Subject) -> None:
    """Move the rows that came from the joined subject or belong to it, and the memories learned from it alone."""
    kept_id = join.subject_id
    lock_memory(kept_id)
    begin_memory_epoch(kept_id, changed=list_positions(kept_id, _list_moved(join, "snapshot")))
    move_listed_rows(join.moved, kept_id, former.id)
    copy_tombstones(join)
    move_rows_that_go_along(kept_id, former.id)
    _move_what_only_their_messages_taught(kept_id, former.id)
    move_rows_that_go_along(kept_id, former.id)


def _list_moved(join: SubjectJoin, table: str) -> list[UUID]:
    return [UUID(one) for one in join.moved.get(table, ())]


def _move_what_only_their_messages_taught(kept_id: UUID, former_id: UUID) -> None:
    """Move memories that were learned since, all of whose messages went back."""
    for model, links in SOURCES.items():
        said = links._default_manager.filter(memory_id=OuterRef("pk"))
        learned = model._default_manager.filter(Exists(said), subject_id=kept_id)
        learned.exclude(Exists(said.exclude(message__subject_id=former_id))).update(subject_id=former_id)


def _move_rows_about_memories(kept_id: UUID, former_id: UUID) -> None:
    """Move the records of jobs and staff, made since, about memories that went back."""
    for model in TABLES_ABOUT_MEMORIES:
        for memories in _select_memories(former_id):
            model._default_manager.filter(subject_id=kept_id, memory_ref__in=memories).update(subject_id=former_id)


def _select_memories(subject_id: UUID) -> Iterable[QuerySet[Any, Any]]:
    """Yield the ids of memories, a kind at a time."""
    for model in (Snapshot, Preference, ProfileFact, Tag):
        yield model._default_manager.filter(subject_id=subject_id).order_by().values_list("id", flat=True)


def _dissolve_consolidations(kept_id: UUID, former_id: UUID) -> None:
    """Take memories apart that were made since of memories of both."""
    went = list(Snapshot.objects.filter(subject_id=former_id).order_by().values_list("id", flat=True))
    made = Consolidation.objects.filter(subject_id=kept_id, members__overlap=went, undone_at=None)
    for joined_into in list(made.values_list("memory_ref", flat=True)):
        members = Snapshot.objects.filter(subject_id=former_id, superseded_by_id=joined_into)
        members.update(invalid_at=None, superseded_by=None, version=F("version") + 1)
    if went:
        dissolve_consolidations(kept_id, went)


def _number_and_mark_memory(join: SubjectJoin, former: Subject) -> None:
    ids = list(Snapshot.objects.filter(subject_id=former.id).order_by().values_list("id", flat=True))
    number_snapshots(former.id, ids)
    noted_until = join.former["noted_until"]
    SubjectMemory.objects.filter(subject_id=former.id).update(
        noted_by=join.former["noted_by"], noted_until=datetime.fromisoformat(noted_until) if noted_until else None
    )


def _forget_prompts(kept_id: UUID, former_id: UUID) -> None:
    """Drop stored replies, which may show both, and the texts of prompts that showed the other one's memories."""
    IdempotentReply.objects.filter(subject_id__in=[kept_id, former_id]).delete()
    for one, other in ((kept_id, former_id), (former_id, kept_id)):
        shown = [row_id for ids in _select_memories(other) for row_id in ids]
        if shown:
            strip_receipts(ForgottenWords(one, frozenset()), shown)

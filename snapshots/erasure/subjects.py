"""Erasing a whole subject: accepted at once, then deleted in bounded transactions, then checked and signed.

From the acceptance on nothing can be read: the row loses the product's id, and the same id starts anew. If a process
dies in between, the next worker goes on: each step may run twice.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from django.db import OperationalError

from memory_platform.kernel.errors import NotFound
from memory_platform.providers.registry import prompt_keeper
from profiles.models import Erasure, ErasureScope, ErasureState, IdempotentReply, Subject, SubjectAlias, SubjectJoin
from profiles.selectors import build_subject_key, list_aliases
from profiles.services.erasure_certificates import (
    add_counts,
    close_erasure,
    erasure_by_id,
    open_erasure,
    open_same_erasure,
)
from snapshots.erasure.check_and_sign import REDIS_AWAY, count_windows_left
from snapshots.erasure.config import ERASURE_CONFIG, ErasureConfig
from snapshots.erasure.subject_tables import (
    SubjectTable,
    count_rows,
    count_rows_left,
    delete_all_rows,
    delete_rows,
    list_subject_tables,
)
from snapshots.models import Conversation, Job, JobKind
from snapshots.prompt_cache.cache_prefix import remove_prefixes
from snapshots.queue.metrics import remove_work_of_subject
from snapshots.queue.requested_jobs import add_job, advance_job, finish_job, lock_job, wake_job_workers
from snapshots.queue.values import LeaseLost
from snapshots.recall.loading.loaded_indexes import INDEXES
from snapshots.store_items.writing import hide_items_of_subject
from snapshots.threads.deletion import close_threads_of_subject
from snapshots.webhooks.deliveries import tell_person_erased
from snapshots.window.cached_window import erase_windows
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor
from tenants.services.keys import delete_keys_of_subjects

# Not in batches: work goes in the queue's order and is counted as removed; conversations go once nobody can add one.
TABLES_DELETED_APART = frozenset({"work", "conversation"})


def erase_subject(
    tenant_id: UUID, external_id: str, *, by: Actor, reason: str = "", config: ErasureConfig = ERASURE_CONFIG
) -> tuple[Erasure, Job]:
    """Erase a subject; return the erasure, done when it was small enough, else its job goes on. Opens its own scopes.

    Raises NotFound.
    """
    with tenant_tx(tenant_id):
        erasure, job, is_small = _accept_erasure(external_id, by=by, reason=reason, config=config)
    # Only this process's indexes: those of others hold no words, find nothing any more, and leave by disuse.
    INDEXES.discard_subject(tenant_id, _require_target(erasure))
    if is_small:
        _try_at_once(tenant_id, job, config)
    with tenant_tx(tenant_id):
        return erasure_by_id(erasure.id), job


def _accept_erasure(external_id: str, *, by: Actor, reason: str, config: ErasureConfig) -> tuple[Erasure, Job, bool]:
    """Hide the subject from every reader, in the open transaction, which waits for its writers.

    Deletes idempotent replies, so that a repeated request cannot return erased data. Returns the erasure, its job, and
    whether it is small enough for the caller to wait. Raises NotFound.
    """
    found = Subject.objects.select_for_update().filter(id=build_subject_key(external_id), erasing=False)
    subject = found.first()
    if subject is None:
        raise NotFound("No subject with this id.")
    rows = count_rows(subject.id, at_most=config.at_once_rows + 1)
    erasure = open_erasure(ErasureScope.SUBJECT, external_id, target=subject.id, by=by, reason=reason)
    # A certificate for each of its ids: who has only a backup from before a join finds the person under any of them.
    names = {external_id, subject.external_id, *list_aliases(subject)}
    for other in names - {external_id}:
        open_same_erasure(erasure, other)
    aliases = SubjectAlias.objects.filter(subject_id=subject.id)
    # Undone joins into somebody else tell of this one, too.
    former_ids = [subject.id, *aliases.values_list("former_id", flat=True)]
    joins, _ = SubjectJoin.objects.filter(former_id__in=former_ids).delete()
    aliases.delete()  # these ids start anew, too
    Subject.objects.filter(id=subject.id).update(
        external_id=f"erasing-{uuid4()}", erasing=True, metadata={}, search_text=""
    )
    close_threads_of_subject(subject.id)
    hide_items_of_subject(subject.id)
    replies, _ = IdempotentReply.objects.filter(subject_id=subject.id).delete()
    keys = delete_keys_of_subjects(names)
    tell_person_erased(names)
    add_counts(erasure, {"idempotent_reply": replies, "subject_join": joins, "api_key": keys})
    is_small = rows <= config.at_once_rows
    job = add_job(JobKind.ERASURE, {"erasure": str(erasure.id)}, total=rows, ours=is_small)
    return erasure, job, is_small


def run_erasure(tenant_id: UUID, job: Job, config: ErasureConfig = ERASURE_CONFIG) -> None:
    """Finish an accepted erasure: erase windows, prompts that a vendor keeps, rows and the subject; check and sign."""
    with tenant_tx(tenant_id):
        erasure = erasure_by_id(UUID(job.params["erasure"]))
    subject_id = erasure.target
    if subject_id is None:  # signed already, by one that could not say so any more
        with tenant_tx(tenant_id):
            finish_job(job, {"erasure": str(erasure.id)})
        return
    with tenant_tx(tenant_id):
        conversations = _list_conversation_ids(subject_id)
    erase_windows(tenant_id, conversations)
    prompts = remove_prefixes(tenant_id, subject_id, prompt_keeper())
    for table in list_subject_tables():
        if table.name not in TABLES_DELETED_APART:
            while _delete_batch(tenant_id, job, erasure, table, config) == config.batch:
                pass
    conversations = _delete_rest(tenant_id, job, erasure)
    INDEXES.discard_subject(tenant_id, subject_id)
    is_buried = erase_windows(tenant_id, conversations)
    redis = count_windows_left(tenant_id, conversations) if is_buried else REDIS_AWAY
    _check_and_sign(tenant_id, job, erasure, redis, prompts)


def _try_at_once(tenant_id: UUID, job: Job, config: ErasureConfig) -> None:
    """Run while the caller waits; writers in the way are waited for, and at last it is left to the workers."""
    for _ in range(config.tries):
        try:
            run_erasure(tenant_id, job, config)
        except LeaseLost:  # a worker has it
            return
        except OperationalError:
            continue
        return
    wake_job_workers(tenant_id)


def _delete_batch(tenant_id: UUID, job: Job, erasure: Erasure, table: SubjectTable, config: ErasureConfig) -> int:
    with tenant_tx(tenant_id):
        counts = _begin_deletion(job, erasure)
        rows = delete_rows(table, _require_target(erasure), at_most=config.batch)
        add_counts(erasure, counts | {table.name: rows})
        advance_job(job, done=rows)
    return rows


def _delete_rest(tenant_id: UUID, job: Job, erasure: Erasure) -> list[UUID]:
    """Delete late rows, and the subject itself: from here on, a writer that still holds the key is refused. Return the
    conversations, one of which somebody may have begun after the windows were erased."""
    with tenant_tx(tenant_id):
        counts = _begin_deletion(job, erasure)
        conversations = _list_conversation_ids(_require_target(erasure))
        # The parts of an import hold words until they are stored.
        imports = Job.objects.filter(kind=JobKind.IMPORT, params__subject=str(erasure.target))
        counts["job"] = imports.delete()[0]
        for table, rows in delete_all_rows(_require_target(erasure)):
            counts[table] = counts.get(table, 0) + rows
        counts["subject"] = Subject.objects.filter(id=_require_target(erasure)).delete()[0]
        add_counts(erasure, counts)
        advance_job(job, done=0)
    return conversations


def _begin_deletion(job: Job, erasure: Erasure) -> dict[str, int]:
    """Lock the job and subject of a deletion; return the number of removed work items.

    Locks follow the workers' order: work items, then the subject. Once the subject is locked, nobody adds to it until
    the transaction ends; items added before are removed too.
    """
    lock_job(job)
    subject_id = _require_target(erasure)
    removed = remove_work_of_subject(subject_id)
    Subject.objects.select_for_update().filter(id=subject_id).first()
    return {"work": removed + remove_work_of_subject(subject_id)}


def _check_and_sign(
    tenant_id: UUID, job: Job, erasure: Erasure, redis: Mapping[str, Any], prompts: Mapping[str, Any]
) -> None:
    """Search for the subject in every table, after the commit, and sign the result."""
    with tenant_tx(tenant_id):
        lock_job(job)
        left = count_rows_left(_require_target(erasure))
        checked = [table.name for table in list_subject_tables()]
        kept = {"kept_prompts": dict(prompts)} if prompts else {}
        verified = {"tables": len(checked), "rows_left": left, "redis": dict(redis), **kept}
        others = Erasure.objects.filter(scope=ErasureScope.SUBJECT, target=erasure.target)
        for one in others.exclude(id=erasure.id).exclude(state=ErasureState.DONE):
            add_counts(one, erasure_by_id(erasure.id).erased)
            close_erasure(one, verified)
        close_erasure(erasure, verified)
        finish_job(job, {"erasure": str(erasure.id)})


def _require_target(erasure: Erasure) -> UUID:
    if erasure.target is None:
        raise NotFound("This erasure is done already.")
    return erasure.target


def _list_conversation_ids(subject_id: UUID) -> list[UUID]:
    return list(Conversation.objects.filter(subject_id=subject_id).order_by().values_list("id", flat=True))

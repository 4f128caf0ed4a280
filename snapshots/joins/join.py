"""Join a subject into another one: everything that it has moves there in one transaction.

The joined subject's row goes, so that nobody who still knows its id can write to it; its product's id names the other
one from then on. ``docs/console/people.md`` says which value wins where both have one.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from uuid import UUID

from django.db import OperationalError, transaction
from django.db.models import F

from memory_platform.kernel.errors import NotFound
from profiles.models import Subject, SubjectAlias, SubjectJoin
from profiles.services.subject_search_text import refresh_search_text
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.erasure.config import ERASURE_CONFIG
from snapshots.erasure.subject_tables import count_rows_left, list_subject_tables
from snapshots.joins.config import JOINS
from snapshots.joins.conflicts import (
    BeliefConflict,
    NameConflict,
    end_loser,
    find_belief_conflicts,
    find_conversation_conflicts,
    find_tag_conflicts,
    rename_rows,
)
from snapshots.joins.errors import ChoiceIsGone, ImportIsRunning, JoinedWithItself, TooLargeToJoin, WordsAreWithheld
from snapshots.joins.moved_rows import (
    OWN_TABLES,
    end_leases_of_subject,
    lock_open_work,
    move_all_rows,
    number_snapshots,
)
from snapshots.models import (
    Conversation,
    ForgetOrder,
    ForgetOrderState,
    Job,
    JobKind,
    JobStatus,
    SubjectMemory,
)
from snapshots.queue.worker_wake_ups import wake_workers
from snapshots.recall.loading.loaded_indexes import INDEXES
from tenants.isolation import tenant_tx
from tenants.services.audit import Actor, record_audit

ENDED_JOBS = (JobStatus.SUCCEEDED, JobStatus.DEAD)


@dataclass(frozen=True, slots=True)
class JoinPreview:
    """The effects of a join: rows of both sides by table, values and names that both have."""

    kept: dict[str, int] = field(default_factory=dict)
    joined: dict[str, int] = field(default_factory=dict)
    beliefs: Sequence[BeliefConflict] = ()
    tags: Sequence[NameConflict] = ()
    conversations: Sequence[NameConflict] = ()


def preview_join(kept: Subject, joined: Subject, keep_ids: Collection[UUID] = ()) -> JoinPreview:
    """Return the effects of a join, in the open scope. Raises JoinRefused."""
    if kept.id == joined.id:
        raise JoinedWithItself
    preview = JoinPreview(
        count_rows_left(kept.id),
        count_rows_left(joined.id),
        find_belief_conflicts(kept, joined, keep_ids),
        find_tag_conflicts(kept, joined, keep_ids),
        find_conversation_conflicts(kept, joined),
    )
    _check_joinable(kept.id, joined.id, preview.joined)
    return preview


def join_subjects(
    tenant_id: UUID,
    kept_id: UUID,
    joined_id: UUID,
    *,
    by: Actor,
    reason: str,
    keep_ids: Collection[UUID] = (),
) -> SubjectJoin:
    """Join one subject into another; both by the platform's ids. Opens a scope of its own. ``keep_ids``: of values and
    tags that both have, those that win or keep their name.

    Raises NotFound for an unknown one, also if a join or an erasure was faster, and JoinRefused.
    """
    if kept_id == joined_id:
        raise JoinedWithItself
    join = try_again(lambda: _join_in_scope(tenant_id, kept_id, joined_id, by=by, reason=reason, keep_ids=keep_ids))
    # Only this process's index: those of others find nothing any more, and leave by disuse.
    INDEXES.discard_subject(tenant_id, joined_id)
    return join


def try_again(act: Callable[[], SubjectJoin]) -> SubjectJoin:
    """Run a transaction; writers that lock in another order are waited for."""
    for left in reversed(range(ERASURE_CONFIG.tries)):
        try:
            return act()
        except OperationalError:
            if not left:
                raise
    raise NotFound


def lock_both(kept_id: UUID, joined_id: UUID) -> dict[UUID, Subject]:
    """Lock two subjects against every writer, in the order of all writers; return those that are there."""
    both = [kept_id, joined_id]
    list(Conversation.objects.filter(subject_id__in=both).order_by("id").select_for_update().values_list("pk"))
    lock_open_work(both)
    rows = Subject.objects.select_for_update().filter(id__in=both, erasing=False).order_by("id")
    return {row.id: row for row in rows}


def _join_in_scope(
    tenant_id: UUID,
    kept_id: UUID,
    joined_id: UUID,
    *,
    by: Actor,
    reason: str,
    keep_ids: Collection[UUID],
) -> SubjectJoin:
    with tenant_tx(tenant_id):
        there = lock_both(kept_id, joined_id)
        if len(there) < 2:  # noqa: PLR2004 - both
            raise NotFound("No subject with this id.")
        kept, joined = there[kept_id], there[joined_id]
        counts = count_rows_left(joined.id)
        _check_joinable(kept.id, joined.id, counts)
        # Before anything moves: two values of one name cannot be current in one subject.
        beliefs, tags = find_belief_conflicts(kept, joined, keep_ids), find_tag_conflicts(kept, joined, keep_ids)
        if not set(keep_ids) <= {one.winner.id for one in beliefs} | {one.keeper.id for one in tags if one.keeper}:
            raise ChoiceIsGone
        ended = [end_loser(one) for one in beliefs]
        renamed = rename_rows(kept, joined, tags)
        former = _pack_subject(joined)
        lock_memory(kept.id)
        _lower_note_marks(kept.id, joined.id)
        moved = move_all_rows(joined.id, kept.id)
        end_leases_of_subject(kept.id)
        number_snapshots(kept.id, [UUID(one) for one in moved.get("snapshot", ())])
        left = count_rows_left(joined.id)
        if left:  # they would be deleted with the row
            raise RuntimeError(f"rows of a joined subject were left in {', '.join(sorted(left))}")
        Subject.objects.filter(id=joined.id).delete()
        SubjectAlias.objects.create(subject=kept, external_id=joined.external_id, former_id=joined.id)
        join = SubjectJoin.objects.create(
            subject=kept,
            former_id=joined.id,
            former_external_id=joined.external_id,
            former=former,
            moved=moved,
            ended=ended,
            renamed=renamed,
            counts={table: rows for table, rows in counts.items() if table not in OWN_TABLES},
            verified={"tables": len(list_subject_tables()), "rows_left": left},
            actor_kind=by.kind,
            actor_ref=by.id,
            reason=reason,
        )
        touch_profiles([kept])
        _record(by, "subject.joined", kept.id, join, reason)
        transaction.on_commit(partial(wake_workers, tenant_id), robust=True)
        return join


def touch_profiles(subjects: Sequence[Subject]) -> None:
    """Raise the version of profiles that changed, and make the text anew by which the console finds them."""
    Subject.objects.filter(id__in=[one.id for one in subjects]).update(profile_version=F("profile_version") + 1)
    for subject in subjects:
        refresh_search_text(subject)


def _record(by: Actor, action: str, subject_id: UUID, join: SubjectJoin, reason: str) -> None:
    record_audit(
        by, action, object_kind="subject_join", object_id=str(join.pk), subject_ref=subject_id, reason=reason[:500]
    )


def _check_joinable(kept_id: UUID, joined_id: UUID, counts: dict[str, int]) -> None:
    if sum(counts.values()) > JOINS.max_rows:
        raise TooLargeToJoin
    both = [kept_id, joined_id]
    imports = Job.objects.filter(kind=JobKind.IMPORT, params__subject__in=[str(one) for one in both])
    if imports.exclude(status__in=ENDED_JOBS).exists():
        raise ImportIsRunning
    if ForgetOrder.objects.filter(subject_id=joined_id, state=ForgetOrderState.WITHHELD).exists():
        raise WordsAreWithheld


def _lower_note_marks(kept_id: UUID, joined_id: UUID) -> None:
    """Say of both memories as one how far messages were read for notes: as far as in the one that was read less."""
    marks = {one.subject_id: one for one in SubjectMemory.objects.filter(subject_id__in=[kept_id, joined_id])}
    own, other = marks[kept_id], marks.get(joined_id)
    if other is None:
        return
    until = [one.noted_until for one in (own, other) if one.noted_until is not None]
    SubjectMemory.objects.filter(subject_id=kept_id).update(
        noted_by=own.noted_by if own.noted_by == other.noted_by else "",
        noted_until=min(until) if len(until) == len(marks) else None,
        noting_until=None,
        noting_said_at=None,
        noting_message=None,
    )


def _pack_subject(subject: Subject) -> dict[str, object]:
    memory = SubjectMemory.objects.filter(subject_id=subject.id).first()
    noted_until = memory.noted_until if memory else None
    return {
        "metadata": subject.metadata,
        "created_at": subject.created_at.isoformat(),
        "version": subject.version,
        "noted_by": memory.noted_by if memory else "",
        "noted_until": noted_until.isoformat() if noted_until else None,
    }

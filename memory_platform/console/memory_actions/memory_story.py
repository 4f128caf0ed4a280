"""The history of a memory as one list of sentences, the earliest first: learned, used, corrected, retired, undone.

Acts are read from the audit trail, which outlives the data for an undo.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.memory_actions.memory_states import RETIREMENT_AUDIT_ACTIONS, find_memory_state
from memory_platform.console.memory_actions.story_events import (
    ONE_ACT,
    StoryChange,
    StoryEvent,
    join_uses,
    load_changes,
    load_source_events,
    load_used_answers,
    pop_changes_at,
    render_memory_link,
    render_memory_words,
)
from memory_platform.console.shared.headers.belief_names import label_belief
from memory_platform.console.shared.note_and_state_labels import EARLIER, ENDED, SUPERSEDED
from memory_platform.console.shared.tenant_access import annotate_actor_names
from memory_platform.console.shared.value_rendering import render_named
from memory_platform.kernel.clock import utc_now
from profiles.models import Candidate, CandidateKind, Preference, ProfileFact, Tag
from profiles.services.profile import FactName
from snapshots.lifecycle.staff_actions.memory_actions import ActedMemory
from snapshots.lifecycle.staff_actions.undo_act import find_last_act
from snapshots.models import ActVerb, Consolidation, MemoryAct, Message, Note, Snapshot
from tenants.models import ActorKind, AuditRecord

CORRECTED, MERGED, ADDED = "memory.corrected", "memory.merged", "memory.added"
ACT_SENTENCES: Mapping[str, Any] = {
    **dict.fromkeys(RETIREMENT_AUDIT_ACTIONS, gettext_lazy("Retired by {}")),
    CORRECTED: gettext_lazy("Corrected by {}"),
    MERGED: gettext_lazy("Merged with another memory by {}"),
    ADDED: gettext_lazy("Added by {}"),
    "memory.confirmed": gettext_lazy("Confirmed by {}"),
    "memory.kept": gettext_lazy("Kept after a review by {}"),
    "memory.confirmed_undone": gettext_lazy("Confirmation undone by {}"),
    "memory.corrected_undone": gettext_lazy("Correction undone by {}"),
    "memory.merged_undone": gettext_lazy("Merge undone by {}"),
    "memory.retired_undone": gettext_lazy("Retirement undone by {}"),
    "memory.added_undone": gettext_lazy("Adding undone by {}"),
    "memory.kept_undone": gettext_lazy("Decision to keep it undone by {}"),
    "memory.vital_changed_undone": gettext_lazy("Change of vital undone by {}"),
    "note.vital_changed": gettext_lazy("Vital changed by {}"),
    "candidate.approved": gettext_lazy("Accepted in the review by {}"),
    "candidate.rejected": gettext_lazy("Rejected in the review by {}"),
    "candidate.reopened": gettext_lazy("Decision of the review taken back by {}"),
}
# Acts that other rows carry, and that say something about this one.
ACTS_OF_OTHERS = frozenset({CORRECTED, MERGED, "memory.corrected_undone", "memory.merged_undone"})
ACTIONS_OF_VERB: Mapping[str, Sequence[str]] = {
    ActVerb.RETIRED: RETIREMENT_AUDIT_ACTIONS,
    ActVerb.VITAL_CHANGED: ("note.vital_changed",),
}
MAX_ACTS = 50
MAX_PREDECESSORS = 5


@dataclass(frozen=True, slots=True)
class Relatives:
    """Other rows that the story of a memory tells of: those it replaced, and those that took its place, by id.
    ``others``: ids of rows whose acts concern the memory."""

    before: Mapping[UUID, Any]
    after: Mapping[UUID, Any]
    others: frozenset[UUID]


def build_memory_story(memory: ActedMemory, note: Note | None = None) -> list[StoryEvent]:
    """Return the story of a memory, the earliest first. ``note``: that of the memory, if it is one. At most fifteen
    queries."""
    sources = load_source_events(memory, note)
    relatives, changes = _load_relatives(memory), load_changes(memory, note)
    records = _load_records(memory, relatives, _list_candidate_ids(memory, sources.messages))
    acts = _tell_acts(memory, relatives, changes, records)
    is_made_by_staff = any(one.action == ADDED for one in records) or bool(records and relatives.before)
    answers, all_answers = load_used_answers(memory)
    events = [
        *sources.events,
        *acts,
        *(StoryEvent(one.at, render_named(_("Changed"), one.text)) for one in changes),
        *([] if sources.events or is_made_by_staff else [_tell_beginning(memory)]),
        *([] if records else _tell_predecessors(memory, relatives)),
        *_tell_end(memory, relatives, acts),
    ]
    story = join_uses(events, answers)
    if all_answers:
        story.append(StoryEvent(answers[-1].at, all_answers))
    return story


def find_action_of_last_act(memory: ActedMemory) -> tuple[Any, Sequence[str]]:
    """Return the act that an undo would take back, and its name in the audit trail."""
    act = find_last_act(memory)
    return act, ACTIONS_OF_VERB.get(act.verb, (f"memory.{act.verb}",)) if act else ()


def _load_relatives(memory: Any) -> Relatives:
    model, own = type(memory), {"subject_id": memory.subject_id}
    acts = MemoryAct.objects.filter(Q(memory_ref=memory.pk) | Q(other_ref=memory.pk), other_ref__isnull=False, **own)
    pairs = list(acts.values_list("memory_ref", "other_ref", "undone_at"))
    after = {ref for ref, _other, undone in pairs if ref != memory.pk and undone is None}
    before = {other for ref, other, _undone in pairs if ref == memory.pk}
    if isinstance(memory, Tag):
        return Relatives({}, {}, frozenset())
    after |= {one for one in (memory.superseded_by_id, getattr(memory, "version_of_id", None)) if one is not None}
    related = Q(pk__in=after | before) | Q(superseded_by_id=memory.pk, retired_at__isnull=True)
    found = model.objects.filter(related, **own).order_by("-valid_at", "-id")[: 2 * MAX_PREDECESSORS + len(after)]
    rows = {row.pk: row for row in found}
    return Relatives(
        {pk: row for pk, row in rows.items() if pk not in after},
        {pk: row for pk, row in rows.items() if pk in after},
        frozenset(ref for ref, _other, _undone in pairs if ref != memory.pk) | after,
    )


def _list_candidate_ids(memory: Any, messages: Iterable[Message]) -> list[UUID]:
    """Return the proposals that were read from the messages behind a belief and decided by a person."""
    target = _name_target(memory)
    refs = [message.pk for message in messages]
    if not (target and refs):
        return []
    rows = Candidate.objects.filter(
        subject_id=memory.subject_id, message_ref__in=refs, target=target[1], kind=target[0]
    )
    return list(rows.order_by().values_list("pk", flat=True))


def _name_target(memory: Any) -> tuple[str, str] | None:
    if isinstance(memory, Preference):
        return CandidateKind.PREFERENCE, f"{memory.category}/{memory.key}"
    if isinstance(memory, ProfileFact):
        return CandidateKind.PROFILE, FactName(memory.field, is_attribute=memory.is_attribute).path
    return (CandidateKind.TAG, memory.label) if isinstance(memory, Tag) else None


def _load_records(memory: Any, relatives: Relatives, candidates: Sequence[UUID]) -> list[Any]:
    """Return the records of the acts on the memory, and of those on other rows that concern it, the earliest first."""
    own = {str(memory.pk), str(getattr(memory, "value_id", memory.pk)), *map(str, candidates)}
    records = AuditRecord.objects.filter(
        subject_ref=memory.subject_id,
        object_id__in=own | {str(one) for one in relatives.others},
        action__in=list(ACT_SENTENCES),
        refused=False,
    )
    newest: list[Any] = list(annotate_actor_names(records).order_by("-at", "-id")[:MAX_ACTS])
    return [one for one in newest if one.object_id in own or one.action in ACTS_OF_OTHERS][::-1]


def _tell_acts(
    memory: Any, relatives: Relatives, changes: list[StoryChange], records: Sequence[Any]
) -> list[StoryEvent]:
    """Return the acts as events. The changes of an act are told with it."""
    act, actions = find_action_of_last_act(memory)
    own = {str(memory.pk)} if act is not None else set()
    undoable = [one for one in records if one.object_id in own and one.action in actions]
    return [
        StoryEvent(
            one.at,
            _render_act(memory, one, relatives, changes),
            reason=one.reason,
            may_undo=one in undoable[-1:],
        )
        for one in records
    ]


def _render_act(memory: Any, record: Any, relatives: Relatives, changes: list[StoryChange]) -> str:
    head = format_html(str(ACT_SENTENCES[record.action]), format_html("<bdi>{}</bdi>", _name_actor(record)))
    if record.action == ADDED:  # a correction within seconds has a record of its own
        return head
    change = pop_changes_at(record.at, changes) or _render_replacement(memory, record, relatives)
    return render_named(head, change) if change else head


def _render_replacement(memory: Any, record: Any, relatives: Relatives) -> str:
    """Return "old → new" for an act that replaced one row by another, with a link to the other."""
    if record.action not in (CORRECTED, MERGED):
        return ""
    after = {str(pk): row for pk, row in relatives.after.items()}
    if record.object_id in after:
        return _render_step(memory, after[record.object_id])
    # Of several rows that this one replaced, the act speaks of the one that ended then.
    ended = [row for row in relatives.before.values() if row.invalid_at and abs(row.invalid_at - record.at) <= ONE_ACT]
    if not ended and len(relatives.before) == 1:
        ended = list(relatives.before.values())
    return _render_step(ended[0], memory, is_before=True) if ended else ""


def _render_step(old: Any, new: Any, *, is_before: bool = False) -> str:
    """Return "old → new"; the other row than the page's own is a link, and keys are named where they differ."""
    names = {getattr(one, "key", "") for one in (old, new)}
    words = [render_memory_words(one) for one in (old, new)]
    if len(names) > 1:
        words = [f"{label_belief(one)}: {said}" for one, said in zip((old, new), words, strict=True)]
    shown = [format_html("<bdi>{}</bdi>", one) for one in words]
    at = 0 if is_before else 1
    shown[at] = format_html("{}", render_memory_link(old if is_before else new, words[at]))
    return format_html("{} → {}", *shown)


def _name_actor(record: Any) -> str:
    """Return a user name; an API key or a job with its kind."""
    if record.actor_kind in (ActorKind.STAFF, ActorKind.OPERATOR):
        return str(record.who)
    return f"{record.get_actor_kind_display()} {record.who}"


def _tell_beginning(memory: Any) -> StoryEvent:
    """Return how a memory began that no message and no act tells of."""
    joined = _find_consolidation(memory)
    if joined is None:
        began = memory.created_at if isinstance(memory, Tag) else memory.valid_at
        return StoryEvent(began or utc_now(), _("Stored"))
    count = len(joined.members)
    text = ngettext("Joined from %(count)d memory", "Joined from %(count)d memories", count) % {"count": count}
    return StoryEvent(joined.created_at, text, may_undo=joined.undone_at is None)


def _tell_predecessors(memory: Any, relatives: Relatives) -> list[StoryEvent]:
    return [
        StoryEvent(memory.valid_at, format_html(_("Replaced {}"), render_memory_link(row)))
        for row in relatives.before.values()
    ]


def _find_consolidation(memory: Any) -> Consolidation | None:
    if not isinstance(memory, Snapshot):
        return None
    own = Consolidation.objects.filter(subject_id=memory.subject_id, memory_ref=memory.pk)
    return own.order_by("-created_at").first()


def _tell_end(memory: Any, relatives: Relatives, acts: Sequence[StoryEvent]) -> list[StoryEvent]:
    """Return how the memory ended, unless an act tells it."""
    state = find_memory_state(memory)
    if state == EARLIER:
        original = relatives.after.get(memory.version_of_id)
        link = render_memory_link(original) if original is not None else ""
        return [StoryEvent(memory.retired_at, format_html(_("This is an earlier version of {}"), link))]
    if state not in (SUPERSEDED, ENDED):
        return []
    at = min(one for one in (memory.invalid_at, getattr(memory, "expires_at", None)) if one is not None)
    if any(abs(one.at - at) <= ONE_ACT for one in acts):
        return []
    heir = relatives.after.get(memory.superseded_by_id)
    if heir is not None:
        return [StoryEvent(at, format_html(_("Replaced by {}"), render_memory_link(heir)))]
    is_expired = memory.invalid_at is None or at < memory.invalid_at
    return [StoryEvent(at, _("Expired") if is_expired else _("Ended"))]


def hide_undo(story: Sequence[StoryEvent]) -> list[StoryEvent]:
    """Return a story for somebody who may not act."""
    return [replace(one, may_undo=False) for one in story]

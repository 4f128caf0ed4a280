"""Fill slots from the new words of an edited note: only news is learned.

The note's message is the source, so that forgetting it removes the values; a note without a message fills nothing. No
model is asked: the grade of the note applies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from profiles.models import CandidateKind, Preference, ProfileFact, Subject, Tag, TagDetail
from profiles.selectors import details_of, load_own_names
from profiles.services.belief_reversal import reinstate_belief, undo_unconfirmed_value
from profiles.services.beliefs import list_said_times
from profiles.services.search_text import refresh_search_text
from profiles.services.tags.details import detail_place, empty_value
from profiles.services.tags.tags import delete_tag, restore_tag
from profiles.values import Provenance
from snapshots.lifecycle.selectors import current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import find_belief_place
from snapshots.models import AboutKind, Message, MessageRole, Note, NoteGrade, NoteSlot, Snapshot, SnapshotSource
from snapshots.notes.slot_links import HELD, OF_KIND, link_filled_slots
from snapshots.understanding.believing.apply_lesson import apply_lesson
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.extraction import extract_candidates, group_candidates
from snapshots.understanding.believing.lessons import CandidateResult, Lesson
from snapshots.understanding.believing.message_lessons import list_candidates
from snapshots.understanding.correcting.value_corrections import may_correct
from snapshots.understanding.note_people import load_people_nearby
from snapshots.understanding.statements.statements import build_utterance
from snapshots.understanding.values import (
    Candidate,
    Evidence,
    Extraction,
    ExtractionContext,
    GradedSpan,
    PreferenceCandidate,
)

BELIEFS: Mapping[str, type[Any]] = {"preference": Preference, "fact": ProfileFact, "detail": TagDetail}
ENDED, TAG, LINK = "ended", "tag", "link"
KINDS = {CandidateKind.PREFERENCE: "preference", CandidateKind.PROFILE: "fact", CandidateKind.TAG: TAG}
# The ids of a subject's current values, tags and note links, by kind.
IdsByKind = Mapping[str, frozenset[UUID]]


def fill_slots_from_edit(note: Snapshot, said: str, now: str) -> dict[str, list[str]]:
    """Learn the values that a note has ``now`` and did not have in the words ``said``, in the open scope; the caller
    locks the subject. Return ids, as JSON, by which the filling can be undone."""
    own = Snapshot.objects.select_related("subject").filter(
        current_snapshot_condition(), id=note.id, subject_id=note.subject_id
    )
    written, message = own.first(), _load_last_message(note)
    if written is None or message is None:
        return {}
    subject, spoken = written.subject, _message_with_text(message, now)
    before = [
        _drop_evidence(one)
        for one in list_candidates(_extract_note_candidates(written, _message_with_text(message, said)))
    ]
    found = [
        more
        for one in list_candidates(_extract_note_candidates(written, spoken))
        if (more := _keep_new_values(one, before)) is not None
    ]
    if not found:
        return {}
    held = _list_current_ids(subject.id)
    teaches = group_candidates([_copy_note_confidence(one, written, spoken) for one in found])
    results = apply_lesson(Lesson(subject, message.conversation, spoken, teaches))
    results = [one for one in results if one.verdict in HELD and one.memory_id is not None]
    link_filled_slots(subject.id, note.id, _load_rows(results))
    return _diff_ids(held, _list_current_ids(subject.id), results)


def undo_slot_filling(note: Snapshot, filled: Mapping[str, Iterable[str]]) -> None:
    """Undo a filling as if nobody had said it, in the open scope; values that were repeated or changed since stay. The
    caller locks the subject."""
    if not filled:
        return
    own = {"subject_id": note.subject_id}
    NoteSlot.objects.filter(id__in=filled.get(LINK, ()), **own).delete()
    for kind, model in BELIEFS.items():
        for row_id in reversed(list(filled.get(kind, ()))):
            for row in model._default_manager.filter(id=row_id, **own):
                _undo_value(row)
        for row in model._default_manager.filter(id__in=filled.get(ENDED, ()), invalid_at__isnull=False, **own):
            _restore_value(row)
    for tag in Tag.objects.filter(id__in=filled.get(TAG, ()), **own):
        if not details_of(tag).filter(retired_at__isnull=True).exists():
            delete_tag(note.subject, tag)
    Subject.objects.filter(id=note.subject_id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(note.subject)


def _load_last_message(note: Snapshot) -> Message | None:
    said = SnapshotSource.objects.filter(memory_id=note.id, subject_id=note.subject_id).order_by().values("message_id")
    rows = Message.objects.filter(id__in=said, subject_id=note.subject_id, remember=True)
    return rows.select_related("conversation").order_by("-said_at", "-seq").first()


def _message_with_text(message: Message, text: str) -> Message:
    spoken = copy(message)
    spoken.content, spoken.role, spoken.name, spoken.said_at = text, MessageRole.USER, None, utc_now()
    return spoken


def _extract_note_candidates(written: Snapshot, spoken: Message) -> Extraction:
    subject, believed = written.subject, BeliefCache()
    note = Note.objects.get(snapshot_id=written.id, subject_id=subject.id)
    other = float(note.about_kind != AboutKind.SELF)
    span = GradedSpan(0, len(spoken.content), note.grade_probability, other, note.grade == NoteGrade.PLAN)
    context = ExtractionContext(
        load_own_names([subject])[subject.id],
        nearby=load_people_nearby(spoken, believed),
        held=believed.list_values(subject) if may_correct(spoken.content) else (),
        graded=(span,),
    )
    return extract_candidates(build_utterance(spoken), context=context)


def _drop_evidence(one: Candidate) -> Candidate:
    bare = replace(one, evidence=Evidence("", "", -1), confidence=0.0, provenance="", origin="")
    return replace(bare, statement="") if isinstance(bare, PreferenceCandidate) else bare


def _keep_new_values(one: Candidate, before: Sequence[Candidate]) -> Candidate | None:
    if not isinstance(one, PreferenceCandidate) or not isinstance(one.value, tuple):
        return None if _drop_evidence(one) in before else one
    same = [
        other
        for other in before
        if isinstance(other, PreferenceCandidate) and _preference_place(other) == _preference_place(one)
    ]
    known = {entry for other in same for entry in other.value_texts}
    entries = tuple(entry for entry in one.value if entry not in known)
    return replace(one, value=entries) if entries else None


def _preference_place(one: PreferenceCandidate) -> tuple[str | None, ...]:
    return one.category, one.key, one.mode, one.replaces


def _copy_note_confidence(one: Candidate, written: Snapshot, spoken: Message) -> Candidate:
    """Return a candidate with the confidence and provenance of its note, unless its own words are only a guess. Each
    version of the note has an origin of its own."""
    is_guess = one.provenance == Provenance.OBSERVATION
    known: dict[str, Any] = {} if is_guess else {"provenance": written.provenance, "confidence": written.confidence}
    origin = f"edit-{written.version}:{written.id}"
    return replace(one, evidence=Evidence(str(spoken.id), "", -1), origin=origin, **known)


def _load_rows(results: Iterable[CandidateResult]) -> Iterator[Any]:
    for one in results:
        yield from OF_KIND[one.kind]._default_manager.filter(id=one.memory_id)


def _list_current_ids(subject_id: UUID) -> IdsByKind:
    own = {"subject_id": subject_id}
    now = {"retired_at__isnull": True, "invalid_at__isnull": True, **own}
    rows = {kind: model._default_manager.filter(**now) for kind, model in BELIEFS.items()}
    rows |= {TAG: Tag.objects.filter(**own), LINK: NoteSlot.objects.filter(**own)}
    return {kind: frozenset(found.order_by().values_list("id", flat=True)) for kind, found in rows.items()}


def _diff_ids(before: IdsByKind, after: IdsByKind, results: Sequence[CandidateResult]) -> dict[str, list[str]]:
    taught = {kind: [one.memory_id for one in results if KINDS[one.kind] == kind] for kind in after}
    made = {kind: [*taught[kind], *sorted(ids - set(taught[kind]))] for kind, ids in after.items()}
    new = {kind: [str(one) for one in dict.fromkeys(ids) if one not in before[kind]] for kind, ids in made.items()}
    ended = [str(one) for kind in BELIEFS for one in sorted(before[kind] - after[kind])]
    return {kind: ids for kind, ids in {**new, ENDED: ended}.items() if ids}


def _undo_value(row: Any) -> None:
    if not isinstance(row, TagDetail):
        undo_unconfirmed_value(find_belief_place(row), row.id)
        return
    place = detail_place(row.tag, row.detail)
    now = place.current()
    if now is not None and now.id == row.id and len(list_said_times(now)) == 1:
        replaced = place.rows().filter(superseded_by_id=row.id).first()
        restore_tag(row.subject, row.tag, {row.detail: replaced.value if replaced else empty_value(row.detail)})


def _restore_value(row: Any) -> None:
    if not isinstance(row, TagDetail):
        reinstate_belief(find_belief_place(row), row.id)
    elif detail_place(row.tag, row.detail).current() is None:
        restore_tag(row.subject, row.tag, {row.detail: row.value})

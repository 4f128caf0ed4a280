"""Traces of a note's words: the memories of its messages, and the slots that it filled.

Retiring or correcting a note removes its words from these memories. The rest of a memory stays; a memory that says
nothing else is retired with the note. The new words of an edited note fill slots, and only news is learned: the note's
message is the source, so that forgetting it removes the values; a note without a message fills nothing. No model is
asked: the grade of the note applies.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from memory_platform.kernel.clock import utc_now
from profiles.models import CandidateKind, Preference, ProfileFact, Subject, Tag, TagDetail
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import details_of, load_own_names
from profiles.services.belief_reversal import reinstate_belief, undo_unconfirmed_value
from profiles.services.beliefs import list_said_times
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.details import build_detail_place, empty_value
from profiles.services.tags.tags import delete_tag, restore_tag
from snapshots.embedding.snapshot_drafts import load_reindexing_drafts, prepare_snapshots
from snapshots.embedding.snapshot_history import store_version, versions_of
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.lifecycle.edit_snapshot import EditPlan, apply_edit
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.memory_actions import find_belief_place
from snapshots.models import (
    CUT_OUT,
    AboutKind,
    Message,
    MessageRole,
    Note,
    NoteGrade,
    NoteSlot,
    Snapshot,
    SnapshotSource,
)
from snapshots.notes.slot_links import HELD, OF_KIND, link_filled_slots
from snapshots.notes.slots_of_ended_notes import end_slots_of_note, restore_slots_of_note
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.believing.apply_candidates import apply_message_candidates
from snapshots.understanding.believing.candidate_extraction import extract_candidates, group_candidates
from snapshots.understanding.believing.current_values import BeliefCache
from snapshots.understanding.believing.lesson import CandidateResult, Lesson, list_candidates
from snapshots.understanding.correcting.value_correction_detection import may_correct
from snapshots.understanding.drafting.near_duplicates import says_the_same
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.note_people import load_people_nearby
from snapshots.understanding.reading.clauses import split_clauses
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


SLOTS, CUT, RETIRED, FILLED = "slots", "cut", "retired", "filled"
_LOOSE = " ,;:、，。；"


class NoteTraceEditor:
    """Removes and restores the traces of notes: see :class:`snapshots.lifecycle.note_trace_hooks.NoteTraces`."""

    def end(self, note: Snapshot, old_text: str, now: str) -> Mapping[str, Any]:
        """Remove the traces of ``old_text`` that ``now`` no longer says, and fill slots that only ``now``
        fills."""
        ended: dict[str, Any] = {SLOTS: end_slots_of_note(note, old_text, now), CUT: [], RETIRED: []}
        for memory in list(_load_related_memories(note)):
            left = remove_words(memory.text, old_text)
            if left == memory.text:
                continue
            if tells_something(left):
                _edit_text(memory, left)
                ended[CUT].append([str(memory.id), memory.version])
            else:
                _set_retired(memory, retired=True)
                ended[RETIRED].append(str(memory.id))
        ended[FILLED] = fill_slots_from_edit(note, old_text, now) if now else {}
        return {name: found for name, found in ended.items() if found}

    def bring_back(self, note: Snapshot, traces: Mapping[str, Any]) -> None:
        """Restore removed traces; a memory that was edited since stays as it is."""
        own = Snapshot.objects.select_related("subject").filter(subject_id=note.subject_id)
        for memory in own.filter(id__in=traces.get(RETIRED, ()), retired_at__isnull=False):
            _set_retired(memory, retired=False)
        for memory_id, version in traces.get(CUT, ()):
            for memory in own.filter(id=memory_id, retired_at__isnull=True):
                _restore_text(memory, version)
        undo_slot_filling(note, traces.get(FILLED, {}))
        restore_slots_of_note(note, traces.get(SLOTS, ()))


def remove_words(text: str, words: str) -> str:
    """Return a text without ``words``, or without the clauses that say the same."""
    left = text.replace(words, " ") if words in text else "".join(_drop_repeating_clauses(text, words))
    return " ".join(left.split()).strip(_LOOSE) if left != text else text


def _drop_repeating_clauses(text: str, words: str) -> Iterator[str]:
    at = 0
    for clause in split_clauses(text):
        if says_the_same(words, text[clause.start : clause.end]):
            yield text[at : clause.start] + " "
            at = clause.end
    yield text[at:]


def _load_related_memories(note: Snapshot) -> Iterable[Snapshot]:
    own = {"subject_id": note.subject_id}
    said = SnapshotSource.objects.filter(memory_id=note.id, **own).order_by().values("message_id")
    told = SnapshotSource.objects.filter(message_id__in=said, **own).order_by().values("memory_id")
    statement = Note.objects.filter(snapshot_id=note.id, **own).values("statement_id")
    found = Snapshot.objects.filter(
        build_current_snapshot_condition(), Q(id__in=told) | Q(id__in=statement), **own
    ).exclude(kind__in=CUT_OUT)
    return found.select_related("subject").order_by("position")


def _edit_text(memory: Snapshot, text: str) -> None:
    """Change a memory's text with a version. The back-fill adds vectors: no model may be called in the open scope."""
    draft = replace(load_reindexing_drafts([memory], mask_sensitive)[0], text=text)
    (ready,) = prepare_snapshots([draft], ())
    apply_edit(EditPlan(memory, {"text": text}, draft), ready)


def _restore_text(memory: Snapshot, version: int) -> None:
    later = list(versions_of(memory).filter(version__gte=version))
    image = next((one for one in later if one.version == version), None)
    if image is not None and not any("text" in one.fields for one in later if one.version > version):
        _edit_text(memory, image.fields["text"])


def _set_retired(memory: Snapshot, *, retired: bool) -> None:
    now = utc_now()
    if not retired:
        store_version(memory, ("retired_at",), until=now)
    own = Snapshot.objects.filter(id=memory.id, subject_id=memory.subject_id)
    own.update(retired_at=now if retired else None, version=F("version") + 1)
    begin_memory_epoch(memory.subject_id, changed=[memory.position])


def fill_slots_from_edit(note: Snapshot, words: str, now: str) -> dict[str, list[str]]:
    """Learn the values that a note has ``now`` and did not have in ``words``, in the open scope; the caller
    locks the subject. Return ids, as JSON, by which the filling can be undone."""
    own = Snapshot.objects.select_related("subject").filter(
        build_current_snapshot_condition(), id=note.id, subject_id=note.subject_id
    )
    written, message = own.first(), _load_last_message(note)
    if written is None or message is None:
        return {}
    subject, spoken = written.subject, _copy_message_with_text(message, now)
    before = [
        _drop_evidence(one)
        for one in list_candidates(_extract_note_candidates(written, _copy_message_with_text(message, words)))
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
    results = apply_message_candidates(Lesson(subject, message.conversation, spoken, teaches))
    results = [one for one in results if one.verdict in HELD and one.memory_id is not None]
    link_filled_slots(subject.id, note.id, _load_rows(results))
    return _diff_ids(held, _list_current_ids(subject.id), results)


def undo_slot_filling(note: Snapshot, filling: Mapping[str, Iterable[str]]) -> None:
    """Undo a filling as if nobody had said it, in the open scope; values that were repeated or changed since stay. The
    caller locks the subject."""
    if not filling:
        return
    own = {"subject_id": note.subject_id}
    NoteSlot.objects.filter(id__in=filling.get(LINK, ()), **own).delete()
    for kind, model in BELIEFS.items():
        for row_id in reversed(list(filling.get(kind, ()))):
            for row in model._default_manager.filter(id=row_id, **own):
                _undo_value(row)
        for row in model._default_manager.filter(id__in=filling.get(ENDED, ()), invalid_at__isnull=False, **own):
            _reinstate_ended_belief(row)
    for tag in Tag.objects.filter(id__in=filling.get(TAG, ()), **own):
        if not details_of(tag).filter(retired_at__isnull=True).exists():
            delete_tag(note.subject, tag)
    Subject.objects.filter(id=note.subject_id).update(profile_version=F("profile_version") + 1)
    refresh_search_text(note.subject)


def _load_last_message(note: Snapshot) -> Message | None:
    said = SnapshotSource.objects.filter(memory_id=note.id, subject_id=note.subject_id).order_by().values("message_id")
    rows = Message.objects.filter(id__in=said, subject_id=note.subject_id, remember=True)
    return rows.select_related("conversation").order_by("-said_at", "-seq").first()


def _copy_message_with_text(message: Message, text: str) -> Message:
    spoken = copy(message)
    spoken.content, spoken.role, spoken.name, spoken.said_at = text, MessageRole.USER, None, utc_now()
    return spoken


def _extract_note_candidates(written: Snapshot, message: Message) -> Extraction:
    subject, believed = written.subject, BeliefCache()
    note = Note.objects.get(snapshot_id=written.id, subject_id=subject.id)
    other = float(note.about_kind != AboutKind.SELF)
    span = GradedSpan(0, len(message.content), note.grade_probability, other, note.grade == NoteGrade.PLAN)
    context = ExtractionContext(
        load_own_names([subject])[subject.id],
        nearby=load_people_nearby(message, believed),
        current_values=believed.list_values(subject) if may_correct(message.content) else (),
        graded=(span,),
    )
    return extract_candidates(build_utterance(message), context=context)


def _drop_evidence(one: Candidate) -> Candidate:
    bare = replace(one, evidence=Evidence("", "", -1), confidence=0.0, provenance="", origin="")
    return replace(bare, statement="") if isinstance(bare, PreferenceCandidate) else bare


def _keep_new_values(one: Candidate, before: Sequence[Candidate]) -> Candidate | None:
    if not isinstance(one, PreferenceCandidate) or not isinstance(one.value, tuple):
        return None if _drop_evidence(one) in before else one
    same = [
        other
        for other in before
        if isinstance(other, PreferenceCandidate) and _get_preference_place(other) == _get_preference_place(one)
    ]
    known = {entry for other in same for entry in other.value_texts}
    entries = tuple(entry for entry in one.value if entry not in known)
    return replace(one, value=entries) if entries else None


def _get_preference_place(one: PreferenceCandidate) -> tuple[str | None, ...]:
    return one.category, one.key, one.mode, one.replaces


def _copy_note_confidence(one: Candidate, written: Snapshot, message: Message) -> Candidate:
    """Return a candidate with the confidence and provenance of its note, unless its own words are only a guess. Each
    version of the note has an origin of its own."""
    is_guess = one.provenance == Provenance.OBSERVATION
    known: dict[str, Any] = {} if is_guess else {"provenance": written.provenance, "confidence": written.confidence}
    origin = f"edit-{written.version}:{written.id}"
    return replace(one, evidence=Evidence(str(message.id), "", -1), origin=origin, **known)


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
    place = build_detail_place(row.tag, row.detail)
    now = place.current()
    if now is not None and now.id == row.id and len(list_said_times(now)) == 1:
        replaced = place.rows().filter(superseded_by_id=row.id).first()
        restore_tag(row.subject, row.tag, {row.detail: replaced.value if replaced else empty_value(row.detail)})


def _reinstate_ended_belief(row: Any) -> None:
    if not isinstance(row, TagDetail):
        reinstate_belief(find_belief_place(row), row.id)
    elif build_detail_place(row.tag, row.detail).current() is None:
        restore_tag(row.subject, row.tag, {row.detail: row.value})

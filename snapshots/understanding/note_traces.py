"""Traces of a note's words: the memories of its messages, and the slots that it filled.

Retiring or correcting a note removes its words from these memories. The rest of a memory stays; a memory that says
nothing else is retired with the note.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import F, Q

from memory_platform.kernel.clock import utc_now
from snapshots.embedding.reindexing_drafts import load_reindexing_drafts
from snapshots.embedding.snapshot_drafts import prepare_snapshots
from snapshots.embedding.snapshot_store import begin_memory_epoch
from snapshots.embedding.snapshot_versions import store_version, versions_of
from snapshots.lifecycle.edits import EditPlan, apply_edit
from snapshots.lifecycle.selectors import current_snapshot_condition
from snapshots.models import CUT_OUT, Note, Snapshot, SnapshotSource
from snapshots.notes.slots_of_ended_notes import end_slots_of_note, restore_slots_of_note
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.drafting.near_duplicates import says_the_same
from snapshots.understanding.edited_note_slots import fill_slots_from_edit, undo_slot_filling
from snapshots.understanding.heard.turn_kinds import tells_something
from snapshots.understanding.reading.clauses import split_clauses

SLOTS, CUT, RETIRED, FILLED = "slots", "cut", "retired", "filled"
_LOOSE = " ,;:、，。；"


class NoteTraceEditor:
    """Removes and restores the traces of notes: see :class:`snapshots.lifecycle.note_traces.NoteTraces`."""

    def end(self, note: Snapshot, said: str, now: str) -> Mapping[str, Any]:
        """Remove the traces of the words ``said`` that ``now`` no longer says, and fill slots that only ``now``
        fills."""
        ended: dict[str, Any] = {SLOTS: end_slots_of_note(note, said, now), CUT: [], RETIRED: []}
        for memory in list(_load_related_memories(note)):
            left = remove_words(memory.text, said)
            if left == memory.text:
                continue
            if tells_something(left):
                _edit_text(memory, left)
                ended[CUT].append([str(memory.id), memory.version])
            else:
                _set_retired(memory, retired=True)
                ended[RETIRED].append(str(memory.id))
        ended[FILLED] = fill_slots_from_edit(note, said, now) if now else {}
        return {name: found for name, found in ended.items() if found}

    def bring_back(self, note: Snapshot, ended: Mapping[str, Any]) -> None:
        """Restore removed traces; a memory that was edited since stays as it is."""
        own = Snapshot.objects.select_related("subject").filter(subject_id=note.subject_id)
        for memory in own.filter(id__in=ended.get(RETIRED, ()), retired_at__isnull=False):
            _set_retired(memory, retired=False)
        for memory_id, version in ended.get(CUT, ()):
            for memory in own.filter(id=memory_id, retired_at__isnull=True):
                _restore_text(memory, version)
        undo_slot_filling(note, ended.get(FILLED, {}))
        restore_slots_of_note(note, ended.get(SLOTS, ()))


def remove_words(text: str, said: str) -> str:
    """Return a text without the words ``said``, or without the clauses that say the same."""
    left = text.replace(said, " ") if said in text else "".join(_drop_repeating_clauses(text, said))
    return " ".join(left.split()).strip(_LOOSE) if left != text else text


def _drop_repeating_clauses(text: str, said: str) -> Iterator[str]:
    at = 0
    for clause in split_clauses(text):
        if says_the_same(said, text[clause.start : clause.end]):
            yield text[at : clause.start] + " "
            at = clause.end
    yield text[at:]


def _load_related_memories(note: Snapshot) -> Iterable[Snapshot]:
    own = {"subject_id": note.subject_id}
    said = SnapshotSource.objects.filter(memory_id=note.id, **own).order_by().values("message_id")
    told = SnapshotSource.objects.filter(message_id__in=said, **own).order_by().values("memory_id")
    statement = Note.objects.filter(snapshot_id=note.id, **own).values("statement_id")
    found = Snapshot.objects.filter(current_snapshot_condition(), Q(id__in=told) | Q(id__in=statement), **own).exclude(
        kind__in=CUT_OUT
    )
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

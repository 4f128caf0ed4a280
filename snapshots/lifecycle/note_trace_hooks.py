"""Traces of a note: values that its words left elsewhere (at its message, in slots), which go and come back with it.

The code that knows these traces is in a higher layer (``snapshots.understanding.note_trace_editor``) and registers here
when the app starts, so that code that retires or edits a note need not know them.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from profiles.services.subject_lock import lock_subject
from snapshots.models import Snapshot, SnapshotKind

NO_TRACES: Mapping[str, Any] = {}


class NoteTraces(Protocol):
    """Ends the traces of notes and restores them, in the open scope, with subject and memory locked."""

    def end(self, note: Snapshot, old_text: str, now: str) -> Mapping[str, Any]:
        """End the traces of ``old_text`` that ``now`` does not support, and fill those only in ``now``. Return ids, as
        JSON, by which :meth:`bring_back` restores it."""

    def bring_back(self, note: Snapshot, traces: Mapping[str, Any]) -> None:
        """Restore traces that :meth:`end` ended, and remove those it filled; newer values stay."""


_REGISTERED: list[NoteTraces] = []


def register_note_traces(traces: NoteTraces) -> None:
    _REGISTERED[:] = [traces]


def lock_note_subject(snapshot: Snapshot) -> None:
    """Lock the subject of a note before its memory is locked; nothing for any other snapshot."""
    if snapshot.kind == SnapshotKind.NOTE:
        lock_subject(snapshot.subject)


def end_note_traces(snapshot: Snapshot, old_text: str, now: str = "") -> Mapping[str, Any]:
    """End the traces of ``old_text`` that ``now`` (nothing by default) does not support, and fill those only in
    ``now``.

    In the open scope, when the note is written; subject and memory are locked. Returns the input of
    :func:`restore_note_traces`; nothing for any other snapshot.
    """
    if snapshot.kind != SnapshotKind.NOTE:
        return NO_TRACES
    return {name: ended for traces in _REGISTERED for name, ended in traces.end(snapshot, old_text, now).items()}


def restore_note_traces(snapshot: Snapshot, ended: Mapping[str, Any]) -> None:
    """Restore a note's ended traces, in the open scope; subject and memory are locked."""
    for traces in _REGISTERED if ended else ():
        traces.bring_back(snapshot, ended)

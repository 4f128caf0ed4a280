"""What the words of a note left elsewhere, which goes and comes back with them: its message, and the slots it filled.

What knows it stands above this room (:mod:`snapshots.understanding.note_traces`) and says so when the app starts, so
that whoever retires or rewords a note need not know.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from profiles.services.locking import lock_subject
from snapshots.models import Snapshot, SnapshotKind

NOTHING_ENDED: Mapping[str, Any] = {}


class NoteTraces(Protocol):
    """Ends the traces of notes, and brings them back; in the open scope, subject and memory are locked."""

    def end(self, note: Snapshot, said: str, now: str) -> Mapping[str, Any]:
        """End what the words ``said`` left that ``now`` says no more, and fill what only ``now`` says; return ids, as
        JSON, by which it comes back."""

    def bring_back(self, note: Snapshot, ended: Mapping[str, Any]) -> None:
        """Have hold again what :meth:`end` ended, in place of what it filled; what was said since stands."""


_KNOWN: list[NoteTraces] = []


def know_traces(traces: NoteTraces) -> None:
    """Have ``traces`` end with notes from now on, in place of others."""
    _KNOWN[:] = [traces]


def lock_for_traces(snapshot: Snapshot) -> None:
    """Hold the subject of a note before its memory is locked; nothing for any other snapshot."""
    if snapshot.kind == SnapshotKind.NOTE:
        lock_subject(snapshot.subject)


def end_traces(snapshot: Snapshot, said: str, now: str = "") -> Mapping[str, Any]:
    """End what a note left that says ``now`` in place of ``said``, or nothing any more, and fill what only ``now``
    says, in the open scope, when the note is written; the subject and the memory are locked. Return what
    :func:`bring_traces_back` needs; nothing for any other snapshot."""
    if snapshot.kind != SnapshotKind.NOTE:
        return NOTHING_ENDED
    return {name: ended for traces in _KNOWN for name, ended in traces.end(snapshot, said, now).items()}


def bring_traces_back(snapshot: Snapshot, ended: Mapping[str, Any]) -> None:
    """Have what ended with a note hold again with it, in the open scope; the subject and the memory are locked."""
    for traces in _KNOWN if ended else ():
        traces.bring_back(snapshot, ended)

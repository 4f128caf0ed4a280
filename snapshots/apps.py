"""The snapshots app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SnapshotsConfig(AppConfig):
    name = "snapshots"
    verbose_name = _("Conversations and memory")

    def ready(self) -> None:
        from snapshots.lifecycle.note_trace_hooks import register_note_traces  # noqa: PLC0415 - models are loaded by now, not at import
        from snapshots.understanding.note_trace_editor import NoteTraceEditor  # noqa: PLC0415 - as above

        register_note_traces(NoteTraceEditor())

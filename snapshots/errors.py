"""Errors of snapshots."""

from memory_platform.kernel.errors import NotFound


class ConversationUnknown(NotFound):
    """The subject has no conversation with this id, or the tenant no such subject."""

    def __init__(self) -> None:
        super().__init__("No conversation with this id.")


class SnapshotUnknown(NotFound):
    """The subject holds no snapshot with this id, or the tenant no such subject."""

    def __init__(self) -> None:
        super().__init__("No snapshot with this id.")


class NoteUnknown(NotFound):
    """The subject holds no note with this id, or the tenant no such subject."""

    def __init__(self) -> None:
        super().__init__("No note with this id.")

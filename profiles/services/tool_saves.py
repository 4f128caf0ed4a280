"""One fact is saved once in a conversation: what tools saved in which (row A1). The caller holds the subject."""

from uuid import UUID

from profiles.models import Subject, ToolSave


def was_saved(subject: Subject, conversation: str, memory_id: UUID) -> bool:
    """Return whether a tool saved this memory in this conversation (the product's own id)."""
    return ToolSave.objects.filter(subject_id=subject.id, conversation=conversation, memory_ref=memory_id).exists()


def note_saved(subject: Subject, conversation: str, memory_id: UUID) -> None:
    """Note that a tool saved this memory in this conversation; once is enough."""
    row = ToolSave(subject_id=subject.id, conversation=conversation, memory_ref=memory_id)
    ToolSave.objects.bulk_create([row], ignore_conflicts=True)

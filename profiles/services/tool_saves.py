"""Records which memories tools saved in a conversation, so that each is saved once. The caller holds the subject."""

from uuid import UUID

from profiles.models import Subject, ToolSave


def was_saved(subject: Subject, conversation: str, memory_id: UUID) -> bool:
    return ToolSave.objects.filter(subject_id=subject.id, conversation=conversation, memory_ref=memory_id).exists()


def record_save(subject: Subject, conversation: str, memory_id: UUID) -> None:
    row = ToolSave(subject_id=subject.id, conversation=conversation, memory_ref=memory_id)
    ToolSave.objects.bulk_create([row], ignore_conflicts=True)

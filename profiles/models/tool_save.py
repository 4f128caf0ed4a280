"""Which memories a model's tools saved in which conversation: each fact is saved once per conversation."""

from django.db import models
from django.utils import timezone

from profiles.models.subject import SubjectOwned


class ToolSave(SubjectOwned):
    """One memory that a tool saved in one conversation, both by id."""

    conversation = models.CharField(max_length=200)
    memory_ref = models.UUIDField()
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "tool_save"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "subject", "conversation", "memory_ref"), name="one_tool_save_per_conversation"
            ),
        )
        indexes = (models.Index(fields=("tenant", "saved_at"), name="tool_save_by_age"),)

    def __str__(self) -> str:
        return str(self.pk)

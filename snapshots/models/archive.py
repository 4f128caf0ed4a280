"""The cold archive: the words of aged messages, compressed, out of the table that serves reads (row E7)."""

from django.db import models
from django.utils import timezone

from profiles.models import SubjectOwned
from snapshots.models.conversation import Conversation
from tenants.models import TenantForeignKey


class MessageArchive(SubjectOwned):
    """Neighbouring messages of one conversation. Their rows stay (sources point at them), their words stand here.

    ``packed`` is zlib-compressed JSON: one object per message with what ``Message`` lost (content, parts, tool_calls,
    metadata), by id. ``plain_bytes`` is its size before.
    """

    conversation = TenantForeignKey(Conversation)
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()
    messages = models.PositiveIntegerField()
    plain_bytes = models.PositiveBigIntegerField()
    packed = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "message_archive"
        ordering = ("conversation", "first_seq")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "conversation", "first_seq"), name="one_archive_per_stretch"),
        )

    def __str__(self) -> str:
        return str(self.pk)

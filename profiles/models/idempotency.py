"""Stored answers, so that a request is carried out once, and what tools saved: each fact once per conversation."""

from django.db import models
from django.utils import timezone

from profiles.models.subject import Subject, SubjectOwned
from tenants.models import TenantForeignKey, TenantOwned


class IdempotentReply(TenantOwned):
    """The first answer to (endpoint, key). Written in the transaction of its write.

    Erased with its subject. ``endpoint`` is the SHA-256 (hex) of method and path. ``status`` is NULL only between the
    claim and the answer, inside that transaction.
    """

    endpoint = models.CharField(max_length=64)
    key = models.CharField(max_length=255)
    request_hash = models.BinaryField()
    status = models.PositiveSmallIntegerField(null=True)
    body = models.BinaryField(null=True)
    headers = models.JSONField(default=dict)
    subject = TenantForeignKey(Subject, null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta(TenantOwned.Meta):
        db_table = "idempotent_reply"
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(fields=("tenant", "endpoint", "key"), name="one_reply_per_endpoint_and_key"),
        )
        indexes = (models.Index(fields=("tenant", "created_at"), name="idempotent_reply_by_age"),)

    def __str__(self) -> str:
        return str(self.pk)


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

"""Stored answers: a repeated request gets the first one's answer."""

from django.db import models

from profiles.models.subject import Subject
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

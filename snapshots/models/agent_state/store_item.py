"""Items of an agent's store: JSON values by namespace and key."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from profiles.models import Subject
from snapshots.models.agent_state.thread import make_sorted_text_field
from snapshots.models.index import EmbeddingSpace
from tenants.models import TenantForeignKey, TenantOwned


class StoreItem(TenantOwned):
    """One item. ``namespace`` is an array of labels, so that a prefix of it is one of whole labels. ``ttl_minutes`` is
    its life after each use; None lives on."""

    subject = TenantForeignKey(Subject, null=True)
    namespace = ArrayField(make_sorted_text_field())
    key = make_sorted_text_field()
    value = models.JSONField()
    indexed_paths = ArrayField(models.TextField(), default=list)
    ttl_minutes = models.FloatField(null=True)
    expires_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantOwned.Meta):
        db_table = "store_item"
        constraints = (models.UniqueConstraint(fields=("tenant", "namespace", "key"), name="one_item_per_key"),)
        indexes = (
            models.Index(
                fields=("tenant", "expires_at"),
                condition=models.Q(expires_at__isnull=False),
                name="store_item_by_expiry",
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)


class StoreItemVector(TenantOwned):
    """The vector of one text of an item. ``path`` tells where in the value the text stands."""

    item = TenantForeignKey(StoreItem)
    space = models.ForeignKey(EmbeddingSpace, models.DO_NOTHING, related_name="+", db_index=False)
    path = models.TextField()
    vector = HalfVectorField()

    class Meta(TenantOwned.Meta):
        db_table = "store_item_vector"
        constraints = (models.UniqueConstraint(fields=("tenant", "item", "space", "path"), name="one_vector_per_path"),)

    def __str__(self) -> str:
        return str(self.pk)

"""The pieces of documents that are indexed, found and cited."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from snapshots.models.knowledge.document import Document
from tenants.models import TenantForeignKey, TenantOwned


class Chunk(TenantOwned):
    """One chunk of the indexed upload of a document; fields as in :class:`snapshots.knowledge.values.ChunkDraft`."""

    document = TenantForeignKey(Document)
    position = models.PositiveIntegerField(_("position"))
    text = models.TextField(_("text"))
    place = models.TextField(_("place"), blank=True, default="")
    heading_path = ArrayField(models.TextField(), default=list, blank=True)
    page = models.PositiveIntegerField(_("page"), null=True)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    token_count = models.PositiveIntegerField(_("tokens"))
    content_hash = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "document_chunk"
        ordering = ("document", "position")
        indexes = (models.Index(fields=("tenant", "document", "position"), name="chunk_by_position"),)
        verbose_name = _("chunk")
        verbose_name_plural = _("chunks")

    def __str__(self) -> str:
        return str(self.pk)

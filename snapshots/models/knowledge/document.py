"""A tenant's documents. Each belongs to the tenant, not to one of its subjects."""

from typing import Any

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from snapshots.models.agent_state.thread import make_sorted_text_field
from snapshots.models.job import Job, JobStatus
from tenants.models import TenantForeignKey, TenantOwned


class DocumentCollection(TenantOwned):
    """Documents that are searched together, by the product's own name. With an ``access_label`` only a search that
    names this label finds them; "" leaves them open to every search of the tenant."""

    external_id = make_sorted_text_field(verbose_name=_("collection"))
    access_label = models.TextField(_("access label"), blank=True, default="")
    created_at = models.DateTimeField(_("created at"), db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "document_collection"
        ordering = ("external_id",)
        constraints = (
            models.UniqueConstraint(fields=("tenant", "external_id"), name="one_collection_per_external_id"),
        )
        verbose_name = _("collection")
        verbose_name_plural = _("collections")

    def __str__(self) -> str:
        return self.external_id


class DocumentStatus(models.TextChoices):
    """The state of the newest upload. While it is processed, and when it failed, the one before answers."""

    PROCESSING = "processing", _("being processed")
    READY = "ready", pgettext_lazy("of a document", "ready")
    FAILED = "failed", _("failed")


class Document(TenantOwned):
    """One document by the product's own id, as it was last uploaded.

    ``upload`` numbers the uploads and ``indexed_upload`` is the one whose chunks answer, 0 before the first.
    ``answering`` holds the details of that one where they may differ from the newest upload's: :attr:`cited_details`.
    ``version`` counts all changes, for ETags. ``title`` is the given one, "" if none was; ``found_title`` stands in the
    indexed content. ``byte_count`` is of the upload, ``content_hash`` the SHA-256 of its bytes. ``error_code`` and
    ``error_detail`` say why the newest upload failed, and nothing of its content; ``job`` processes it, or did.
    """

    external_id = make_sorted_text_field(verbose_name=_("document"))
    collection = TenantForeignKey(DocumentCollection, null=True, verbose_name=_("collection"))
    title = models.TextField(_("title"), blank=True, default="")
    found_title = models.TextField(blank=True, default="")
    content_type = models.CharField(_("content type"), max_length=100)
    source_url = models.TextField(_("source address"), blank=True, default="")
    metadata = models.JSONField(default=dict)
    answering = models.JSONField(default=dict, db_default={}, editable=False)
    status = models.CharField(
        _("status"), max_length=16, choices=DocumentStatus.choices, default=DocumentStatus.PROCESSING
    )
    error_code = models.CharField(_("error"), max_length=100, blank=True, default="")
    error_detail = models.TextField(blank=True, default="")
    version = models.PositiveIntegerField(default=1)
    upload = models.PositiveIntegerField(default=1)
    indexed_upload = models.PositiveIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(_("bytes"))
    content_hash = models.BinaryField()
    chunk_count = models.PositiveIntegerField(_("chunks"), default=0)
    job = TenantForeignKey(Job, null=True)
    created_at = models.DateTimeField(_("created at"), db_default=Now())
    updated_at = models.DateTimeField(_("changed at"), db_default=Now())
    indexed_at = models.DateTimeField(_("indexed at"), null=True)

    class Meta(TenantOwned.Meta):
        db_table = "document"
        ordering = ("created_at", "id")
        constraints = (models.UniqueConstraint(fields=("tenant", "external_id"), name="one_document_per_external_id"),)
        indexes = (models.Index(fields=("tenant", "created_at", "id"), name="document_by_age"),)
        verbose_name = _("document")
        verbose_name_plural = _("documents")

    def __str__(self) -> str:
        return self.external_id

    @property
    def shown_status(self) -> DocumentStatus:
        """The status, which is failed too when the job was given up without a word, as after many deaths of workers."""
        is_over = self.job is None or self.job.status == JobStatus.DEAD
        gave_up = self.status == DocumentStatus.PROCESSING and is_over
        return DocumentStatus.FAILED if gave_up else DocumentStatus(self.status)

    @property
    def shown_title(self) -> str:
        """The title of the newest upload: the given one, that of the content, or the id."""
        return self.title or self.found_title or self.external_id

    @property
    def cited_details(self) -> dict[str, Any]:
        """What citations and filters say of the chunks that answer now: ``title``, ``source_url``, ``metadata`` and
        ``content_type``; also ``collection``, its id, while the chunks wait to leave one with an access label."""
        newest = {
            "title": self.shown_title,
            "source_url": self.source_url,
            "metadata": self.metadata,
            "content_type": self.content_type,
        }
        return {**newest, **self.answering}


class DocumentBody(TenantOwned):
    """The content of a document: ``upload`` as it was last sent, and ``text`` as it was read from the upload that is
    indexed. Spans of chunks are characters in ``text``."""

    document = TenantForeignKey(Document)
    upload = models.BinaryField()
    text = models.TextField(default="")

    class Meta(TenantOwned.Meta):
        db_table = "document_body"
        constraints = (models.UniqueConstraint(fields=("tenant", "document"), name="one_body_per_document"),)

    def __str__(self) -> str:
        return str(self.pk)

"""Jobs that a product asks for and may watch: imports and large erasures (the API's ``/v1/jobs``)."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tenants.models import TenantForeignKey, TenantOwned


class JobKind(models.TextChoices):
    IMPORT = "import", _("import")
    ERASURE = "erasure", _("erasure")
    DOCUMENT = "document", _("processing of a document")


class JobStatus(models.TextChoices):
    """The state of a job. ``failed`` is retried automatically, ``dead`` only by hand."""

    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    SUCCEEDED = "succeeded", _("succeeded")
    FAILED = "failed", _("failed")
    DEAD = "dead", _("dead")


class Job(TenantOwned):
    """One job. Claimed with a lease; every later write requires its token. Times are the database's clock.

    ``params`` and ``result`` hold ids and counts, no content. ``done`` of ``total`` steps; ``total`` 0 is unknown.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=JobKind.choices)
    status = models.CharField(_("status"), max_length=16, choices=JobStatus.choices, default=JobStatus.QUEUED)
    params = models.JSONField(default=dict)
    result = models.JSONField(_("result"), default=dict)
    done = models.PositiveBigIntegerField(_("done"), default=0)
    total = models.PositiveBigIntegerField(_("total"), default=0)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    error_code = models.CharField(_("error"), max_length=100, blank=True)
    due_at = models.DateTimeField(_("due at"), db_default=Now())
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(_("leased until"), null=True, blank=True)
    created_at = models.DateTimeField(_("created at"), db_default=Now())
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "job"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "-created_at"), name="job_by_time"),
            models.Index(
                fields=("tenant", "due_at"),
                condition=models.Q(status__in=("queued", "running", "failed")),
                name="job_to_do",
            ),
        )
        verbose_name = _("job")
        verbose_name_plural = _("jobs")

    def __str__(self) -> str:
        return f"{self.kind} {self.status}"


class JobPart(TenantOwned):
    """One compressed part of a job's input: lines of an import. Deleted once it is done."""

    job = TenantForeignKey(Job)
    number = models.PositiveIntegerField()
    packed = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "job_part"
        ordering = ("job", "number")
        constraints = (models.UniqueConstraint(fields=("tenant", "job", "number"), name="one_part_per_number"),)

    def __str__(self) -> str:
        return str(self.pk)

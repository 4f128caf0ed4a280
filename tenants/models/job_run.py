"""Records of scheduled jobs: platform-wide, counts only."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memory_platform.kernel.ids import new_id


class JobRun(models.Model):
    """One run of one scheduled job. Unique per slot, so a second beat does no harm and gaps are visible.

    ``reached`` is the last tenant that was done, in the order of ids, where the next worker goes on; NULL once all were
    done. ``reached_within`` is the last subject of the next tenant that was done. ``lease_until``: the worker is
    considered alive until then; afterwards, another one may go on. NULL: nobody goes on with this run. ``tries`` counts
    the workers that have begun at this position.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    job = models.CharField(_("job"), max_length=100)
    scheduled_for = models.DateTimeField(_("scheduled for"))
    started_at = models.DateTimeField(_("started at"))
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    rows = models.PositiveBigIntegerField(_("rows"), default=0)
    skipped = models.PositiveBigIntegerField(_("skipped"), default=0)
    reached = models.UUIDField(_("processed up to"), null=True, blank=True)
    reached_within = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    errors = models.PositiveIntegerField(_("errors"), default=0)

    class Meta:
        db_table = "job_run"
        ordering = ("-scheduled_for", "job")
        constraints = (models.UniqueConstraint(fields=("job", "scheduled_for"), name="one_run_per_job_and_slot"),)
        verbose_name = _("job run")
        verbose_name_plural = _("job runs")

    def __str__(self) -> str:
        return f"{self.job} {self.scheduled_for:%Y-%m-%d %H:%M}"

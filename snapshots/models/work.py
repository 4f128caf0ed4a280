"""Work: items of the internal queue. An accepted message is never lost to memory."""

from django.db import models
from django.db.models import Func, Value
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned
from snapshots.models.conversation import Conversation, Message
from tenants.models import TenantForeignKey, TenantOwned


class WorkKind(models.TextChoices):
    """The kinds of work. ``extract`` goes by ``position`` within a subject; the others have no order."""

    STATEMENT = "statement", _("statement")
    EXTRACT = "extract", _("extract")
    CONVERSATION = "conversation", _("conversation snapshot")
    SUMMARY = "summary", _("running summary")


class WorkState(models.TextChoices):
    """The state of an item. Law, per tenant: accepted = ready + leased + done + dead + removed."""

    READY = "ready", _("ready")
    LEASED = "leased", _("leased")
    DONE = "done", _("done")
    DEAD = "dead", _("dead")


class Work(SubjectOwned):
    """One item. Claimed with a lease; every later write requires the lease's token. Times are the database's clock.

    A ``conversation`` item belongs to one end (``generation``) of its conversation, a ``summary`` item to its stretch
    of turns (``generation`` counts them); the others to one message. ``position`` orders the items of a subject:
    assigned by the database, growing with acceptance. ``trace_parent``: the span of the request that left it, as the
    W3C's ``traceparent`` has it; None while traces are off.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=WorkKind.choices)
    conversation = TenantForeignKey(Conversation, verbose_name=_("conversation"))
    message = TenantForeignKey(Message, null=True, blank=True, verbose_name=_("message"))
    generation = models.PositiveIntegerField(default=0, editable=False)
    position = models.BigIntegerField(
        _("position"), editable=False, db_default=Func(Value("work_position"), function="nextval")
    )
    state = models.CharField(_("state"), max_length=8, choices=WorkState.choices, default=WorkState.READY)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due at"), db_default=Now())
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(_("leased until"), null=True, blank=True)
    error_code = models.CharField(_("error"), max_length=100, blank=True)
    created_at = models.DateTimeField(_("created at"), db_default=Now())
    done_at = models.DateTimeField(_("done at"), null=True, blank=True)
    trace_parent = models.CharField(max_length=55, null=True, blank=True, editable=False)  # noqa: DJ001 - mostly none

    class Meta(SubjectOwned.Meta):
        db_table = "work"
        ordering = ("created_at", "position")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "message", "kind"), name="one_work_per_message_and_kind"),
            models.UniqueConstraint(
                fields=("tenant", "conversation", "generation"),
                condition=models.Q(kind="conversation"),
                name="one_work_per_conversation_end",
            ),
            models.UniqueConstraint(
                fields=("tenant", "conversation", "generation"),
                condition=models.Q(kind="summary"),
                name="one_work_per_running_summary",
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "kind", "due_at"), condition=models.Q(state="ready"), name="work_ready"),
            models.Index(
                fields=("tenant", "kind", "lease_until"), condition=models.Q(state="leased"), name="work_leased"
            ),
            models.Index(
                fields=("tenant", "kind", "subject", "position"),
                condition=models.Q(state__in=("ready", "leased")),
                name="work_open_by_subject",
            ),
            models.Index(fields=("tenant", "subject"), condition=models.Q(state="dead"), name="work_dead"),
            models.Index(fields=("tenant", "done_at"), condition=models.Q(state="done"), name="work_done"),
        )
        verbose_name = _("work item")
        verbose_name_plural = _("work items")

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"


class WorkRemoved(TenantOwned):
    """How many items purge and erasure removed on one day: the last term of the conservation law."""

    day = models.DateField(_("day"))
    count = models.PositiveBigIntegerField(_("count"), default=0)

    class Meta(TenantOwned.Meta):
        db_table = "work_removed"
        ordering = ("-day",)
        constraints = (models.UniqueConstraint(fields=("tenant", "day"), name="one_removed_count_per_day"),)
        verbose_name = _("removed work items")
        verbose_name_plural = _("removed work items")

    def __str__(self) -> str:
        return f"{self.day}"


class QueueDay(TenantOwned):
    """How long the work done on one UTC day had waited, from acceptance to done (milliseconds)."""

    day = models.DateField(_("day"))
    done = models.PositiveBigIntegerField(_("done"), default=0)
    waited_p95_ms = models.FloatField(_("waiting time, p95 in ms"), default=0)
    waited_longest_ms = models.FloatField(_("longest waiting time, in ms"), default=0)

    class Meta(TenantOwned.Meta):
        db_table = "queue_day"
        ordering = ("-day",)
        constraints = (models.UniqueConstraint(fields=("tenant", "day"), name="one_wait_per_day"),)
        verbose_name = _("waiting time by day")
        verbose_name_plural = _("waiting time by day")

    def __str__(self) -> str:
        return f"{self.day}"

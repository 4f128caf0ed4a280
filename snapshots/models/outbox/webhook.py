"""Webhooks: addresses of a tenant's that get the events of its memory, and the outbox of messages to them."""

from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from profiles.models import Subject
from tenants.models import TenantForeignKey, TenantOwned


class WebhookEvent(models.TextChoices):
    """The events that a webhook can get. ``TEST`` is only sent on request, to one webhook."""

    MEMORY_CREATED = "memory.created", _("memory created")
    MEMORY_SUPERSEDED = "memory.superseded", _("memory superseded")
    MEMORY_ERASED = "memory.erased", _("memory erased")
    CONVERSATION_SUMMARISED = "conversation.summarised", _("conversation summarised")
    JOB_DEAD = "job.dead", _("job given up")
    TEST = "webhook.test", _("test")


class OffReason(models.TextChoices):
    """Why a webhook is off."""

    ASKED = "asked", _("switched off by hand")
    FAILING = "failing", _("it failed for too long")
    GONE = "gone", _("it answered that it is gone (410)")


class Webhook(TenantOwned):
    """One address with the events that it hears. It is on while ``off_reason`` is empty.

    ``include``: the contents of an event besides ids, ``text`` or nothing. ``sealed_secret`` signs; it is encrypted,
    and until ``former_until`` the one before it, ``sealed_former``, signs as well. ``failing_since``: when the first of
    the failures came that no success has followed yet. Until ``paused_until``, after a failure, nothing is sent.
    """

    url = models.CharField(_("address"), max_length=500)
    name = models.CharField(_("name"), max_length=100, blank=True)
    events = ArrayField(models.CharField(max_length=32, choices=WebhookEvent.choices), verbose_name=_("events"))
    include = ArrayField(models.CharField(max_length=16), verbose_name=_("include"), default=list, blank=True)
    sealed_secret = models.BinaryField(editable=False)
    sealed_former = models.BinaryField(null=True, blank=True, editable=False)
    former_until = models.DateTimeField(_("old secret ends"), null=True, blank=True)
    off_reason = models.CharField(_("off because"), max_length=16, choices=OffReason.choices, blank=True)
    failing_since = models.DateTimeField(_("failing since"), null=True, blank=True)
    paused_until = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("created at"), db_default=Now())
    updated_at = models.DateTimeField(_("changed at"), db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "webhook"
        ordering = ("created_at", "id")
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_on(self) -> bool:
        return not self.off_reason


class DeliveryState(models.TextChoices):
    """The state of a delivery. ``dead``: no further try, unless somebody asks for it."""

    PENDING = "pending", _("pending")
    DELIVERED = "delivered", _("delivered")
    DEAD = "dead", _("dead")


class WebhookDelivery(TenantOwned):
    """One event for one webhook: ids and kinds, never words, which are read when it is sent.

    The database writes it by triggers, in the transaction of the change. ``event_id`` is the same for all webhooks that
    hear of one change. ``object_id`` names the memory, conversation or job. ``erased_person`` is the product's id of a
    person who was erased: nothing else holds it then. ``due_at``: when it may be tried next; a worker that tries it
    moves it to the end of its lease. ``last_status`` is the HTTP status of the last answer. ``tries`` are the newest
    ones with the receiver's answer to each, the oldest first; they stay when somebody sends the delivery again.
    """

    webhook = TenantForeignKey(Webhook, verbose_name=_("webhook"))
    subject = TenantForeignKey(Subject, null=True, blank=True, verbose_name=_("subject"))
    event_id = models.UUIDField(_("event id"))
    event = models.CharField(_("event"), max_length=32, choices=WebhookEvent.choices)
    object_kind = models.CharField(_("kind"), max_length=24, blank=True)
    object_id = models.UUIDField(_("id"), null=True, blank=True)
    erased_person = models.CharField(max_length=200, blank=True, db_default="", editable=False)
    state = models.CharField(_("state"), max_length=16, choices=DeliveryState.choices, db_default=DeliveryState.PENDING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), db_default=0)
    due_at = models.DateTimeField(_("due at"), db_default=Now())
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    last_status = models.PositiveSmallIntegerField(_("last status"), null=True, blank=True)
    error_code = models.CharField(_("error"), max_length=32, blank=True, db_default="")
    tries = models.JSONField(default=list, db_default=[], editable=False)
    created_at = models.DateTimeField(_("created at"), db_default=Now())
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)

    webhook_id: UUID  # for mypy: Django makes both from the keys above
    subject_id: UUID | None

    class Meta(TenantOwned.Meta):
        db_table = "webhook_delivery"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(
                fields=("tenant", "webhook", "due_at"),
                condition=models.Q(state="pending"),
                name="webhook_delivery_due",
            ),
            models.Index(fields=("tenant", "webhook", "-created_at", "-id"), name="webhook_delivery_by_time"),
            models.Index(fields=("tenant", "created_at"), name="webhook_delivery_by_age"),
        )
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")

    def __str__(self) -> str:
        return str(self.pk)

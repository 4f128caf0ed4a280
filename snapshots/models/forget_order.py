"""Orders to forget, until they are carried out or revoked."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned


class ForgetOrderState(models.TextChoices):
    """The state of an order to forget."""

    WITHHELD = "withheld", _("withheld")
    UNDONE = "undone", _("brought back")
    ERASED = "erased", _("erased")


class ForgetOrder(SubjectOwned):
    """One order to forget, given in the message ``message_ref``.

    The withheld data is in no other table: ``kept`` holds it, packed, until ``erase_at``; only restoring reads it.
    ``items`` names the memories by kind and id, ``messages`` the messages that lost words, ``erased`` counts rows by
    table for the certificate. No column but ``kept`` holds a word of the subject.
    """

    message_ref = models.UUIDField(_("message"))
    state = models.CharField(
        _("state"), max_length=8, choices=ForgetOrderState.choices, default=ForgetOrderState.WITHHELD
    )
    items = models.JSONField(_("memories"), default=list)
    messages = ArrayField(models.UUIDField(), verbose_name=_("messages"), default=list)
    erased = models.JSONField(_("erased rows"), default=dict, editable=False)
    kept = models.BinaryField(null=True, editable=False)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    erase_at = models.DateTimeField(_("is erased at"))
    decided_at = models.DateTimeField(_("decided at"), null=True, blank=True)
    erasure_ref = models.UUIDField(_("erasure"), null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "forget_order"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "-created_at"), name="forget_order_by_time"),
            models.Index(fields=("tenant", "erase_at"), name="forget_order_due", condition=models.Q(state="withheld")),
        )
        verbose_name = _("order to forget")
        verbose_name_plural = _("orders to forget")

    def __str__(self) -> str:
        return str(self.pk)

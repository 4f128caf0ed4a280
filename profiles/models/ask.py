"""Asks: the questions that the platform proposed, and their outcome."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned


class AskPriority(models.TextChoices):
    HIGH = "high", _("high")
    MEDIUM = "medium", _("medium")
    LOW = "low", _("low")


class Ask(SubjectOwned):
    """One question that a product was given. ``conversation`` is the product's own id, ``key`` the need.

    ``accepted``: whether the subject answered (None: unknown yet). The answer itself is stored as a belief or tag.
    """

    conversation = models.CharField(_("conversation id"), max_length=200)
    key = models.CharField(_("asked for"), max_length=40)
    priority = models.CharField(_("priority"), max_length=8, choices=AskPriority.choices)
    question = models.CharField(_("question"), max_length=200)
    asked_at = models.DateTimeField(_("asked at"), default=timezone.now)
    answered_at = models.DateTimeField(_("answered at"), null=True, blank=True)
    accepted = models.BooleanField(_("accepted"), null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "ask"
        ordering = ("-asked_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "-asked_at"), name="ask_by_time"),
            models.Index(fields=("tenant", "asked_at"), name="ask_by_age"),
        )
        verbose_name = _("question to the person")
        verbose_name_plural = _("questions to people")

    def __str__(self) -> str:
        return self.key

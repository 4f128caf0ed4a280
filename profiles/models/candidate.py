from django.db import models
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned
from profiles.provenance_and_verdict import Provenance, Verdict


class CandidateKind(models.TextChoices):
    PROFILE = "profile", _("profile fact")
    PREFERENCE = "preference", _("preference")
    TAG = "tag", _("tag")


class Candidate(SubjectOwned):
    """One proposed memory with its verdict and reason. ``message_ref`` is the id of the message it was read from.

    ``target`` names its place (a field, ``category/key`` or a label), ``value`` its content. Sensitive proposals that
    the gate rejected keep neither.

    ``origin`` names the proposer and its version; ``sort`` is the class of the proposal. The evidence is a place in the
    message, characters ``quote_start`` to ``quote_end``, no copy of the words. ``proposal`` is the writer's input, with
    the data for taking a decision back. ``reviewed_by`` names the member or key that decided.
    """

    kind = models.CharField(_("kind"), max_length=16, choices=CandidateKind.choices)
    target = models.CharField(_("target"), max_length=310, blank=True)
    value = models.JSONField(_("value"), null=True, blank=True)
    confidence = models.FloatField(_("confidence"), default=0.0)
    provenance = models.CharField(_("provenance"), max_length=20, choices=Provenance.choices)
    verdict = models.CharField(_("verdict"), max_length=16, choices=Verdict.choices)
    reason = models.CharField(_("reason"), max_length=64, blank=True)
    message_ref = models.UUIDField(_("message"), null=True, blank=True)
    origin = models.CharField(_("origin"), max_length=64, blank=True, db_default="")
    sort = models.CharField(_("type of statement"), max_length=16, blank=True, db_default="")
    quote_start = models.PositiveIntegerField(null=True, blank=True, editable=False)
    quote_end = models.PositiveIntegerField(null=True, blank=True, editable=False)
    proposal = models.JSONField(null=True, blank=True, editable=False)
    reviewed_at = models.DateTimeField(_("reviewed at"), null=True, blank=True)
    reviewed_by = models.CharField(_("reviewed by"), max_length=200, blank=True, db_default="")
    review_reason = models.TextField(_("reason of the review"), blank=True, db_default="")
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta(SubjectOwned.Meta):
        db_table = "candidate"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "-created_at"), name="candidate_by_time"),
            models.Index(
                fields=("tenant", "created_at"), condition=models.Q(verdict="pending"), name="candidate_to_review"
            ),
        )
        verbose_name = _("proposal")
        verbose_name_plural = _("proposals")

    def __str__(self) -> str:
        return f"{self.kind} {self.verdict}"

"""What was erased leaves a certificate; what was forgotten leaves a mark against coming back (row E8)."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned
from tenants.models import TenantOwned


class ErasureScope(models.TextChoices):
    """How much was erased."""

    MEMORY = "memory", _("one memory")
    CONVERSATION = "conversation", _("one conversation")
    SUBJECT = "subject", _("a whole subject")


class ErasureState(models.TextChoices):
    """Where an erasure stands. What is accepted can be read no longer."""

    ACCEPTED = "accepted", _("accepted")
    RUNNING = "running", _("running")
    DONE = "done", _("done")


class Erasure(TenantOwned):
    """One erasure and, once it is done, its certificate. Outlives the subject; holds no word and no id of theirs.

    ``subject_hash`` is the keyed hash of the product's subject id (hex), ``object_hash`` that of the memory or
    conversation. ``marks`` are those that forgetting one memory left, in hex by kind. ``target`` is the row that is
    being erased, NULL once it is gone. ``erased`` counts rows by table, ``verified`` what a scan of every table and
    Redis found afterwards, ``beyond_reach`` names what is not ours to erase. ``signature`` covers all of it.
    """

    scope = models.CharField(_("scope"), max_length=16, choices=ErasureScope.choices)
    state = models.CharField(_("state"), max_length=16, choices=ErasureState.choices, default=ErasureState.ACCEPTED)
    subject_hash = models.CharField(_("subject hash"), max_length=64)
    object_hash = models.CharField(_("object hash"), max_length=64, blank=True)
    marks = models.JSONField(_("marks against coming back"), default=dict, blank=True, db_default={})
    target = models.UUIDField(null=True, blank=True, editable=False)
    actor_kind = models.CharField(_("asked by"), max_length=16)
    actor_ref = models.CharField(_("actor"), max_length=200, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    erased = models.JSONField(_("erased"), default=dict)
    verified = models.JSONField(_("verified"), default=dict)
    beyond_reach = models.JSONField(_("beyond our reach"), default=list)
    requested_at = models.DateTimeField(_("requested at"), default=timezone.now)
    erased_at = models.DateTimeField(_("erased at"), null=True, blank=True)
    signature = models.CharField(_("signature"), max_length=200, blank=True)

    class Meta(TenantOwned.Meta):
        db_table = "erasure"
        ordering = ("-requested_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "-requested_at"), name="erasure_by_time"),
            models.Index(
                fields=("tenant", "requested_at"), condition=~models.Q(state="done"), name="erasure_to_finish"
            ),
        )
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")

    def __str__(self) -> str:
        return str(self.pk)


class ForgottenKind(models.TextChoices):
    """What a mark recognises."""

    TEXT = "text", _("text")
    MESSAGE = "message", _("message")
    BELIEF = "belief", _("belief")


class Forgotten(SubjectOwned):
    """A keyed hash of what this subject had forgotten: a normalised text, a message id in its conversation, or the id
    of a row of a preference, profile fact or tag.

    What matches is refused (``rejected``, ``forgotten``) unless the writer allows it. Goes with the subject.
    """

    kind = models.CharField(_("kind"), max_length=8, choices=ForgottenKind.choices)
    digest = models.BinaryField(editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta(SubjectOwned.Meta):
        db_table = "forgotten"
        constraints = (
            models.UniqueConstraint(fields=("tenant", "subject", "kind", "digest"), name="one_mark_per_digest"),
        )

    def __str__(self) -> str:
        return self.kind

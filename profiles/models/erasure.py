"""An erasure leaves a certificate; a forgotten memory leaves a tombstone."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned
from tenants.models import TenantOwned


class ErasureScope(models.TextChoices):
    """The extent of an erasure."""

    MEMORY = "memory", _("one memory")
    CONVERSATION = "conversation", _("one conversation")
    SUBJECT = "subject", _("a whole person")


class ErasureState(models.TextChoices):
    """The state of an erasure. Once it is accepted, the data is no longer readable."""

    ACCEPTED = "accepted", _("accepted")
    RUNNING = "running", _("running")
    DONE = "done", _("done")


class Erasure(TenantOwned):
    """One erasure and, once it is done, its certificate. Outlives the subject; holds none of its words and ids.

    ``subject_hash`` is the keyed hash of the product's subject id (hex), ``object_hash`` that of the memory or
    conversation. ``marks`` are the tombstones of one forgotten memory, in hex by kind. ``target`` is the row being
    erased, NULL once it is gone. ``erased`` counts rows by table, ``verified`` the remains that a scan of every table
    and Redis found afterwards, ``beyond_reach`` names data outside of the platform. ``signature`` covers all of it.
    """

    scope = models.CharField(_("scope"), max_length=16, choices=ErasureScope.choices)
    state = models.CharField(_("state"), max_length=16, choices=ErasureState.choices, default=ErasureState.ACCEPTED)
    subject_hash = models.CharField(_("subject hash"), max_length=64)
    object_hash = models.CharField(_("object hash"), max_length=64, blank=True)
    marks = models.JSONField(_("markers against learning it again"), default=dict, blank=True, db_default={})
    target = models.UUIDField(null=True, blank=True, editable=False)
    actor_kind = models.CharField(_("requested by"), max_length=16)
    actor_ref = models.CharField(_("actor"), max_length=200, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    erased = models.JSONField(_("erased"), default=dict)
    verified = models.JSONField(_("verified"), default=dict)
    beyond_reach = models.JSONField(_("not covered by this erasure"), default=list)
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
    TEXT = "text", _("text")
    MESSAGE = "message", _("message")
    BELIEF = "belief", _("belief")


class Forgotten(SubjectOwned):
    """A tombstone: the keyed hash of something that this subject had forgotten: a normalised text, a message id in its
    conversation, or the id of a row of a preference, profile fact or tag.

    Matching writes are refused (``rejected``, ``forgotten``) unless the writer allows them. Deleted with the subject.
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

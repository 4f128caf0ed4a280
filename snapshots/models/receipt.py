"""Receipts: the content of one prompt, and the reasons."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models import SubjectOwned
from snapshots.models.conversation import Conversation
from snapshots.models.knowledge.document import Document
from tenants.models import TenantForeignKey


class Receipt(SubjectOwned):
    """One assembled context. ``packed`` holds its candidates: ids, numbers and reasons without text; older and imported
    receipts have them in ``candidates``. :func:`snapshots.receipts.candidate_packing.unpack_candidates` reads either.

    ``due`` is a JSON array of ``[memory, lane, position]``: the memories in the context while they have no row of their
    own yet; None afterwards, and for a context without memories. See :mod:`snapshots.receipts.injected_memory_rows`.
    ``rendered`` is zlib-compressed JSON ``{"query", "messages"}``; it is purged after a time, the rest stays.
    ``replied_at`` and ``answered_at``: when the product reported the reply, and the user's next turn. ``experiment``
    and ``arm`` by name: the subject's part when the context was made; "" for none. ``made_by``: the release and the
    versions of the classifiers, by name; empty for receipts of release 1. ``abstained``: why the context has no memory
    for its turn; "" if it has, and in older receipts.
    """

    conversation = TenantForeignKey(Conversation, null=True, blank=True, verbose_name=_("conversation"))
    created_at = models.DateTimeField(_("created at"), default=timezone.now)
    policy_version = models.CharField(_("policy version"), max_length=32)
    experiment = models.CharField(_("experiment"), max_length=64, blank=True, default="", db_default="")
    arm = models.CharField(_("arm"), max_length=64, blank=True, default="", db_default="")
    made_by = models.JSONField(_("made by"), default=dict, db_default={}, blank=True)
    intent = models.CharField(_("intent"), max_length=40, blank=True)
    phase = models.CharField(_("phase"), max_length=40, blank=True)
    model_route = models.JSONField(_("model route"), null=True, blank=True)
    candidates = models.JSONField(_("candidates"), default=list)
    packed = models.BinaryField(null=True, editable=False)
    due = models.JSONField(null=True, blank=True, editable=False)
    sections = models.JSONField(_("sections"), default=list)
    tokens = models.JSONField(_("tokens"), default=dict)
    abstained = models.CharField(_("why no memory was included"), max_length=40, blank=True, default="", db_default="")
    degraded_reason = models.CharField(_("degraded reason"), max_length=200, blank=True)
    prefix_hash = models.CharField(_("prefix hash"), max_length=64, blank=True)
    rendered = models.BinaryField(null=True, editable=False)
    replied_at = models.DateTimeField(_("reply reported"), null=True, blank=True)
    answered_at = models.DateTimeField(_("next message reported"), null=True, blank=True)

    class Meta(SubjectOwned.Meta):
        db_table = "receipt"
        ordering = ("-created_at", "-id")
        indexes = (
            models.Index(fields=("tenant", "subject", "-created_at"), name="receipt_by_subject"),
            models.Index(fields=("tenant", "-created_at"), name="receipt_by_time"),
            models.Index(
                fields=("tenant", "created_at"),
                condition=models.Q(rendered__isnull=False),
                name="receipt_with_text",
            ),
            models.Index(
                fields=("tenant", "subject"), condition=models.Q(due__isnull=False), name="receipt_without_rows"
            ),
        )
        verbose_name = _("receipt")
        verbose_name_plural = _("receipts")

    def __str__(self) -> str:
        return str(self.pk)


# The reason of a signal from the product itself, alone or before `: ` and its own words.
VERDICT = "verdict"


class ReceiptMemory(SubjectOwned):
    """One memory injected by one receipt: which answers used it, and the outcome.

    ``how``: how the reply showed the use. ``counted``: it is part of the memory's tally; later feedback resets it, so
    that the next roll-up counts it anew.
    """

    receipt = TenantForeignKey(Receipt)
    memory_ref = models.UUIDField(_("memory"))
    lane = models.CharField(_("kind of memory"), max_length=16)
    context_position = models.PositiveIntegerField(_("position"))
    utilised = models.BooleanField(_("used in the reply"), null=True, blank=True)
    how = models.CharField(_("evidence of use"), max_length=16, blank=True, db_default="")
    signal = models.CharField(_("signal"), max_length=16, blank=True)
    signal_reason = models.CharField(_("reason of the signal"), max_length=64, blank=True, db_default="")
    told_at = models.DateTimeField(_("reported at"), null=True, blank=True)
    counted = models.JSONField(null=True, blank=True, editable=False)

    class Meta(SubjectOwned.Meta):
        db_table = "receipt_memory"
        ordering = ("receipt", "context_position")
        indexes = (
            models.Index(fields=("tenant", "memory_ref"), name="receipt_memory_by_memory"),
            models.Index(
                fields=("tenant", "subject"), condition=models.Q(counted__isnull=True), name="receipt_memory_to_count"
            ),
        )
        verbose_name = _("included memory")
        verbose_name_plural = _("included memories")

    def __str__(self) -> str:
        return str(self.pk)


class ReceiptDocument(SubjectOwned):
    """One document whose words stand in the prompt of a receipt: with the document, the prompt goes."""

    receipt = TenantForeignKey(Receipt)
    document = TenantForeignKey(Document)

    class Meta(SubjectOwned.Meta):
        db_table = "receipt_document"

    def __str__(self) -> str:
        return str(self.pk)

"""Conversations and their messages: stored for resuming and audit, never recalled directly."""

from datetime import datetime

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memory_platform.kernel.clock import MOST_MINUTES, at_offset
from profiles.models import SubjectOwned
from tenants.models import TenantForeignKey


class ConversationStatus(models.TextChoices):
    """Whether the idle-end job still looks at a conversation."""

    OPEN = "open", _("open")
    ENDED = "ended", _("ended")


class Conversation(SubjectOwned):
    """One conversation of a subject, addressed by the product's own id within the subject.

    ``next_seq`` is the order number of the next accepted message. ``generation`` counts the ends: a message to an ended
    conversation reopens it, and its next end is a new piece of work. ``summary`` covers the messages up to
    ``summarised_seq``. ``restored_at``: when its words were last restored from the archive.
    """

    external_id = models.CharField(_("conversation id"), max_length=200)
    status = models.CharField(
        _("status"), max_length=8, choices=ConversationStatus.choices, default=ConversationStatus.OPEN
    )
    remember = models.BooleanField(_("remember"), default=True)
    next_seq = models.PositiveBigIntegerField(default=1, editable=False)
    generation = models.PositiveIntegerField(default=0, editable=False)
    last_accepted_at = models.DateTimeField(_("last accepted at"), default=timezone.now)
    ended_at = models.DateTimeField(_("ended at"), null=True, blank=True)
    restored_at = models.DateTimeField(_("restored at"), null=True, blank=True)
    summary = models.TextField(_("summary"), blank=True)
    summarised_seq = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    version = models.PositiveBigIntegerField(default=1, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta(SubjectOwned.Meta):
        db_table = "conversation"
        ordering = ("created_at", "id")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "subject", "external_id"), name="one_conversation_per_external_id"
            ),
        )
        indexes = (
            models.Index(fields=("tenant", "subject", "created_at", "id"), name="conversation_by_age"),
            models.Index(fields=("tenant", "-last_accepted_at", "-id"), name="conversation_by_last_message"),
            models.Index(
                fields=("tenant", "last_accepted_at"), condition=models.Q(status="open"), name="conversation_idle"
            ),
        )
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")

    def __str__(self) -> str:
        return str(self.pk)


AGENTS_ITEM = "agents_item"
"""The member of a message's metadata with the message as an agents' framework wrote it. It repeats the words, so it
goes when some of them are cut out."""


class MessageRole(models.TextChoices):
    """Who wrote a message."""

    USER = "user", _("user")
    ASSISTANT = "assistant", _("assistant")
    TOOL = "tool", _("tool")
    SYSTEM = "system", _("system")


class Message(SubjectOwned):
    """One message as it was posted. ``seq`` is the order of acceptance; ``said_at`` is the time that recall and
    validity use, ``said_offset`` its offset in minutes east of UTC, NULL if it was UTC or unknown.

    ``content`` is the text, joined from ``parts`` if the product sent a list. ``tokens`` is the estimate of its size.
    ``archived``: content, parts, tool_calls and metadata are in a :class:`snapshots.models.MessageArchive`.
    """

    conversation = TenantForeignKey(Conversation, verbose_name=_("conversation"))
    external_id = models.CharField(_("message id"), max_length=200)
    seq = models.PositiveBigIntegerField(_("order"))
    role = models.CharField(_("role"), max_length=16, choices=MessageRole.choices)
    name = models.CharField(pgettext_lazy("of a person", "name"), max_length=200, null=True, blank=True)  # noqa: DJ001 - null: the subject's own words
    content = models.TextField(_("content"), blank=True)
    parts = models.JSONField(_("parts"), null=True, blank=True)
    tool_calls = models.JSONField(_("tool calls"), null=True, blank=True)
    tool_call_id = models.CharField(_("tool call"), max_length=200, blank=True)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)
    remember = models.BooleanField(_("remember"), default=True)
    content_hash = models.BinaryField(editable=False)
    tokens = models.PositiveIntegerField(_("tokens"), default=0)
    archived = models.BooleanField(_("archived"), default=False, db_default=False)
    said_at = models.DateTimeField(_("said at"))
    said_offset = models.SmallIntegerField(
        null=True,
        blank=True,
        editable=False,
        validators=[MinValueValidator(-MOST_MINUTES), MaxValueValidator(MOST_MINUTES)],
    )
    accepted_at = models.DateTimeField(_("accepted at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "message"
        ordering = ("conversation", "seq")
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "conversation", "external_id"), name="one_message_per_external_id"
            ),
            models.UniqueConstraint(fields=("tenant", "conversation", "seq"), name="one_message_per_seq"),
        )
        indexes = (
            models.Index(fields=("tenant", "accepted_at"), name="message_by_age"),
            models.Index(fields=("tenant", "subject"), include=("tokens",), name="message_sizes"),
        )
        verbose_name = _("message")
        verbose_name_plural = _("messages")

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def said_locally(self) -> datetime:
        return at_offset(self.said_at, self.said_offset)


class MessageArchive(SubjectOwned):
    """The cold archive: words of neighbouring messages, out of the table that serves reads. Their rows stay.

    ``packed`` is zlib-compressed JSON: one object per message with the moved columns of ``Message`` (content, parts,
    tool_calls, metadata), by id. ``plain_bytes`` is its size before.
    """

    conversation = TenantForeignKey(Conversation)
    first_seq = models.PositiveBigIntegerField()
    last_seq = models.PositiveBigIntegerField()
    messages = models.PositiveIntegerField()
    plain_bytes = models.PositiveBigIntegerField()
    packed = models.BinaryField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "message_archive"
        ordering = ("conversation", "first_seq")
        constraints = (
            models.UniqueConstraint(fields=("tenant", "conversation", "first_seq"), name="one_archive_per_stretch"),
        )

    def __str__(self) -> str:
        return str(self.pk)

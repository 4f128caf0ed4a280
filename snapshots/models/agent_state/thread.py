"""Threads of an agent and their checkpoints. Serialised values stay opaque: bytes, and the name of their format.

Texts that are sorted or compared have the collation C, in which the order of characters is that of Python.
"""

from typing import Any

from django.db import models
from django.utils import timezone

from profiles.models import Subject
from tenants.models import TenantForeignKey, TenantOwned


def make_sorted_text_field(**options: Any) -> "models.TextField[str, str]":
    return models.TextField(db_collation="C", **options)


class AgentThread(TenantOwned):
    """One thread, by the product's own id. The subject is the person whom it is about, if the product told."""

    external_id = make_sorted_text_field()
    subject = TenantForeignKey(Subject, null=True)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantOwned.Meta):
        db_table = "agent_thread"
        constraints = (models.UniqueConstraint(fields=("tenant", "external_id"), name="one_thread_per_external_id"),)

    def __str__(self) -> str:
        return str(self.pk)


class Checkpoint(TenantOwned):
    """The state of a thread after one step, without the values of its channels.

    ``versions`` maps each channel to its version, as JSON: the value is the :class:`ChannelValue` of that version.
    """

    thread = TenantForeignKey(AgentThread)
    namespace = make_sorted_text_field()
    checkpoint_id = make_sorted_text_field()
    parent_id = make_sorted_text_field()
    run_id = make_sorted_text_field()
    format = models.TextField()
    body = models.BinaryField()
    versions = models.JSONField(default=dict)
    metadata = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantOwned.Meta):
        db_table = "checkpoint"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "checkpoint_id"), name="one_checkpoint_per_id"
            ),
        )
        indexes = (models.Index(fields=("tenant", "run_id"), condition=~models.Q(run_id=""), name="checkpoint_by_run"),)

    def __str__(self) -> str:
        return str(self.pk)


class ChannelValue(TenantOwned):
    """The value of a channel in one version: stored once, however many checkpoints have it."""

    thread = TenantForeignKey(AgentThread)
    namespace = make_sorted_text_field()
    channel = make_sorted_text_field()
    version = make_sorted_text_field()
    format = models.TextField()
    value = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "channel_value"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "channel", "version"), name="one_value_per_version"
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)


class PendingWrite(TenantOwned):
    """A value that one task wrote after a checkpoint. ``place`` is its number in the task; special channels have
    negative ones. The checkpoint may come later than its writes."""

    thread = TenantForeignKey(AgentThread)
    namespace = make_sorted_text_field()
    checkpoint_id = make_sorted_text_field()
    task_id = make_sorted_text_field()
    task_path = make_sorted_text_field()
    place = models.IntegerField()
    channel = models.TextField()
    format = models.TextField()
    value = models.BinaryField()

    class Meta(TenantOwned.Meta):
        db_table = "pending_write"
        constraints = (
            models.UniqueConstraint(
                fields=("tenant", "thread", "namespace", "checkpoint_id", "task_id", "place"),
                name="one_write_per_place",
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)


class ThreadTombstone(TenantOwned):
    """A thread was deleted: late saves of an agent are refused. ``mark`` is a keyed hash of the thread's id;
    checkpoints made before ``closed_at``, by the clock of who deleted it, belong to the deleted thread."""

    mark = models.BinaryField()
    closed_at = models.DateTimeField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta(TenantOwned.Meta):
        db_table = "thread_tombstone"
        constraints = (models.UniqueConstraint(fields=("tenant", "mark"), name="one_tombstone_per_thread"),)

    def __str__(self) -> str:
        return str(self.pk)

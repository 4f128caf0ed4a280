"""Joined subjects: the other ids of a person, and the record of each join."""

from uuid import UUID

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from profiles.models.subject import SubjectOwned


class SubjectAlias(SubjectOwned):
    """An id that the product used for a subject before it was joined into this one; it names this one since.

    ``former_id`` is the id that the joined subject's row had: tombstones are keyed with it.
    """

    external_id = models.CharField(_("subject id"), max_length=200)
    former_id = models.UUIDField(editable=False)
    created_at = models.DateTimeField(_("created at"), default=timezone.now)

    class Meta(SubjectOwned.Meta):
        db_table = "subject_alias"
        constraints = (models.UniqueConstraint(fields=("tenant", "external_id"), name="one_alias_per_external_id"),)

    def __str__(self) -> str:
        return str(self.pk)


class SubjectJoin(SubjectOwned):
    """One join of another subject into this one, with the data for its undo: ids, names and times, no content but
    ``former``.

    ``former`` holds the joined subject's own row: its id is ``former_id``. ``moved`` lists ids of rows by table,
    ``ended`` the values that gave way, ``renamed`` the rows that got another name. ``counts`` are rows by table,
    ``verified`` the rows that a search of every table found afterwards. An undo empties the first four.
    """

    former_id = models.UUIDField(editable=False)
    former_external_id = models.CharField(_("joined id"), max_length=200)
    former = models.JSONField(default=dict, editable=False)
    moved = models.JSONField(default=dict, editable=False)
    ended = models.JSONField(default=list, editable=False)
    renamed = models.JSONField(default=list, editable=False)
    counts = models.JSONField(default=dict, editable=False)
    verified = models.JSONField(default=dict, editable=False)
    actor_kind = models.CharField(_("joined by"), max_length=16)
    actor_ref = models.CharField(_("actor"), max_length=200, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    joined_at = models.DateTimeField(_("joined at"), default=timezone.now)
    undone_at = models.DateTimeField(_("undone at"), null=True, blank=True)
    returned = models.JSONField(default=dict, editable=False)

    subject_id: UUID  # for mypy: Django makes it from the key

    class Meta(SubjectOwned.Meta):
        db_table = "subject_join"
        ordering = ("-joined_at", "-id")
        verbose_name = _("join")
        verbose_name_plural = _("joins")

    def __str__(self) -> str:
        return str(self.pk)

"""Sources: the messages behind a memory, one link table per kind of memory."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from profiles.models import Preference, ProfileFact, SubjectOwned, Tag
from snapshots.models.conversation import Message
from snapshots.models.snapshot import Snapshot
from tenants.models import TenantForeignKey


class SourceLink(SubjectOwned):
    """One message behind one memory."""

    message = TenantForeignKey(Message)

    class Meta(SubjectOwned.Meta):
        abstract = True

    def __str__(self) -> str:
        return str(self.pk)


class SnapshotSource(SourceLink):
    """A message behind a snapshot. For the assistant's words, also their characters in the message."""

    memory = TenantForeignKey(Snapshot)
    span_start = models.PositiveIntegerField(blank=True, editable=False, null=True)
    span_end = models.PositiveIntegerField(blank=True, editable=False, null=True)

    class Meta(SourceLink.Meta):
        db_table = "snapshot_source"
        constraints = (models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_snapshot_source"),)


class PreferenceSource(SourceLink):
    """A message behind a preference."""

    memory = TenantForeignKey(Preference)

    class Meta(SourceLink.Meta):
        db_table = "preference_source"
        constraints = (models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_preference_source"),)


class ProfileFactSource(SourceLink):
    """A message behind a profile fact."""

    memory = TenantForeignKey(ProfileFact)

    class Meta(SourceLink.Meta):
        db_table = "profile_fact_source"
        constraints = (models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_profile_fact_source"),)


class TagSource(SourceLink):
    """A message behind a tag."""

    memory = TenantForeignKey(Tag)

    class Meta(SourceLink.Meta):
        db_table = "tag_source"
        constraints = (models.UniqueConstraint(fields=("tenant", "memory", "message"), name="one_tag_source"),)


# The link table of each kind of memory.
SOURCES: Mapping[type[Any], type[Any]] = {
    Snapshot: SnapshotSource,
    Preference: PreferenceSource,
    ProfileFact: ProfileFactSource,
    Tag: TagSource,
}

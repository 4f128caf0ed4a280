"""Finds the subjects whose slots and notes a batch of messages changed; in the open scope."""

from collections.abc import Collection
from uuid import UUID

from profiles.models import Preference, ProfileFact, Tag
from snapshots.models import SOURCES, Note


def list_changed_subjects(subjects: Collection[UUID], messages: Collection[UUID]) -> list[UUID]:
    """Return those of ``subjects`` of whom these messages taught or ended something, in order. Most messages do
    neither, and one query shows it for them all."""
    mine, said = list(subjects), list(messages)
    taught = [
        SOURCES[model]._default_manager.filter(subject_id__in=mine, message_id__in=said).order_by()
        for model in (Preference, ProfileFact, Tag)
    ]
    ended = Note.objects.filter(subject_id__in=mine, changed_by__in=said).order_by().values_list("subject_id")
    told = {subject_id for (subject_id,) in ended.union(*(rows.values_list("subject_id") for rows in taught))}
    return [subject_id for subject_id in mine if subject_id in told]

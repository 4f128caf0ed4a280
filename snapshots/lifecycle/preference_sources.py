"""The messages behind preferences that a product states itself (row P5)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from memory_platform.kernel.errors import FieldFault, Refused
from profiles.models import Preference, Subject
from snapshots.lifecycle.values import SourceNames
from snapshots.models import Message, PreferenceSource


class SourceUnknown(Refused):
    """A source names no message of this subject. HTTP 422."""

    code = "source_unknown"


def link_preference_sources(subject: Subject, preference_id: UUID, sources: Sequence[SourceNames]) -> None:
    """Note the messages behind a preference; a source without conversation is the newest message of that id.

    Raises SourceUnknown naming ``sources.N``.
    """
    messages = [_message(subject, names, index) for index, names in enumerate(sources)]
    links = [PreferenceSource(subject=subject, memory_id=preference_id, message=message) for message in messages]
    PreferenceSource.objects.bulk_create(links, ignore_conflicts=True)


def preference_sources(subject: Subject, preferences: Iterable[Preference]) -> dict[UUID, list[SourceNames]]:
    """Return ``{value id: sources}`` in the order in which they were said, in one query for all."""
    ids = {preference.value_id for preference in preferences}
    sources: dict[UUID, list[SourceNames]] = defaultdict(list)
    links = PreferenceSource.objects.filter(subject_id=subject.id, memory_id__in=ids)
    named = links.order_by("message__said_at", "message__seq").values_list(
        "memory_id", "message__conversation__external_id", "message__external_id"
    )
    for memory_id, conversation_id, message_id in named if ids else ():
        sources[memory_id].append(SourceNames(conversation_id, message_id))
    return sources


def _message(subject: Subject, names: SourceNames, index: int) -> Message:
    rows = Message.objects.filter(subject_id=subject.id, external_id=names.message_id)
    if names.conversation_id:
        rows = rows.filter(conversation__external_id=names.conversation_id)
    found = rows.order_by("-accepted_at", "-id").first()
    if found is None:
        fault = FieldFault(f"sources.{index}", "unknown", "Must be a message of this subject.")
        raise SourceUnknown("a source is no message of this subject", faults=[fault])
    return found

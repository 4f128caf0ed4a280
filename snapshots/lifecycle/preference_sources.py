"""The messages behind preferences that a product states itself."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from memory_platform.kernel.errors import FieldFault, Refused
from profiles.models import Preference, Subject
from snapshots.lifecycle.selectors import load_sources
from snapshots.lifecycle.values import MessageAddress
from snapshots.models import Message, PreferenceSource


class SourceUnknown(Refused):
    """A source names no message of this subject. HTTP 422."""

    code = "source_unknown"


def link_preference_sources(subject: Subject, preference_id: UUID, sources: Sequence[MessageAddress]) -> None:
    """Link messages to a preference; a source without conversation is the newest message of that id.

    Raises SourceUnknown naming ``sources.N``.
    """
    messages = [_find_message(subject, names, index) for index, names in enumerate(sources)]
    links = [PreferenceSource(subject=subject, memory_id=preference_id, message=message) for message in messages]
    PreferenceSource.objects.bulk_create(links, ignore_conflicts=True)


def load_preference_sources(subject: Subject, preferences: Iterable[Preference]) -> dict[UUID, list[MessageAddress]]:
    ids = {preference.value_id for preference in preferences}
    return load_sources(PreferenceSource.objects.filter(subject_id=subject.id), ids)


def _find_message(subject: Subject, names: MessageAddress, index: int) -> Message:
    rows = Message.objects.filter(subject_id=subject.id, external_id=names.message_id)
    if names.conversation_id:
        rows = rows.filter(conversation__external_id=names.conversation_id)
    found = rows.order_by("-accepted_at", "-id").first()
    if found is None:
        fault = FieldFault(f"sources.{index}", "unknown", "Must be a message of this subject.")
        raise SourceUnknown("A source is not a message of this subject.", faults=[fault])
    return found

"""The policy section ``notes``: a tenant's settings for learning memories."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import promised
from snapshots.models import VitalClass
from tenants.policies.policy_documents import Section
from tenants.policies.value_kinds import Choice, Choices
from tenants.services.policies import load_active_section

KEEP, CONTEXT_ONLY, REFUSE = "keep", "context_only", "refuse"


@dataclass(frozen=True, slots=True)
class NotesPolicy:
    """The vital classes that a tenant wants, and the handling of messages with special categories of data
    (:mod:`snapshots.sensitive.special_categories`): they are learned from, stay in their own conversation, or are
    not stored."""

    vital_classes: tuple[str, ...] = promised(tuple(VitalClass.values))
    special_categories: str = promised(KEEP)


NOTES_SECTION = Section(
    "notes",
    NotesPolicy(),
    {
        "vital_classes": Choices(tuple(VitalClass.values)),
        "special_categories": Choice((KEEP, CONTEXT_ONLY, REFUSE)),
    },
)


def load_notes_policy() -> NotesPolicy:
    """Return the open tenant's settings; one query."""
    return NOTES_SECTION.apply_values(load_active_section(NOTES_SECTION.name))

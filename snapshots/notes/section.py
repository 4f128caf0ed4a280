"""What a tenant may set of how memories are learned: the policy section ``notes``."""

from dataclasses import dataclass

from memory_platform.kernel.policy import promised
from snapshots.models import VitalClass
from tenants.policies.kinds import Choice, Choices
from tenants.policies.sections import Section
from tenants.services.policies import section_in_force

KEEP, CONTEXT_ONLY, REFUSE = "keep", "context_only", "refuse"


@dataclass(frozen=True, slots=True)
class NotesPolicy:
    """Which classes of what is vital a tenant wants, and what becomes of messages that tell special categories of data
    (:mod:`snapshots.sensitive.special_categories`): they are learned from, stay in their own conversation, or are not
    stored."""

    vital_classes: tuple[str, ...] = promised(tuple(VitalClass.values), row="P9")
    special_categories: str = promised(KEEP, row="P9")


NOTES_SECTION = Section(
    "notes",
    NotesPolicy(),
    {
        "vital_classes": Choices(tuple(VitalClass.values)),
        "special_categories": Choice((KEEP, CONTEXT_ONLY, REFUSE)),
    },
)


def notes_policy_in_force() -> NotesPolicy:
    """Return what the tenant of the open scope has set; one query."""
    return NOTES_SECTION.apply(section_in_force(NOTES_SECTION.name))

"""The lanes beside the snapshots: what is known of a subject without searching, and the tags that a question means."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.selectors import preference_values, preferences_at, profile_facts, profile_of, tags_of
from profiles.services.tag_lookup import TagMatch, lookup_tags
from snapshots.recall.values import RecallQuery


@dataclass(frozen=True, slots=True)
class RecalledLanes:
    """The rows of the lanes that were asked for, empty for the others.

    ``tags`` are all tags of the subject, ``meant`` those that the question means, the best first.
    """

    facts: tuple[ProfileFact, ...] = ()
    preferences: tuple[Preference, ...] = ()
    tags: tuple[Tag, ...] = ()
    meant: tuple[TagMatch, ...] = ()

    @property
    def profile(self) -> dict[str, Any]:
        """What is known of the subject: field by field, ``attributes`` among them; unknown fields are left out."""
        return {field: value for field, value in profile_of(self.facts).items() if value not in (None, {})}

    @property
    def preference_values(self) -> Mapping[str, Mapping[str, Any]]:
        """``{category: {key: value}}``."""
        return preference_values(self.preferences)


def recall_lanes(subject: Subject, query: RecallQuery) -> RecalledLanes:
    """Read the lanes that ``query`` asks for, one query each, in the open scope; both clocks are honoured.

    Tags keep no past: they are always those of today.
    """
    as_of, known_at = query.as_of, query.known_at
    facts = profile_facts(subject, as_of=as_of, known_at=known_at) if "profile" in query.lanes else ()
    preferences = preferences_at(subject, as_of=as_of, known_at=known_at) if "preferences" in query.lanes else ()
    tags = tuple(tags_of(subject)) if "tags" in query.lanes else ()
    return RecalledLanes(
        facts=tuple(facts),
        preferences=tuple(preferences),
        tags=tags,
        meant=tuple(lookup_tags(query.text, tags)) if tags else (),
    )

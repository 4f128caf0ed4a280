"""The lanes beside the snapshots: what is known of a subject without searching, and the tags that a question means."""

from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.text import beginning
from profiles.belief_queries import HeldBeliefs, beliefs_held, tags_held
from profiles.models import Tag
from profiles.services.tags.lookup import TagMatch, lookup_tags
from snapshots.recall.policy import DEFAULT_RECALL
from snapshots.recall.values import RecallQuery


@dataclass(frozen=True, slots=True)
class RecalledLanes:
    """What the lanes that were asked for hold, nothing for the others.

    ``tags`` are all tags of the subject, ``meant`` those that the question means, the best first.
    """

    beliefs: HeldBeliefs = field(default_factory=HeldBeliefs)
    tags: tuple[Tag, ...] = ()
    meant: tuple[TagMatch, ...] = ()


def recall_lanes(subject_id: UUID, query: RecallQuery) -> RecalledLanes:
    """Read the lanes that ``query`` asks for, in the open scope: one query for tags, one for the rest.

    All of them follow both clocks.
    """
    tags = tags_held(subject_id, as_of=query.as_of, known_at=query.known_at) if "tags" in query.lanes else ()
    return lanes_of(query, believed(subject_id, query), tags)


def lanes_of(query: RecallQuery, beliefs: HeldBeliefs, tags: tuple[Tag, ...]) -> RecalledLanes:
    """Return the lanes that ``query`` asks for out of what was read."""
    if "tags" not in query.lanes or not tags:
        return RecalledLanes(beliefs=beliefs)
    meant = lookup_tags(beginning(query.text, DEFAULT_RECALL.tag_question_chars), tags)
    return RecalledLanes(beliefs=beliefs, tags=tags, meant=tuple(meant))


def believed(subject_id: UUID, query: RecallQuery) -> HeldBeliefs:
    """Return profile and preferences as far as they are asked for."""
    facts, preferences = "profile" in query.lanes, "preferences" in query.lanes
    if not facts and not preferences:
        return HeldBeliefs()
    return beliefs_held(subject_id, as_of=query.as_of, known_at=query.known_at, facts=facts, preferences=preferences)

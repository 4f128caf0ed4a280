"""What one round trip to Postgres brings of a recall: the state of the memory, the lanes, the texts of the best.

An image of another state answers nothing. Texts come from Postgres under row-level security in any case: no image can
show one tenant's words to another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from uuid import UUID

from memory_platform.postgres.prepared import Rows, Statement
from profiles.belief_queries import Beliefs, beliefs_of, beliefs_statement, tags_of, tags_statement
from snapshots.embedding.versions import HeldThen
from snapshots.recall.lanes import RecalledLanes, lanes_of
from snapshots.recall.loading.current import STATE, MemoryState, Whose, state_of
from snapshots.recall.loading.images import LoadedImage
from snapshots.recall.loading.zone import zone_of_rows, zone_statement
from snapshots.recall.texts import notes_of, notes_statement, texts_of, texts_statement
from snapshots.recall.values import NOTES, REPLIES, RankedHit, RecalledMemory, RecalledNote, RecallQuery


@dataclass(frozen=True, slots=True)
class BestHits:
    """What was ranked best in each lane that ranks: snapshots, notes and replies."""

    hits: Sequence[RankedHit]
    noted: Sequence[RankedHit]
    replied: Sequence[RankedHit]


# What else a caller wants to have read of a subject beside the best, in the same round trip.
More = Callable[[UUID, BestHits], Sequence[Statement]]


def nothing_more(_subject_id: UUID, _best: BestHits) -> Sequence[Statement]:
    """Want nothing but the answer."""
    return ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What one round trip brought: of which subject, who lives in which zone, in which state of its memory, with which
    lanes and memories."""

    subject_id: UUID | None
    state: MemoryState
    zone: tzinfo | None
    lanes: RecalledLanes
    memories: tuple[RecalledMemory, ...]
    notes: tuple[RecalledNote, ...]
    replies: tuple[RecalledMemory, ...]
    more: tuple[Rows, ...]

    def shows(self, loaded: LoadedImage) -> bool:
        """Return whether the image that was ranked is that of the same moment."""
        return (self.subject_id, self.state) == (loaded.subject_id, loaded.state)


def statements_beside(whose: Whose, subject_id: UUID, query: RecallQuery, best: BestHits) -> Sequence[Statement]:
    """Return what reads everything that an answer needs beside the images: the texts of the ``best`` memories, of the
    notes where they are asked for. :func:`reading_of` reads its rows."""
    notes = [notes_statement(whose.tenant_id, subject_id, best.noted)] if NOTES in query.lanes else []
    return (
        whose.statement(STATE),
        zone_statement(whose.tenant_id, subject_id),
        beliefs_statement(whose.tenant_id, subject_id, beliefs_asked_by(query)),
        tags_statement(whose.tenant_id, subject_id, beliefs_asked_by(query)),
        texts_statement(whose.tenant_id, subject_id, [*best.hits, *best.replied], query.sources_within),
        *notes,
    )


def reading_of(query: RecallQuery, found: Sequence[Rows], best: BestHits, earlier: Mapping[UUID, HeldThen]) -> Reading:
    """Return what one round trip brought for the ``best`` memories."""
    state, zone, beliefs, tags, texts, *more = found
    lanes = lanes_of(query, beliefs_of(beliefs), tags_of(tags))
    notes = notes_of(more.pop(0), best.noted, earlier) if NOTES in query.lanes else ()
    memories = texts_of(texts, best.hits, earlier)
    replies = texts_of(texts, best.replied, earlier, lane=REPLIES)
    return Reading(*state_of(state), zone_of_rows(zone), lanes, memories, notes, replies, tuple(more))


def beliefs_asked_by(query: RecallQuery) -> Beliefs:
    """Return which beliefs a question asks for."""
    facts, preferences = "profile" in query.lanes, "preferences" in query.lanes
    return Beliefs(query.as_of, query.known_at, facts=facts, preferences=preferences)

"""What is remembered, in as few round trips as there can be: one where this process holds the image, else two.

An image is brought up to date in the first, which most answers do without. The other brings the state of the subject's
memory with the lanes and the texts: an image of another state answers nothing. Texts come from Postgres under row-level
security in any case: no image can show one tenant's words to another.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory_platform.postgres.prepared import Rows, Statement
from profiles.belief_queries import Beliefs, beliefs_of, beliefs_statement, tags_of, tags_statement
from snapshots.embedding.versions import HeldThen
from snapshots.recall.answer import Recalled
from snapshots.recall.lanes import RecalledLanes, lanes_of
from snapshots.recall.loading.current import STATE, MemoryState, Whose, state_of
from snapshots.recall.loading.images import LoadedImage
from snapshots.recall.loading.metadata import with_metadata
from snapshots.recall.loading.past import held_at
from snapshots.recall.policy import DEFAULT_RECALL
from snapshots.recall.search import Question, Stopwatch, current_image, held_image
from snapshots.recall.texts import notes_of, notes_statement, texts_of, texts_statement
from snapshots.recall.values import NOTES, REPLIES, SNAPSHOTS, RankedHit, RecalledMemory, RecalledNote, RecallQuery

More = Callable[[UUID], Sequence[Statement]]
"""What else a caller wants to have read of a subject, in the same round trip."""


def nothing_more(_: UUID) -> Sequence[Statement]:
    """Want nothing but the answer."""
    return ()


@dataclass(frozen=True, slots=True)
class Best:
    """What was ranked best in each lane that ranks: snapshots, notes and replies."""

    hits: Sequence[RankedHit]
    noted: Sequence[RankedHit]
    replied: Sequence[RankedHit]


@dataclass(frozen=True, slots=True)
class Read:
    """What one round trip brought: of which subject, in which state of its memory, with which lanes and memories."""

    subject_id: UUID | None
    state: MemoryState
    lanes: RecalledLanes
    memories: tuple[RecalledMemory, ...]
    notes: tuple[RecalledNote, ...]
    replies: tuple[RecalledMemory, ...]
    more: tuple[Rows, ...]

    def shows(self, loaded: LoadedImage) -> bool:
        """Return whether the image that was ranked is that of the same moment."""
        return (self.subject_id, self.state) == (loaded.subject_id, loaded.state)


def recall_of(whose: Whose, query: RecallQuery, question: Question, more: More = nothing_more) -> Recalled:
    """Return what the subject's memory answers, as it is or as it was known then; nothing for an unknown subject.

    Where somebody writes in between, the image is brought up to date and asked again; where that does not end, the
    answer is that of a moment ago, without what is gone since.
    """
    watch = Stopwatch()
    with watch.stage("load"):
        loaded = held_image(whose, question.embedders) or current_image(whose, question.embedders)
    for left in reversed(range(DEFAULT_RECALL.asked_again + 1)):
        if loaded is None:
            break
        with watch.stage("load"):
            held = held_at(whose, loaded, question.embedders, query)
            asked = with_metadata(query, replace(whose, subject_id=loaded.subject_id), held.images, held.earlier)
        with watch.stage("rank"):
            ranked = question.rank(asked[SNAPSHOTS], held.images[SNAPSHOTS]) if SNAPSHOTS in asked else []
            noted = question.rank_notes(asked[NOTES], held.images[NOTES]) if NOTES in asked else []
            replied = question.rank_replies(asked, held.images) if REPLIES in asked else []
        best = Best([hit for hit in ranked if hit.left_out is None], noted, replied)
        with watch.stage("read"):
            besides = [*statements_beside(whose, loaded.subject_id, query, best), *more(loaded.subject_id)]
            read = read_of(query, whose.run(besides), best, held.earlier)
        if not left or read.shows(loaded):
            spent = {"embed": question.embed_ms, **watch.ms}
            degraded = question.degraded | held.degraded
            found = Recalled(read.memories, read.lanes, degraded, spent, read.subject_id, read.state, read.more)
            return replace(found, left_out=tuple(ranked[len(best.hits) :]), notes=read.notes, replies=read.replies)
        with watch.stage("load"):
            loaded = current_image(whose, question.embedders, loaded)
    return Recalled(degraded=question.degraded)


def statements_beside(whose: Whose, subject_id: UUID, query: RecallQuery, best: Best) -> Sequence[Statement]:
    """Return what reads everything that an answer needs beside the images: the texts of the ``best`` memories, of the
    notes where they are asked for. :func:`read_of` reads its rows."""
    notes = [notes_statement(whose.tenant_id, subject_id, best.noted)] if NOTES in query.lanes else []
    return (
        whose.statement(STATE),
        beliefs_statement(whose.tenant_id, subject_id, beliefs_in(query)),
        tags_statement(whose.tenant_id, subject_id, beliefs_in(query)),
        texts_statement(whose.tenant_id, subject_id, [*best.hits, *best.replied], query.sources_within),
        *notes,
    )


def read_of(query: RecallQuery, found: Sequence[Rows], best: Best, earlier: Mapping[UUID, HeldThen]) -> Read:
    """Return what one round trip brought for the ``best`` memories."""
    state, beliefs, tags, texts, *more = found
    lanes = lanes_of(query, beliefs_of(beliefs), tags_of(tags))
    notes = notes_of(more.pop(0), best.noted, earlier) if NOTES in query.lanes else ()
    memories = texts_of(texts, best.hits, earlier)
    replies = texts_of(texts, best.replied, earlier, lane=REPLIES)
    return Read(*state_of(state), lanes, memories, notes, replies, tuple(more))


def beliefs_in(query: RecallQuery) -> Beliefs:
    """Return which beliefs a question asks for."""
    facts, preferences = "profile" in query.lanes, "preferences" in query.lanes
    return Beliefs(query.as_of, query.known_at, facts=facts, preferences=preferences)

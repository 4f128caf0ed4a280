"""Notes and replies: ranked each in an image of their own, by how probably they help (:mod:`snapshots.relevance`).

Notes have no neighbours and no sittings (:mod:`snapshots.recall.images.sittings`): of what was said around a note, only
the turn before it counts, where it was indexed with the note.
"""

from dataclasses import replace

import numpy as np

from snapshots.recall.images.image import Image
from snapshots.recall.policy import RecallPolicy
from snapshots.recall.ranking.pipeline import Scored, best_sayings, held_rows, hits_of, passing_rows
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.relevance import as_their_messages, judge_notes, relevant_rows
from snapshots.recall.ranking.scoring import said_in_time, score_memories
from snapshots.recall.values import RankedHit, RecallQuery


def rank_apart(
    query: RecallQuery,
    probe: Probe,
    image: Image,
    policy: RecallPolicy,
    *,
    asks_reply: float | None = None,
    said: tuple[Image, Scored] | None = None,
) -> list[RankedHit]:
    """Return the best notes, or replies, of ``image``, best first, at most ``query.notes_top_k``; ids and numbers, no
    text. ``probe`` knows the times that the question names.

    ``asks_reply`` says of replies how probably the question asks for one; ``said`` are the statements as they were
    judged, for notes, which are as relevant as their message. All filters of ``query`` apply but ``kinds``, which is
    about snapshots.
    """
    if not image.size:
        return []
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    scores = score_memories(image, probe, policy.scoring)
    held = held_rows(image.columns, query, skew=policy.clock_skew_seconds)
    in_time = said_in_time(image, probe.times.spans, policy.scoring)
    judged = judge_notes(image, held, scores, probe, in_time, asks_reply=asks_reply)
    if said is not None:
        statements, scored = said
        judged = as_their_messages(judged, image, statements, scored.judged, query.at, policy.ranking)
    alive = held & passing_rows(image.columns, query) & relevant_rows(judged.near, scores.keyword[0], query, image)
    best = best_sayings(judged.standing.astype(np.float32), judged.standing, alive, query, image, policy)
    return hits_of(best, scores, judged, alive, query, image)

"""Notes and replies: ranked each in an image of their own, by how probably they help (:mod:`snapshots.relevance`).

Notes have no neighbours and no sittings (:mod:`snapshots.recall.images.sittings`): of what was said around a note, only
the turn before it counts, where it was indexed with the note.
"""

from dataclasses import replace

import numpy as np

from snapshots.recall.images.image import Image
from snapshots.recall.policy import RecallPolicy
from snapshots.recall.ranking.pipeline import alive_rows, best_sayings, hits_of
from snapshots.recall.ranking.probe import Probe
from snapshots.recall.ranking.relevance import raise_odds, relevance_of_notes, relevant_rows
from snapshots.recall.ranking.scoring import said_in_time, score_memories
from snapshots.recall.values import RankedHit, RecallQuery


def rank_apart(
    query: RecallQuery,
    probe: Probe,
    image: Image,
    policy: RecallPolicy,
    *,
    favoured: float = 0.0,
) -> list[RankedHit]:
    """Return the best notes, or replies, of ``image``, best first, at most ``query.notes_top_k``; ids and numbers, no
    text. ``probe`` knows the times that the question names.

    ``favoured`` is added to the logarithm of all odds. All filters of ``query`` apply but ``kinds``, which is about
    snapshots.
    """
    if not image.size:
        return []
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    scores = score_memories(image, probe, policy.scoring)
    alive = alive_rows(image.columns, query, skew=policy.clock_skew_seconds)
    near = relevance_of_notes(image, alive, scores, probe)
    in_time = said_in_time(image, probe.times.spans, policy.scoring)
    near = probe.needs * raise_odds(near, favoured + in_time)
    alive &= relevant_rows(near, scores.keyword[0], query, image)
    best = best_sayings(near.astype(np.float32), near, alive, query, image, policy)
    return hits_of(best, scores, alive, query, image)

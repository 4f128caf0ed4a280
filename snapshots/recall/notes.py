"""Notes and replies: ranked each in an image of their own, by the question's own words, with the scoring of snapshots.

Notes have no neighbours and no sittings (:mod:`snapshots.recall.sittings`): of what was said around a note, only the
turn before it counts, where it was indexed with the note.
"""

from dataclasses import replace

from snapshots.recall.image import Image
from snapshots.recall.pipeline import alive_rows, best_sayings, hits_of
from snapshots.recall.policy import RecallPolicy
from snapshots.recall.probe import Probe, asked_at
from snapshots.recall.scoring import score_memories
from snapshots.recall.values import RankedHit, RecallQuery

# In any embedding space, a note that shares no word with the question answers from this cosine on. Measured on both
# life sets, with the sentences that hold a value as notes, each with the turn before it. Of what 48 English and 76
# Chinese indirect questions need, among the first 8 and the first 20 notes: .567/.900 and .720/.915; with the floors of
# snapshots .483/.517 and .720/.902. It keeps out little: of another life's notes 75 % pass in English and 98 % in
# Chinese, with the floors of snapshots 24 % and 58 %. A calibrated relevance will have to cut notes off.
#
# The rest of the scoring is that of snapshots: other values of ``longer``, ``asking`` and ``asked_alike`` change at
# most 2 of 60 and 82 needs. The window of a note is the turn before it: without it, the first 8 miss 3 of 60 more.
COSINE_FLOOR = 0.0


def rank_apart(
    query: RecallQuery, probe: Probe, image: Image, policy: RecallPolicy, *, nearer_than: float | None = None
) -> list[RankedHit]:
    """Return the best notes, or replies, of ``image``, best first, at most ``query.notes_top_k``; ids and numbers, no
    text. With ``nearer_than`` only those whose cosine is greater.

    All filters of ``query`` apply but ``kinds``, which is about snapshots.
    """
    floors = tuple((space.name, COSINE_FLOOR) for space in image.spaces)
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    asked = replace(asked_at(probe, query.text, query.at), floors={})
    scores = score_memories(image, asked, replace(policy.scoring, cosine_floors=floors))
    found = alive_rows(image.columns, query, skew=policy.clock_skew_seconds) & scores.found
    if nearer_than is not None:
        found &= scores.dense.max(axis=0) > nearer_than
    return hits_of(best_sayings(scores.fused, found, query, image, policy), scores, found, query, image)

"""The lane of notes: ranked in an image of their own, by the question's own words, with the scoring of snapshots.

Notes have no neighbours and no sittings (:mod:`snapshots.recall.sittings`): of what was said around a note, only the
turn before it counts, where it was indexed with the note.
"""

from dataclasses import replace

from snapshots.recall.image import Image
from snapshots.recall.pipeline import alive_rows, best_sayings, hits_of
from snapshots.recall.policy import NOTES_POLICY, NotesPolicy, RecallPolicy
from snapshots.recall.probe import Probe, asked_at
from snapshots.recall.scoring import score_memories
from snapshots.recall.values import RankedHit, RecallQuery


def rank_notes(
    query: RecallQuery, probe: Probe, image: Image, policy: RecallPolicy, notes: NotesPolicy = NOTES_POLICY
) -> list[RankedHit]:
    """Return the best notes of ``image``, best first, at most ``query.notes_top_k``; ids and numbers, no text.

    All filters of ``query`` apply but ``kinds``, which is about snapshots.
    """
    floors = tuple((space.name, notes.cosine_floor) for space in image.spaces)
    top_k = query.top_k if query.notes_top_k is None else query.notes_top_k
    query = replace(query, kinds=frozenset(), top_k=top_k)
    asked = replace(asked_at(probe, query.text, query.at), floors={})
    scores = score_memories(image, asked, replace(policy.scoring, cosine_floors=floors))
    found = alive_rows(image.columns, query, skew=policy.clock_skew_seconds) & scores.found
    return hits_of(best_sayings(scores.fused, found, query, image, policy), scores, found, query, image)

"""Leave out the clauses of a message that instruct the model: nothing is made of them.

An instruction is often cut in two ("from now on, for payments, don't ask me"), so neighbours of one sentence are also
classified together: both are left out where neither is an instruction alone and both may be part of one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from snapshots.understanding.grading.clause_features import SpokenMessage, list_texts_to_embed
from snapshots.understanding.grading.sentence_vectors import Vectors, embed_sentences
from snapshots.understanding.reading.clauses import Clause
from snapshots.understanding.reading.planted_instruction_classifier import (
    is_instruction,
    load_instruction_classifier,
    poses_as_system,
)
from snapshots.understanding.reading.text_folding import fold_for_matching
from snapshots.understanding.reading.vital_words import sends_to_link

# From this probability on a clause may be part of an instruction. "I have asthma" beside one is not.
PART_FROM = 0.05
# How many characters before a clause are searched for words that pose as the system's.
_POSES = 16


def drop_instructions(messages: Sequence[SpokenMessage]) -> list[SpokenMessage]:
    """Return messages without their instructions, which stay known as ``orders``. Embeds the clauses: no transaction
    may be open. Raises EmbeddingUnavailable without the encoder's files."""
    vectors = embed_sentences(list_texts_to_embed(messages))
    found = []
    for one in messages:
        orders = set(_find_instructions(one, vectors))
        kept = tuple(clause for clause in one.clauses if clause not in orders)
        found.append(replace(one, clauses=kept, orders=tuple(clause for clause in one.clauses if clause in orders)))
    return found


def _find_instructions(message: SpokenMessage, vectors: Vectors) -> Iterator[Clause]:
    reader = load_instruction_classifier()
    shares = {one: reader.probability(one.text, vectors[one.text]) for one in message.clauses}
    for clause, share in shares.items():
        is_posed = poses_as_system(fold_for_matching(message.text[max(0, clause.start - _POSES) : clause.end]))
        if is_posed or share >= reader.embedded.least or sends_to_link(fold_for_matching(clause.text)):
            yield clause
    for first, second in pairwise(message.clauses):
        lower, higher = sorted((shares[first], shares[second]))
        may_be_parts = first.sentence == second.sentence and lower >= PART_FROM and higher < reader.embedded.least
        if may_be_parts and is_instruction(message.text[first.start : second.end]):
            yield from (first, second)

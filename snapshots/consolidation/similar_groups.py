"""Which of a subject's memories are joined: candidates by their words, then every pair by its cosine. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from uuid import UUID

import numpy as np
import numpy.typing as npt

from snapshots.consolidation.config import CONSOLIDATION
from snapshots.consolidation.meaning_comparison import Meaning, have_equal_meaning, parse_meaning

Float32 = npt.NDArray[np.float32]
STATEMENTS = frozenset({"statement"})
CONVERSATIONS = frozenset({"conversation", "segment"})
JOINED = "consolidated"


@dataclass(frozen=True, slots=True)
class SimilarMemory:
    """The properties of one memory that matter for joining, and its version when it was read."""

    id: UUID
    version: int
    kind: str
    text: str
    name: str | None
    category: str


@dataclass(frozen=True, slots=True)
class SimilarGroup:
    """Memories that pairwise say the same, and the least cosine among the pairs."""

    members: tuple[SimilarMemory, ...]
    similarity: float


def find_join_candidates(members: Sequence[SimilarMemory]) -> list[list[SimilarMemory]]:
    """Return lists of memories among which groups may be: one speaker, one category, matching words.

    A text of several sentences is in the list of its first sentence that others share. Lists are cut to ``at_once``: a
    thousand repetitions are joined over several nights.
    """
    buckets: dict[tuple[object, ...], list[SimilarMemory]] = defaultdict(list)
    longer: list[tuple[SimilarMemory, Meaning]] = []
    for member in members:
        meaning = parse_meaning(member.text)
        if len(meaning.sentences) == 1:
            buckets[(member.name, member.category, meaning.key)].append(member)
        elif meaning.sentences:
            longer.append((member, meaning))
    said = Counter(
        _build_sentence_key(member, meaning, words) for member, meaning in longer for words in set(meaning.sentences)
    )
    for member, meaning in longer:
        shared = (one for words in meaning.sentences if said[one := _build_sentence_key(member, meaning, words)] > 1)
        buckets[next(shared, (member.id,))].append(member)
    cut = (
        bucket[n : n + CONSOLIDATION.at_once]
        for bucket in buckets.values()
        for n in range(0, len(bucket), CONSOLIDATION.at_once)
    )
    return [some for some in cut if len(some) >= CONSOLIDATION.least_members]


def _build_sentence_key(member: SimilarMemory, meaning: Meaning, words: tuple[str, ...]) -> tuple[object, ...]:
    return member.name, member.category, meaning.guards, words


def group_similar(
    members: Sequence[SimilarMemory], vectors: Float32, apart: Collection[frozenset[UUID]], *, bound: float
) -> list[SimilarGroup]:
    """Return complete-link groups: each pair of a group says the same and has a cosine above ``bound``.

    ``vectors`` are unit rows, shape (n, d), zero for a text without one. Members of one of the ``apart`` sets are never
    joined again. Members that match many others come first, so that groups are as large as possible.
    """
    cosines = vectors @ vectors.T
    joins = (cosines > bound) & _build_join_matrix(members, apart)
    left = list(np.argsort(-joins.sum(axis=1), kind="stable"))
    groups = []
    while left:
        taken = [left.pop(0)]
        for other in list(left):
            if all(joins[other, one] for one in taken):
                taken.append(other)
        left = [one for one in left if one not in taken]
        if len(taken) >= CONSOLIDATION.least_members:
            pairs = cosines[np.ix_(taken, taken)]
            groups.append(SimilarGroup(tuple(members[one] for one in sorted(taken)), float(pairs.min())))
    return groups


def _build_join_matrix(members: Sequence[SimilarMemory], apart: Collection[frozenset[UUID]]) -> npt.NDArray[np.bool_]:
    meanings = [parse_meaning(member.text) for member in members]
    allowed = np.zeros((len(members), len(members)), np.bool_)
    for i, j in combinations(range(len(members)), 2):
        allowed[i, j] = allowed[j, i] = (
            _have_matching_kinds(members[i].kind, members[j].kind)
            and have_equal_meaning(meanings[i], meanings[j], least_shared=CONSOLIDATION.least_shared)
            and not any(members[i].id in kept and members[j].id in kept for kept in apart)
        )
    return allowed


def _have_matching_kinds(one: str, other: str) -> bool:
    """A statement is never joined with a memory of a whole conversation; an earlier joined memory goes with both."""
    kinds: Iterable[str] = {one, other} - {JOINED}
    return not kinds or any(set(kinds) <= alike for alike in (STATEMENTS, CONVERSATIONS))

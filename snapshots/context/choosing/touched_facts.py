"""Which facts of a profile a question touches: they may enter as memories where the profile's budget left them out."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from memory_platform.kernel.terms import terms
from snapshots.context.choosing.facts import in_stable_order
from snapshots.context.values import MemoryItem, ProfileView


def touched_facts(
    query: str, profile: ProfileView, meant: Mapping[str, float], needs: float = 1.0
) -> Iterator[MemoryItem]:
    """Yield the facts that share terms with ``query``, and the tags that it means, scored 0..1.

    ``meant`` maps ids of tags to how well the question names them (0..1), ``needs`` is how probably it needs memory.
    Relevance: that times the share of common terms among those of the shorter of the two texts.
    """
    asked = frozenset(terms(query))
    for fact in in_stable_order(profile):
        near = max(meant.get(fact.id, 0.0), share(asked, frozenset(terms(f"{fact.category} {fact.text}"))))
        if near > 0:
            yield replace(fact, relevance=needs * near, score=needs * near * fact.confidence)


def share(asked: frozenset[str], said: frozenset[str]) -> float:
    """Return the share of common terms among those of the shorter of two texts, 0..1."""
    shorter = min(len(asked), len(said))
    return len(asked & said) / shorter if shorter else 0.0

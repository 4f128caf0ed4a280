"""Tunable numbers of consolidation."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, promised
from tenants.services.job_due_times import Daily


@dataclass(frozen=True, slots=True)
class ConsolidationConfig:
    """Which memories are joined. Cosines are of the texts alone, in the space that knows their language."""

    least_members: int = promised(3)
    # In every space. Pairs of tests/golden/consolidation.jsonl that say the same have at least 0.86 (wordllama), 0.89
    # (use in English) and 0.91 (in Chinese); different pairs above that are separated by their words.
    similarity: float = promised(0.85)
    # Of the shorter text's sentences, for texts of several.
    least_shared: float = assumed(
        0.5, owner="consolidation", settle_by="joined conversations that a person takes apart"
    )
    # Characters of a joined text: a group with a longer text is not joined.
    longest: int = assumed(4_000, owner="consolidation", settle_by="length of conversation snapshots in production")
    # Memories compared pair by pair.
    at_once: int = assumed(200, owner="consolidation", settle_by="how often subjects repeat themselves")
    # Seconds of asking a model for one subject's groups: a worker that marks nothing for 90 s loses its run.
    writing_s: float = assumed(30.0, owner="consolidation", settle_by="groups a night of subjects with a model")
    daily: Daily = assumed(Daily(2, 0), owner="consolidation", settle_by="hours in which tenants are quiet")


CONSOLIDATION = ConsolidationConfig()

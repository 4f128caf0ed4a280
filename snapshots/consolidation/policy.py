"""Numbers of consolidation."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, promised
from tenants.services.due_times import Daily


@dataclass(frozen=True, slots=True)
class ConsolidationPolicy:
    """Which memories become one (E3). Cosines are of the texts alone, in the space that knows their language."""

    least_members: int = promised(3, row="E3")
    similarity: float = promised(0.85, row="E3")
    """In every space. Of tests/golden/consolidation.jsonl pairs that say the same lie from 0.86 (wordllama), 0.89 (use
    in English) and 0.91 (in Chinese); where strangers are nearer, it is the words that part them."""
    least_shared: float = assumed(
        0.5, owner="consolidation", settle_by="joined conversations that a person takes apart"
    )
    """Of the shorter text's sentences, for texts of several."""
    longest: int = assumed(4_000, owner="consolidation", settle_by="length of conversation snapshots in production")
    """Characters of a joined text: a group whose text would be longer stays apart."""
    at_once: int = assumed(200, owner="consolidation", settle_by="how often subjects repeat themselves")
    """Memories compared pair by pair."""
    writing_s: float = assumed(30.0, owner="consolidation", settle_by="groups a night of subjects with a model")
    """Of one subject's groups a model is asked no further: a worker that marks nothing for 90 s loses its run."""
    daily: Daily = assumed(Daily(2, 0), owner="consolidation", settle_by="hours in which tenants are quiet")


CONSOLIDATION = ConsolidationPolicy()

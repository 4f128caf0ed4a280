"""Numbers of matching notes to fields, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised

_ACROSS = "python -m lab.teaching.fields --across"


@dataclass(frozen=True, slots=True)
class MatchingConfig:
    """When a note fills a field. Scores are probabilities, 0..1; similarities are cosines."""

    least: float = measured(
        0.85, source=f"{_ACROSS}: from .80 precision .91 and .86 with six examples, from here .91 and .91"
    )
    ahead: float = measured(0.1, source=f"{_ACROSS}: of 0, .1 and .3 all the same; for fields described alike")
    beyond_topics: float = measured(
        0.05,
        source=f"{_ACROSS}: precision .92 and .93 with six examples; without it .91 and .91, recall .04 and .01 more",
    )
    own_topic: float = measured(0.5, source=f"{_ACROSS}: topics nearer to a description than that are its own")
    least_spread: float = assumed(0.02, owner="understanding", settle_by="descriptions in many languages")
    confidence: float = promised(0.6)
    tenants: int = assumed(1_000, owner="understanding", settle_by="tenants that one worker serves between two changes")
    cached_tenants: int = assumed(64, owner="understanding", settle_by="tenants with fields that one worker serves")


MATCHING = MatchingConfig()

"""Tunable numbers of profiles: confidence, lengths, and the scores of found tags."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.number_sources import assumed, measured, promised
from profiles.provenance_and_verdict import Provenance


@dataclass(frozen=True, slots=True)
class BeliefConfig:
    """Bounds of confidence (0..1), and how much of a value's past is kept."""

    observation_ceiling: float = promised(0.6)
    analysis_ceiling: float = promised(0.8)
    staff_ceiling: float = promised(0.9)
    confirmed_ceiling: float = promised(1.0)
    imported_ceiling: float = promised(0.8)
    sayings_kept: int = assumed(32, owner="profiles", settle_by="how often real subjects repeat one value")
    clock_tolerance: timedelta = assumed(
        timedelta(minutes=5), owner="profiles", settle_by="skew of clocks seen in said_at of live messages"
    )
    search_text_chars: int = assumed(4_000, owner="profiles", settle_by="console search time at 100,000 subjects")

    def ceiling(self, provenance: Provenance) -> float:
        return {
            Provenance.OBSERVATION: self.observation_ceiling,
            Provenance.ANALYSIS: self.analysis_ceiling,
            Provenance.CORRECTED_BY_STAFF: self.staff_ceiling,
            Provenance.CONFIRMED_BY_USER: self.confirmed_ceiling,
            Provenance.IMPORTED: self.imported_ceiling,
        }[provenance]

    def cap_confidence(self, confidence: float, provenance: Provenance) -> float:
        return min(confidence, self.ceiling(provenance))


@dataclass(frozen=True, slots=True)
class TagLookupConfig:
    """Scores of found tags, 0..1: by the matched name, times a factor for its place in the query."""

    alias: float = assumed(0.95, owner="profiles", settle_by="use_count of looked-up tags against their rank")
    synonym: float = assumed(0.9, owner="profiles", settle_by="use_count of looked-up tags against their rank")
    relation: float = assumed(0.85, owner="profiles", settle_by="use_count of looked-up tags against their rank")
    inside_query: float = assumed(0.9, owner="profiles", settle_by="use_count of looked-up tags against their rank")
    fuzzy: float = assumed(0.75, owner="profiles", settle_by="use_count of looked-up tags against their rank")
    typo_similarity: float = measured(
        0.83, source="tests/profiles/services/tags/test_lookup.py: all 100+ lookups right"
    )
    covered_label: float = measured(0.5, source="tests/profiles/services/tags/test_lookup.py: all 100+ lookups right")
    shortest_typo: int = measured(5, source="tests/profiles/services/tags/test_lookup.py: at 4 letters home meets hole")
    shortest_slip: int = measured(3, source="tests/profiles/services/tags/test_lookup.py: all 150+ lookups right")
    limit: int = assumed(5, owner="profiles", settle_by="rank of the tag that is used after a lookup")


TAG_LOOKUP = TagLookupConfig()
BELIEFS = BeliefConfig()

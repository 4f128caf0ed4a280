"""The numbers of recall, each with its source."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from memory_platform.kernel.number_sources import assumed, measured, promised

# Runs that stand in lab/runs, with figures for each number and for other values of it.
_LOCOMO = "evaluation run 2e04e7676a89 on locomo-dev"
_MADIAL = "evaluation run 4d70dcd5c729 on madial-zh-dev"
_BOTH = f"{_LOCOMO}, {_MADIAL}"
_COSINE_FLOORS = f"questions put to other subjects' memories, where 75 % of the cosines lie below; {_BOTH}"
_SAID_RECENTLY = f"no gain in {_BOTH}; kept small for users, who mean the days before they ask"
_SAY_ONCE = f"{_BOTH}; it takes 0.015 ms a question"
_ASKED_ALIKE = "data sets in which people ask the same again; the planted lives of docs/cost.md chose it"
_WORDINGS = "wordings of a real chat model on locomo-dev and madial-zh-dev; only what a stray one costs is known"

_WORST_FILTERS = "10,000 memories, two busy cores, best of three, milliseconds (and without a filter then): "
_LOOKED_AT = _WORST_FILTERS + (
    "64 orders of 80 characters 55 (3); 5 searches for 31 characters in as many 50 (3); 64 times 100 numbers in lists "
    "of 120,000 numbers 126 (3)"
)
_METADATA_BYTES = _WORST_FILTERS + (
    "1 key beside 2 KB of others 42 (3); 64 keys that none holds 113 (3); 60 MB under one key, twice this, 522 (7) "
    "until it was refused"
)
_METADATA_HELD_BYTES = _WORST_FILTERS + (
    "twice this in booleans 168 (7), in control characters 182 (7), in 110,000 numbers, each another, 353 (8)"
)
_BUILD_BYTES = (
    "tracemalloc's peak of one build, 64 dimensions: 2,000 to 4,000 memories of three words take 2.8 kB each, "
    "and 300 of 1,500 words 9.4 bytes for each byte of packed words"
)


@dataclass(frozen=True, slots=True)
class ScoringPolicy:
    """BM25, the views and their fusion."""

    bm25_k1: float = promised(1.2)
    bm25_b: float = promised(0.75)
    keyword_own: float = measured(0.35, source=_BOTH)
    keyword_window: float = measured(0.15, source=_LOCOMO)
    keyword_sitting: float = measured(0.2, source=_LOCOMO)
    dense_dated: float = measured(0.30, source=_BOTH)
    dense_continued: float = measured(0.20, source=_BOTH)
    # The views that are fused: z-scores of their scores, or of reciprocal ranks (RRF).
    fusion: Literal["scores", "ranks"] = measured("scores", source=_BOTH)
    rrf_k: float = promised(60.0)
    smooth_previous: float = measured(0.3, source=_LOCOMO)
    smooth_next: float = measured(0.2, source=_LOCOMO)
    query_terms: int = measured(48, source=_MADIAL)
    # By embedding space: the least cosine of an answer without a common word. Other spaces have no such limit.
    cosine_floors: tuple[tuple[str, float], ...] = measured(
        (("wordllama-l2_supercat-256", 0.134), ("use-multilingual-v3", 0.157)), source=_COSINE_FLOORS
    )
    # By embedding space: the weight of its views beside the words; 1 in any other.
    dense_weights: tuple[tuple[str, float], ...] = measured((("use-multilingual-v3", 1.5),), source=_MADIAL)
    named_speaker: float = measured(1.1, source=_LOCOMO)
    # For a memory that names a time, when the question asks for one.
    named_time: float = measured(0.5, source=_LOCOMO)
    # For a memory that was said in a time that the question names.
    said_in_time: float = measured(1.5, source=_LOCOMO)
    # The same for "recently": only a hint, because recency counts beside it.
    said_recently: float = measured(0.1, source=_SAID_RECENTLY)
    # People tell of a day later: what a memory gains falls to nothing within so many days after the time named.
    said_after_days: float = measured(14.0, source=_LOCOMO)
    # Taken from a memory that is a question itself.
    asking: float = measured(0.3, source=_LOCOMO)
    # Taken from a memory of a question like the one that is asked, the more the nearer it is: it was asked before.
    asked_alike: float = assumed(8.0, owner="recall", settle_by=_ASKED_ALIKE)
    # By embedding space: the cosine from which two questions are alike; in other spaces no two questions are.
    alike_cosines: tuple[tuple[str, float], ...] = assumed(
        (("use-multilingual-v3", 0.6),), owner="recall", settle_by=_ASKED_ALIKE
    )
    # Times ln(1 + terms): a memory that says more holds an answer more often.
    longer: float = measured(0.1, source=_LOCOMO)
    related_cosine: float = measured(0.45, source=_LOCOMO)
    # The share of a term's weight, times the cosine, for a near term of the subject's vocabulary.
    related_share: float = measured(0.5, source=_LOCOMO)
    related_terms: int = measured(5, source=_LOCOMO)
    # Questions of more words say enough themselves, and the look-up costs 0.2 ms for each new word.
    related_words: int = assumed(32, owner="recall", settle_by="the length of real questions")
    sentence_decay: float = measured(0.8, source=_MADIAL)
    sentence_least: float = assumed(0.2, owner="recall", settle_by="recall of long questions")
    # A conversation is cut into sittings where nothing was said for longer.
    sitting_gap_hours: float = assumed(6.0, owner="recall", settle_by="silences in real conversations of weeks")


@dataclass(frozen=True, slots=True)
class RankingPolicy:
    """The factors of the final score, each of which can be switched off."""

    use_recency: bool = measured(True, source=_BOTH)
    use_confidence: bool = promised(True)
    use_provenance: bool = promised(True)
    use_frequency: bool = promised(True)
    # `steps`, `hyperbolic` (1 / (1 + rate x days)), or `episode`: not a factor, but a share of the score.
    recency_curve: str = measured("steps", source=_BOTH)
    recency_days: tuple[float, ...] = promised((7, 30, 90))
    recency_values: tuple[float, ...] = measured((1.05, 1.0, 0.97, 0.94), source=_BOTH)
    # Shares of similarity, recency and importance, with the curve "episode".
    episode_shares: tuple[float, float, float] = promised((0.5, 0.3, 0.2))
    episode_decay: float = promised(0.95)
    hyperbolic_rate: float = promised(0.2)
    validation_days: tuple[float, ...] = promised((30, 90, 180))
    validation_values: tuple[float, ...] = promised((1.0, 0.85, 0.6, 0.3))
    # Of observation, analysis, and confirmed by the user.
    provenance: tuple[float, float, float] = promised((0.6, 0.8, 1.0))
    corrected_by_staff: float = promised(0.9)
    frequency_injected: int = promised(5)
    frequency_liked: float = promised(0.7)
    frequency_disliked: float = promised(0.3)
    frequency_bonus: float = promised(1.1)
    frequency_malus: float = promised(0.7)
    # Repeated memories take one place of an answer.
    say_once: bool = measured(True, source=_SAY_ONCE)

    @property
    def provenance_settings(self) -> tuple[float, float, float, float]:
        return (*self.provenance, self.corrected_by_staff)

    @property
    def provenance_factors(self) -> tuple[float, ...]:
        """A memory of another system weighs as an analysis does: it concluded it from messages, too."""
        return (*self.provenance_settings, self.provenance[1])


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """All numbers of one recall."""

    scoring: ScoringPolicy = field(default=ScoringPolicy())
    ranking: RankingPolicy = field(default=RankingPolicy())
    lane_depth: int = promised(50)
    # Characters of a question in normal form: 64 KiB of U+FDFA have 393,210 there. A recall of them beside 21 tags took
    # 460 to 806 ms whole and takes 117 ms, one of 64 KiB of Chinese 65 to 105.
    question_chars: int = promised(65_536)
    # A tag is meant by what is said first; in 64 KiB of pasted text the look-up would cost 300 ms.
    tag_question_chars: int = assumed(2_000, owner="recall", settle_by="where in real questions tags are named")
    # A question asks for something in its first characters; in pasted text "you said" means somebody else.
    asking_chars: int = assumed(2_000, owner="recall", settle_by="where real questions ask for what the assistant said")
    clock_skew_seconds: float = assumed(300.0, owner="recall", settle_by="clock offsets seen in production")
    # Subjects whose ids a process remembers; 200 bytes each.
    known_subjects: int = assumed(50_000, owner="recall", settle_by="subjects asked about between two restarts")
    # The newest memories among which the offset of a subject's clock is looked for.
    heard_lately: int = assumed(20, owner="recall", settle_by="how often subjects' clocks change offset")
    # Times that a question is asked again because somebody wrote in between.
    asked_again: int = assumed(3, owner="recall", settle_by="how often subjects are written while they are recalled")
    image_cache_bytes: int = assumed(256_000_000, owner="recall", settle_by="memory of a web process under load")


@dataclass(frozen=True, slots=True)
class AnswerConfig:
    """Defaults of an answer."""

    top_k: int = promised(8)
    # A recall that names no lanes also searches the tenant's documents.
    documents: bool = promised(False)


@dataclass(frozen=True, slots=True)
class FilterConfig:
    """Limits of a filter, so that the worst accepted one answers within 200 ms at 10,000 memories."""

    # Values held and characters of their texts, over all distinct conditions on what an index holds, and again on
    # metadata.
    looked_at: int = measured(10_000_000, source=_LOOKED_AT)
    # Bytes of a subject's metadata in Postgres, times the keys that the filter names.
    metadata_bytes: int = measured(32_000_000, source=_METADATA_BYTES)
    # Bytes of the values under the keys that the filter names.
    metadata_held_bytes: int = measured(1_000_000, source=_METADATA_HELD_BYTES)


@dataclass(frozen=True, slots=True)
class EarlierConfig:
    """Limits on indexes of earlier moments, which are built for one question each."""

    at_once: int = assumed(1, owner="recall", settle_by="how often products ask what was known at a moment")
    waiting: int = assumed(1, owner="recall", settle_by="how often products ask what was known at a moment")
    wait_s: float = assumed(2.0, owner="recall", settle_by="how long a build of a real memory lasts")
    build_bytes: int = assumed(500_000_000, owner="recall", settle_by="memory of a web process under load")
    row_bytes: int = measured(3_000, source=_BUILD_BYTES)
    word_bytes: int = measured(10, source=_BUILD_BYTES)
    # Bytes of a dimension of both vectors: as Postgres sends them, as single precision, and packed.
    dimension_bytes: int = assumed(24, owner="recall", settle_by="the same measurement with a model of 512 dimensions")
    # Per byte that Postgres holds of the earlier values of what was changed since, which are compressed.
    changed_bytes: int = assumed(4, owner="recall", settle_by="the same measurement over memories of many versions")


@dataclass(frozen=True, slots=True)
class RewriteConfig:
    """Limits on other wordings of a question by a chat model."""

    variants: int = promised(3)
    # Added to each rank before orders are fused by its reciprocal.
    rank_k: float = assumed(10.0, owner="recall", settle_by=_WORDINGS)
    # The weight of the question's own words when orders are fused; each other wording weighs 1.
    own_words: float = assumed(3.0, owner="recall", settle_by=_WORDINGS)
    question_chars: int = assumed(1_000, owner="recall", settle_by="lengths of questions that rewriting helps")
    wording_chars: int = assumed(300, owner="recall", settle_by="lengths of questions that rewriting helps")
    # Questions whose wordings a process keeps.
    cached_questions: int = assumed(1_024, owner="recall", settle_by="share of questions asked again in production")


@dataclass(frozen=True, slots=True)
class SealingConfig:
    """How often blocks of large memories are sealed, for how long, and how many in one transaction."""

    every: timedelta = assumed(timedelta(minutes=1), owner="recall", settle_by="how fast large memories grow")
    time: timedelta = assumed(timedelta(seconds=30), owner="recall", settle_by="blocks that one minute leaves to seal")
    batch: int = assumed(4, owner="recall", settle_by="how long one transaction of sealing lasts in production")
    # Packed in one transaction before it ends; the block that passes it is the last.
    batch_bytes: int = assumed(16_000_000, owner="recall", settle_by="memory of a worker that seals the longest texts")
    # Since it was sealed, a block of other models or another format stays for processes that may still read it.
    others_kept: timedelta = assumed(timedelta(days=1), owner="recall", settle_by="how long a change of models lasts")


ANSWERS = AnswerConfig()
DEFAULT_RECALL = RecallPolicy()
EARLIER = EarlierConfig()
FILTERING = FilterConfig()
REWRITE_CONFIG = RewriteConfig()
SEALING = SealingConfig()

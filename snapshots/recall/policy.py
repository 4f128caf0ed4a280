"""The numbers of recall, each with where it comes from (R2, R3)."""

from dataclasses import dataclass, field

from memory_platform.kernel.policy import assumed, measured, promised

_FOUR_VIEWS = "LoCoMo, 1,982 questions: R@10 78.7 with these four views, 74.4 with one of each"
_SMOOTHING = "LoCoMo, 1,982 questions: R@10 78.7 with, 76.4 without"
_RECENCY = (
    "asked a day after the last turn, coverage@500/1000/2000 on locomo-dev .758/.817/.876, off .753/.817/.876, with "
    "R3's 1.2/1.0/0.8/0.6 .727/.803/.866; madial-zh-dev @125/250/500 .470/.604/.749, off .470/.598/.743, R3's "
    ".461/.591/.733"
)
_CURVES = (
    "asked a day after the last turn, coverage@500/1000/2000 on locomo-dev: steps .758/.817/.876, episode "
    ".647/.743/.845; madial-zh-dev @125/250/500: steps .470/.604/.749, episode .412/.573/.726; hyperbolic, locomo-dev "
    "@1000: .626"
)
_FLOOR = (
    "locomo-dev, each question against the other subjects' memories: 75 % of the cosines lie below 0.134, 90 % below "
    "0.181. Coverage@500/1000/2000 .753/.817/.876 without, with 0.134 and with 0.181, .752/.816/.875 from 0.185 on; of "
    "105 evidence turns without a common word 0.134 loses 3 %, 0.181 loses 12 %"
)
_NEUTRAL = "locomo-dev and madial-zh-dev: coverage equal with and without; all their memories carry one value"


@dataclass(frozen=True, slots=True)
class ScoringPolicy:
    """BM25, the four views and their fusion."""

    bm25_k1: float = promised(1.2, row="R2")
    bm25_b: float = promised(0.75, row="R2")
    keyword_dated: float = measured(0.35, source=_FOUR_VIEWS)
    keyword_window: float = measured(0.15, source=_FOUR_VIEWS)
    dense_dated: float = measured(0.30, source=_FOUR_VIEWS)
    dense_continued: float = measured(0.20, source=_FOUR_VIEWS)
    smooth_previous: float = measured(0.3, source=_SMOOTHING)
    smooth_next: float = measured(0.2, source=_SMOOTHING)
    query_terms: int = measured(48, source="MADial zh: R@10 .636 with the 48 rarest terms, .635 with all, .619 with 32")
    cosine_floors: tuple[tuple[str, float], ...] = measured((("wordllama-l2_supercat-256", 0.134),), source=_FLOOR)
    """By embedding space: without a common word a memory answers from this cosine on; in any other space always."""
    named_speaker: float = measured(
        0.5, source="locomo-dev, 510 questions: coverage@500/1000/2000 .753/.817/.876 with, .738/.797/.862 without"
    )

    def cosine_floor(self, space: str) -> float:
        """Return the cosine from which nearness speaks for a memory in ``space``; -1 when that was not learnt."""
        return dict(self.cosine_floors).get(space, -1.0)


@dataclass(frozen=True, slots=True)
class RankingPolicy:
    """The factors of R3, each of which can be switched off."""

    use_recency: bool = measured(True, source=_RECENCY)
    use_confidence: bool = measured(True, source=_NEUTRAL)
    use_provenance: bool = measured(True, source=_NEUTRAL)
    use_frequency: bool = measured(True, source=_NEUTRAL)
    recency_curve: str = measured("steps", source=_CURVES)
    """``steps``, ``hyperbolic`` (1 / (1 + rate x days)), or ``episode``: not a factor, but a share of the score."""
    recency_days: tuple[float, ...] = promised((7, 30, 90), row="R3")
    recency_values: tuple[float, ...] = measured((1.05, 1.0, 0.97, 0.94), source=_RECENCY)
    episode_shares: tuple[float, float, float] = promised((0.5, 0.3, 0.2), row="R3")
    """Of similarity, recency and importance, with the curve "episode"."""
    episode_decay: float = promised(0.95, row="R3")
    hyperbolic_rate: float = promised(0.2, row="R3")
    validation_days: tuple[float, ...] = promised((30, 90, 180), row="R3")
    validation_values: tuple[float, ...] = promised((1.0, 0.85, 0.6, 0.3), row="R3")
    provenance: tuple[float, float, float] = promised((0.6, 0.8, 1.0), row="P5")
    frequency_injected: int = promised(5, row="R3")
    frequency_liked: float = promised(0.7, row="R3")
    frequency_disliked: float = promised(0.3, row="R3")
    frequency_bonus: float = promised(1.1, row="R3")
    frequency_malus: float = promised(0.7, row="R3")


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """Everything that one recall is steered by."""

    scoring: ScoringPolicy = field(default=ScoringPolicy())
    ranking: RankingPolicy = field(default=RankingPolicy())
    lane_depth: int = promised(50, row="R2")
    tag_question_chars: int = assumed(2_000, owner="recall", settle_by="where in real questions tags are named")
    """A tag is meant by what is said first; in 64 KiB of pasted text the look-up would cost 300 ms."""
    clock_skew_seconds: float = assumed(300.0, owner="recall", settle_by="clock offsets seen in production")
    image_cache_bytes: int = assumed(256_000_000, owner="recall", settle_by="memory of a web process under load")


DEFAULT_RECALL = RecallPolicy()

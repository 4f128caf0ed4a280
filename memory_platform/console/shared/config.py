"""Constants of the console, each with where its number comes from."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class SearchConfig:
    """How the search for a person reads a query, how many subjects it reads, and how it scores them.

    A word found as a whole scores 1. One that ``begins`` a word, is ``inside`` one or is only ``alike`` scores less. A
    field is named as a reason from ``tells`` on. The ``..._first`` values order equal results.
    """

    max_query_chars: int = assumed(100, owner="console", settle_by="length of what support types")
    max_words: int = assumed(6, owner="console", settle_by="words of what support types")
    one_typo_from_chars: int = measured(
        4, source="tests/memory_platform/console/subjects/test_subject_screen.py: Jhon finds John, Ada only Ada"
    )
    two_typos_from_chars: int = measured(
        9, source="tests/memory_platform/console/subjects/test_subject_screen.py: each half may differ once"
    )
    few_matches: int = assumed(5, owner="console", settle_by="how often the wanted person is among exact matches")
    max_rows: int = assumed(300, owner="console", settle_by="rank in the database of who is then opened")
    max_shown: int = assumed(30, owner="console", settle_by="rank of who is opened")
    slice_rows: int = assumed(
        5_000, owner="console", settle_by="statements of a search with slips, and what one may take"
    )
    typo_search_ms: int = assumed(
        150, owner="console", settle_by="manage.py bench console: a search among 20,000 subjects"
    )
    timeout_ms: int = assumed(5_000, owner="console", settle_by="time of a search among 1,000,000 subjects")
    prefix_score: float = assumed(0.95, owner="console", settle_by="rank of who is opened")
    substring_score: float = assumed(0.85, owner="console", settle_by="rank of who is opened")
    typo_score: float = assumed(0.8, owner="console", settle_by="rank of who is opened")
    reason_score: float = assumed(0.5, owner="console", settle_by="asking support whether the reasons convince")
    id_bonus: float = assumed(0.03, owner="console", settle_by="rank of who is opened")
    name_bonus: float = assumed(0.02, owner="console", settle_by="rank of who is opened")
    full_match_bonus: float = assumed(0.02, owner="console", settle_by="rank of who is opened")


SEARCH = SearchConfig()


@dataclass(frozen=True, slots=True)
class DashboardConfig:
    """The targets of the indicators, and the periods that are offered."""

    min_utilisation: float = promised(0.6)
    max_correction: float = promised(0.05)
    max_staleness: float = promised(0.15)
    max_fast_lane_ms: float = promised(1000.0)
    periods: tuple[int, ...] = promised((7, 30, 90))
    max_lines: int = assumed(6, owner="console", settle_by="how many lines managers tell apart")
    # Of fewer, the 95th percentile is the largest one: one event sets it.
    min_events: int = promised(20)
    max_counted: int = assumed(
        1_000, owner="console", settle_by="from which backlog on its size tells staff nothing more"
    )


DASHBOARD = DashboardConfig()


@dataclass(frozen=True, slots=True)
class PolicyReplayConfig:
    """How many receipts a policy version is replayed on, and how many changed ones are listed."""

    max_receipts: int = measured(200, source="lab/notes/policies.md: about 1 s for 200 receipts of 70 candidates")
    max_examples: int = assumed(10, owner="console", settle_by="how many receipts managers open")


POLICY_REPLAY = PolicyReplayConfig()


@dataclass(frozen=True, slots=True)
class OperationPageConfig:
    """Timeouts and limits of the operator's page."""

    worker_timeout_s: float = assumed(0.3, owner="console", settle_by="how fast workers answer under load")
    beat_late_s: float = assumed(30.0, owner="console", settle_by="fault runs: gaps of the sweep while beat restarts")
    forecast_days: int = promised(7)
    forecast_s: float = promised(5.0)
    max_next_runs: int = assumed(3, owner="console", settle_by="asking staff what they plan by")
    max_examples: int = assumed(10, owner="console", settle_by="asking staff what a preview must show")
    follow_s: float = promised(2.0)


OPERATION_PAGE = OperationPageConfig()


@dataclass(frozen=True, slots=True)
class ExperimentPageConfig:
    """How many answers an experiment needs, and the days whose answers tell how long that takes."""

    answers_per_arm: int = measured(
        400, source="two shares of one half, ten points apart: 95 % sure, found in 80 of 100 experiments"
    )
    rate_days: int = promised(14)


EXPERIMENT_PAGE = ExperimentPageConfig()


@dataclass(frozen=True, slots=True)
class SubjectPageConfig:
    """How many rows each section of a subject's page shows; the linked lists have all of them."""

    max_beliefs: int = assumed(100, owner="console", settle_by="beliefs of real subjects")
    max_rows: int = assumed(10, owner="console", settle_by="how far down support reads")
    max_notes: int = assumed(5, owner="console", settle_by="how far down support reads")
    text_chars: int = assumed(300, owner="console", settle_by="length of real snapshots")
    max_sources: int = assumed(500, owner="console", settle_by="messages behind the beliefs of real subjects")
    max_sources_each: int = assumed(3, owner="console", settle_by="how many sources support opens")
    max_changes: int = assumed(200, owner="console", settle_by="changes of the beliefs of real subjects")
    slider_steps: int = assumed(200, owner="console", settle_by="width of the slider on a phone")


SUBJECT_PAGE = SubjectPageConfig()

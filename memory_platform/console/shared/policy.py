"""Numbers of the console."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class FindPolicy:
    """How a person is found by what somebody types: what is read of it, how much is looked through, and what counts.

    A word that stands there is worth 1; one that ``begins`` a word, stands ``inside`` of one or is ``alike`` is worth
    less; a field tells why somebody was found from ``tells`` on. ``..._first`` decide between equals.
    """

    query_chars: int = assumed(100, owner="console", settle_by="length of what support types")
    words: int = assumed(6, owner="console", settle_by="words of what support types")
    one_edit_from: int = measured(
        4, source="tests/memory_platform/console/subjects/test_find.py: Jhon finds John, Ada only Ada"
    )
    two_edits_from: int = measured(
        9, source="tests/memory_platform/console/subjects/test_find.py: each half may differ once"
    )
    few: int = assumed(5, owner="console", settle_by="how often the wanted person is among exact matches")
    head: int = assumed(300, owner="console", settle_by="rank in the database of who is then opened")
    shown: int = assumed(30, owner="console", settle_by="rank of who is opened")
    slice: int = assumed(5_000, owner="console", settle_by="statements of a search with slips, and what one may take")
    slips_ms: int = assumed(150, owner="console", settle_by="manage.py bench console: a search among 20,000 subjects")
    wait_ms: int = assumed(5_000, owner="console", settle_by="time of a search among 1,000,000 subjects")
    begins: float = assumed(0.95, owner="console", settle_by="rank of who is opened")
    inside: float = assumed(0.85, owner="console", settle_by="rank of who is opened")
    alike: float = assumed(0.8, owner="console", settle_by="rank of who is opened")
    tells: float = assumed(0.5, owner="console", settle_by="asking support whether the reasons convince")
    id_first: float = assumed(0.03, owner="console", settle_by="rank of who is opened")
    name_first: float = assumed(0.02, owner="console", settle_by="rank of who is opened")
    full_first: float = assumed(0.02, owner="console", settle_by="rank of who is opened")


FIND = FindPolicy()


@dataclass(frozen=True, slots=True)
class FiguresPolicy:
    """What the indicators are held against, and over which days they are shown."""

    utilisation_least: float = promised(0.6, row="G5")
    correction_most: float = promised(0.05, row="G5")
    staleness_most: float = promised(0.15, row="G5")
    fast_lane_most_ms: float = promised(1000.0, row="G4")
    periods: tuple[int, ...] = promised((7, 30, 90), row="D2")
    series: int = assumed(6, owner="console", settle_by="how many lines managers tell apart")
    counted: int = assumed(1_000, owner="console", settle_by="from which backlog on its size tells staff nothing more")


FIGURES = FiguresPolicy()


@dataclass(frozen=True, slots=True)
class ReplayPolicy:
    """How many of the last receipts a page tries a version on, and how many of those that change it names."""

    receipts: int = measured(200, source="lab/notes/policies.md: about 1 s for 200 receipts of 70 candidates")
    examples: int = assumed(10, owner="console", settle_by="how many receipts managers open")


REPLAY = ReplayPolicy()


@dataclass(frozen=True, slots=True)
class OperationPolicy:
    """What the operator's page waits for, and from when on it calls something late."""

    workers_s: float = assumed(0.3, owner="console", settle_by="how fast workers answer under load")
    beat_late_s: float = assumed(30.0, owner="console", settle_by="fault runs: gaps of the sweep while beat restarts")
    forecast_days: int = promised(7, row="D2")
    next_runs: int = assumed(3, owner="console", settle_by="asking staff what they plan by")
    examples: int = assumed(10, owner="console", settle_by="asking staff what a preview must show")


OPERATION = OperationPolicy()


@dataclass(frozen=True, slots=True)
class SubjectPagePolicy:
    """How much of each part the page of a subject shows; their lists have all of it."""

    beliefs: int = assumed(100, owner="console", settle_by="beliefs of real subjects")
    rows: int = assumed(10, owner="console", settle_by="how far down support reads")
    notes: int = assumed(20, owner="console", settle_by="how far down support reads")
    text_chars: int = assumed(300, owner="console", settle_by="length of real snapshots")
    sources: int = assumed(500, owner="console", settle_by="messages behind the beliefs of real subjects")
    sources_each: int = assumed(3, owner="console", settle_by="how many sources support opens")
    changes: int = assumed(200, owner="console", settle_by="changes of the beliefs of real subjects")
    steps: int = assumed(200, owner="console", settle_by="width of the slider on a phone")


SUBJECT_PAGE = SubjectPagePolicy()

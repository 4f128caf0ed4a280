"""Every tunable number of making notes, with where it comes from."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed, measured, promised

_LIVES = "lives-en and lives-zh, which taught nothing"


@dataclass(frozen=True, slots=True)
class NotingPolicy:
    """When clauses become notes. Thresholds are probabilities, 0..1; lengths are tokens by estimate."""

    graded_clauses: int = promised(40, row="A1")
    held_from: float = measured(0.5, source=f"{_LIVES}: known .91/.82, right .70/.70; from .6 on .88/.72, .70/.72")
    vital_held_from: float = promised(0.2, row="P9")
    fragment_from: float = measured(
        0.8, source=f"{_LIVES}: without it right .69/.68, with it .70/.70, known -.00/-.03 (English/Chinese)"
    )
    tokens: int = promised(60, row="P9")
    vital_from: float = measured(0.35, source="figures of vital marks in docs/understanding.md")
    vital_without_cue: float = measured(0.8, source="figures of vital marks in docs/understanding.md")
    other_from: float = measured(0.5, source="figures of `about` in docs/understanding.md")
    said_outright: float = promised(0.9, row="P9")
    hedged: float = promised(0.6, row="P5")
    context_chars: int = assumed(200, owner="understanding", settle_by="length of turns that notes need to be read")
    held_compared: int = assumed(300, owner="understanding", settle_by="how long ago repeated notes were said")
    overlap: float = assumed(0.85, owner="understanding", settle_by="labelled pairs of repeated clauses")


NOTING = NotingPolicy()

"""Numbers of extraction, doubt, making notes, filling slots and ending notes, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised


@dataclass(frozen=True, slots=True)
class SummaryConfig:
    """Limits of extractive summaries. Importance is 0..1."""

    segment_over_turns: int = promised(20)
    segment_turns: int = assumed(10, owner="understanding", settle_by="recall_eval with segments of 5, 10 and 20 turns")
    max_tokens: int = promised(200)
    max_chars_zh: int = promised(100)
    max_sentences: int = assumed(6, owner="understanding", settle_by="answer judging with a model")
    max_topics: int = assumed(5, owner="understanding", settle_by="topic filter use in receipts")
    base_importance: float = assumed(0.3, owner="understanding", settle_by="utilisation by importance")
    importance_per_cue: float = assumed(0.15, owner="understanding", settle_by="utilisation by importance")


SUMMARY = SummaryConfig()


_LIVES = "lives-en and lives-zh, which taught nothing"
_HELD = (
    "life_exam.py, the shared lives and tests/golden/lives/en.json, zh.json, 24 November 2026: known .92 .83 .90 .93, "
    "right .67 .75 .71 .80; from .5 on known .91 .80 .83 .93, right .68 .74 .71 .81"
)


@dataclass(frozen=True, slots=True)
class NotingConfig:
    """When clauses become notes. Thresholds are probabilities, 0..1; lengths are estimated tokens."""

    graded_clauses: int = promised(40)
    held_from: float = measured(0.46, source=_HELD)
    vital_held_from: float = promised(0.2)
    asked_held_from: float = measured(
        0.65, source="clauses of the measuring sets and six of talk: of 5 questions below, 2 last; of 4 above, 3"
    )
    fragment_from: float = measured(
        0.8, source=f"{_LIVES}: without it right .69/.68, with it .70/.70, known -.00/-.03 (English/Chinese)"
    )
    tokens: int = promised(60)
    vital_from: float = measured(0.35, source="figures of vital marks in lab/notes/understanding.md")
    vital_without_cue: float = measured(0.8, source="figures of vital marks in lab/notes/understanding.md")
    other_from: float = measured(0.5, source="figures of `about` in lab/notes/understanding.md")
    # For a clause that begins with somebody of the user's: "my sister got a job".
    other_opening_from: float = measured(
        0.3,
        source="lasting clauses of utterances, everyday talk and talk_zh_3: `about` right in 948, not 937, of 1,079",
    )
    said_outright: float = promised(0.9)
    hedged: float = promised(0.6)
    offered: float = promised(0.8)
    habit_days: int = assumed(60, owner="understanding", settle_by="days between occasions of one habit")
    same_doing: float = assumed(0.7, owner="understanding", settle_by="labelled pairs of occasions of one habit")
    context_chars: int = assumed(200, owner="understanding", settle_by="length of turns that notes need to be read")
    turns_before: int = assumed(3, owner="understanding", settle_by="how far back users' pronouns reach")
    successor_from: float = measured(0.09, source="everyday_en and _zh: 1 note more of 1,003 lines, a right one")
    put_right_turns: int = assumed(6, owner="understanding", settle_by="how far back a bare correction reaches")
    held_compared: int = assumed(300, owner="understanding", settle_by="how long ago repeated notes were said")
    overlap: float = assumed(0.85, owner="understanding", settle_by="labelled pairs of repeated clauses")


@dataclass(frozen=True, slots=True)
class FillingConfig:
    """When a graded row fills its slot. Thresholds are probabilities, 0..1."""

    lasting_from: float = assumed(0.5, owner="understanding", settle_by="slots of talks and utterances by grade")
    health_from: float = assumed(0.3, owner="understanding", settle_by="slots of talks and utterances by grade")
    other_below: float = assumed(0.36, owner="understanding", settle_by="slots of talks and utterances by grade")


@dataclass(frozen=True, slots=True)
class ChangeConfig:
    """When a sentence ends notes. Thresholds are probabilities, 0..1; lengths are characters."""

    sure_from: float = measured(
        0.7, source="changes_measure, 28 November 2026: P .79 / R .13 (11 of 14), of six sets of lives P .5-1"
    )
    doubt_from: float = measured(
        0.24,
        source="changes_measure: .63 / .18 of what ends or is doubtful, and six sets of lives that taught nothing: "
        ".47-.69 / .14-.31; before lives taught, from .4 on, .68 / .19 and .36-.73 / .10-.28",
    )
    unhinted_from: float = measured(
        0.6, source="pairs without evidence of a change: changes_measure 14 of 15 right, of talks 3 of 9 stay"
    )
    # From this probability of "ends or doubts" on, a later note may be about the same thing.
    retold_from: float = measured(
        0.1, source="own ten lives, 500 tokens: misled English / Chinese 2 / 2, with .2 3 / 2"
    )
    change_from: float = assumed(0.5, owner="understanding", settle_by="figures of `change` in lab/notes")
    compared: int = assumed(40, owner="understanding", settle_by="notes that share a word or a kind with a change")
    held_compared: int = assumed(300, owner="understanding", settle_by="how long ago notes were said that ended")
    later_compared: int = assumed(
        50, owner="understanding", settle_by="messages that were said after one that comes late"
    )
    message_chars: int = promised(2_000)
    sentences: int = assumed(6, owner="understanding", settle_by="sentences of one message that change something")


@dataclass(frozen=True, slots=True)
class ExtractionConfig:
    """Limits and confidences of extraction by patterns. Lengths are characters, confidences 0..1."""

    max_analysed_chars: int = assumed(
        4_000, owner="understanding", settle_by="share of pasted documents among messages"
    )
    fast_lane_chars: int = measured(
        1_000, source="locomo-dev: longest of 1,972 messages 479; 4,000 hostile characters cost 0.8 s of a request"
    )
    max_sentence_chars: int = measured(600, source="locomo-dev: longest of 1,972 messages 479; clauses are few so far")
    max_candidates: int = measured(
        64, source="tests/golden/extraction.jsonl: most in one message 4; writing one takes the worker 8 ms"
    )
    fast_lane_batch_chars: int = measured(
        8_000, source="200 hostile messages of 1,000 characters held a request for minutes, 8,000 cost 0.3 s"
    )
    fast_lane_changes: int = measured(
        10,
        source="300 held values, busy machine: a request with 1 change takes 0.1 s, with 10 0.5 to 0.8, with 20 over 1",
    )
    max_value_chars: int = assumed(200, owner="understanding", settle_by="review queue of rejected candidates")
    change_confidence: float = promised(0.9)
    observation_ceiling: float = promised(0.6)
    analysis_ceiling: float = promised(0.8)
    confirmed_ceiling: float = promised(1.0)


@dataclass(frozen=True, slots=True)
class DoubtConfig:
    """When a candidate waits for review. Confidences 0..1."""

    least_confidence: float = assumed(
        0.35, owner="understanding", settle_by="share of unsure candidates that are approved"
    )
    # From this confidence on, a new value replaces one of the same provenance.
    plain_confidence: float = assumed(
        0.75, owner="understanding", settle_by="share of contradictions that are approved"
    )


NOTING = NotingConfig()
FILLING = FillingConfig()
CHANGES = ChangeConfig()


@dataclass(frozen=True, slots=True)
class ReplyingConfig:
    """When clauses of the assistant become replies. Thresholds are probabilities, 0..1; lengths are estimated
    tokens."""

    graded_clauses: int = promised(40)
    # A sentence is kept when one of its clauses has this worth.
    kept_from: float = measured(0.4, source="figures of replies in lab/notes/understanding.md")
    tokens: int = promised(60)
    # Of one message, the likeliest are kept.
    replies: int = assumed(4, owner="understanding", settle_by="what users ask for of long answers")
    confidence: float = promised(0.6)
    echo_turns: int = assumed(6, owner="understanding", settle_by="how far back assistants repeat what they were told")
    # A clause repeats the user when the user's turns hold this share of its terms.
    echoed: float = assumed(0.75, owner="understanding", settle_by="labelled pairs of a user's turn and the answer")


REPLYING = ReplyingConfig()
EXTRACTION = ExtractionConfig()
DOUBT = DoubtConfig()

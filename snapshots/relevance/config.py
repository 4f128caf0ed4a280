"""The numbers of relevance, each with its source."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured

# The embedding space that the readers were taught in, and the length of its vectors.
ENCODER_SPACE, DIMENSIONS = "use-multilingual-v3", 512

_STATEMENTS = (
    'madial-zh-dev, all 80 questions: logistic regression of "is evidence" on the z-score and the logarithm of the '
    "number of memories, whose weight came out as -0.98 and is -1 here: how many memories help does not depend on how "
    "many there are"
)
_AS_NOTES = (
    "ten lives, coverage at a total of 500: by score alone .821 and .854 (English, Chinese), with .3 .845 and .878, "
    "with .5 .845 and .902, with .7 .821 and .902; with 0.5 ahead instead of 1.5 .821 and .902"
)
_STRICT = (
    "manage.py precision_bench, strict passes of 43 / 77 and mean precision, 23 November 2026: relevance .5 .7 .8 .9 "
    "with words 5: 38/62/.759 38/63/.786 38/66/.833 38/66/.850; words 2 3 4 5 6 with relevance .9: 29/55/.725 "
    "35/63/.818 37/65/.847 38/66/.850 38/66/.850"
)
_USUAL = (
    "pairs of question and note that do not belong together, relevance/*_teach.jsonl and *_measure.jsonl (eight "
    "questions a person; both alike): means, and the spread within one person's notes"
)
_FEW = (
    "questions of relevance/*_measure.jsonl asked of one note that helps: taken .14 and .22 without (English, "
    "Chinese), .78 and .82 with 12; of two to five notes that do not help one is taken in .49 to .78 without, .32 to "
    ".71 with"
)


@dataclass(frozen=True, slots=True)
class UsualPairs:
    """Mean and spread of cosine and BM25 between a question and unrelated notes."""

    cosine: float
    cosine_spread: float
    words: float
    words_spread: float


@dataclass(frozen=True, slots=True)
class RelevanceConfig:
    """How scores become probabilities."""

    # Where the sentence encoder answers, a memory of fewer notes is read as if so many stood beside each other, the
    # missing ones usual.
    few_notes: int = measured(12, source=_FEW)
    usual_english: UsualPairs = measured(UsualPairs(0.075, 0.064, 0.04, 0.14), source=_USUAL)
    usual_chinese: UsualPairs = measured(UsualPairs(0.139, 0.072, 0.24, 0.6), source=_USUAL)

    # How probably a question needs memory that says a name which the memory holds, at the least: enough for what helps,
    # not for what only fills.
    named_need: float = assumed(0.8, owner="relevance", settle_by="questions about other people, by more writers")
    # Added to the logarithm of a statement's odds by one standard deviation of its fused score.
    statement_slope: float = measured(1.3, source=_STATEMENTS)
    # The logarithm of the odds of a statement of average score, were it the only one.
    statement_base: float = measured(-0.2, source=_STATEMENTS)
    # In a context, what the odds of a statement as a note weigh beside those by its score.
    statement_as_note: float = measured(0.5, source=_AS_NOTES)
    # The lead of a note over a statement of the same words, in the logarithm of the odds.
    note_ahead: float = measured(1.5, source=_AS_NOTES)
    # Added to the logarithm of a reply's odds where the question asks for what the assistant said.
    asked_reply: float = assumed(2.0, owner="recall", settle_by="labelled questions about what the assistant said")
    # From which probability on a question may ask for what the assistant said.
    asked_from: float = assumed(0.2, owner="recall", settle_by="labelled questions about what the assistant said")
    # From which relevance on a reply helps a question that does not ask for it.
    unasked_reply: float = assumed(0.15, owner="recall", settle_by="labelled questions about what the assistant said")
    # Slots of which a process keeps words and vector: about 1.3 kB each.
    slots_kept: int = assumed(5_000, owner="relevance", settle_by="memory and hit rate of serving processes")
    # New slots that are embedded for one question, some 2 ms each; of more the words in common tell until the next.
    slots_embedded: int = assumed(40, owner="relevance", settle_by="slots of the largest profiles in production")
    # From which relevance on a strict question takes what it does not name.
    strict_relevance: float = measured(0.9, source=_STRICT)
    # From which BM25 on a strict question names a memory: one rare word of it in thirty memories gives 3.
    strict_words: float = measured(5.0, source=_STRICT)


RELEVANCE = RelevanceConfig()

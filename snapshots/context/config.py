"""The numbers of context assembly, each with its source. docs/policies/policies.md lists those that tenants set."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed, measured, promised
from snapshots.context.values import BudgetRequest
from snapshots.models import VitalClass

_LEAST_NEED = (
    "questions of twelve sets of lives, 27 November 2026: of 102 that need nothing 16 need memory with more, of 684 "
    "that need something 10 with less; with .1 24 and 5, with .3 15 and 21"
)
_TINY = (
    "context_curve, 24 November 2026, six sets of lives: with the same share at every total .25 to .59 are covered at "
    "150 and .53 to .85 at 250, with this .44 to .77 and .56 to .90; bare BM25 .23 to .70 and .29 to .79"
)
_LONG = (
    "lives in two languages, 27 November 2026, total 6,000: with no message that tells nothing .881 and .974 are "
    "covered of the two sets that lose by it, with long ones .894 and .981, as with all of them"
)
_STANDING = (
    "21 lives, 27 November 2026: of 182 limits and habits that are not vital 45 are given less, some 15 "
    "true ones and 30 moods, questions and orders of the moment; what leaves the prefix competes by the question"
)
_VITAL_WAITS = (
    "lives-en and lives-zh, 28 November 2026, totals of 150, 250, 300 and 450: where not all vital notes fit, covered "
    ".43 .67 .75 .87 (English) with what fits of them in the prefix before all else, .54 .75 .82 .87 with them after "
    "what helps the question; .60 .73 .77 .85 (Chinese), .52 .74 .82 .83 and .58 .76 .80 .85 with none beside what "
    "the question asks for"
)
_ONE_LINE = "test_bad_input.py: at totals of 120 to 180 a vital note of six words stands with 32 tokens, not with 28"
_SURE_NEED = (
    "life_exam.py, lives that nobody mended by, 23 November 2026, total 6,000: message 1 where nothing is needed 9 and "
    "152 tokens (English, Chinese) with .5, 9 and 97 with .8, 9 and 29 with .85 and .9, covered the same; of the lives "
    "that were read .905 up to .85, .881 with .9"
)


@dataclass(frozen=True, slots=True)
class ContextPolicy:
    """Slots in tokens by section, confidence bands of the guide, and the cost of a message's framing."""

    total: int = promised(6000)
    system: int = promised(500)
    # Fixed: never grows by what others leave, never differs by intent, so that the prefix stays the same.
    profile: int = promised(600)
    # The most of a total that the profile takes, where that is less.
    profile_share: float = promised(0.4)
    # Below it, the profile's share falls with the total: what the question asks for comes first. Where it does not hold
    # all vital notes, what helps the question goes first, then they take what room is left, the gravest first.
    profile_from: int = measured(500, source=f"{_TINY}; {_VITAL_WAITS}")
    # It falls no further: one vital note stands in the smallest total, as far as `profile_share` allows.
    profile_least: int = measured(32, source=_ONE_LINE)
    # Classes of notes that are vital to the tenant; a note of another class is like any other.
    vital_classes: tuple[str, ...] = promised(tuple(VitalClass.values))
    # Vital notes that stand whatever is asked; of more the gravest, then the newest.
    vital_notes: int = promised(20)
    # Their share of the profile's tokens before name and slots; below `profile_from` they may take all of it.
    vital_share: float = promised(0.4)
    # Up to it, a prefix holds only what does harm when missing; all else competes by the question.
    small: int = promised(1000)
    # Turns of the window that come before memories where the total is small.
    last_turns: int = promised(2)
    standing_notes: int = promised(100)
    # The probability of lasting from which a limit or habit always stands, unless it was said again or confirmed.
    standing_from: float = measured(0.65, source=_STANDING)
    # Phase guidance also stands where the caller names no phase.
    detect_phase: bool = promised(False)
    # The least relevance of a memory that goes in, if the request names no `min_relevance`.
    min_relevance: float = assumed(0.07, owner="context", settle_by="lives that nobody here has read")
    # The least probability that a question needs memory to get any, where the request names no `min_relevance`.
    least_need: float = measured(0.2, source=_LEAST_NEED)
    # The least probability that a question needs memory to get more than what helps.
    sure_need: float = measured(0.85, source=_SURE_NEED)
    # Words from which a message may tell something though it asks or commands: only such fill room.
    long_message: int = measured(14, source=_LONG)
    memory: int = promised(1700)
    # Slot sizes by the intent that the caller names. An intent that was detected changes no size: it may be wrong.
    memory_by_intent: tuple[tuple[str, int], ...] = promised(
        (
            ("small_talk", 500),
            ("recommendation", 3000),
            ("complaint", 2000),
            ("knowledge", 1000),
            ("preference_confirmation", 4000),
        )
    )
    window: int = promised(3000)
    query: int = promised(100)
    summary: int = assumed(500, owner="context", settle_by="running summaries of long conversations")
    task: int = assumed(500, owner="context", settle_by="working memory of real tasks")
    # The memory slot less that of a knowledge question: 2,000 less 1,000.
    knowledge: int = promised(1000)
    # Role and delimiters of one message; OpenAI's published recipe counted 3 to 4.
    message_overhead: int = assumed(4, owner="context", settle_by="usage reported by chat models")
    candidates_most: int = assumed(200, owner="context", settle_by="share of contexts that keep their last candidate")
    # Memories of each reason that a receipt names though recall left them out: below the floor, expired, repeated.
    left_out_noted: int = assumed(5, owner="context", settle_by="questions of support staff about receipts")
    # A window of 20 messages makes at most as many statements needless.
    candidates_spare: int = promised(20)
    least_per_memory: int = measured(5, source="a line of three words under a date: 5 tokens by estimate-2")
    # Texts of which a process remembers figures: about 0.2 kB each, without the text.
    texts_remembered: int = assumed(20_000, owner="context", settle_by="memory and hit rate of serving processes")
    tier: str = assumed("middle", owner="context", settle_by="answers judged by tier and intent")
    # Courtesy or looked up: light; carried out or weighed: middle. Strong is kept for turns after a correction.
    tier_by_intent: tuple[tuple[str, str], ...] = assumed(
        (
            ("small_talk", "light"),
            ("navigation", "light"),
            ("preference_confirmation", "light"),
            ("task", "middle"),
            ("knowledge", "middle"),
            ("recommendation", "middle"),
            ("complaint", "middle"),
        ),
        owner="context",
        settle_by="answers judged by tier and intent",
    )
    raised_turns: int = assumed(3, owner="context", settle_by="turns until a corrected conversation is confirmed")
    good_hit_share: float = assumed(0.5, owner="context", settle_by="feedback on answers after a correction")
    state_from: float = promised(0.8)
    tentative_from: float = promised(0.5)

    def memory_slot_of(self, intent: str | None) -> int | None:
        return dict(self.memory_by_intent).get(intent or "")

    def compute_candidate_limit(self, budget: BudgetRequest, intent: str | None) -> int:
        """Return how many snapshots to recall: no more than the memory section could hold at its largest."""
        slot = self.memory_slot_of(intent) if budget.memory is None else budget.memory
        total = self.total if budget.total is None else budget.total
        most = total if slot is None else min(slot, total)
        return min(self.candidates_most, most // self.least_per_memory + self.candidates_spare)


DEFAULT_CONTEXT = ContextPolicy()

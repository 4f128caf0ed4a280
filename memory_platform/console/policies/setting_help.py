"""Help for each setting of a policy, in one or two sentences, and its unit."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tenants.policies.value_kinds import Days, DaysOrNever, Kind, Number, Numbers, WholeNumber

UNIT_LABELS = {
    "checkpoints": gettext_lazy("checkpoints"),
    "tokens": gettext_lazy("tokens"),
    "turns": gettext_lazy("turns"),
    "memories": gettext_lazy("memories"),
    "times injected": gettext_lazy("times"),
}
_KEPT = gettext_lazy("A memory of this kind is deleted so many days after it was stored.")
_KEPT_OR_NEVER = gettext_lazy(
    "A memory of this kind is deleted so many days after it was stored. Leave empty for “never”."
)
_ROOM = gettext_lazy("The most that this part of a prompt may take.")
_WEIGHT = gettext_lazy("How much this kind of match counts in the search; 0 switches it off.")
_BONUS = gettext_lazy("What such a memory gains in the search; 0 switches it off.")
_FACTOR = gettext_lazy("Whether the order of memories depends on it.")
# By section and field; a test keeps the list whole.
SETTING_HELP = {
    "retention.conversation": _KEPT,
    "retention.segment": _KEPT,
    "retention.statement": _KEPT,
    "retention.episode": _KEPT,
    "retention.note": _KEPT_OR_NEVER,
    "retention.reply": _KEPT_OR_NEVER,
    "purge.messages": gettext_lazy("Messages older than this are deleted with the next purge."),
    "purge.receipts": gettext_lazy("The record of an answer is deleted so many days after the answer."),
    "purge.receipt_texts": gettext_lazy("Question and prompt are deleted so many days after the answer."),
    "purge.threads": gettext_lazy("A thread is deleted so many days after an agent last saved something in it."),
    "purge.checkpoints": gettext_lazy(
        "So many of its newest checkpoints a thread keeps, and those that they cannot be read without."
    ),
    "context.total": gettext_lazy("The most that a whole prompt may take, unless the caller names a size."),
    "context.system": _ROOM,
    "context.profile": gettext_lazy(
        "The most that name, vital notes and profile take. It is the same for every question."
    ),
    "context.memory": gettext_lazy("The room for memories. It grows by what other parts leave."),
    "context.window": gettext_lazy("The room for the newest messages of the conversation."),
    "context.query": _ROOM,
    "context.summary": _ROOM,
    "context.task": _ROOM,
    "context.knowledge": gettext_lazy("The room for passages of your documents."),
    "context.memory_by_intent": gettext_lazy("The room for memories if the caller names this intent."),
    "context.state_from": gettext_lazy("From this confidence on, the prompt states a memory as a fact."),
    "context.tentative_from": gettext_lazy(
        "From this confidence on, the prompt states a memory with “probably”. It must not exceed the one above."
    ),
    "context.profile_from": gettext_lazy(
        "In smaller prompts, what helps the question comes before vital notes. With 1 vital notes always come first."
    ),
    "context.min_relevance": gettext_lazy("Less relevant memories are left out. A higher value makes shorter prompts."),
    "context.detect_phase": gettext_lazy("Whether the phase is guessed from the messages if the caller names none."),
    "context.tier": gettext_lazy("The chat model that is recommended for an answer."),
    "context.tier_by_intent": gettext_lazy("The chat model that is recommended for this intent."),
    "context.raised_turns": gettext_lazy(
        "For so many turns after a correction, a stronger chat model is recommended. 0 switches it off."
    ),
    "context.good_hit_share": gettext_lazy(
        "If memories match this share of the question, the stronger model is no longer recommended."
    ),
    "recall.top_k": gettext_lazy("How many memories a recall returns if the caller names no number."),
    "recall.documents": gettext_lazy("Whether a recall also searches documents if the caller names no lanes."),
    "scoring.keyword_own": _WEIGHT,
    "scoring.keyword_window": _WEIGHT,
    "scoring.keyword_sitting": _WEIGHT,
    "scoring.dense_dated": _WEIGHT,
    "scoring.dense_continued": _WEIGHT,
    "scoring.fusion": gettext_lazy("Whether matches are added up by their scores or by their ranks."),
    "scoring.smooth_previous": gettext_lazy("A memory takes over this share of the score of the one said before it."),
    "scoring.smooth_next": gettext_lazy("A memory takes over this share of the score of the one said after it."),
    "scoring.named_speaker": _BONUS,
    "scoring.named_time": _BONUS,
    "scoring.said_in_time": _BONUS,
    "scoring.said_recently": _BONUS,
    "ranking.use_recency": _FACTOR,
    "ranking.use_confidence": _FACTOR,
    "ranking.use_provenance": _FACTOR,
    "ranking.use_frequency": _FACTOR,
    "ranking.say_once": gettext_lazy("Memories that say the same take one place."),
    "ranking.recency_curve": gettext_lazy("How a memory counts less as it grows older."),
    "ranking.recency_days": gettext_lazy(
        "The ages, in days, at which the factor changes. Used by the curve “in steps”."
    ),
    "ranking.recency_values": gettext_lazy(
        "The factor up to each of these ages, and the one beyond. Used by the curve “in steps”."
    ),
    "ranking.hyperbolic_rate": gettext_lazy(
        "How fast the factor falls: 1 / (1 + rate × days). Used by that curve only."
    ),
    "ranking.episode_shares": gettext_lazy("How the score is divided up. Used by the curve “per day” only."),
    "ranking.episode_decay": gettext_lazy("What is left of recency after each day. Used by the curve “per day” only."),
    "ranking.validation_days": gettext_lazy("The days since the last confirmation at which the factor changes."),
    "ranking.validation_values": gettext_lazy("The factor up to each of these days, and the one beyond."),
    "ranking.provenance": gettext_lazy("For what was observed, what was analysed, and what the user confirmed."),
    "ranking.corrected_by_staff": gettext_lazy("1 trusts staff as much as the user."),
    "ranking.frequency_injected": gettext_lazy("Feedback on a memory counts once it was in so many prompts."),
    "ranking.frequency_liked": gettext_lazy("A memory with a higher share of positive feedback moves up."),
    "ranking.frequency_disliked": gettext_lazy("A memory with a lower share of positive feedback moves down."),
    "ranking.frequency_bonus": gettext_lazy("Above 1, liked memories move up."),
    "ranking.frequency_malus": gettext_lazy("Below 1, disliked memories move down."),
    "notes.vital_classes": gettext_lazy(
        "Notes of these classes are in every prompt, whatever the question. Notes of other classes are treated "
        "like any other note."
    ),
    "notes.special_categories": gettext_lazy(
        "What happens to a message with such information about a person. “Used in its conversation only”: nothing"
        " is learned from the message. “Not stored”: the API's answer says so."
    ),
    "fields.attributes": gettext_lazy("What your product wants to know about people. Conversations fill these fields."),
}


def describe_unit(kind: Kind) -> Any:
    """Return the text behind an input: its unit, or its bounds where it has none."""
    match kind:
        case Days() | DaysOrNever():
            return _("days")
        case WholeNumber(_least, _most, unit):
            return UNIT_LABELS.get(unit, unit)
        case Number(least, most):
            return _("%(least)s to %(most)s") % {"least": f"{least:g}", "most": f"{most:g}"}
        case Numbers(length):
            return _("%s numbers, separated by commas") % length
        case _:
            return ""

"""Labels of the settings of a policy."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from snapshots.models import VitalClass
from snapshots.notes.section import CONTEXT_ONLY, KEEP, REFUSE

SECTIONS = {
    "retention": _("How long memories are kept (days)"),
    "purge": _("How long the rest is kept (days)"),
    "context": _("Budgets of a context (tokens)"),
    "recall": _("Answers"),
    "scoring": _("Weights of the search"),
    "ranking": _("Factors of the order"),
    "notes": _("What is learned"),
    "fields": _("Fields that you ask for"),
}
# By section and field; a test keeps the list whole.
FIELDS = {
    "retention.conversation": _("summaries of conversations"),
    "retention.segment": _("parts of conversations"),
    "retention.statement": _("statements"),
    "retention.episode": _("episodes"),
    "retention.note": _("notes"),
    "retention.reply": _("the assistant's words"),
    "purge.messages": _("messages"),
    "purge.receipts": _("receipts"),
    "purge.receipt_texts": _("texts of receipts"),
    "context.total": _("whole context"),
    "context.system": _("system prompt and guide"),
    "context.profile": _("profile"),
    "context.memory": _("memories"),
    "context.window": _("last turns"),
    "context.query": _("question"),
    "context.summary": _("running summary"),
    "context.task": _("tasks"),
    "context.knowledge": _("knowledge"),
    "context.memory_by_intent": _("memories, by intent"),
    "context.state_from": _("stated as fact from this confidence"),
    "context.tentative_from": _("stated tentatively from this confidence"),
    "context.profile_from": _("vital notes stand first from this whole context"),
    "context.min_relevance": _("a memory helps from this relevance"),
    "context.detect_phase": _("phase of the conversation: detected"),
    "context.tier": _("tier of model where the intent names none"),
    "context.tier_by_intent": _("tier of model, by intent"),
    "context.raised_turns": _("turns for which a correction raises the tier"),
    "context.good_hit_share": _("share of a question's words that settles a correction"),
    "recall.top_k": _("memories in an answer"),
    "scoring.keyword_own": _("words: of the memory itself"),
    "scoring.keyword_window": _("words: with the turns around it"),
    "scoring.keyword_sitting": _("words: of the whole sitting"),
    "scoring.dense_dated": _("meaning: of the memory itself"),
    "scoring.dense_continued": _("meaning: with the turn before it"),
    "scoring.fusion": _("what is fused"),
    "scoring.smooth_previous": _("share of the memory before"),
    "scoring.smooth_next": _("share of the memory after"),
    "scoring.named_speaker": _("gain: said by whom the question names"),
    "scoring.named_time": _("gain: names a time when one is asked for"),
    "scoring.said_in_time": _("gain: said in the time that is named"),
    "scoring.said_recently": _("gain: said recently when that is asked for"),
    "ranking.use_recency": _("use recency"),
    "ranking.use_confidence": _("use confidence"),
    "ranking.use_provenance": _("use provenance"),
    "ranking.use_frequency": _("use frequency"),
    "ranking.say_once": _("say what was repeated once"),
    "ranking.recency_curve": _("decay curve"),
    "ranking.recency_days": _("steps of recency: up to days"),
    "ranking.recency_values": _("steps of recency: factors"),
    "ranking.hyperbolic_rate": _("hyperbolic decay: rate"),
    "ranking.episode_shares": _("episodes: shares of similarity, recency, importance"),
    "ranking.episode_decay": _("episodes: decay per day"),
    "ranking.validation_days": _("age of the last validation: up to days"),
    "ranking.validation_values": _("age of the last validation: factors"),
    "ranking.provenance": _("factors of provenance, the weakest first"),
    "ranking.frequency_injected": _("frequency counts from so many uses"),
    "ranking.frequency_liked": _("liked: share of positive feedback above"),
    "ranking.frequency_disliked": _("disliked: share of positive feedback below"),
    "ranking.frequency_bonus": _("factor of what is liked"),
    "ranking.frequency_malus": _("factor of what is disliked"),
    "notes.vital_classes": _("what is vital"),
    "notes.special_categories": _("health, faith, politics, origin, love, body"),
    "fields.attributes": _("attributes of the profile"),
}
# What a label does not say.
HELP = {
    "notes.vital_classes": _(
        "A note of these classes stands in every prompt, whatever is asked. A note of another is as any other."
    ),
    "notes.special_categories": _(
        "What becomes of a message that tells such a thing of somebody. A message known in its conversation alone is "
        "read there, and nothing is learned from it; of one that is not stored, the answer says so."
    ),
}
# Names of options that need others than their own.
OPTIONS = {
    "notes.vital_classes": dict(VitalClass.choices),
    "notes.special_categories": {
        KEEP: _("learned like everything else"),
        CONTEXT_ONLY: _("known in its conversation alone"),
        REFUSE: _("not stored"),
    },
}


def name_options(place: str, value: Any) -> Any:
    """Return the value of a setting with the labels of its options."""
    named = OPTIONS.get(place, {})
    if isinstance(value, list):
        return [str(named.get(one, one)) if isinstance(one, str) else one for one in value]
    return str(named[value]) if isinstance(value, str) and value in named else value

"""Labels of the settings of a policy."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from snapshots.models import VitalClass
from snapshots.notes.policy_section import CONTEXT_ONLY, KEEP, REFUSE

SECTION_LABELS = {
    "retention": _("How long memories are kept (days)"),
    "purge": _("How long other data is kept (days)"),
    "context": _("Prompt budgets (tokens)"),
    "recall": _("Answers"),
    "scoring": _("Search weights"),
    "ranking": _("Ranking factors"),
    "notes": _("What is learned"),
    "fields": _("Custom profile fields"),
}
# By section and field; a test keeps the list whole.
SETTING_LABELS = {
    "retention.conversation": _("summaries of conversations"),
    "retention.segment": _("parts of conversations"),
    "retention.statement": _("statements"),
    "retention.episode": _("episodes"),
    "retention.note": _("notes"),
    "retention.reply": _("the assistant's words"),
    "purge.messages": _("messages"),
    "purge.receipts": _("receipts"),
    "purge.receipt_texts": _("texts of receipts"),
    "purge.threads": _("threads of agents"),
    "purge.checkpoints": _("checkpoints kept in a thread"),
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
    "context.state_from": _("confidence from which a memory is stated as fact"),
    "context.tentative_from": _("confidence from which a memory is stated tentatively"),
    "context.profile_from": _("context size from which vital notes come first"),
    "context.min_relevance": _("relevance from which a memory is used"),
    "context.detect_phase": _("phase of the conversation: detected"),
    "context.tier": _("model tier, unless the intent sets one"),
    "context.tier_by_intent": _("model tier, by intent"),
    "context.raised_turns": _("turns with a higher tier after a correction"),
    "context.good_hit_share": _("share of a question's words that must be matched to settle a correction"),
    "recall.top_k": _("memories in an answer"),
    "recall.documents": _("documents in an answer"),
    "scoring.keyword_own": _("words: of the memory itself"),
    "scoring.keyword_window": _("words: with the turns around it"),
    "scoring.keyword_sitting": _("words: of the whole conversation"),
    "scoring.dense_dated": _("meaning: of the memory itself"),
    "scoring.dense_continued": _("meaning: with the turn before it"),
    "scoring.fusion": _("score fusion"),
    "scoring.smooth_previous": _("share of the memory before"),
    "scoring.smooth_next": _("share of the memory after"),
    "scoring.named_speaker": _("bonus: said by the person in the question"),
    "scoring.named_time": _("bonus: mentions a time when the question asks for one"),
    "scoring.said_in_time": _("bonus: said in the period of the question"),
    "scoring.said_recently": _("bonus: said recently when the question asks for recent things"),
    "ranking.use_recency": _("use recency"),
    "ranking.use_confidence": _("use confidence"),
    "ranking.use_provenance": _("use provenance"),
    "ranking.use_frequency": _("use frequency"),
    "ranking.say_once": _("include repeated information only once"),
    "ranking.recency_curve": _("decay curve"),
    "ranking.recency_days": _("steps of recency: up to days"),
    "ranking.recency_values": _("steps of recency: factors"),
    "ranking.hyperbolic_rate": _("hyperbolic decay: rate"),
    "ranking.episode_shares": _("episodes: shares of similarity, recency, importance"),
    "ranking.episode_decay": _("episodes: decay per day"),
    "ranking.validation_days": _("age of the last validation: up to days"),
    "ranking.validation_values": _("age of the last validation: factors"),
    "ranking.provenance": _("factors for provenance, weakest first"),
    "ranking.corrected_by_staff": _("factor for memories that staff corrected"),
    "ranking.frequency_injected": _("uses from which frequency counts"),
    "ranking.frequency_liked": _("liked: share of positive feedback above"),
    "ranking.frequency_disliked": _("disliked: share of positive feedback below"),
    "ranking.frequency_bonus": _("factor for liked memories"),
    "ranking.frequency_malus": _("factor for disliked memories"),
    "notes.vital_classes": _("vital classes"),
    "notes.special_categories": _("health, faith, politics, origin, love, body"),
    "fields.attributes": _("attributes of the profile"),
}
# Names of options that need others than their own.
OPTION_LABELS = {
    "context.tier": {"light": _("light"), "middle": _("middle"), "strong": _("strong")},
    "scoring.fusion": {"scores": _("scores"), "ranks": _("ranks")},
    "ranking.recency_curve": {
        "steps": _("in steps"),
        "hyperbolic": _("hyperbolic"),
        "episode": _("per day, as a share of the score"),
    },
    "notes.vital_classes": dict(VitalClass.choices),
    "notes.special_categories": {
        KEEP: _("learned like any other message"),
        CONTEXT_ONLY: _("used in its conversation only"),
        REFUSE: _("not stored"),
    },
}


def label_options(place: str, value: Any) -> Any:
    named = OPTION_LABELS.get(place, {})
    if isinstance(value, list):
        return [str(named.get(one, one)) if isinstance(one, str) else one for one in value]
    return str(named[value]) if isinstance(value, str) and value in named else value

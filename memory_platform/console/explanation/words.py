"""Texts of the explanation page: whole sentences for readers who did not write the ranking."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from snapshots.receipts.values import LASTING, VITAL

REASONS = {
    "kept": _("It stands in the prompt."),
    "over_budget": _("Left out: the tokens were spent."),
    "duplicate_of_window": _("Left out: the last turns say it already."),
    "duplicate_of_profile": _("Left out: the profile says it already."),
    "duplicate_of_memory": _("Left out: another memory says the same."),
    "untrusted_instruction": _("Left out: it gives orders to the model."),
    "below_floor": _("Left out: it is not near enough to the question."),
    "not_needed": _("Left out: the question needs no memory."),
    "expired": _("Left out: its time is over."),
}
GUARDRAILS = {
    "instruction": _("It gives orders to the model."),
    "forged_memory": _("It imitates the markup of memories: shown as plain text."),
    "unseen_characters": _("It held characters that nobody sees: they were taken out."),
}
SIGNALS = {
    "corrected": _("corrected"),
    "negative": _("negative"),
    "positive": _("positive"),
    "neutral": _("neutral"),
}
SIGNAL_REASONS = {
    "confirm": _("the next turn confirmed the reply"),
    "follow_up": _("the next turn asked on"),
    "restate": _("the next turn asked the same again"),
    "correct": _("the next turn corrected the reply"),
    "correct_named": _("the next turn named it as wrong"),
    "topic_change": _("the next turn was about something else"),
    "unclear": _("the next turn does not tell"),
    "verdict": _("said by the product"),
}
HOW = {
    "words": _("by its words"),
    "reference": _("by reference to it"),
    "value": _("by its value"),
}
# Why a prompt brings no memory of its turn.
ABSTAINED = {
    "unknown_subject": _("No memory went in for this question: nobody is known by this id."),
    "nothing_remembered": _("No memory went in for this question: nothing is remembered of this person."),
    "nothing_relevant": _("No memory went in for this question: nothing that is remembered helps to answer it."),
    "nothing_more": _(
        "No memory went in for this question: what helps to answer it stands in the profile or the last turns already, "
        "or found no room."
    ),
}
TIERS = {"light": _("light model"), "middle": _("middle model"), "strong": _("strong model")}
CAUSES = {
    "intent": _("for what the turn is after"),
    "corrected": _("the user just corrected something"),
    "unsettled": _("nothing good was found since the last correction"),
    "settled": _("memory holds a good answer again"),
}
LANES = {"keyword": _("words in common"), "dense": _("nearness in meaning")}
STEPS = {
    "fused": _("both lanes together"),
    "smoothed": _("of it, from the memories before and after"),
    "conversation": _("of it, from all that was said in the same sitting"),
    "preferred": _("of it, for who said it, when and how"),
    "semantic": _("relevance: how probably it helps to answer"),
    "reranked": _("relevance as the reranker gave it"),
}
# What the relevance was made of.
RELEVANCE = {
    "need": _("how probably the question needs memory"),
    "named": _("at least so probably, because it names somebody or something remembered"),
    "as_note": _("how probably such words help such a question"),
    "as_statement": _("how probably it helps, by how it stands out among all messages"),
    "as_message": _("how probably the whole message behind it helps"),
    "asks_reply": _("how probably the question asks for what the assistant said"),
    "in_time": _("raised, because it was said at the time asked for"),
    "as_tag": _("how well the question names it"),
    "as_older": _("as probably as what was told before helps, which it brings up to date"),
    "as_slot": _("as probably as the profile entry that says the same helps"),
    "share": _("times the share of the message that its notes do not say"),
}
FACTORS = {
    "recency": _("times recency"),
    "confidence_effective": _("times confidence as of that day"),
    "provenance": _("times provenance"),
    "frequency": _("times earlier feedback"),
}


STANDING = {
    VITAL: _("Vital: always in."),
    LASTING: _("Lasting: in every prompt while there is room."),
}
# Of slots, instead of :data:`STANDING`'s words on what lasts.
PROFILE = _("Profile: always in while there is room.")
SLOTS = frozenset({"profile", "preferences", "tags"})
RELEVANT = _("In: relevance %(relevance)s, threshold %(threshold)s.")
BESIDE = _(
    "In: relevance %(relevance)s is below the threshold %(threshold)s, but something else helps and room was left."
)
IRRELEVANT = _("Left out: relevance %(relevance)s, threshold %(threshold)s.")
SPENT = _("Left out: the tokens were spent. Relevance %(relevance)s, threshold %(threshold)s.")


def reason_told(one: Mapping[str, Any]) -> str:
    """Return why a candidate is in the prompt or not; an unknown code as it is."""
    code, relevance, threshold = one["decision_reason"], one.get("relevance"), one.get("threshold")
    if code == "kept" and one.get("standing") in STANDING:
        return str(PROFILE if one["lane"] in SLOTS else STANDING[one["standing"]])
    if relevance is None or threshold is None:
        return str(REASONS.get(code, code))
    kept = RELEVANT if relevance >= threshold else BESIDE
    told = {"kept": kept, "below_floor": IRRELEVANT, "over_budget": SPENT}.get(code)
    numbers = {"relevance": f"{relevance:.2f}", "threshold": f"{threshold:.2f}"}
    return str(told) % numbers if told else str(REASONS.get(code, code))


def signal_told(signal: str, reason: str) -> str:
    """Return the feedback on a memory and its evidence; "" without feedback."""
    if not signal:
        return ""
    kind, _colon, words = reason.partition(": ")
    why = ": ".join(filter(None, [str(SIGNAL_REASONS.get(kind, kind)), words]))
    told = str(SIGNALS.get(signal, signal))
    return f"{told} ({why})" if why else told

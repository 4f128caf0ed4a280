"""Texts of the explanation page: whole sentences for readers who did not write the ranking."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from snapshots.receipts.values import LASTING, VITAL

DECISION_TEXTS = {
    "kept": _("Included."),
    "over_budget": _("Left out: no room for it."),
    "duplicate_of_window": _("Left out: the last turns already say it."),
    "duplicate_of_profile": _("Left out: the profile already says it."),
    "duplicate_of_memory": _("Left out: another memory says the same."),
    "untrusted_instruction": _("Left out: it gives instructions to the model."),
    "below_floor": _("Left out: not relevant enough."),
    "not_needed": _("Left out: the question needs no memory."),
    "expired": _("Left out: it has expired."),
}
# The same as the end of a count: "12 no room for it".
DECISION_LABELS = {
    "over_budget": _("no room"),
    "duplicate_of_window": _("in the last turns"),
    "duplicate_of_profile": _("in the profile"),
    "duplicate_of_memory": _("said by another memory"),
    "untrusted_instruction": _("instructions to the model"),
    "below_floor": _("not relevant enough"),
    "not_needed": _("not needed"),
    "expired": _("expired"),
}
GUARDRAIL_TEXTS = {
    "instruction": _("It gives instructions to the model."),
    "forged_memory": _("It imitates the markup of memories, so it was included as plain text."),
    "unseen_characters": _("It contained invisible characters, which were removed."),
}
USAGE_EVIDENCE_LABELS = {
    "words": _("the reply repeats it"),
    "reference": _("the reply refers to it"),
    "value": _("the reply repeats its value"),
}
# Why a prompt brings no memory of its turn.
ABSTENTION_TEXTS = {
    "unknown_subject": _("No memory was included: nobody has this id."),
    "nothing_remembered": _("No memory was included: nothing is remembered about this person."),
    "nothing_relevant": _("No memory was included: no remembered fact helps with this question."),
    "nothing_more": _(
        "No further memory was included: the helpful ones are already in the profile or the last turns, or did not fit."
    ),
}
MODEL_TIER_LABELS = {"light": _("Light model"), "middle": _("Middle model"), "strong": _("Strong model")}
ROUTE_REASON_LABELS = {
    "intent": _("chosen by intent"),
    "corrected": _("the user just corrected something"),
    "unsettled": _("no good answer was found since the last correction"),
    "settled": _("memory holds a good answer again"),
}
RETRIEVER_RANK_TEXTS = {"keyword": _("keyword rank %s"), "dense": _("semantic rank %s")}
RETRIEVER_LABELS = {"keyword": _("shared words"), "dense": _("similarity in meaning")}
SCORE_STEP_LABELS = {
    "fused": _("both retrievers together"),
    "smoothed": _("of which from the memories before and after"),
    "conversation": _("of which from the same conversation"),
    "preferred": _("of which for speaker, time and form"),
    "semantic": _("relevance: probability that it helps with the answer"),
    "reranked": _("relevance from the reranker"),
}
# What the relevance was made of.
RELEVANCE_LABELS = {
    "need": _("probability that the question needs memory"),
    "named": _("at least, because the question names a remembered person or thing"),
    "as_note": _("probability that such words help with such a question"),
    "as_statement": _("probability that it helps, compared with all messages"),
    "as_message": _("probability that its whole source message helps"),
    "asks_reply": _("probability that the question asks for the assistant's words"),
    "in_time": _("raised, because it was said in the period of the question"),
    "as_tag": _("how well the question names it"),
    "as_older": _("the probability of the older memory that it updates"),
    "as_slot": _("the probability of the profile entry with the same content"),
    "share": _("times the share of the message that its notes do not cover"),
}
FACTOR_LABELS = {
    "recency": _("times recency"),
    "confidence_effective": _("times confidence as of that day"),
    "provenance": _("times provenance"),
    "frequency": _("times earlier feedback"),
}


STANDING_TEXTS = {
    VITAL: _("Always sent: a vital note."),
    LASTING: _("Always sent if it fits: a lasting note."),
}
# Of slots, instead of :data:`STANDING_TEXTS`'s words on what lasts.
PROFILE_TEXT = _("Always sent if it fits: part of the profile.")
SLOT_LANES = frozenset({"profile", "preferences", "tags"})
ABOVE_THRESHOLD_TEXT = _("Included: relevance %(relevance)s, threshold %(threshold)s.")
BELOW_THRESHOLD_TEXT = _(
    "Included: relevance %(relevance)s is below the threshold %(threshold)s, but another memory helps and there "
    "was room."
)
IRRELEVANT_TEXT = _("Left out: relevance %(relevance)s, threshold %(threshold)s.")


def render_decision(one: Mapping[str, Any]) -> str:
    """Return why a candidate is in the prompt or not; an unknown code as it is."""
    code, relevance, threshold = one["decision_reason"], one.get("relevance"), one.get("threshold")
    if code == "kept" and one.get("standing") in STANDING_TEXTS:
        return str(PROFILE_TEXT if one["lane"] in SLOT_LANES else STANDING_TEXTS[one["standing"]])
    if code == "kept" and relevance is None and one["lane"] in SLOT_LANES:
        return str(PROFILE_TEXT)
    if relevance is None or threshold is None:
        return str(DECISION_TEXTS.get(code, code))
    kept = ABOVE_THRESHOLD_TEXT if relevance >= threshold else BELOW_THRESHOLD_TEXT
    told = {"kept": kept, "below_floor": IRRELEVANT_TEXT}.get(code)
    numbers = {"relevance": f"{relevance:.2f}", "threshold": f"{threshold:.2f}"}
    return str(told) % numbers if told else str(DECISION_TEXTS.get(code, code))

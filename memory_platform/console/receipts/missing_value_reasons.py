"""Why a corrected value is not in the prompt of a question that was asked again."""

from collections.abc import Collection, Mapping
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from memory_platform.console.explanation.current_memories import CurrentMemory
from memory_platform.console.explanation.explanation_texts import SLOT_LANES, render_decision
from memory_platform.console.explanation.section_limits import find_section_limits
from memory_platform.console.receipts.prompt_verdict import MissingReason, tells_value
from memory_platform.console.receipts.trial_prompt_comparison import TrialPrompt
from memory_platform.console.shared.headers.belief_names import label_fact
from profiles.models import Preference, ProfileFact, Tag, TagKind
from snapshots.models import Receipt
from snapshots.policies.effective_policies import Policies

Candidate = Mapping[str, Any]


def explain_missing_values(
    values: Collection[str],
    prompt: TrialPrompt,
    known: Mapping[str, CurrentMemory],
    receipt: Receipt,
    policies: Policies,
) -> dict[str, MissingReason]:
    """Return why values are not in a prompt, by value; those that stand in it are left out. At most one query."""
    found = {
        value: _choose_candidate(value, prompt.candidates, known)
        for value in values
        if not any(tells_value(piece.text, value) for message in prompt.prompt for piece in message.pieces)
    }
    # The limits are read from the report of a prompt as a receipt stores it; this prompt is not stored.
    report = Receipt(policy_version=str(policies.version), sections=list(prompt.sections), tokens=prompt.tokens)
    limits = find_section_limits(report, [one for one in found.values() if one is not None])
    playground = reverse("admin:snapshots_receipt_playground", args=[receipt.subject_id])
    return {
        value: _explain_candidate(one, prompt, str(policies.version), limits, playground)
        for value, one in found.items()
    }


def make_question_about(memory: Preference | ProfileFact | Tag) -> str:
    """Return a question that the value of a memory answers."""
    if isinstance(memory, Tag):
        text = _("Where is my %(what)s?") if memory.kind == TagKind.PLACE else _("How do I reach %(what)s?")
        return text % {"what": memory.label}
    if isinstance(memory, Preference):
        return _("What did I say about %(what)s?") % {"what": memory.key}
    if memory.is_attribute and memory.field == "city":
        return _("Which city do I live in?")
    return _("What is my %(what)s?") % {"what": label_fact(memory)}


def _choose_candidate(
    value: str, candidates: Collection[Candidate], known: Mapping[str, CurrentMemory]
) -> Candidate | None:
    """Return the candidate that was left out and tells a value: the corrected slot rather than a note of it."""
    telling = (
        one
        for one in candidates
        if one["context_position"] is None
        and one["memory_id"] in known
        and tells_value(known[one["memory_id"]].text, value)
    )
    return max(telling, key=lambda one: (one["lane"] in SLOT_LANES, one["candidate_score"] or 0.0), default=None)


def _explain_candidate(
    one: Candidate | None, prompt: TrialPrompt, version: str, limits: Mapping[str, Any], playground: str
) -> MissingReason:
    if one is None:
        text = prompt.abstained or _("This question did not bring it up: it was not among the memories considered.")
        return MissingReason(text, playground)
    told = [render_decision(one)]
    limit, tokens = limits.get(one["memory_id"]), prompt.tokens or {}
    if limit is not None and tokens["total"] + one["tokens"] > tokens["budget"]:
        text = _("The whole prompt may have %(budget)d tokens by policy %(version)s; %(used)d are used.")
        told.append(text % {"budget": tokens["budget"], "version": version, "used": tokens["total"]})
    elif limit is not None:
        told.append(limit.text)
    address = f"{playground}?memory={one['memory_id']}" if one["lane"] in SLOT_LANES else playground
    return MissingReason(" ".join(told), address)

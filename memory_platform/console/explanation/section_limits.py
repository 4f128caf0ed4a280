"""How much room a section of a prompt had, for memories that were left out because it was full."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.value_rendering import build_change_address
from snapshots.context.config import ContextPolicy
from snapshots.context.receipt_record import ROOM
from snapshots.context.token_budget import limit_profile_tokens
from snapshots.models import Receipt
from snapshots.policies.policy_sections import CONTEXT
from tenants.models import PolicyVersion

OVER_BUDGET = "over_budget"
# What the profile has no room for may still go into the memory section, which then says why it left it out.
ASKED_AGAIN = frozenset({"below_floor", "not_needed"})
PROFILE_LANES = frozenset({"profile", "preferences"})
PROFILE, MEMORY, MEMORY_BY_INTENT = "profile", "memory", "memory_by_intent"
# Lanes that have a section of their own; all others go into the memory section.
LANE_SECTIONS = {"summary": "summary", "tasks": "task", "documents": "knowledge"}
# Digits of a version's number that fit its column; a product may have sent more.
MAX_NUMBER_DIGITS = 9


@dataclass(frozen=True, slots=True)
class SectionLimit:
    """How much room a section had, as a sentence, and the address of the policy's setting; "" without such a policy."""

    text: str
    address: str


def make_setting_anchor(place: str) -> str:
    """Return the name of a setting's place on the page of a policy version."""
    return f"setting-{place}"


def find_policy_version(receipt: Receipt) -> PolicyVersion | None:
    """Return the policy version of an answer; None if a product named another one. At most one query."""
    number = receipt.policy_version
    if not (number.isascii() and number.isdecimal()):
        return None
    return PolicyVersion.objects.filter(number=int(number[:MAX_NUMBER_DIGITS])).first()


def find_section_limits(receipt: Receipt, candidates: Sequence[Mapping[str, Any]]) -> dict[str, SectionLimit]:
    """Return the limit of the section of each memory that was left out for lack of room, by memory id. At most one
    query, none if nothing was left out for that."""
    refused = {one["memory_id"]: (one, name) for one in candidates if (name := _find_full_section(one, receipt))}
    version = find_policy_version(receipt) if refused else None
    if version is None:
        return {}
    policy = CONTEXT.apply_values(version.document.get(CONTEXT.name, {}))
    return {
        memory_id: _describe_limit(one, name, receipt, policy, version) for memory_id, (one, name) in refused.items()
    }


def _find_full_section(one: Mapping[str, Any], receipt: Receipt) -> str:
    """Return the section that had no room for a candidate; "" if it is in the prompt or was left out for another
    reason."""
    if one["context_position"] is not None:
        return ""
    if one["lane"] in PROFILE_LANES and one["decision_reason"] in ASKED_AGAIN:
        return PROFILE if _find_section(receipt, PROFILE).get("dropped") else ""
    if one["decision_reason"] != OVER_BUDGET:
        return ""
    return PROFILE if one.get("standing") else LANE_SECTIONS.get(one["lane"], MEMORY)


def _find_section(receipt: Receipt, name: str) -> Mapping[str, Any]:
    return next((section for section in receipt.sections if section["name"] == name), {})


def _describe_limit(
    one: Mapping[str, Any], name: str, receipt: Receipt, policy: ContextPolicy, version: PolicyVersion
) -> SectionLimit:
    section = _find_section(receipt, name)
    used: int = section.get("tokens", 0)
    setting = name
    if name == PROFILE:
        text = _describe_profile(receipt, policy, used, one["tokens"])
    elif name == MEMORY:
        text, setting = _describe_memory(section.get(ROOM), policy, used)
    else:
        text = _describe_growing(name, getattr(policy, name), used)
    page = build_change_address(PolicyVersion, version.pk)
    return SectionLimit(text, f"{page}#{make_setting_anchor(f'{CONTEXT.name}.{setting}')}")


def _describe_profile(receipt: Receipt, policy: ContextPolicy, used: int, needed: int) -> str:
    budget = receipt.tokens.get("budget")
    limit = limit_profile_tokens(budget if isinstance(budget, int) else policy.total, policy)
    if used <= limit < used + needed:
        return _("The profile section has at most %(limit)d tokens; %(used)d are used.") % {
            "limit": limit,
            "used": used,
        }
    return _(
        "The profile section has at most %(limit)d tokens by the policy, unless the request says otherwise; %(used)d "
        "are used."
    ) % {"limit": limit, "used": used}


def _describe_memory(room: Mapping[str, Any] | None, policy: ContextPolicy, used: int) -> tuple[str, str]:
    """Return the sentence on the memory section, and the setting that it follows."""
    if room and not room["grows"]:
        return (
            _("The request or its intent set the size of the memory section; %(used)d tokens are used.")
            % {"used": used},
            MEMORY_BY_INTENT,
        )
    if room:
        grown: int = policy.memory + max(0, min(room["carried"], room["free"] - policy.memory))
        text = _("The memory section had room for %(limit)d tokens in this prompt; %(used)d are used.")
        return text % {"limit": max(0, min(grown, room["free"])), "used": used}, MEMORY
    return _describe_growing(MEMORY, policy.memory, used), MEMORY


def _describe_growing(name: str, limit: int, used: int) -> str:
    text = _("The section “%(section)s” has %(limit)d tokens, and what other sections leave; %(used)d are used.")
    return text % {"section": render_code(name), "limit": limit, "used": used}

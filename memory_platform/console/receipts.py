"""The screen of receipts: what was put into one prompt, and why."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from memory_platform.console.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.codes import CodeFilter, coded, in_words
from memory_platform.console.display import column, line, link_to, part, value_whole
from memory_platform.console.filters import OfConversation, OfSubject, WithMemory
from memory_platform.console.snapshots import conversation_shown
from profiles.models import Preference, ProfileFact, Tag
from snapshots.models import Receipt, Snapshot
from snapshots.receipts.read import candidates_of, rendered_of

LANES = {"snapshots": Snapshot, "preferences": Preference, "profile": ProfileFact, "tags": Tag}
"""Where a memory of a lane is shown."""
CODE_FILTERS = (("intent", CodeFilter), ("degraded_reason", CodeFilter))

intent = coded("intent", _("intent"))
phase = coded("phase", _("phase"))
degraded = coded("degraded_reason", _("degraded reason"))


@admin.display(description=_("candidates"))
def candidates_shown(receipt: Receipt) -> SafeString:
    """Show every candidate with its score and decision; those in the prompt first, by position."""
    rows = [
        {**_in_words(candidate), "link": _memory_link(candidate), "why": value_whole(candidate["explain"])}
        for candidate in candidates_of(receipt)
    ]
    return render_to_string("console/candidates.html", {"candidates": rows})


def _in_words(candidate: dict[str, Any]) -> dict[str, Any]:
    codes = ("lane", "kind", "decision_reason", "guardrail_hit", "user_feedback_signal")
    return candidate | {name: in_words(candidate[name]) for name in codes}


def _memory_link(candidate: dict[str, Any]) -> str:
    model = LANES.get(candidate["lane"])
    return link_to(model, candidate["memory_id"]) if model else ""


@admin.display(description=_("sections"))
def sections_shown(receipt: Receipt) -> SafeString:
    """Show the parts of the prompt with their sizes."""
    sections = [{**section, "name": in_words(section["name"])} for section in receipt.sections]
    return render_to_string("console/sections.html", {"sections": sections})


@admin.display(description=_("prompt"))
def prompt_shown(receipt: Receipt) -> SafeString:
    """Show what was asked and sent, while it is kept."""
    rendered = rendered_of(receipt)
    messages = [_as_shown(message) for message in (rendered.messages if rendered else ())]
    return render_to_string("console/prompt.html", {"rendered": rendered, "messages": messages})


def _as_shown(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = message.get("tool_calls")
    return {**message, "role": in_words(message["role"]), "calls": value_whole(calls) if calls else ""}


@admin.register(Receipt)
class ReceiptScreen(SubjectOwnedAdmin):
    """Receipts, newest first."""

    list_display = (
        "created_at",
        subject_shown,
        conversation_shown,
        intent,
        phase,
        "policy_version",
        degraded,
    )
    list_select_related = ("subject", "conversation")
    list_filter = (
        OfSubject,
        OfConversation,
        WithMemory,
        *CODE_FILTERS,
        "policy_version",
        "experiment",
        "arm",
        "created_at",
    )
    search_fields = ("subject__external_id", "conversation__external_id", "id")
    search_help_text = _("Subject id, conversation id or receipt id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, subject_shown, conversation_shown, "created_at", intent, phase, degraded),
        part(_("Candidates"), candidates_shown),
        part(_("Prompt"), sections_shown, prompt_shown),
        part(
            _("More"),
            "id",
            "policy_version",
            column("experiment", line, _("experiment")),
            column("arm", line, _("arm")),
            "prefix_hash",
            column("model_route", value_whole, _("model route")),
            column("tokens", value_whole, _("tokens")),
        ),
    )

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return receipts; what was put in and rendered is read only when one is opened."""
        return super().get_queryset(request).defer("candidates", "rendered")

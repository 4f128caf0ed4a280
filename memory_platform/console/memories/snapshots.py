"""Screens of conversations, messages and snapshots: written by machines, read by support."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.memories.search import NewestSearched
from memory_platform.console.memories.sources import SnapshotPast, SnapshotSources, calibrations_of, receipts_with
from memory_platform.console.memory_actions.screens import ActingAdmin
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.base import SubjectOwnedAdmin, subject_shown
from memory_platform.console.shared.display import (
    address_of,
    column,
    line,
    link,
    link_to,
    list_address,
    parse_uuid,
    part,
    share,
    value_whole,
    whole,
    word,
)
from memory_platform.console.shared.filters import ArchivedFilter, HeldFilter, OfConversation, OfSubject
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason, reason_of
from snapshots.lifecycle.retention.archive import restore_messages
from snapshots.models import Conversation, Message, Note, Receipt, Snapshot, Work
from snapshots.selectors import with_words

conversation_shown = column(
    "conversation", lambda talk: link(talk, talk.external_id) if talk else link(None, ""), _("conversation")
)
speaker = column("name", word, _("name"))


@admin.display(description=_("stored data"))
def held_of_conversation(conversation: Conversation) -> SafeString:
    """Return the counts of messages, snapshots, receipts and work items, each linked to its list."""
    held = [
        {
            "name": capfirst(str(model._meta.verbose_name_plural)),
            "count": model._default_manager.filter(conversation=conversation, subject=conversation.subject_id).count(),
            "address": list_address(model, conversation=conversation.pk),
        }
        for model in (Message, Snapshot, Receipt, Work)
    ]
    return render_to_string("console/links.html", {"links": held})


@admin.register(Conversation)
class ConversationScreen(SubjectOwnedAdmin):
    """Conversations, newest first."""

    list_display = (
        column("external_id", word, _("conversation id"), order="external_id"),
        subject_shown,
        "status",
        "remember",
        "created_at",
        "last_accepted_at",
        "ended_at",
    )
    list_filter = (OfSubject, "status", ArchivedFilter, "remember", "created_at")
    search_fields = ("external_id", "subject__external_id")
    search_help_text = _("Subject id or conversation id")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-id")
    fieldsets = (
        part(None, "external_id", subject_shown, held_of_conversation, "status", "remember"),
        part(_("Summary"), column("summary", whole, _("summary"))),
        part(_("More"), "id", "created_at", "last_accepted_at", "ended_at", "restored_at"),
    )
    action_form = ReasonedActions
    actions = ("restore",)

    def title_of(self, obj: Conversation) -> str:
        return obj.external_id

    @admin.action(description=_("Restore: bring archived text back for a while"), permissions=["support"])
    @needs_reason
    def restore(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        by, reason = actor_of(request), reason_of(request)
        done = sum(bool(restore_messages(row, by=by, reason=reason)) for row in queryset.order_by("subject_id", "id"))
        text = ngettext("%(count)d conversation was restored.", "%(count)d conversations were restored.", done)
        self.report_count(request, text, done)


@admin.register(Message)
class MessageScreen(NewestSearched):
    """Messages as they were posted."""

    list_display = (
        "said_at",
        subject_shown,
        conversation_shown,
        "role",
        speaker,
        column("content", line, _("content")),
        "remember",
    )
    list_select_related = ("subject", "conversation")
    list_filter = (OfSubject, OfConversation, "role", "remember", "accepted_at")
    search_fields = ("external_id", "subject__external_id", "conversation__external_id", "content", "name")
    search_help_text = _("Subject id, conversation id, message id, name or words")
    date_hierarchy = "said_at"
    ordering = ("-accepted_at", "-seq", "-id")
    fieldsets = (
        part(None, subject_shown, conversation_shown, "role", speaker, column("content", whole, _("content"))),
        part(
            _("Tools"), column("tool_calls", value_whole, _("tool calls")), column("tool_call_id", word, _("tool call"))
        ),
        part(_("Times"), "said_at", "accepted_at"),
        part(
            _("More"),
            "external_id",
            "id",
            "seq",
            "tokens",
            "remember",
            "archived",
            column("parts", value_whole, _("parts")),
            column("metadata", value_whole, _("metadata")),
        ),
    )

    def title_of(self, obj: Message) -> str:
        return obj.content or obj.external_id

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Message | None:
        """Return the message with its text, even if that is in the archive."""
        found = super().get_object(request, object_id, from_field)
        return with_words([found])[0] if found else None


@admin.register(Snapshot)
class SnapshotScreen(NewestSearched, ActingAdmin):
    """Snapshots with the messages behind them."""

    list_display = (
        column("text", line, _("text")),
        subject_shown,
        "kind",
        column("confidence", share, _("confidence"), order="confidence"),
        "provenance",
        "said_at",
        "expires_at",
    )
    list_select_related = ("subject", "conversation")
    list_filter = (OfSubject, OfConversation, HeldFilter, "kind", "provenance", "recorded_at")
    search_fields = ("subject__external_id", "conversation__external_id", "text", "name")
    search_help_text = _("Subject id, conversation id, name or words")
    date_hierarchy = "said_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        part(None, subject_shown, column("text", whole, _("text")), "kind", speaker, conversation_shown),
        part(
            None,
            column("category", word, _("category")),
            column("topics", value_whole, _("topics")),
            column("aliases", value_whole, _("other names")),
            column("importance", share, _("importance")),
            column("confidence", share, _("confidence")),
            "provenance",
            receipts_with,
            calibrations_of,
        ),
        part(
            _("Times"),
            "said_at",
            "valid_at",
            "invalid_at",
            "recorded_at",
            "retired_at",
            "expires_at",
            "last_validated_at",
        ),
        part(
            _("More"),
            column("superseded_by_id", lambda row_id: link_to(Snapshot, row_id), _("superseded by")),
            "masked",
            "raw_fallback",
            column("metadata", value_whole, _("metadata")),
            "seq",
            "id",
        ),
    )
    inlines = (SnapshotSources, SnapshotPast)

    def title_of(self, obj: Snapshot) -> str:
        return obj.text

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a snapshot's page; for a note's snapshot redirect to the note, which shows more."""
        # Links from answers and lists know a note by its snapshot.
        named = parse_uuid(object_id)
        if named and request.method == "GET" and Note.objects.filter(snapshot_id=named).exists():
            return redirect(address_of(Note, named))
        return super().change_view(request, object_id, form_url, extra_context)

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).defer("content_hash")

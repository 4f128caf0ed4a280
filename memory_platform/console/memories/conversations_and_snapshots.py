"""Screens of conversations, messages and snapshots: written by machines, read by support."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext, ngettext_lazy, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.newest_rows_search import NewestRowsSearchAdmin
from memory_platform.console.memories.source_notes_and_calibrations import render_calibrations_link
from memory_platform.console.memory_actions.memory_admin import StaffActionAdmin
from memory_platform.console.memory_actions.memory_states import state_column
from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, subject_column
from memory_platform.console.shared.headers.memory_sentences import load_subject_name, select_current_name
from memory_platform.console.shared.headers.object_header import MAX_TITLE_CHARS, make_time_fact
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.list_filters import (
    ArchiveFilter,
    ConversationFilter,
    SnapshotStateFilter,
    SubjectFilter,
)
from memory_platform.console.shared.lists.change_lists import SubjectRowsChangeList, is_list
from memory_platform.console.shared.note_and_state_labels import CURRENT, build_snapshot_state_conditions
from memory_platform.console.shared.status_badges import StatusBadge, get_conversation_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    build_list_address,
    format_json_value,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    parse_uuid,
    render_line,
    render_row_link,
    render_share_bar,
    render_text,
    render_value,
    render_word,
)
from memory_platform.console.transcript.message_links import render_turn_link
from memory_platform.console.transcript.transcript_page import build_transcript
from memory_platform.kernel.text import collapse_spaces
from snapshots.conversation_queries import add_archived_words
from snapshots.lifecycle.retention.message_archive import restore_messages
from snapshots.models import Conversation, Message, MessageRole, Note, Receipt, Snapshot, Work

conversation_column = make_column(
    "conversation",
    lambda talk: render_row_link(talk, talk.external_id) if talk else render_row_link(None, ""),
    _("conversation"),
)
speaker_column = make_column("name", render_word, pgettext_lazy("of a person", "name"))


@admin.display(description=_("stored data"))
def render_conversation_counts(conversation: Conversation) -> SafeString:
    """Return the counts of messages, snapshots, receipts and work items, each linked to its list."""
    held = [
        {
            "name": capfirst(str(model._meta.verbose_name_plural)),
            "count": _count_rows(model, conversation),
            "address": build_list_address(model, conversation=conversation.pk),
        }
        for model in (Message, Snapshot, Receipt, Work)
    ]
    return render_to_string("console/memories/links.html", {"links": held})


def _count_rows(model: Any, conversation: Conversation) -> int:
    """Return the number of rows that the linked list shows: of snapshots the current ones."""
    rows = model._default_manager.filter(conversation=conversation, subject=conversation.subject_id)
    current = build_snapshot_state_conditions()[CURRENT]
    return int((rows.filter(current) if model is Snapshot else rows).count())


class ConversationChangeList(SubjectRowsChangeList):
    """A list of conversations, each with its first words and the number of its stored messages."""

    def complete_rows(self, rows: Sequence[Any]) -> None:
        own = Message.objects.filter(conversation=OuterRef("pk"), subject=OuterRef("subject"))
        number = own.order_by().values("conversation").annotate(number=Count("pk")).values("number")
        said = own.filter(role=MessageRole.USER).order_by("seq").values("content")[:1]
        page = Conversation.objects.filter(pk__in=[row.pk for row in rows]).order_by()
        told = {one: rest for one, *rest in page.values_list("pk", Subquery(number), Subquery(said))}
        for row in rows:
            row.number_of_messages, row.first_words = told.get(row.pk, (0, ""))


@admin.register(Conversation)
class ConversationScreen(SubjectOwnedAdmin):
    """Conversations, the last heard first. The page of each is its transcript."""

    change_form_template = "console/memories/conversation.html"
    list_display = (
        make_column("external_id", render_word, _("conversation id"), order="external_id"),
        subject_column,
        make_column("first_words", render_line, _("first words")),
        make_column("number_of_messages", lambda number: number or 0, _("messages"), is_number=True),
        make_column("last_accepted_at", render_time_ago, _("last message"), order="last_accepted_at"),
        "status",
    )
    count_text = ngettext_lazy("%(count)d conversation", "%(count)d conversations", "count")
    list_filter = (SubjectFilter, "status", ArchiveFilter, "remember", "created_at")
    search_fields = ("external_id", "subject__external_id")
    search_help_text = _("Id of a person or of a conversation")
    ordering = ("-last_accepted_at", "-id")
    sorts_whole_tenant = False
    fieldsets = (
        make_fieldset(None, render_conversation_counts, "remember"),
        make_fieldset(_("Summary"), make_column("summary", render_text, _("summary"))),
        make_folded_fieldset(
            _("Technical details"), "external_id", "created_at", "last_accepted_at", "ended_at", "restored_at"
        ),
    )
    action_form = ReasonedActionForm
    actions = ("restore",)

    def get_queryset(self, request: HttpRequest) -> Any:
        rows = super().get_queryset(request)
        if is_list(request, self):
            return rows.defer("summary")  # a sort of rows without it fits into memory
        return rows.annotate(person_name=Subquery(select_current_name(OuterRef("subject"))))

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return ConversationChangeList

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the conversation with its person's name: a long transcript has no query to spare."""
        found = super().get_object(request, object_id, from_field)
        if found is not None:
            found.subject.shown_name = format_json_value(found.person_name) or found.subject.external_id
        return found

    def title_of(self, obj: Conversation) -> str:
        return obj.external_id

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        context["transcript"] = build_transcript(kwargs["obj"], request.GET)
        context["may_add_note"] = self.has_support_permission(request)
        return super().render_change_form(request, context, *args, **kwargs)

    def describe_row(self, obj: Conversation) -> str:
        who = load_subject_name(obj.subject)
        return gettext("%(who)s’s conversation %(id)s") % {"who": who, "id": obj.external_id}

    def get_badge(self, obj: Conversation) -> StatusBadge:
        return get_conversation_badge(obj)

    def list_facts(self, obj: Conversation) -> Sequence[Any]:
        return (
            subject_column(obj),
            make_time_fact(_("began %s"), obj.created_at),
            make_time_fact(_("last heard %s"), obj.last_accepted_at),
        )

    @admin.action(description=_("Restore: bring archived text back for a while"), permissions=["support"])
    @require_reason
    def restore(self, request: HttpRequest, queryset: QuerySet[Conversation]) -> None:
        by, reason = make_actor(request), read_reason(request)
        done = sum(bool(restore_messages(row, by=by, reason=reason)) for row in queryset.order_by("subject_id", "id"))
        text = ngettext("%(count)d conversation was restored.", "%(count)d conversations were restored.", done)
        self.show_count(request, text, done)


@admin.display(description=_("transcript"))
def render_transcript_link(message: Message) -> str:
    return render_turn_link(message.conversation_id, message.pk, gettext("Show it in its conversation"))


def render_long_content(message: Message) -> str:
    """Return the words of a message; "" if the title of its page has them all."""
    words = message.content or ""
    return "" if len(words) <= MAX_TITLE_CHARS and words == collapse_spaces(words) else render_text(words)


long_content_column = make_computed_column("content", render_long_content, _("content"))


@admin.register(Message)
class MessageScreen(NewestRowsSearchAdmin):
    """Messages as they were posted: the technical details behind a transcript."""

    list_display = (
        "said_at",
        subject_column,
        conversation_column,
        "role",
        speaker_column,
        make_column("content", render_line, _("content")),
        "remember",
    )
    count_text = ngettext_lazy("%(count)d message", "%(count)d messages", "count")
    list_select_related = ("subject", "conversation")
    list_filter = (SubjectFilter, ConversationFilter, "role", "remember", "accepted_at")
    search_fields = ("external_id", "subject__external_id", "conversation__external_id", "content", "name")
    search_help_text = _("Id of a person, a conversation or a message, a name or words")
    date_hierarchy = "said_at"
    ordering = ("-accepted_at", "-seq", "-id")
    fieldsets = (
        make_fieldset(
            None,
            render_transcript_link,
            long_content_column,
            speaker_column,
        ),
        make_folded_fieldset(
            _("Tools"),
            make_column("tool_calls", render_value, _("tool calls")),
            make_column("tool_call_id", render_word, _("tool call")),
        ),
        make_folded_fieldset(_("Times"), "said_at", "accepted_at"),
        make_folded_fieldset(
            _("Technical details"),
            "external_id",
            "seq",
            "tokens",
            "remember",
            "archived",
            make_column("parts", render_value, _("parts")),
            make_column("metadata", render_value, _("metadata")),
        ),
    )

    def title_of(self, obj: Message) -> str:
        return obj.content or obj.external_id

    def list_facts(self, obj: Message) -> Sequence[Any]:
        return (
            subject_column(obj),
            conversation_column(obj),
            obj.get_role_display(),
            make_time_fact(_("said %s"), obj.said_at),
        )

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Message | None:
        """Return the message with its text, even if that is in the archive."""
        found = super().get_object(request, object_id, from_field)
        return add_archived_words([found])[0] if found else None


@admin.register(Snapshot)
class SnapshotScreen(NewestRowsSearchAdmin, StaffActionAdmin):
    """Snapshots with the messages behind them."""

    list_display = (
        make_column("text", render_line, _("text")),
        subject_column,
        "kind",
        state_column,
        make_column("confidence", render_share_bar, _("confidence"), order="confidence"),
        "provenance",
        "said_at",
        "expires_at",
    )
    count_text = ngettext_lazy("%(count)d snapshot", "%(count)d snapshots", "count")
    list_select_related = ("subject", "conversation")
    list_filter = (SubjectFilter, ConversationFilter, SnapshotStateFilter, "kind", "provenance", "recorded_at")
    search_fields = ("subject__external_id", "conversation__external_id", "text", "name")
    search_help_text = _("Id of a person or a conversation, a name or words")
    date_hierarchy = "said_at"
    ordering = ("-recorded_at", "-id")
    fieldsets = (
        make_fieldset(
            None,
            make_column("text", render_text, _("text")),
            "kind",
            speaker_column,
            conversation_column,
        ),
        make_fieldset(
            None,
            make_column("category", render_word, _("category")),
            make_column("topics", render_value, _("topics")),
            make_column("aliases", render_value, _("other names")),
            make_column("importance", render_share_bar, _("importance")),
            make_column("confidence", render_share_bar, _("confidence")),
            render_calibrations_link,
        ),
        make_folded_fieldset(
            _("Times"),
            "said_at",
            "valid_at",
            "invalid_at",
            "recorded_at",
            "retired_at",
            "expires_at",
            "last_validated_at",
        ),
        make_folded_fieldset(
            _("Technical details"),
            "masked",
            "raw_fallback",
            make_column("metadata", render_value, _("metadata")),
            "seq",
        ),
    )

    def title_of(self, obj: Snapshot) -> str:
        return obj.text

    describe_row = title_of

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show a snapshot's page; for a note's snapshot redirect to the note, which shows more."""
        # Links from answers and lists know a note by its snapshot.
        named = parse_uuid(object_id)
        if named and request.method == "GET" and Note.objects.filter(snapshot_id=named).exists():
            return redirect(build_change_address(Note, named))
        return super().change_view(request, object_id, form_url, extra_context)

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).defer("content_hash")

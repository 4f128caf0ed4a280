"""Screens of the work queue: waiting work, and dead work that can be replayed."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.conversations_and_snapshots import conversation_column
from memory_platform.console.memory_actions.bulk_actions import load_chosen_rows
from memory_platform.console.operation.dead_letters import DISCARD, REPLAY, DeadLettersPage, age_column, settle_items
from memory_platform.console.shared.action_reasons import ReasonedActionForm, require_reason
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, TenantAdmin, subject_column
from memory_platform.console.shared.code_labels import OccurringCodesFilter, make_code_column
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.list_filters import ConversationFilter, SubjectFilter
from memory_platform.console.shared.rendering import make_column, make_fieldset, render_link
from snapshots.models import Message, Work, WorkRemoved
from tenants.models import Role

error_column = make_code_column("error_code", _("error"))


@admin.register(Work)
class WorkScreen(SubjectOwnedAdmin):
    """Work items; the dead ones stay visible until they are replayed."""

    personal_data = False
    list_display = (
        "created_at",
        subject_column,
        "kind",
        "state",
        "attempts",
        error_column,
        age_column,
        "due_at",
        "done_at",
    )
    list_select_related = ("subject", "conversation")
    list_filter = (
        SubjectFilter,
        ConversationFilter,
        "state",
        "kind",
        ("error_code", OccurringCodesFilter),
        "created_at",
    )
    search_fields = ("subject__external_id", "conversation__external_id", "id", "error_code")
    search_help_text = _("Subject id, conversation id, item id or error")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-position", "-id")
    sorts_whole_tenant = False
    fieldsets = (
        make_fieldset(None, "kind", "state", "attempts", error_column),
        make_fieldset(
            _("Origin"),
            subject_column,
            conversation_column,
            make_column("message_id", lambda row_id: render_link(Message, row_id), _("message")),
        ),
        make_fieldset(_("Times"), "created_at", "due_at", "lease_until", "done_at"),
        make_fieldset(_("More"), "id", "position"),
    )
    action_form = ReasonedActionForm
    actions = ("replay", "discard")
    change_list_template = "console/work_list.html"

    def title_of(self, obj: Work) -> str:
        return f"{obj.get_kind_display()} ({obj.get_state_display()})"

    def get_urls(self) -> list[URLPattern]:
        return [make_console_path("dead/", self.dead_letters_view, "snapshots_work_dead"), *super().get_urls()]

    def dead_letters_view(self, request: HttpRequest) -> HttpResponse:
        """Show dead letters by error; support may replay or discard whole groups, viewers only look."""
        if not self._has_role(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return DeadLettersPage(self, request).respond()

    @admin.action(description=_("Replay: run these items again with all attempts"), permissions=["support"])
    @require_reason
    def replay(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        items = load_chosen_rows(self, request, queryset)
        if items is not None:
            settle_items(self, request, items, REPLAY)

    @admin.action(description=_("Discard: do not process these items again"), permissions=["support"])
    @require_reason
    def discard(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        items = load_chosen_rows(self, request, queryset)
        if items is not None:
            settle_items(self, request, items, DISCARD)


@admin.register(WorkRemoved)
class WorkRemovedScreen(TenantAdmin):
    """Removed items by day: the last term of "accepted = ready + leased + done + dead + removed"."""

    personal_data = False
    list_display = ("day", "count")
    search_fields = ("day",)
    search_help_text = _("Day, as 2026-03-01")
    date_hierarchy = "day"
    ordering = ("-day", "-id")
    fieldsets = (make_fieldset(None, "day", "count"), make_fieldset(_("More"), "id"))

"""Screens of the work queue: what waits, and what is dead and can be replayed."""

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from memory_platform.console.memories.snapshots import conversation_shown
from memory_platform.console.memory_actions.bulk import load_chosen_rows
from memory_platform.console.operation.dead_letters import DISCARD, REPLAY, DeadLetters, age, settle
from memory_platform.console.shared.base import SubjectOwnedAdmin, TenantAdmin, subject_shown
from memory_platform.console.shared.codes import CodeFilter, code_column
from memory_platform.console.shared.display import column, link_to, part
from memory_platform.console.shared.filters import OfConversation, OfSubject
from memory_platform.console.shared.pages import own_path
from memory_platform.console.shared.reasons import ReasonedActions, needs_reason
from snapshots.models import Message, Work, WorkRemoved
from tenants.models import Role

error = code_column("error_code", _("error"))


@admin.register(Work)
class WorkScreen(SubjectOwnedAdmin):
    """Work items; the dead ones stay visible until they are replayed."""

    personal_data = False
    list_display = ("created_at", subject_shown, "kind", "state", "attempts", error, age, "due_at", "done_at")
    list_select_related = ("subject", "conversation")
    list_filter = (OfSubject, OfConversation, "state", "kind", ("error_code", CodeFilter), "created_at")
    search_fields = ("subject__external_id", "conversation__external_id", "id", "error_code")
    search_help_text = _("Subject id, conversation id, item id or error")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-position", "-id")
    sorted_whole = False
    fieldsets = (
        part(None, "kind", "state", "attempts", error),
        part(
            _("Origin"),
            subject_shown,
            conversation_shown,
            column("message_id", lambda row_id: link_to(Message, row_id), _("message")),
        ),
        part(_("Times"), "created_at", "due_at", "lease_until", "done_at"),
        part(_("More"), "id", "position"),
    )
    action_form = ReasonedActions
    actions = ("replay", "discard")
    change_list_template = "console/work_list.html"

    def title_of(self, obj: Work) -> str:
        return f"{obj.get_kind_display()} ({obj.get_state_display()})"

    def get_urls(self) -> list[URLPattern]:
        return [own_path("dead/", self.dead_view, "snapshots_work_dead"), *super().get_urls()]

    def dead_view(self, request: HttpRequest) -> HttpResponse:
        """Show dead letters by error; support may replay or discard whole groups, viewers only look."""
        if not self._may(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return DeadLetters(self, request).answer()

    @admin.action(description=_("Replay: run these items again with all attempts"), permissions=["support"])
    @needs_reason
    def replay(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        items = load_chosen_rows(self, request, queryset)
        if items is not None:
            settle(self, request, items, REPLAY)

    @admin.action(description=_("Discard: do not process these items again"), permissions=["support"])
    @needs_reason
    def discard(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        items = load_chosen_rows(self, request, queryset)
        if items is not None:
            settle(self, request, items, DISCARD)


@admin.register(WorkRemoved)
class WorkRemovedScreen(TenantAdmin):
    """Removed items by day: the last term of "accepted = ready + leased + done + dead + removed"."""

    personal_data = False
    list_display = ("day", "count")
    search_fields = ("day",)
    search_help_text = _("Day, as 2026-03-01")
    date_hierarchy = "day"
    ordering = ("-day", "-id")
    fieldsets = (part(None, "day", "count"), part(_("More"), "id"))

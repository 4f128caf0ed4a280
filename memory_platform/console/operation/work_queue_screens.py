"""Screens of the work queue: waiting work, and dead work, replayed or discarded one by one or by kind and error."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.memories.conversations_and_snapshots import conversation_column
from memory_platform.console.memory_actions.bulk_actions import MAX_ROWS, load_chosen_rows
from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    is_reason_missing,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.base_screens import SubjectOwnedAdmin, TenantAdmin, subject_column
from memory_platform.console.shared.code_labels import OccurringCodesFilter, make_code_column, render_code
from memory_platform.console.shared.custom_pages import (
    make_console_path,
    render_confirmation,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.list_filters import ConversationFilter, SubjectFilter
from memory_platform.console.shared.rendering import (
    build_change_address,
    build_list_address,
    make_column,
    make_fieldset,
    render_link,
)
from memory_platform.console.shared.tenant_access import make_actor
from snapshots.models import Message, Work, WorkKind, WorkRemoved, WorkState
from snapshots.queue.dead_work import discard_work, replay_work
from tenants.models import Role

REPLAY, DISCARD = "replay", "discard"
# Groups shown; a name of an error comes from code, so there are few.
MAX_GROUPS = 100
age_column = make_column("created_at", timesince, gettext_lazy("age"), order="created_at")
error_column = make_code_column("error_code", gettext_lazy("error"))


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
    search_help_text = gettext_lazy("Subject id, conversation id, item id or error")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-position", "-id")
    sorts_whole_tenant = False
    fieldsets = (
        make_fieldset(None, "kind", "state", "attempts", error_column),
        make_fieldset(
            gettext_lazy("Origin"),
            subject_column,
            conversation_column,
            make_column("message_id", lambda row_id: render_link(Message, row_id), gettext_lazy("message")),
        ),
        make_fieldset(gettext_lazy("Times"), "created_at", "due_at", "lease_until", "done_at"),
        make_fieldset(gettext_lazy("More"), "id", "position"),
    )
    action_form = ReasonedActionForm
    actions = ("replay", "discard")
    change_list_template = "console/operation/work_list.html"

    def title_of(self, obj: Work) -> str:
        return f"{obj.get_kind_display()} ({obj.get_state_display()})"

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("dead/", self.dead_letters_view, "snapshots_work_dead"),
            make_console_path("<path:object_id>/replay/", self.replay_view, "snapshots_work_replay"),
            make_console_path("<path:object_id>/discard/", self.discard_view, "snapshots_work_discard"),
            *super().get_urls(),
        ]

    def list_acts(self, request: HttpRequest, obj: Work) -> Sequence[HeaderAct]:
        acts = []
        if obj.state == WorkState.DEAD and self.has_support_permission(request):
            address = {verb: reverse(f"admin:snapshots_work_{verb}", args=[obj.pk]) for verb in _SETTLE_FUNCTIONS}
            acts = [HeaderAct(_("Replay"), address[REPLAY]), HeaderAct(_("Discard"), address[DISCARD], is_grave=True)]
        return [*acts, *super().list_acts(request, obj)]

    def replay_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("The item runs again with all its attempts.")
        return self._ask_and_settle(request, object_id, REPLAY, _("Replay"), what)

    def discard_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("The item is not processed again. The message stays; nothing more is learned from it.")
        return self._ask_and_settle(request, object_id, DISCARD, _("Discard"), what)

    def _ask_and_settle(self, request: HttpRequest, object_id: str, verb: str, title: str, what: str) -> HttpResponse:
        """Ask for a reason; then replay or discard one item."""
        require_permission(self.has_support_permission, request)
        item = self.get_or_404(request, object_id)
        back = build_change_address(Work, item.pk)
        if request.method != "POST" or is_reason_missing(self, request):
            named: dict[str, Any] = {"subtitle": self.title_of(item), "opts": self.opts, "is_grave": verb == DISCARD}
            return render_confirmation(request, title, what, button=title, back=back, **named)
        settle_items(self, request, [item], verb)
        return redirect("admin:snapshots_work_dead")

    def dead_letters_view(self, request: HttpRequest) -> HttpResponse:
        """Show dead letters by error; support may replay or discard whole groups, viewers only look."""
        if not self._has_role(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return DeadLettersPage(self, request).respond()

    @admin.action(description=gettext_lazy("Replay: run these items again with all attempts"), permissions=["support"])
    @require_reason
    def replay(self, request: HttpRequest, queryset: QuerySet[Work]) -> None:
        items = load_chosen_rows(self, request, queryset)
        if items is not None:
            settle_items(self, request, items, REPLAY)

    @admin.action(description=gettext_lazy("Discard: do not process these items again"), permissions=["support"])
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
    search_help_text = gettext_lazy("Day, as 2026-03-01")
    date_hierarchy = "day"
    ordering = ("-day", "-id")
    fieldsets = (make_fieldset(None, "day", "count"), make_fieldset(gettext_lazy("More"), "id"))


class DeadLettersPage:
    """The page of dead letters on the screen of work items. An error is the name of an exception class, never its
    text, which could quote a user."""

    def __init__(self, screen: Any, request: HttpRequest) -> None:
        self.screen, self.request = screen, request

    def respond(self) -> HttpResponse:
        """Show the groups; on POST, replay or discard the oldest items of the chosen groups."""
        if self.request.method == "POST":
            self._settle_chosen()
            return redirect(self.request.path)
        return render_console_page(
            self.request,
            "console/operation/dead_letters.html",
            _("Dead letters"),
            opts=self.screen.opts,
            groups=list(load_groups()),
            most=MAX_ROWS,
            may_decide=self.screen._has_role(self.request, Role.SUPPORT),
        )

    def _settle_chosen(self) -> None:
        verb = self.request.POST.get("verb", "")
        if verb not in _SETTLE_FUNCTIONS or is_reason_missing(self.screen, self.request):
            return
        wanted = self.request.POST.getlist("group")
        items: list[Work] = []
        for group in load_groups():
            if group["key"] in wanted:
                rows = (
                    list_dead_work()
                    .select_related("subject")
                    .filter(kind=group["kind"], error_code=group["error_code"])
                )
                items += rows.order_by("position")[:MAX_ROWS]
        settle_items(self.screen, self.request, items[:MAX_ROWS], verb)


def load_groups() -> Iterable[dict[str, Any]]:
    """Yield the dead letters by kind and error, the largest group first: count, attempts, age."""
    counted = list_dead_work().order_by().values("kind", "error_code")
    rows = counted.annotate(count=Count("id"), attempts=Max("attempts"), oldest=Min("created_at"))
    for row in rows.order_by("-count", "kind", "error_code")[:MAX_GROUPS]:
        filters = {"state__exact": WorkState.DEAD.value, "kind__exact": row["kind"], "error_code": row["error_code"]}
        yield {
            **row,
            "key": f"{row['kind']}:{row['error_code']}",
            "name": WorkKind(row["kind"]).label,
            "error": render_code(row["error_code"]) or _("not known"),
            "age": timesince(row["oldest"]),
            "address": build_list_address(Work, **filters),
        }


def list_dead_work() -> QuerySet[Work]:
    return Work.objects.filter(state=WorkState.DEAD, subject__erasing=False)


def settle_items(screen: Any, request: HttpRequest, items: Sequence[Work], verb: str) -> None:
    """Replay or discard dead items, and report how many were settled and how many were no longer dead."""
    by, reason = make_actor(request), read_reason(request)
    in_order = sorted(items, key=lambda item: item.position)  # as all who wait for items lock them
    done = sum(_SETTLE_FUNCTIONS[verb](item, by=by, reason=reason) for item in in_order)
    if verb == REPLAY:
        text = ngettext("%(count)d item is being replayed.", "%(count)d items are being replayed.", done)
    else:
        text = ngettext("%(count)d item was discarded.", "%(count)d items were discarded.", done)
    screen.show_count(request, text, done)
    if done < len(items):
        left = len(items) - done
        rest = ngettext("%(count)d item was not dead.", "%(count)d items were not dead.", left)
        screen.message_user(request, rest % {"count": left}, messages.WARNING)


_SETTLE_FUNCTIONS: dict[str, Callable[..., bool]] = {REPLAY: replay_work, DISCARD: discard_work}

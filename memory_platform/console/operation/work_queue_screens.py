"""Screens of the work queue: waiting work, and dead work, replayed or discarded one by one or by kind and error."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.memories.conversations_and_snapshots import conversation_column
from memory_platform.console.memory_actions.bulk_actions import load_chosen_rows
from memory_platform.console.operation.failed_work import DISCARD, REPLAY, FailedWorkPage
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
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct, ObjectHeader
from memory_platform.console.shared.list_filters import ConditionFilter, ConversationFilter, SubjectFilter
from memory_platform.console.shared.lists.change_lists import NARROWING_PARAMETERS
from memory_platform.console.shared.status_badges import BAD, GOOD, WARNING, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
)
from memory_platform.console.transcript.message_links import render_turn_link
from snapshots.models import Work, WorkKind, WorkRemoved, WorkState
from snapshots.queue.dead_work import discard_work, replay_work
from tenants.models import Role

# What each kind of work does.
KIND_LABELS = {
    WorkKind.STATEMENT: gettext_lazy("make the message findable"),
    WorkKind.EXTRACT: gettext_lazy("learn from the message"),
    WorkKind.CONVERSATION: gettext_lazy("close the conversation"),
    WorkKind.SUMMARY: gettext_lazy("summarise the conversation"),
}
STATE_BADGES = {
    WorkState.READY: StatusBadge(gettext_lazy("waiting"), WARNING),
    WorkState.LEASED: StatusBadge(gettext_lazy("in work"), WARNING),
    WorkState.DONE: StatusBadge(gettext_lazy("done"), GOOD),
    WorkState.DEAD: StatusBadge(gettext_lazy("failed"), BAD),
}


def get_state_badge(state: str) -> StatusBadge:
    return STATE_BADGES.get(WorkState(state), StatusBadge(state))


def render_state(state: str) -> str:
    return render_badge(get_state_badge(state))


state_column = make_column("state", render_state, gettext_lazy("state"), order="state")
kind_column = make_column("kind", lambda kind: KIND_LABELS[WorkKind(kind)], gettext_lazy("what it does"), order="kind")
error_column = make_code_column("error_code", gettext_lazy("error"))


def tell_attempts(item: Work) -> str:
    """Return in a sentence how often an item was tried, and how the last try ended; "-" before the first."""
    if not item.attempts:
        return EMPTY_VALUE
    if item.error_code == "lease_expired":
        text = ngettext(
            "%(count)d attempt: its worker stopped or took too long.",
            "%(count)d attempts: the worker of the last one stopped or took too long.",
            item.attempts,
        )
    elif item.error_code:
        text = ngettext(
            "%(count)d attempt: it failed (%(error)s).",
            "%(count)d attempts: the last one failed (%(error)s).",
            item.attempts,
        )
    else:
        text = ngettext("%(count)d attempt.", "%(count)d attempts.", item.attempts)
    return text % {"count": item.attempts, "error": render_code(item.error_code)}


def render_message_link(item: Work) -> str:
    if item.message_id is None:
        return EMPTY_VALUE
    return render_turn_link(item.conversation_id, item.message_id, _("Show it in the conversation"))


attempts_told_column = make_computed_column("attempts_told", tell_attempts, gettext_lazy("attempts"))
message_link_column = make_computed_column("message_link", render_message_link, gettext_lazy("message"))


class WorkStateFilter(ConditionFilter):
    """Filters items by their state; items that wait or failed are the default, except in the list of one object's
    items."""

    title = gettext_lazy("state")
    parameter_name = "state"

    def __init__(self, request: HttpRequest, params: Any, *others: Any) -> None:
        self.usual = "all" if any(request.GET.get(name) for name in (*NARROWING_PARAMETERS, "state__exact")) else "open"
        super().__init__(request, params, *others)

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {
            "open": (gettext_lazy("waiting or failed"), ~Q(state=WorkState.DONE)),
            "waiting": (gettext_lazy("waiting"), Q(state__in=(WorkState.READY, WorkState.LEASED))),
            "failed": (gettext_lazy("failed"), Q(state=WorkState.DEAD)),
            "done": (gettext_lazy("done"), Q(state=WorkState.DONE)),
            "all": (gettext_lazy("All"), Q()),
        }

    def value(self) -> str:
        return super().value() or self.usual

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the choices without Django's own “All”, which would be the default."""
        yield from list(super().choices(changelist))[1:]


@admin.register(Work)
class WorkScreen(SubjectOwnedAdmin):
    """Work items; the dead ones stay visible until they are replayed."""

    list_display = (
        "created_at",
        subject_column,
        kind_column,
        state_column,
        "attempts",
        error_column,
        "due_at",
        "done_at",
    )
    empty_text = gettext_lazy("Nothing waits and nothing failed.")
    list_select_related = ("subject", "conversation")
    list_filter = (
        SubjectFilter,
        ConversationFilter,
        WorkStateFilter,
        "kind",
        ("error_code", OccurringCodesFilter),
        "created_at",
    )
    search_fields = ("subject__external_id", "conversation__external_id", "id", "error_code")
    search_help_text = gettext_lazy("Id of a person, conversation or item, or error")
    date_hierarchy = "created_at"
    ordering = ("-created_at", "-position", "-id")
    sorts_whole_tenant = False
    fieldsets = (
        make_fieldset(None, attempts_told_column, message_link_column, conversation_column),
        make_fieldset(gettext_lazy("Times"), "created_at", "due_at", "lease_until", "done_at"),
    )
    action_form = ReasonedActionForm
    actions = ("replay", "discard")
    change_list_template = "console/operation/work_list.html"

    def title_of(self, obj: Work) -> str:
        return str(KIND_LABELS[WorkKind(obj.kind)])

    def build_header(self, request: HttpRequest, obj: Work) -> ObjectHeader:
        header, kind = super().build_header(request, obj), self.title_of(obj)
        return replace(header, kind="" if header.sentence == capfirst(kind) else kind)

    def describe_row(self, obj: Work) -> str:
        """Return the words of the message that is worked on; the kind of work, if there is none or its words are
        gone."""
        return (obj.message.content if obj.message else "") or capfirst(self.title_of(obj))

    def get_badge(self, obj: Work) -> StatusBadge:
        return get_state_badge(obj.state)

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
        return self._ask_and_settle(request, object_id, REPLAY, _("Replay the item"), what)

    def discard_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        what = _("The item is not processed again. The message stays; nothing more is learned from it.")
        return self._ask_and_settle(request, object_id, DISCARD, _("Discard for good"), what)

    def _ask_and_settle(self, request: HttpRequest, object_id: str, verb: str, title: str, what: str) -> HttpResponse:
        """Ask for a reason; then replay or discard one item."""
        require_permission(self.has_support_permission, request)
        item = self.get_or_404(request, object_id)
        back = build_change_address(Work, item.pk)
        if request.method != "POST" or is_reason_missing(self, request):
            named: dict[str, Any] = {
                "subtitle": capfirst(self.title_of(item)),
                "opts": self.opts,
                "is_grave": verb == DISCARD,
            }
            return render_confirmation(request, title, what, button=title, back=back, **named)
        settle_items(self, request, [item], verb)
        return redirect("admin:snapshots_work_dead")

    def dead_letters_view(self, request: HttpRequest) -> HttpResponse:
        """Show failed items by error; support may replay or discard whole groups, viewers only look."""
        if not self._has_role(request, Role.SUPPORT if request.method == "POST" else Role.VIEWER):
            raise PermissionDenied
        return FailedWorkPage(self, request, settle_items).respond()

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
    list_display_links = None  # a day and a count have no page
    search_fields = ("day",)
    search_help_text = gettext_lazy("Day, as 2026-03-01")
    date_hierarchy = "day"
    empty_text = gettext_lazy("Failed items that staff gave up for good are counted here. None was given up.")
    ordering = ("-day", "-id")
    fieldsets = (make_fieldset(None, "day", "count"), make_fieldset(gettext_lazy("More"), "id"))


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

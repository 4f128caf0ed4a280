"""The page of failed work, by kind and cause, with the person it belongs to. It is replayed or discarded by groups."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.db.models import Count, Max, Min, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.memory_actions.bulk_actions import MAX_ROWS
from memory_platform.console.shared.action_reasons import is_reason_missing
from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.custom_pages import render_console_page
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import build_change_address, build_list_address
from profiles.models import Subject
from snapshots.models import Work, WorkKind, WorkState
from tenants.models import Role
from tenants.services.audit import record_audit

REPLAY, DISCARD = "replay", "discard"
# Groups shown; a name of an error comes from code, so there are few. Items shown, the oldest of all groups.
MAX_GROUPS = 100
MAX_ITEMS = 20
MAX_WORDS_CHARS = 120
# What a failed item of each kind means for the person.
MEANINGS = {
    WorkKind.STATEMENT: gettext_lazy("The message cannot be found by its words."),
    WorkKind.EXTRACT: gettext_lazy("Nothing was learned from the message."),
    WorkKind.CONVERSATION: gettext_lazy("The ended conversation cannot be found as a whole."),
    WorkKind.SUMMARY: gettext_lazy("The conversation has no running summary of its earlier turns."),
}


class FailedWorkPage:
    """The page of failed items on the screen of work items. An error is the name of an exception class, never its
    text, which could quote a user."""

    def __init__(self, screen: Any, request: HttpRequest, settle: Callable[..., None]) -> None:
        self.screen, self.request, self.settle = screen, request, settle
        self.verb = request.POST.get("verb", "")

    def respond(self) -> HttpResponse:
        """Show the groups; on POST, replay or discard the oldest items of the chosen groups. A discard is asked for
        twice."""
        asks_again = self.verb == DISCARD and "sure" not in self.request.POST and bool(self._list_chosen())
        if self.request.method == "POST" and not (asks_again and self.request.POST.get("reason", "").strip()):
            self._settle_chosen()
            return redirect(self.request.path)
        groups = self._list_chosen() if asks_again else list(load_groups())
        items = list(describe_items(groups))
        if items:
            record_audit(make_actor(self.request), "work.listed", object_kind="work")
        return render_console_page(
            self.request,
            "console/operation/dead_letters.html",
            _("Discard for good?") if asks_again else _("Failed items"),
            opts=self.screen.opts,
            groups=groups,
            items=items,
            asks_again=asks_again,
            reason=self.request.POST.get("reason", ""),
            count=sum(min(group["count"], MAX_ROWS) for group in groups),
            most=MAX_ROWS,
            is_more=sum(group["count"] for group in groups) > MAX_ROWS,
            may_decide=self.screen._has_role(self.request, Role.SUPPORT),
        )

    def _list_chosen(self) -> list[dict[str, Any]]:
        wanted = self.request.POST.getlist("group")
        return [group for group in load_groups() if group["key"] in wanted]

    def _settle_chosen(self) -> None:
        if self.verb not in (REPLAY, DISCARD) or is_reason_missing(self.screen, self.request):
            return
        items: list[Work] = []
        for group in self._list_chosen():
            rows = list_dead_work().select_related("subject")
            items += rows.filter(kind=group["kind"], error_code=group["error_code"]).order_by("position")[:MAX_ROWS]
        self.settle(self.screen, self.request, items[:MAX_ROWS], self.verb)


def load_groups() -> Iterator[dict[str, Any]]:
    """Yield the failed items by kind and error, the largest group first: count, attempts, age."""
    counted = list_dead_work().order_by().values("kind", "error_code")
    rows = counted.annotate(count=Count("id"), attempts=Max("attempts"), oldest=Min("created_at"))
    for row in rows.order_by("-count", "kind", "error_code")[:MAX_GROUPS]:
        filters = {"state__exact": WorkState.DEAD.value, "kind__exact": row["kind"], "error_code": row["error_code"]}
        yield {
            **row,
            "key": f"{row['kind']}:{row['error_code']}",
            "name": MEANINGS[WorkKind(row["kind"])],
            "error": render_code(row["error_code"]) or _("not known"),
            "age": timesince(row["oldest"]),
            "address": build_list_address(Work, **filters),
        }


def list_dead_work() -> QuerySet[Work]:
    return Work.objects.filter(state=WorkState.DEAD, subject__erasing=False)


def describe_items(groups: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the oldest items of the groups: whose each is, the first words of its message, and its page. One query."""
    kinds = {group["kind"] for group in groups}
    found = list_dead_work().filter(kind__in=kinds).select_related("subject", "message").order_by("position")
    for item in found[:MAX_ITEMS]:
        message = item.message
        yield {
            "address": build_change_address(Work, item.pk),
            "words": Truncator(message.content).chars(MAX_WORDS_CHARS) if message is not None else "",
            "who": item.subject.external_id,
            "person": build_change_address(Subject, item.subject_id),
            "error": render_code(item.error_code) or _("not known"),
            "ago": render_time_ago(item.created_at),
        }

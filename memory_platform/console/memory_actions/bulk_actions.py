"""One act on many chosen rows: each row has its own result, and failures are listed row by row.

Rows are taken by subject and id, so that two people who act on the same rows take the locks in one order.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html, format_html_join
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memory_platform.console.memory_actions.action_forms import StaffActionForm
from memory_platform.console.memory_actions.actions import StaffAction, find_run_after_commit
from memory_platform.console.shared.action_reasons import refuse_action
from memory_platform.console.shared.after_commit_responses import AfterCommitResponse
from memory_platform.console.shared.value_rendering import MAX_LINE_CHARS, render_named, render_row_link, shorten_id
from memory_platform.kernel.errors import MemoryPlatformError
from snapshots.lifecycle.staff_actions.memory_actions import ActContext

# Rows that one bulk action takes: what a person may still have looked at, and what one request can do.
MAX_ROWS = 200
MAX_LISTED_FAILURES = 10
FAILURE_LABELS = {
    "no_longer_held": gettext_lazy("no longer in use"),
    "not_found": gettext_lazy("no longer exists"),
    "already_reviewed": gettext_lazy("decided already"),
    "review_decided": gettext_lazy("decided already"),
    "undo_impossible": gettext_lazy("the memory has changed since"),
    "conflict": gettext_lazy("changed by others at the same time"),
}
RowFunction = Callable[[Any], object]


@dataclass(slots=True)
class BulkResult:
    """The number of rows done, and each failed row with the code of its reason."""

    done: int = 0
    failed: list[tuple[Any, str]] = field(default_factory=list)


def run_on_each(rows: Iterable[Any], do: RowFunction) -> BulkResult:
    """Call ``do`` with each row. A failure is kept with the row and does not stop the others."""
    verdicts = BulkResult()
    for row in rows:
        try:
            do(row)
        except MemoryPlatformError as refused:
            verdicts.failed.append((row, refused.code))
        else:
            verdicts.done += 1
    return verdicts


def wrap_in_savepoint(do: RowFunction) -> RowFunction:
    def run(row: Any) -> object:
        with transaction.atomic():
            return do(row)

    return run


def load_chosen_rows(screen: Any, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any] | None:
    """Return the chosen rows in lock order. Show an error and return None if there are too many."""
    rows = list(queryset.order_by("subject_id", "id")[: MAX_ROWS + 1])
    if len(rows) <= MAX_ROWS:
        return rows
    text = _("Nothing was done: choose at most %(most)d rows at once.") % {"most": MAX_ROWS}
    refuse_action(screen, request, text)
    return None


def run_action_on_rows(
    screen: Any, request: HttpRequest, queryset: QuerySet[Any], act: StaffAction, doing: ActContext
) -> HttpResponse | None:
    rows = load_chosen_rows(screen, request, queryset)
    if not rows:
        return None

    # Acts on snapshots call the embedder, which must not hold the page's transaction.
    outside = [find_run_after_commit(act, memory, StaffActionForm(memory)) for memory in rows]
    if all(run is None for run in outside):
        show_bulk_result(
            screen, request, run_on_each(rows, wrap_in_savepoint(lambda memory: act.run(memory, None, doing)))
        )
        return None
    runs = {memory.pk: run for memory, run in zip(rows, outside, strict=True) if run is not None}

    def answer() -> HttpResponse:
        show_bulk_result(screen, request, run_on_each(rows, lambda memory: runs[memory.pk](doing)))
        return redirect(request.get_full_path())

    return AfterCommitResponse(answer)


def show_bulk_result(screen: Any, request: HttpRequest, verdicts: BulkResult) -> None:
    if verdicts.done or not verdicts.failed:
        text = ngettext("%(count)d row: done.", "%(count)d rows: done.", verdicts.done)
        screen.message_user(
            request, text % {"count": verdicts.done}, messages.SUCCESS if verdicts.done else messages.INFO
        )
    if not verdicts.failed:
        return
    told = [
        (
            render_row_link(row, Truncator(screen.title_of(row)).chars(MAX_LINE_CHARS) or shorten_id(row.pk)),
            FAILURE_LABELS.get(code, code),
        )
        for row, code in verdicts.failed[:MAX_LISTED_FAILURES]
    ]
    text = ngettext("%(count)d row: not done.", "%(count)d rows: not done.", len(verdicts.failed))
    head = text % {"count": len(verdicts.failed)}
    lines = format_html_join("", "<li>{}</li>", ((render_named(*one),) for one in told))
    screen.message_user(request, format_html("{}<ul>{}</ul>", head, lines), messages.WARNING)

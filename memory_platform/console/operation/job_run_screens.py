"""Runs of scheduled jobs: who started each, how it ended, and a page that follows one until its end."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django_celery_beat.models import PeriodicTask

from memory_platform.console.operation.job_previews import render_job_purpose
from memory_platform.console.operation.operation_page import describe_duration, get_run_tone
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.config import OPERATION_PAGE
from memory_platform.console.shared.custom_pages import is_operator
from memory_platform.console.shared.headers.object_header import make_time_fact
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.status_badges import StatusBadge, render_badge
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
)
from tenants.models import JobRun

MS_PER_SECOND = 1000


class RunFilter(ConditionFilter):
    """Filters runs by whether they did something."""

    title = gettext_lazy("result")
    parameter_name = "result"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {
            "telling": (gettext_lazy("with rows or errors"), Q(rows__gt=0) | Q(errors__gt=0)),
            "failed": (gettext_lazy("with errors"), Q(errors__gt=0)),
        }


def get_run_badge(run: JobRun) -> StatusBadge:
    """Return in a word how a run ended, or that it has not ended yet."""
    tone = get_run_tone(run)
    if run.errors:
        failed = ngettext("%s tenant failed", "%s tenants failed", run.errors)
        return StatusBadge(failed % run.errors, tone)
    if run.ended_at is not None:
        return StatusBadge(_("done"), tone)
    if run.lease_until is None:
        return StatusBadge(_("did not finish"), tone)
    return StatusBadge(_("running") if run.tries else _("waiting for a worker"), tone)


def find_run_orders(runs: Iterable[JobRun]) -> dict[str, LogEntry]:
    """Return who started runs by hand, by the id of the run; the others follow the timetable. One query."""
    kind = ContentType.objects.get_for_model(JobRun)
    entries = LogEntry.objects.filter(content_type=kind, object_id__in=[str(run.pk) for run in runs])
    return {str(entry.object_id): entry for entry in entries.select_related("user").order_by("action_time")}


class RunList(SafeChangeList):
    """The list of runs, each with who started it; an operator's name is for operators."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        orders = find_run_orders(self.result_list)
        for run in self.result_list:
            run.starter = name_starter(request, orders.get(str(run.pk)))


def name_starter(request: HttpRequest, order: LogEntry | None) -> str:
    if order is None:
        return _("the timetable")
    return str(order.user) if is_operator(request) else _("an operator")


def render_row_count(count: int) -> str:
    return f"{count:,}" if count else EMPTY_VALUE


rows_column = make_column("rows", render_row_count, gettext_lazy("rows"), order="rows", is_number=True)
took_column = make_computed_column(
    "took", lambda run: describe_duration(run) or EMPTY_VALUE, gettext_lazy("took"), is_number=True
)


@admin.register(JobRun)
class JobRunScreen(OperatorAdmin):
    """Runs of scheduled jobs, newest first."""

    machine_written = True
    staff_may_view = True
    list_display = (
        "started_at",
        "job",
        make_computed_column("result", lambda run: render_badge(get_run_badge(run)), gettext_lazy("result")),
        took_column,
        rows_column,
        make_computed_column("starter", lambda run: run.starter, gettext_lazy("started by")),
    )
    list_filter = (RunFilter, "job", "scheduled_for")
    empty_text = gettext_lazy("No job has run yet. The scheduler starts each at its time; see the timetable.")
    ordering = ("-started_at", "job", "-id")
    fieldsets = (
        make_fieldset(
            None, took_column, rows_column, make_column("errors", render_row_count, gettext_lazy("tenants that failed"))
        ),
        make_folded_fieldset(
            gettext_lazy("Technical details"), "scheduled_for", "started_at", "ended_at", "reached", "skipped"
        ),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[RunList]:
        return RunList

    def title_of(self, obj: JobRun) -> str:
        return obj.job

    def get_badge(self, obj: JobRun) -> StatusBadge:
        return get_run_badge(obj)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        """Return the run with its job in the timetable, and who started it."""
        run = super().get_object(request, object_id, from_field)
        if run is not None:
            run.order = find_run_orders([run]).get(str(run.pk))
            run.starter = name_starter(request, run.order)
            run.reason = run.order.change_message.partition(": ")[2] if run.order and is_operator(request) else ""
        return run

    def list_facts(self, obj: Any) -> Sequence[Any]:
        job = PeriodicTask.objects.filter(name=obj.job).first()
        return (
            render_job_purpose(job.description) if job else "",
            make_time_fact(_("started %s"), obj.started_at),
            _("by %(who)s") % {"who": obj.starter},
            obj.reason,
            format_html('<a href="{}">{}</a>', build_change_address(PeriodicTask, job.pk), _("The job")) if job else "",
            render_follow_up(obj),
        )


def render_follow_up(run: JobRun) -> str:
    """Return, for a run that has not ended, that the page follows it, and after how long it loads again; else ""."""
    if run.ended_at is not None or run.lease_until is None:
        return ""
    told = _("This page follows it until its end.")
    return format_html(
        '<span role="status" data-reload-ms="{}">{}</span>', int(OPERATION_PAGE.follow_s * MS_PER_SECOND), told
    )

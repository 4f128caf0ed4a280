"""The timetable: operators edit it, staff view it. Kinds of schedule that nothing uses are hidden."""

from collections.abc import Collection
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_celery_beat.admin import CrontabScheduleAdmin, IntervalScheduleAdmin, PeriodicTaskAdmin, PeriodicTaskForm
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from memory_platform.console.operation.job_runs import find_next_runs
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.custom_pages import is_manager, is_operator
from memory_platform.console.shared.rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    render_line,
    render_text,
)
from snapshots.maintenance import CARE, JOBS


def render_job_purpose(description: str) -> str:
    """Return the purpose of a job, translated if the timetable wrote it, without its seal."""
    words, opening, owner = description.split(" [timetable ", maxsplit=1)[0].rpartition(" (")
    return (gettext(words) if words else "") + opening + owner


@admin.display(description=_("next runs"))
def render_next_runs(job: PeriodicTask) -> str:
    """Return the next runs of the job, or that it is stopped."""
    times = [date_format(at, "Y-m-d H:i") for at in find_next_runs(job)]
    return ", ".join(times) or gettext("disabled")


def _make_preview_column(name: str, previewed: Collection[str]) -> Any:
    """Return a column that links each of the ``previewed`` jobs to its dry run."""

    def link_preview(job: PeriodicTask) -> str:
        address = reverse("admin:preview", args=[job.name])
        return format_html('<a href="{}">{}</a>', address, gettext("dry run")) if job.name in previewed else EMPTY_VALUE

    return make_computed_column(name, link_preview, _("preview"))


preview_column, tenant_preview_column = _make_preview_column("effect", JOBS), _make_preview_column("effect_here", CARE)
purpose_column = make_column("description", lambda description: render_line(render_job_purpose(description)), _("why"))
full_purpose_column = make_column(
    "description", lambda description: render_text(render_job_purpose(description)), _("why")
)


class JobForm(PeriodicTaskForm):  # type: ignore[misc]  # the library carries no types
    """The library's form; an unknown task is a form error, not a crash."""

    def clean(self) -> Any:
        self.cleaned_data.setdefault("task", "")
        return super().clean()


class PeriodicTaskScreen(OperatorAdmin, PeriodicTaskAdmin):  # type: ignore[misc]  # the library carries no types
    """The jobs: when each runs, and whether."""

    form = JobForm
    staff_may_view = True
    change_form_template = None  # the library's own has an inline script
    change_list_template = None
    list_display = (
        "name",
        "enabled",
        make_column("scheduler", str, _("schedule")),
        "last_run_at",
        render_next_runs,
        preview_column,
        purpose_column,
    )
    list_select_related = ("interval", "crontab")
    list_filter = ("enabled",)
    search_fields = ("name", "task", "description")
    date_hierarchy = None
    ordering = ("name",)
    actions = ("enable", "disable")
    fieldsets = (
        (None, {"fields": ("name", "regtask", "task", "enabled", "description")}),
        (_("When"), {"fields": ("interval", "crontab", "start_time", "expire_seconds", "last_run_at")}),
        (_("With"), {"fields": ("args", "kwargs", "queue"), "classes": ("collapse",)}),
    )
    readonly_fields: ClassVar[tuple[str, ...]] = ("last_run_at",)

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the columns, with a link to the previews that the reader may open."""
        shown = preview_column if is_operator(request) else tenant_preview_column if is_manager(request) else None
        columns = (shown if name is preview_column else name for name in self.list_display)
        return [name for name in columns if name is not None]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Return the fields; readers who may not write see neither the choice of tasks nor the seal of the purpose."""
        if self.has_operator_permission(request):
            return self.fieldsets
        shown: dict[Any, Any] = {"regtask": (), "description": (full_purpose_column,)}
        return [
            (title, {**part, "fields": [each for name in part["fields"] for each in shown.get(name, (name,))]})
            for title, part in self.fieldsets
        ]

    @admin.action(description=_("Enable the chosen jobs"), permissions=["operator"])
    def enable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_enabled(request, queryset, enabled=True)

    @admin.action(description=_("Disable the chosen jobs"), permissions=["operator"])
    def disable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_enabled(request, queryset, enabled=False)

    def _set_enabled(self, request: HttpRequest, jobs: QuerySet[Any], *, enabled: bool) -> None:
        for job in jobs.exclude(enabled=enabled):
            job.enabled = enabled
            job.save()  # tells beat, as an update of the table would not
            self.log_change(request, job, [{"changed": {"fields": ["enabled"]}}])
        self.message_user(request, _("Beat applies the change within seconds."), messages.SUCCESS)


class IntervalScreen(OperatorAdmin, IntervalScheduleAdmin):  # type: ignore[misc]  # the library carries no types
    """Schedules that repeat after a number of seconds, minutes, hours or days."""

    staff_may_view = True
    ordering = ("period", "every")


class CrontabScreen(OperatorAdmin, CrontabScheduleAdmin):  # type: ignore[misc]  # the library carries no types
    """Schedules at times of the day, week or month."""

    staff_may_view = True


def replace_default_screens() -> None:
    """Replace the library's screens. Solar and one-time schedules are not offered."""
    for model in (PeriodicTask, IntervalSchedule, CrontabSchedule, SolarSchedule, ClockedSchedule):
        admin.site.unregister(model)
    admin.site.register(PeriodicTask, PeriodicTaskScreen)
    admin.site.register(IntervalSchedule, IntervalScreen)
    admin.site.register(CrontabSchedule, CrontabScreen)

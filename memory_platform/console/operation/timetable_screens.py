"""The timetable: operators enable, disable, move and run jobs; staff see it.

Jobs come with the platform: nobody adds or deletes one. Schedules are shown and typed in words; the library's rows
behind them are not shown.
"""

from collections.abc import Collection, Sequence
from datetime import time
from typing import Any, ClassVar
from zoneinfo import available_timezones

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _
from django_celery_beat.models import ClockedSchedule, CrontabSchedule, IntervalSchedule, PeriodicTask, SolarSchedule

from memory_platform.console.operation.job_previews import find_next_runs, render_job_purpose
from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    ReasonField,
    is_reason_missing,
    read_reason,
    require_reason,
)
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.custom_pages import (
    is_manager,
    is_operator,
    make_console_path,
    render_confirmation,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.status_badges import GOOD, StatusBadge, render_badge
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    build_list_address,
    make_computed_column,
    render_link,
    render_text,
)
from snapshots.scheduled_job_registry import CARE, JOBS, run_job_now
from tenants.models import JobRun

# What the library calls its units, and how many of them are said as one word.
UNITS = {
    IntervalSchedule.SECONDS: _("seconds"),
    IntervalSchedule.MINUTES: _("minutes"),
    IntervalSchedule.HOURS: _("hours"),
    IntervalSchedule.DAYS: _("days"),
}
SECONDS = {
    IntervalSchedule.SECONDS: 1,
    IntervalSchedule.MINUTES: 60,
    IntervalSchedule.HOURS: 3_600,
    IntervalSchedule.DAYS: 86_400,
}
EVERY_DAY = {"day_of_week": "*", "day_of_month": "*", "month_of_year": "*"}
MAX_EVERY = 10_000
UTC = "UTC"
RUN_NOW = "Run now"  # in the platform's log, before the reason


def describe_schedule(job: PeriodicTask) -> str:
    """Return in words when a job runs: "every 10 minutes", "every hour", "daily 03:30"."""
    if job.interval is not None:
        return _describe_interval(*split_interval(job.interval))
    if job.crontab is None:
        return gettext("never")
    times = job.crontab
    zone = "" if str(times.timezone) == UTC else f" {times.timezone}"
    at = read_daily_time(times)
    if at is not None:
        return gettext("daily %(time)s") % {"time": f"{at:%H:%M}"} + zone
    parts = (times.minute, times.hour, times.day_of_month, times.month_of_year, times.day_of_week)
    return " ".join(parts) + zone


def split_interval(interval: IntervalSchedule) -> tuple[int, str]:
    """Return an interval as a number of the largest unit that divides it: 3,600 seconds are 1 hour."""
    if interval.period not in SECONDS:
        return interval.every, interval.period
    seconds = interval.every * SECONDS[interval.period]
    unit = max((unit for unit, length in SECONDS.items() if seconds % length == 0), key=SECONDS.__getitem__)
    return seconds // SECONDS[unit], unit


def read_daily_time(crontab: CrontabSchedule) -> time | None:
    """Return the time of a schedule that is once a day, in its own zone; None for any other."""
    is_daily = all(getattr(crontab, name) == value for name, value in EVERY_DAY.items())
    if not (is_daily and crontab.hour.isdecimal() and crontab.minute.isdecimal()):
        return None
    return time(int(crontab.hour), int(crontab.minute))


def list_zones() -> list[str]:
    """Return the time zones by name, UTC first."""
    return [UTC, *sorted(available_timezones() - {UTC})]


def _describe_interval(every: int, unit: str) -> str:
    words = {
        IntervalSchedule.SECONDS: ngettext("every second", "every %(count)d seconds", every),
        IntervalSchedule.MINUTES: ngettext("every minute", "every %(count)d minutes", every),
        IntervalSchedule.HOURS: ngettext("every hour", "every %(count)d hours", every),
        IntervalSchedule.DAYS: ngettext("every day", "every %(count)d days", every),
    }
    return words[unit] % {"count": every} if unit in words else f"{every} {unit}"


def get_job_badge(job: PeriodicTask) -> StatusBadge:
    return StatusBadge(_("enabled"), GOOD) if job.enabled else StatusBadge(_("disabled"))


state_column = make_computed_column("state", lambda job: render_badge(get_job_badge(job)), _("status"), order="enabled")
schedule_column = make_computed_column("when", describe_schedule, _("schedule"))
purpose_column = make_computed_column(
    "purpose", lambda job: render_text(render_job_purpose(job.description)), _("what it does")
)


def link_last_run(job: Any) -> str:
    """Return how long ago a job last ran, with a link to that run if it is on record: one by hand counts, too."""
    run: JobRun | None = job.last_run if hasattr(job, "last_run") else find_last_run(job)
    if run is not None:
        return render_link(JobRun, run.pk, render_time_ago(run.started_at))
    return render_time_ago(job.last_run_at) or gettext("has not run yet")


def find_last_run(job: PeriodicTask) -> JobRun | None:
    return JobRun.objects.filter(job=job.name).order_by("-scheduled_for").first()


last_run_column = make_computed_column("last_run", link_last_run, _("last run"), order="last_run_at")


@admin.display(description=_("next runs"))
def render_next_runs(job: PeriodicTask) -> str:
    """Return the next runs of the job, or that it is stopped."""
    times = ((date_format(at, "Y-m-d H:i"),) for at in find_next_runs(job))
    return format_html_join(SafeString("<br>"), '<span class="nowrap">{}</span>', times) or gettext("disabled")


@admin.display(description=_("next run"))
def render_next_run(job: PeriodicTask) -> str:
    """Return the next run of the job, or that it is stopped."""
    at = next(iter(find_next_runs(job, 1)), None)
    return format_html('<span class="nowrap">{}</span>', date_format(at, "Y-m-d H:i")) if at else gettext("disabled")


def _make_acts_column(name: str, previewed: Collection[str], *, runs: bool) -> Any:
    """Return a column with links to a job's dry run, if it is one of ``previewed``, and to running it now."""

    def link_acts(job: PeriodicTask) -> str:
        links = []
        if job.name in previewed:
            links.append((reverse("admin:preview", args=[job.name]), gettext("dry run")))
        if runs and job.name in JOBS:
            links.append((reverse("admin:django_celery_beat_periodictask_run", args=[job.pk]), gettext("run now")))
        html = [format_html('<a class="nowrap" href="{}">{}</a>', *link) for link in links]
        return format_html(" · ".join(["{}"] * len(html)), *html) if html else EMPTY_VALUE

    return make_computed_column(name, link_acts, _("actions"))


operator_acts = _make_acts_column("acts", JOBS, runs=True)
manager_acts = _make_acts_column("acts_here", CARE, runs=False)


class JobForm(forms.ModelForm[PeriodicTask]):
    """Whether a job runs and when: every so many minutes, or daily at a time. A job has one of the two."""

    every = forms.IntegerField(label=_("Every"), min_value=1, max_value=MAX_EVERY)
    unit = forms.ChoiceField(label=_("Unit"), choices=list(UNITS.items()))
    daily_at = forms.TimeField(
        label=_("Daily at"),
        required=False,
        widget=forms.TimeInput(format="%H:%M"),
        help_text=_("Such as 03:30. Empty: the schedule stays as it is."),
    )
    zone = forms.ChoiceField(
        label=_("Time zone"), required=False, initial=UTC, choices=lambda: [(one, one) for one in list_zones()]
    )
    reason = ReasonField()

    class Meta:
        model = PeriodicTask
        fields = ("enabled",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "enabled" in self.fields:
            self.fields["enabled"].help_text = ""  # the library's speaks to programmers
        for name in ("daily_at", "zone") if self.instance.interval else ("every", "unit"):
            self.fields.pop(name, None)
        if self.instance.interval and "every" in self.fields:
            self.initial["every"], self.initial["unit"] = split_interval(self.instance.interval)
        elif self.instance.crontab and "daily_at" in self.fields:
            self.initial["daily_at"] = read_daily_time(self.instance.crontab)
            self.initial["zone"] = str(self.instance.crontab.timezone)

    def clean(self) -> dict[str, Any]:
        """Find the library's row of the schedule, or make it."""
        values = super().clean() or {}
        if {"every", "unit"} <= values.keys():
            seconds = values["every"] * SECONDS[values["unit"]]
            found = {"every": seconds, "period": IntervalSchedule.SECONDS}  # as the platform's own timetable says it
            self.instance.interval = IntervalSchedule.objects.get_or_create(**found)[0]
        elif values.get("daily_at") is not None:
            at = values["daily_at"]
            times = {"minute": str(at.minute), "hour": str(at.hour), "timezone": values.get("zone") or UTC, **EVERY_DAY}
            row = CrontabSchedule.objects.filter(**times).first()  # by hand: nothing keeps two of them apart
            self.instance.crontab = row or CrontabSchedule.objects.create(**times)
        return values


class Timetable(SafeChangeList):
    """The list of jobs, each with its last run on record."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        runs = {run.job: run for run in JobRun.objects.order_by("job", "-scheduled_for").distinct("job")}
        for job in self.result_list:
            job.last_run = runs.get(job.name)


class TimetableScreen(OperatorAdmin):
    """The jobs: their purposes, when they run, and whether."""

    form = JobForm
    action_form = ReasonedActionForm
    staff_may_view = True
    list_display = (
        "name",
        state_column,
        schedule_column,
        last_run_column,
        render_next_run,
        operator_acts,
        purpose_column,
    )
    list_select_related = ("interval", "crontab")
    count_text = ngettext_lazy("%(count)d job", "%(count)d jobs", "count")
    list_filter = ("enabled",)
    search_fields = ("name", "description")
    ordering = ("name",)
    actions = ("enable", "disable")
    change_button = _("Change the job")
    readonly_fields: ClassVar[Any] = (purpose_column, schedule_column, render_next_runs, last_run_column)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def title_of(self, obj: PeriodicTask) -> str:
        return str(obj.name)

    def get_badge(self, obj: PeriodicTask) -> StatusBadge:
        return get_job_badge(obj)

    def list_facts(self, obj: PeriodicTask) -> Sequence[Any]:
        return (render_job_purpose(obj.description), describe_schedule(obj))

    def name_kind(self) -> str:
        return gettext("Job")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Timetable]:
        return Timetable

    def list_acts(self, request: HttpRequest, obj: PeriodicTask) -> Sequence[HeaderAct]:
        acts = [HeaderAct(_("Runs"), build_list_address(JobRun, job=obj.name))]
        if obj.name in (JOBS if is_operator(request) else CARE if is_manager(request) else ()):
            acts.append(HeaderAct(_("Dry run"), reverse("admin:preview", args=[obj.name])))
        if is_operator(request) and obj.name in JOBS:
            address = reverse("admin:django_celery_beat_periodictask_run", args=[obj.pk])
            acts.append(HeaderAct(_("Run now"), address))
        return acts

    def get_list_display(self, request: HttpRequest) -> Any:
        """Return the columns, with links to the acts that the reader may do."""
        acts = operator_acts if is_operator(request) else manager_acts if is_manager(request) else None
        columns = (acts if name is operator_acts else name for name in super().get_list_display(request))
        return [name for name in columns if name is not None]

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = (None, {"fields": (render_next_runs, last_run_column)})
        if not self.has_operator_permission(request) or obj is None:
            return [shown]
        typed = ("every", "unit") if obj.interval else ("daily_at", "zone") if obj.crontab else ()
        return [shown, (_("Change"), {"fields": ("enabled", *typed, "reason")})]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        # The form declares its fields itself: Django would look for those of a schedule in the model.
        return super().get_form(request, obj, change, **{**kwargs, "fields": ("enabled",)})

    def get_urls(self) -> list[URLPattern]:
        name = "django_celery_beat_periodictask_run"
        return [make_console_path("<path:object_id>/run/", self.run_view, name), *super().get_urls()]

    def run_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Ask for a reason; then let a worker run the job."""
        require_permission(is_operator, request)
        job = self.get_or_404(request, object_id)
        back = reverse("admin:django_celery_beat_periodictask_changelist")
        if request.method != "POST" or job.name not in JOBS or is_reason_missing(self, request):
            what = gettext("The job runs at once, for all tenants, beside its schedule: %(purpose)s")
            return render_confirmation(
                request,
                gettext("Run the job now"),
                what % {"purpose": render_job_purpose(job.description)},
                button=gettext("Run the job now"),
                back=back,
                subtitle=job.name,
                opts=self.opts,
            )
        is_sent = run_job_now(job.name, job.task)
        run = find_last_run(job)
        if is_sent:
            self.log_change(request, run or job, f"{RUN_NOW}: {read_reason(request)}")
            self.message_user(request, gettext("A worker runs the job within seconds."), messages.SUCCESS)
        else:
            self.message_user(
                request, gettext("Nothing was done: a run of this job is under way. Wait for its end."), messages.ERROR
            )
        return redirect(build_change_address(JobRun, run.pk) if run else back)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        """Record a change with its reason."""
        if not isinstance(message, str):
            names = [name for one in message for name in one.get("changed", {}).get("fields", ()) if name != "Reason"]
            message = f"Changed {', '.join(names)}: {read_reason(request)}"
        return super().log_change(request, obj, message)

    @admin.action(description=_("Enable the chosen jobs"), permissions=["operator"])
    @require_reason
    def enable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_enabled(request, queryset, enabled=True)

    @admin.action(description=_("Disable the chosen jobs"), permissions=["operator"])
    @require_reason
    def disable(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._set_enabled(request, queryset, enabled=False)

    def _set_enabled(self, request: HttpRequest, jobs: QuerySet[Any], *, enabled: bool) -> None:
        for job in jobs.exclude(enabled=enabled):
            job.enabled = enabled
            job.save()  # tells beat, as an update of the table would not
            self.log_change(request, job, [{"changed": {"fields": ["enabled"]}}])
        self.message_user(request, _("The scheduler applies the change within seconds."), messages.SUCCESS)


def replace_default_screens() -> None:
    """Replace the library's screens: one for the jobs, none for the rows of their schedules."""
    for model in (PeriodicTask, IntervalSchedule, CrontabSchedule, SolarSchedule, ClockedSchedule):
        admin.site.unregister(model)
    admin.site.register(PeriodicTask, TimetableScreen)

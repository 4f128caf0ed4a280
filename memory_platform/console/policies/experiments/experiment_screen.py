"""Screens of experiments for managers: arms, start and end, and the results of each arm."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.policies.experiments.experiment_figures import render_arm_figures
from memory_platform.console.policies.experiments.experiment_forms import (
    ArmsWidget,
    ExperimentForm,
    make_share_name,
    make_shares_form,
    make_usual_arms,
)
from memory_platform.console.policies.policy_saving import EDIT
from memory_platform.console.policies.policy_version_actions import StepForm
from memory_platform.console.shared.action_reasons import read_reason
from memory_platform.console.shared.base_screens import CreateOnlyAdmin
from memory_platform.console.shared.config import DASHBOARD, EXPERIMENT_PAGE
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.status_badges import StatusBadge, get_experiment_badge, render_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    build_change_address,
    make_column,
    make_computed_column,
    make_fieldset,
    render_line,
)
from memory_platform.kernel.clock import utc_now
from snapshots.models import ReceiptMemory
from tenants.errors import ExperimentConflict
from tenants.models import Experiment, ExperimentStatus, Role
from tenants.policies.arms import BUCKETS
from tenants.services.experiments import create_experiment, end_experiment, reassign_subjects, start_experiment


@dataclass(frozen=True, slots=True)
class ExperimentStep:
    """The start or the end of an experiment in the status ``of``."""

    name: str
    of: str
    title: Any
    button: Any
    help: Any
    done: Any
    take: Callable[..., Experiment]


START = ExperimentStep(
    "start",
    ExperimentStatus.DRAFT,
    _("Start the experiment “%s”"),
    _("Start"),
    _("From the next request on, each arm applies to its share of the people. Only one experiment runs at a time."),
    _("The experiment is running."),
    start_experiment,
)
END = ExperimentStep(
    "end",
    ExperimentStatus.RUNNING,
    _("End the experiment “%s”"),
    _("End"),
    _("From the next request on, the active policy applies to all people. An experiment cannot be started again."),
    _("The experiment has ended."),
    end_experiment,
)


@admin.display(description=_("arms"))
def render_arms(experiment: Experiment) -> str:
    return render_line(
        ", ".join(f"{arm['name']} (v{arm['policy_version']}): {arm['percent']}%" for arm in experiment.arms)
    )


@admin.display(description=_("status"), ordering="status")
def render_status(experiment: Experiment) -> str:
    return render_badge(get_experiment_badge(experiment))


def render_shares(experiment: Experiment) -> SafeString:
    """Return the shares of all arms, and of those who take no part, as HTML."""
    rest = BUCKETS - sum(arm["percent"] for arm in experiment.arms)
    return render_to_string("console/policies/experiments/shares.html", {"arms": experiment.arms, "rest": rest})


shares_column = make_computed_column("shares", render_shares, _("arms"))


def describe_time_needed(experiment: Experiment) -> str:
    """Return how long an experiment needs at the present rate of answers with feedback; "" for one that has ended."""
    shares = [arm["percent"] for arm in experiment.arms if arm["percent"]]
    if experiment.status == ExperimentStatus.ENDED or not shares:
        return ""
    needed = EXPERIMENT_PAGE.answers_per_arm
    since = utc_now() - timedelta(days=EXPERIMENT_PAGE.rate_days)
    judged = ReceiptMemory.objects.filter(told_at__gte=since).exclude(signal="").order_by()
    number = judged.values("receipt").distinct()[: DASHBOARD.max_counted].count()
    if not number:
        told = gettext("%(answers)s answers with feedback in each arm. In the last %(days)s days no answer had any.")
        return told % {"answers": needed, "days": EXPERIMENT_PAGE.rate_days}
    daily = number / EXPERIMENT_PAGE.rate_days
    days = needed / (daily * min(shares) / BUCKETS)
    told = gettext("%(answers)s answers with feedback in each arm: at %(daily)s a day about %(time)s.")
    now = utc_now()
    time = timesince(now, now + timedelta(days=days), depth=1)
    told %= {"answers": needed, "daily": f"{daily:,.1f}", "time": time}
    if days <= LONG_DAYS:
        return told
    hint = gettext("That is long: ask for feedback more often, or give the smaller arm a larger share.")
    return format_html('<div class="overtaken">{} {}</div>', told, hint)


need_column = make_computed_column("need", describe_time_needed, _("what it needs"))
# From here on a comparison outlives what it compares.
LONG_DAYS = 90


def build_step_address(experiment: Experiment, step: ExperimentStep) -> str:
    return reverse(f"admin:tenants_experiment_{step.name}", args=[experiment.pk])


@admin.register(Experiment)
class ExperimentScreen(CreateOnlyAdmin):
    """Experiments, newest first. They are made as drafts; buttons on an experiment's page start and end it."""

    form = ExperimentForm
    add_form_template = "console/policies/experiments/experiment_form.html"
    change_form_template = "console/policies/experiments/experiment_page.html"
    view_role = add_role = change_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    add_title, add_button = _("New experiment"), _("Save draft")
    empty_text = _(
        "An experiment compares two policy versions on shares of your people. It needs a second version, and about "
        "400 answers with feedback in each arm to tell a difference of ten points from chance."
    )
    hides_short_search = True
    list_display = (
        make_column("name", render_line, _("name")),
        render_status,
        render_arms,
        "created_at",
        "started_at",
        "ended_at",
    )
    list_filter = ("status",)
    search_fields = ("name",)
    ordering = ("-created_at", "-id")
    page_fieldsets = (
        make_fieldset(None, shares_column, need_column),
        make_fieldset(_("Indicators"), render_arm_figures),
    )
    form_fieldsets = (make_fieldset(None, "name", "arm", "reason"),)

    def get_urls(self) -> list[URLPattern]:
        own = [
            make_console_path("<path:object_id>/start/", self.start_view, "tenants_experiment_start"),
            make_console_path("<path:object_id>/end/", self.end_view, "tenants_experiment_end"),
        ]
        return [*own, *super().get_urls()]

    def render_change_form(
        self, request: HttpRequest, context: Any, add: bool = False, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if add:
            halves = Experiment(arms=[{"percent": BUCKETS // 2}] * 2)
            context["pace"] = describe_time_needed(halves)
        return super().render_change_form(request, context, add, *args, **kwargs)

    def title_of(self, obj: Experiment) -> str:
        return obj.name

    def get_badge(self, obj: Experiment) -> StatusBadge:
        return get_experiment_badge(obj)

    def list_facts(self, obj: Experiment) -> Sequence[Any]:
        return (
            make_time_fact(_("created %s"), obj.created_at),
            make_time_fact(_("started %s"), obj.started_at),
            make_time_fact(_("ended %s"), obj.ended_at),
        )

    def list_acts(self, request: HttpRequest, obj: Experiment) -> Sequence[HeaderAct]:
        possible = [step for step in (START, END) if step.of == obj.status and self.has_manager_permission(request)]
        steps = [HeaderAct(step.button, build_step_address(obj, step), is_main=True) for step in possible]
        return [*steps, *super().list_acts(request, obj)]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Percentages may change until the experiment has ended."""
        ended = obj is not None and obj.status == ExperimentStatus.ENDED
        return super().has_change_permission(request, obj) and not ended

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        return super().get_form(request, obj, change, **kwargs, **({"form": make_shares_form(obj)} if obj else {}))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None or not self.has_change_permission(request, obj):
            return super().get_fieldsets(request, obj)
        shares = tuple(make_share_name(n) for n in range(len(obj.arms)))
        return (*self.page_fieldsets, make_fieldset(_("Percent of all people"), *shares, "reason"))

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, with one more arm if that was asked for; or save a draft."""
        if request.method != "POST" or EDIT not in request.POST:
            return super().add_view(request, form_url, extra_context)
        again = copy(request)
        again.method = "GET"
        return super().add_view(again, form_url, extra_context)

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        """Return the values sent with a request for one more arm."""
        sent = {name: request.POST[name] for name in ("name", "reason") if name in request.POST}
        return {**sent, "arm": ArmsWidget(()).add_row(request.POST, "arm")} if sent else {"arm": make_usual_arms()}

    def save_model(self, request: HttpRequest, obj: Experiment, form: Any, change: bool) -> None:
        if change:
            reassign_subjects(
                obj.pk, form.cleaned_data["percents"], by=make_actor(request), reason=read_reason(request)
            )
            return
        made = create_experiment(
            obj.name, form.cleaned_data["arm"], by=make_actor(request), reason=read_reason(request)
        )
        obj.pk = made.pk

    def response_add(self, request: HttpRequest, obj: Experiment, post_url_continue: str | None = None) -> HttpResponse:
        text = _("“%s” is saved as a draft; it has not started yet.") % obj.name
        self.message_user(request, text, messages.SUCCESS)
        return redirect(build_change_address(Experiment, obj.pk))

    def response_change(self, request: HttpRequest, obj: Experiment) -> HttpResponse:
        self.message_user(request, _("The shares are changed."), messages.SUCCESS)
        return redirect(build_change_address(Experiment, obj.pk))

    def start_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._show_step(request, object_id, START)

    def end_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._show_step(request, object_id, END)

    def _show_step(self, request: HttpRequest, object_id: str, step: ExperimentStep) -> HttpResponse:
        """Show the arms and ask for a reason; on POST, take the step."""
        require_permission(self.has_manager_permission, request)
        experiment, is_sent = self.get_or_404(request, object_id), request.method == "POST"
        form = StepForm(request.POST if is_sent else None)
        page = build_change_address(Experiment, experiment.pk)
        is_possible = experiment.status == step.of
        if is_possible and form.is_valid():
            try:
                step.take(experiment.pk, by=make_actor(request), reason=read_reason(request))
            except ExperimentConflict:
                form.add_error(None, gettext("Another experiment is running. End it first."))
            else:
                self.message_user(request, step.done, messages.SUCCESS)
                return redirect(page)
        return render_console_page(
            request,
            "console/policies/policy_step.html",
            step.title % experiment.name,
            status=HTTPStatus.CONFLICT if is_sent and (form.non_field_errors() or not is_possible) else HTTPStatus.OK,
            opts=self.opts,
            subtitle=experiment.name,
            page=page,
            form=form,
            what=step.help if is_possible else _("Only a draft can be started, and only a running experiment ended."),
            button=step.button,
            is_possible=is_possible,
            is_final=step is END,
            changes=render_shares(experiment),
        )

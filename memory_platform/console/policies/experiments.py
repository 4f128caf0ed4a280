"""Screens of experiments for managers: arms, start and end, and the results of each arm."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    ReasonField,
    read_reason,
    refuse_action,
    require_reason,
)
from memory_platform.console.shared.base_screens import CreateOnlyAdmin
from memory_platform.console.shared.rendering import EMPTY_VALUE, make_column, make_fieldset, render_line
from memory_platform.console.shared.tenant_access import make_actor
from snapshots.feedback.tallies.arm_figures import ShareEstimate, load_arm_figures
from tenants.errors import ExperimentConflict, ExperimentRefused
from tenants.models import Experiment, ExperimentStatus, PolicyVersion, Role
from tenants.policies.arms import BUCKETS, Arm
from tenants.services.experiments import create_experiment, end_experiment, reassign_subjects, start_experiment

# Arms that the form has room for; the API takes more.
MAX_ARMS = 4
ARM_FIELDS = ("name", "version", "percent")


def make_arm_fields() -> dict[str, forms.Field]:
    """Return the inputs of all arms; rows after the second may stay empty."""
    fields: dict[str, forms.Field] = {}
    for row in range(1, MAX_ARMS + 1):
        wanted = row <= 2  # noqa: PLR2004 - one arm has nothing beside it
        fields[f"arm{row}_name"] = forms.CharField(label=_("Arm"), max_length=64, required=wanted)
        fields[f"arm{row}_version"] = forms.IntegerField(label=_("Policy version"), min_value=1, required=wanted)
        fields[f"arm{row}_percent"] = forms.IntegerField(
            label=_("Percent of all subjects"), min_value=1, max_value=BUCKETS, required=wanted
        )
    return fields


class ExperimentFormBase(forms.ModelForm[Experiment]):
    """A name, at least two arms, and a reason."""

    reason = ReasonField()

    class Meta:
        model = Experiment
        fields = ("name",)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        rows: list[list[Any]] = [
            [given.get(f"arm{row}_{member}") for member in ARM_FIELDS] for row in range(1, MAX_ARMS + 1)
        ]
        if any(None in row or "" in row for row in rows if any(row)):
            raise forms.ValidationError(gettext("Give each arm a name, a version and a percentage."))
        arms = [Arm(str(name), int(version), int(percent)) for name, version, percent in filter(any, rows)]
        known = set(PolicyVersion.objects.values_list("number", flat=True))
        for fault, wrong in (
            (gettext("Give each arm a different name."), len({arm.name for arm in arms}) < len(arms)),
            (gettext("The percentages must add up to at most 100."), sum(arm.percent for arm in arms) > BUCKETS),
            (gettext("There is no version with this number."), any(arm.policy_version not in known for arm in arms)),
        ):
            if wrong:
                raise forms.ValidationError(fault)
        return {**given, "arms": arms}


ExperimentForm: Any = type("ExperimentForm", (ExperimentFormBase,), make_arm_fields())


class SharesFormBase(forms.ModelForm[Experiment]):
    """New percentages for the arms of one experiment, and a reason."""

    reason = ReasonField()

    class Meta:
        model = Experiment
        fields = ()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if self.errors:
            return given
        percents = {arm["name"]: given[make_share_name(n)] for n, arm in enumerate(self.instance.arms)}
        if sum(percents.values()) > BUCKETS:
            raise forms.ValidationError(gettext("The percentages must add up to at most 100."))
        return {**given, "percents": percents}


def make_share_name(number: int) -> str:
    return f"share{number}"


def make_shares_form(experiment: Experiment) -> Any:
    fields = {
        make_share_name(n): forms.IntegerField(
            label=arm["name"], min_value=0, max_value=BUCKETS, initial=arm["percent"]
        )
        for n, arm in enumerate(experiment.arms)
    }
    return type("SharesForm", (SharesFormBase,), fields)


@admin.display(description=_("arms"))
def render_arms(experiment: Experiment) -> str:
    return render_line(
        ", ".join(f"{arm['name']} (v{arm['policy_version']}): {arm['percent']} %" for arm in experiment.arms)
    )


@admin.display(description=_("results of each arm"))
def render_arm_figures(experiment: Experiment) -> SafeString:
    """Return the shares of each arm with 95 % intervals and n, from the days that are rolled up."""
    rows = [
        {
            "arm": figures.arm,
            "version": figures.policy_version,
            "contexts": figures.contexts,
            "shares": [
                render_share(share)
                for share in (figures.precision, figures.utilisation, figures.correction, figures.staleness)
            ],
            "tokens": EMPTY_VALUE if figures.tokens_per_context is None else figures.tokens_per_context,
            "corrections": figures.fast_lane_changes,
            "p95": EMPTY_VALUE if figures.fast_lane_p95_ms is None else figures.fast_lane_p95_ms,
        }
        for figures in load_arm_figures(experiment.name)
    ]
    return render_to_string("console/policies/experiment_arm_figures.html", {"arms": rows})


def render_share(share: ShareEstimate) -> str:
    if share.value is None or share.low is None or share.high is None:
        return EMPTY_VALUE
    return f"{share.value:.1%} ({share.low:.1%}-{share.high:.1%}; n={share.of:,})"


@admin.register(Experiment)
class ExperimentScreen(CreateOnlyAdmin):
    """Experiments, newest first. They are made as drafts; an action with a reason starts or ends them."""

    form = ExperimentForm
    view_role = add_role = change_role = Role.MANAGER
    personal_data = False
    list_display = (
        make_column("name", render_line, _("name")),
        "status",
        render_arms,
        "created_at",
        "started_at",
        "ended_at",
    )
    list_filter = ("status",)
    search_fields = ("name",)
    ordering = ("-created_at", "-id")
    action_form = ReasonedActionForm
    actions = ("start", "end")
    page_fieldsets = (
        make_fieldset(
            None,
            make_column("name", render_line, _("name")),
            "status",
            render_arms,
            "created_at",
            "started_at",
            "ended_at",
        ),
        make_fieldset(_("Indicators"), render_arm_figures),
    )
    form_fieldsets = (
        make_fieldset(None, "name"),
        *(make_fieldset(None, tuple(f"arm{row}_{member}" for member in ARM_FIELDS)) for row in range(1, MAX_ARMS + 1)),
        make_fieldset(_("Why"), "reason"),
    )

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
        return (*self.page_fieldsets, make_fieldset(_("Percent of all subjects"), *shares, "reason"))

    def save_model(self, request: HttpRequest, obj: Experiment, form: Any, change: bool) -> None:
        if change:
            reassign_subjects(
                obj.pk, form.cleaned_data["percents"], by=make_actor(request), reason=read_reason(request)
            )
            return
        arms = form.cleaned_data["arms"]
        made = create_experiment(obj.name, arms, by=make_actor(request), reason=read_reason(request))
        obj.pk = made.pk

    @admin.action(description=_("Start: each arm applies to its share of the subjects"), permissions=["manager"])
    @require_reason
    def start(self, request: HttpRequest, queryset: QuerySet[Experiment]) -> None:
        self._change_status(request, queryset, start_experiment, _("Started."))

    @admin.action(description=_("End: the active policy applies to all subjects again"), permissions=["manager"])
    @require_reason
    def end(self, request: HttpRequest, queryset: QuerySet[Experiment]) -> None:
        self._change_status(request, queryset, end_experiment, _("Ended."))

    def _change_status(self, request: HttpRequest, queryset: QuerySet[Experiment], verb: Any, message: Any) -> None:
        # Two rows suffice to see that more than one was chosen.
        chosen = list(queryset[:2])
        if len(chosen) != 1:
            refuse_action(self, request, _("Nothing was done: choose one experiment."))
            return
        try:
            verb(chosen[0].id, by=make_actor(request), reason=read_reason(request))
        except (ExperimentConflict, ExperimentRefused):
            refusal = _("Nothing was done: only one experiment can run at a time, and each can run only once.")
            refuse_action(self, request, refusal)
            return
        self.message_user(request, message, messages.SUCCESS)

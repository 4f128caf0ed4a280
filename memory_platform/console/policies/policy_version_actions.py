"""Steps with a stored version: activate it, roll back to it, compare it with another.

Each page shows the changes before it asks for the reason. The confirmation carries the state that the page showed: if
somebody else was quicker, the page shows the new difference and keeps the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Max, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.decorators import method_decorator
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from memory_platform.console.policies.policy_history import list_version_choices
from memory_platform.console.policies.settings_in_words import render_changes
from memory_platform.console.shared.action_reasons import ReasonField, read_reason
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.kernel.clock import utc_now
from snapshots.policies.policy_replay import list_untold_changes
from snapshots.policies.policy_sections import SECTIONS
from tenants.isolation import current_tenant_id
from tenants.models import PolicyVersion, Tenant, UsageDay
from tenants.policies.policy_documents import list_differences
from tenants.services.audit import Actor
from tenants.services.policies import activate_version, active_number, lock_policy, roll_back, version_by_number

SEEN_STATE = "seen"
REACH_DAYS = 7


class StepForm(forms.Form):
    """The reason for a step."""

    reason = ReasonField()


class ComparisonForm(forms.Form):
    """Two versions to compare."""

    before = forms.ChoiceField(label=gettext_lazy("From"))
    after = forms.ChoiceField(label=gettext_lazy("To"))

    def __init__(self, data: Any, *, choices: list[tuple[str, str]]) -> None:
        super().__init__(data)
        for field in self.fields.values():
            assert isinstance(field, forms.ChoiceField)  # noqa: S101  # for the type checker
            field.choices = choices
            field.error_messages["invalid_choice"] = _("There is no version with this number.")


@dataclass(frozen=True, slots=True)
class VersionStep:
    """A step that makes the settings of a version the active ones. ``take`` returns the number that is active then, and
    the message to show."""

    name: str
    title: Any
    button: Any
    help: Any
    take: Callable[[int, Actor, str], tuple[int, str]]


def _activate(number: int, by: Actor, reason: str) -> tuple[int, str]:
    activate_version(number, by=by, reason=reason)
    return number, _("Version %s is now active.") % number


def _roll_back(number: int, by: Actor, reason: str) -> tuple[int, str]:
    made = roll_back(number, SECTIONS, by=by, reason=reason).number
    told = _("Version %(made)s restores version %(earlier)s and is now active.")
    return made, told % {"made": made, "earlier": number}


ACTIVATE = VersionStep(
    "activate",
    gettext_lazy("Activate version %s"),
    gettext_lazy("Activate this version"),
    gettext_lazy("Version %(number)s replaces version %(active)s from the next request on. These settings change:"),
    _activate,
)
ROLL_BACK = VersionStep(
    "roll_back",
    gettext_lazy("Roll back to version %s"),
    gettext_lazy("Roll back to this version"),
    gettext_lazy(
        "A new version with the settings of version %(number)s replaces version %(active)s from the next request on."
        " These settings change:"
    ),
    _roll_back,
)


def build_version_address(version: PolicyVersion, page: str) -> str:
    return reverse(f"admin:tenants_policyversion_{page}", args=[version.pk])


def build_comparison_address(before: int, after: int) -> str:
    return f"{reverse('admin:tenants_policyversion_compare')}?before={before}&after={after}"


def link_trial(version: PolicyVersion, active: Any) -> tuple[str, str]:
    """Return the button that tries a version: a replay, or the playground where a replay shows nothing of what the
    version changes. ``active``: the document of the active version; None if it is not at hand."""
    changes = list_differences(active, version.document, SECTIONS) if active is not None else []
    untold = list_untold_changes(active, version.document) if changes else ()
    if untold and len(untold) >= len(changes):
        return _("Compare in the playground"), reverse("admin:playground")
    label = _("Replay, without some changes") if untold else _("Replay version %(number)s") % {"number": version.number}
    return label, build_version_address(version, "replay")


def choose_compared_versions(active: int, *, newest: int) -> tuple[int, int]:
    """Return which versions are compared at first: the active one with the one that it is based on or came after; with
    the newest where nothing came before it."""
    earlier = PolicyVersion.objects.filter(number__lt=active).aggregate(newest=Max("number"))["newest"]
    before = version_by_number(active).based_on or earlier
    return (int(before), active) if before else (active, newest)


def describe_contexts_affected() -> str:
    """Return how many contexts the last day and the last week had, as a change touches about as many; "" without."""
    today = utc_now().date()
    recent = UsageDay.objects.filter(day__gt=today - timedelta(days=REACH_DAYS)).aggregate(all=Sum("contexts"))["all"]
    if not recent:
        return ""
    told = _(
        "In the last seven days there were %(all)s contexts, about %(daily)s a day: "
        "about as many will have the new settings."
    )
    return told % {"all": f"{recent:,}", "daily": f"{max(1, round(recent / REACH_DAYS)):,}"}


def make_state_token(*, locked: bool) -> str:
    """Return a token of the current state: the active version and the newest one. ``locked``: nobody changes that state
    before the page's transaction ends."""
    tenant = lock_policy() if locked else Tenant.objects.get(id=current_tenant_id())
    newest = PolicyVersion.objects.aggregate(newest=Max("number"))["newest"]
    return f"{tenant.policy_epoch}.{newest}"


class PolicyStepsAdmin(TenantAdmin):
    """A screen of policy versions that are compared, activated and restored."""

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("compare/", self.compare_view, "tenants_policyversion_compare"),
            make_console_path("<path:object_id>/activate/", self.activate_view, "tenants_policyversion_activate"),
            make_console_path("<path:object_id>/roll-back/", self.roll_back_view, "tenants_policyversion_roll_back"),
            *super().get_urls(),
        ]

    @method_decorator(require_safe)
    def compare_view(self, request: HttpRequest) -> HttpResponse:
        """Show the differences between two versions; at first between the active one and its base."""
        require_permission(self.has_view_permission, request)
        active = active_number()
        choices = list_version_choices(active)
        before, after = choose_compared_versions(active, newest=int(choices[0][0]))
        asked = {"before": str(before), "after": str(after), **request.GET.dict()}
        form = ComparisonForm(asked, choices=choices)
        changes, links = None, {}
        if form.is_valid():
            one, other = (version_by_number(int(form.cleaned_data[name])) for name in ("before", "after"))
            changes = render_changes(list_differences(one.document, other.document, SECTIONS))
            links = self._link_comparison(request, one, other, active)
        return render_console_page(
            request,
            "console/policies/policy_comparison.html",
            _("Compare two versions"),
            opts=self.opts,
            form=form,
            changes=changes,
            **links,
        )

    def _link_comparison(
        self, request: HttpRequest, before: PolicyVersion, after: PolicyVersion, active: int
    ) -> dict[str, Any]:
        """Return the links of a comparison: the other way round, and the steps for a version that is not active."""
        other = next((one for one in (after, before) if one.number != active), None)
        acts = []
        if other is not None and self.has_manager_permission(request):
            number = {"number": other.number}
            acts = [(_("Open version %(number)s") % number, build_version_address(other, "change"))]
            against = next((one.document for one in (before, after) if one.number == active), None)
            acts.append(link_trial(other, against))
        return {"swapped": build_comparison_address(after.number, before.number), "acts": acts}

    def activate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._show_step(request, object_id, ACTIVATE)

    def roll_back_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._show_step(request, object_id, ROLL_BACK)

    def _show_step(self, request: HttpRequest, object_id: str, step: VersionStep) -> HttpResponse:
        """Show the changes of the step and ask for a reason; on POST, take it."""
        require_permission(self.has_manager_permission, request)
        version = self.get_or_404(request, object_id)
        is_sent = request.method == "POST"
        form = StepForm(request.POST if is_sent else None)
        seen = make_state_token(locked=is_sent)
        is_stale = is_sent and request.POST.get(SEEN_STATE) != seen
        active = version_by_number(active_number())
        changes = list_differences(active.document, version.document, SECTIONS)
        is_possible = version.number != active.number if step is ACTIVATE else bool(changes)
        if is_sent and not is_stale and not is_possible:
            self.message_user(request, _("Nothing to do: this version has the settings in force."), messages.INFO)
            return redirect(build_version_address(version, "change"))
        if form.is_valid() and not is_stale:
            return self._take_step(request, version, step)
        return render_console_page(
            request,
            "console/policies/policy_step.html",
            step.title % version.number,
            status=HTTPStatus.CONFLICT if is_stale else HTTPStatus.OK,
            opts=self.opts,
            subtitle=capfirst(self.title_of(version)),
            page=build_version_address(version, "change"),
            form=form,
            what=step.help % {"number": version.number, "active": active.number},
            reach=describe_contexts_affected() if is_possible else "",
            button=step.button,
            is_possible=is_possible,
            changes=render_changes(changes),
            seen=seen,
            is_stale=is_stale,
        )

    def _take_step(self, request: HttpRequest, version: PolicyVersion, step: VersionStep) -> HttpResponse:
        number, told = step.take(version.number, make_actor(request), read_reason(request))
        self.message_user(request, told, messages.SUCCESS)
        return redirect(build_version_address(version_by_number(number), "change"))

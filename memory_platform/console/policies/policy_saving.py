"""Saving and rolling back a policy in two steps: the page shows the difference first, then asks for confirmation.

The confirmation carries the state that the page showed. If somebody else was quicker, the page shows the new difference
and keeps the input. The same form sent twice makes one version.
"""

from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import helpers
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from memory_platform.console.policies.policy_forms import CONFIRMATION_FIELDS, RollBackForm
from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS, label_options
from memory_platform.console.shared.action_reasons import ReasonedActionForm, read_reason
from memory_platform.console.shared.base_screens import TenantAdmin
from memory_platform.console.shared.custom_pages import make_console_path, render_console_page, require_permission
from memory_platform.console.shared.rendering import render_value
from memory_platform.console.shared.tenant_access import make_actor
from snapshots.policies.sections import SECTIONS
from tenants.errors import PolicyUnchanged
from tenants.isolation import current_tenant_id
from tenants.models import PolicyVersion, Tenant
from tenants.policies.policy_documents import Change, differences
from tenants.services.policies import active_number, lock_policy, roll_back, version_by_number

SAVE, EDIT = "_save", "_edit"
SEEN_STATE = "seen"


def render_changes(changes: list[Change]) -> SafeString:
    rows = []
    for change in changes:
        place = f"{change.section}.{change.field}"
        rows.append(
            {
                "section": SECTION_LABELS[change.section],
                "field": SETTING_LABELS[place],
                "name": place,
                "before": render_value(label_options(place, change.before)),
                "after": render_value(label_options(place, change.after)),
            }
        )
    return render_to_string("console/policies/policy_changes.html", {"changes": rows})


def make_state_token(*, locked: bool) -> str:
    """Return a token of the current state: the active version and the newest one. ``locked``: nobody changes that state
    before the page's transaction ends."""
    tenant = lock_policy() if locked else Tenant.objects.get(id=current_tenant_id())
    newest = PolicyVersion.objects.aggregate(newest=Max("number"))["newest"]
    return f"{tenant.policy_epoch}.{newest}"


class PolicyActionForm(ReasonedActionForm):
    """The form of list actions, with the state that the list showed."""

    seen = forms.CharField(
        label="", widget=forms.HiddenInput, required=False, initial=lambda: make_state_token(locked=False)
    )


class PolicySavingAdmin(TenantAdmin):
    """A screen of versions that are saved after their difference was shown, and restored with a reason."""

    add_form_template = "console/policies/policy_form.html"

    def get_urls(self) -> list[URLPattern]:
        own = make_console_path("<path:object_id>/roll-back/", self.roll_back_view, "tenants_policyversion_roll_back")
        return [own, *super().get_urls()]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, then the changes it would make, then save it."""
        if request.method != "POST":
            return super().add_view(request, form_url, extra_context)
        require_permission(self.has_add_permission, request)
        form = self.get_form(request)(request.POST)
        if not form.is_valid() or EDIT in request.POST:
            return self._render_form(request, form)
        is_saving = SAVE in request.POST
        # Locked on saving: the state compared below must not change until the version is stored.
        seen = make_state_token(locked=is_saving)
        is_stale = is_saving and request.POST.get(SEEN_STATE) != seen
        if is_saving and not is_stale and read_reason(request):
            return super().add_view(request, form_url, extra_context)
        if is_saving and not read_reason(request):
            form.add_error("reason", form.fields["reason"].error_messages["required"])
        return self._render_difference(request, form, seen, is_stale=is_stale)

    def _render_form(self, request: HttpRequest, form: Any) -> HttpResponse:
        fieldsets: Any = list(self.get_fieldsets(request))
        shown = helpers.AdminForm(form, fieldsets, {}, (), model_admin=self)
        context = {
            **self.admin_site.each_context(request),
            "title": _("Add %s") % self.opts.verbose_name,
            "adminform": shown,
            "object_id": None,
            "original": None,
            "is_popup": False,
            "media": self.media + shown.media,
            "inline_admin_formsets": [],
            "errors": helpers.AdminErrorList(form, []),
            "preserved_filters": self.get_preserved_filters(request),
        }
        return self.render_change_form(request, context, add=True)

    def _render_difference(self, request: HttpRequest, form: Any, seen: str, *, is_stale: bool) -> HttpResponse:
        active = active_number()
        against = form.cleaned_data["against"] or active
        changes = differences(version_by_number(against).document, form.proposal.document, SECTIONS)
        form.fields["reason"].required = True
        return render_console_page(
            request,
            "console/policies/policy_difference.html",
            _("See the difference"),
            status=HTTPStatus.CONFLICT if is_stale else HTTPStatus.OK,
            opts=self.opts,
            form=form,
            kept=[form[name].as_hidden() for name in form.fields if name not in CONFIRMATION_FIELDS],
            asked=[form[name] for name in CONFIRMATION_FIELDS],
            changes=render_changes(changes),
            against=against,
            is_active=against == active,
            seen=seen,
            is_stale=is_stale,
        )

    def roll_back_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the changes of a roll-back and ask for a reason; on POST, copy the version and activate the copy."""
        require_permission(self.has_manager_permission, request)
        version = self.get_or_404(request, object_id)
        is_sent = request.method == "POST"
        form = RollBackForm(request.POST if is_sent else None)
        seen = make_state_token(locked=is_sent)
        is_stale = is_sent and request.POST.get(SEEN_STATE) != seen
        if form.is_valid() and not is_stale:
            return self._roll_back(request, version)
        active = version_by_number(active_number())
        changes = differences(active.document, version.document, SECTIONS)
        return render_console_page(
            request,
            "console/policies/policy_roll_back.html",
            _("Roll back to version %s") % version.number,
            status=HTTPStatus.CONFLICT if is_stale else HTTPStatus.OK,
            opts=self.opts,
            form=form,
            version=version,
            active=active.number,
            is_possible=bool(changes),
            changes=render_changes(changes),
            seen=seen,
            is_stale=is_stale,
        )

    def _roll_back(self, request: HttpRequest, version: PolicyVersion) -> HttpResponse:
        try:
            made = roll_back(version.number, SECTIONS, by=make_actor(request), reason=read_reason(request))
        except PolicyUnchanged:
            self.message_user(request, _("Nothing to do: this version has the settings in force."), messages.INFO)
            return redirect("admin:tenants_policyversion_changelist")
        told = _("Version %(made)s restores version %(earlier)s and is now active.")
        self.message_user(request, told % {"made": made.number, "earlier": version.number}, messages.SUCCESS)
        return redirect("admin:tenants_policyversion_changelist")

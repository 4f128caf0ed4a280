"""Saving a new version of a policy: from the form at once, or after its difference from another version was seen.

The form carries the state that its page showed. If somebody else was quicker, the page shows the new difference and
keeps the input. The same form sent twice makes one version.
"""

from http import HTTPStatus
from typing import Any

from django.contrib.admin import helpers
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from memory_platform.console.policies.policy_form_sections import BUDGET_PARTS, build_form_sections
from memory_platform.console.policies.policy_forms import CONFIRMATION_FIELDS, make_input_name
from memory_platform.console.policies.policy_version_actions import SEEN_STATE, PolicyStepsAdmin, make_state_token
from memory_platform.console.policies.settings_in_words import render_changes
from memory_platform.console.shared.action_reasons import read_reason
from memory_platform.console.shared.code_labels import INTENT_LABELS
from memory_platform.console.shared.custom_pages import render_console_page, require_permission
from snapshots.policies.policy_sections import SECTIONS
from tenants.policies.policy_documents import list_differences
from tenants.services.policies import active_number, version_by_number

SAVE, EDIT = "_save", "_edit"


def sum_budget(form: Any) -> tuple[int, int]:
    """Return the tokens of a whole context, as the form is filled, and those of its parts together."""
    return _read_tokens(form, "total"), sum(_read_tokens(form, name) for name in BUDGET_PARTS)


def _read_tokens(form: Any, name: str) -> int:
    value = form[make_input_name("context", name)].value()
    return int(value) if str(value).isdecimal() else 0


class PolicySavingAdmin(PolicyStepsAdmin):
    """A screen with a form whose changes become a new version."""

    add_form_template = "console/policies/policy_form.html"

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the form, the changes that it would make, or save them."""
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

    def render_change_form(
        self, request: HttpRequest, context: Any, add: bool = False, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        if add:
            form = context["adminform"].form
            sections = build_form_sections(form)
            context |= {
                "title": _("New policy version"),
                "base": form.base,
                "sections": sections,
                "changed": sum(row.is_edited for section in sections for row in section.rows),
                "hidden": [form["based_on"], form["against"].as_hidden()],
                "reason": form["reason"],
                "against": form["against"],
                "seen": make_state_token(locked=False),
                "budget": sum_budget(form),
                "intents": INTENT_LABELS.items(),
            }
        return super().render_change_form(request, context, add, *args, **kwargs)

    def _render_form(self, request: HttpRequest, form: Any) -> HttpResponse:
        fieldsets: Any = self.get_fieldsets(request)
        shown = helpers.AdminForm(form, list(fieldsets), {}, (), model_admin=self)
        context = {
            **self.admin_site.each_context(request),
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
        against = int(form.cleaned_data["against"] or active)
        changes = list_differences(version_by_number(against).document, form.proposal.document, SECTIONS)
        form.fields["reason"].required = True
        return render_console_page(
            request,
            "console/policies/policy_difference.html",
            _("Compare before saving"),
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

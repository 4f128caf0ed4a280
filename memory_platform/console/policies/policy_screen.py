"""The screen of policy versions: their settings, new versions, activation, roll-back. Managers change them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.policies.policy_effect import load_version_effect
from memory_platform.console.policies.policy_forms import PolicyForm, make_input_name
from memory_platform.console.policies.policy_history import (
    annotate_versions,
    describe_restored,
    find_previous_version,
    get_version_badge,
    is_active_version,
    is_earlier_version,
    list_changes_from_base,
    list_changes_from_previous,
    list_spells,
    load_active_spells,
    render_active_times,
    render_change_line,
    render_version,
)
from memory_platform.console.policies.policy_trials import PolicyTrialsAdmin
from memory_platform.console.policies.policy_version_actions import (
    ACTIVATE,
    ROLL_BACK,
    build_comparison_address,
    build_version_address,
    link_trial,
)
from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS
from memory_platform.console.policies.settings_in_words import describe_setting, render_changes
from memory_platform.console.shared.action_reasons import read_reason
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.status_badges import StatusBadge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    make_column,
    make_fieldset,
    render_line,
    render_text,
    render_word,
)
from snapshots.policies.policy_sections import SECTIONS
from tenants.models import PolicyVersion, Role
from tenants.policies.policy_documents import effective_values
from tenants.services.policies import create_version


def render_all_settings(version: PolicyVersion) -> SafeString:
    """Return every setting with its default, as HTML; sections are open where something differs."""
    sections = []
    for name, values in effective_values(version.document, SECTIONS).items():
        usual = SECTIONS[name].to_json(SECTIONS[name].default)
        rows = [
            {
                "field": SETTING_LABELS[f"{name}.{field}"],
                "name": f"{name}.{field}",
                "value": render_text(describe_setting(f"{name}.{field}", value)),
                "default": render_text(describe_setting(f"{name}.{field}", usual[field])),
                "differs": value != usual[field],
            }
            for field, value in values.items()
        ]
        sections.append({"label": SECTION_LABELS[name], "rows": rows, "differing": sum(row["differs"] for row in rows)})
    return render_to_string("console/policies/policy_values.html", {"sections": sections})


class VersionList(SafeChangeList):
    """The list of versions, each with the times in which it was active."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        spells = load_active_spells()
        for version in self.result_list:
            version.spells = spells.get(version.number, ())


@admin.register(PolicyVersion)
class PolicyScreen(PolicyTrialsAdmin):
    """Policy versions, newest first. A version never changes; one is active. All staff see them."""

    form = PolicyForm
    add_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    list_display = (
        render_version,
        render_active_times,
        render_change_line,
        make_column("reason", render_line, _("reason")),
        make_column("who", render_word, _("created by"), order="who"),
        "created_at",
    )
    change_list_template = "console/policies/policy_list.html"
    search_fields = ("number", "reason", "who")
    hides_short_search = True
    ordering = ("-number", "id")
    change_form_template = "console/policies/policy_version.html"
    form_fieldsets = (
        *(
            make_fieldset(
                SECTION_LABELS[section.name], *(make_input_name(section.name, field) for field in section.kinds)
            )
            for section in SECTIONS.values()
        ),
        make_fieldset(None, "against", "reason", "based_on"),
    )

    def title_of(self, obj: PolicyVersion) -> str:
        return str(_("version %s")) % obj.number

    def describe_row(self, obj: PolicyVersion) -> str:
        return gettext("Policy version %s") % obj.number

    def get_badge(self, obj: PolicyVersion) -> StatusBadge:
        return get_version_badge(obj)

    def list_facts(self, obj: PolicyVersion) -> Sequence[Any]:
        who, spells = getattr(obj, "who", obj.author), list_spells(obj)
        last = spells[-1] if spells else None
        # The reason of the activation is often that of the version.
        why = last.reason if last and last.reason != obj.reason else ""
        return (
            obj.reason,
            make_time_fact(_("activated %s"), last.since) if last else "",
            make_time_fact(_("replaced %s"), last.until) if last else "",
            gettext("activated by %s") % last.who if last and last.who else "",
            why,
            gettext("created by %s") % who if who else "",
            make_time_fact(_("created %s"), obj.created_at),
            gettext("based on version %s") % obj.based_on if obj.based_on else "",
        )

    def list_acts(self, request: HttpRequest, obj: PolicyVersion) -> Sequence[HeaderAct]:
        trail = [replace(act, is_minor=True) for act in super().list_acts(request, obj)]
        return [*self._list_version_acts(request, obj), *trail]

    def _list_version_acts(self, request: HttpRequest, obj: PolicyVersion) -> Iterator[HeaderAct]:
        is_active, is_manager = is_active_version(obj), self.has_manager_permission(request)
        if is_manager and not is_active:
            step = ROLL_BACK if is_earlier_version(obj) else ACTIVATE
            yield HeaderAct(step.button, build_version_address(obj, step.name), is_main=True)
        if is_manager and is_active and (previous := find_previous_version(obj)):
            label = gettext("Back to version %s") % previous.number
            yield HeaderAct(label, build_version_address(previous, ROLL_BACK.name))
        before = obj.based_on if is_active else getattr(obj, "active", None)
        if before:
            yield HeaderAct(gettext("Compare"), build_comparison_address(before, obj.number))
        if not is_manager:
            return
        if not is_active:
            yield HeaderAct(*link_trial(obj, getattr(obj, "active_document", None)))
        add = f"{reverse('admin:tenants_policyversion_add')}?based_on={obj.number}"
        yield HeaderAct(gettext("New version from this one"), add, is_main=is_active, is_minor=not is_active)
        yield HeaderAct(gettext("Test extraction"), build_version_address(obj, "fields"), is_minor=True)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return () if obj else self.form_fieldsets

    def render_change_form(
        self, request: HttpRequest, context: Any, add: bool = False, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        version = context.get("original")
        if version is not None:
            changes = list_changes_from_base(version)
            context |= {
                "restored": describe_restored(version, changes),
                "changes": render_changes(changes or list_changes_from_previous(version)),
                "settings": render_all_settings(version),
                "effect": load_version_effect(version.number),
            }
        return super().render_change_form(request, context, add, *args, **kwargs)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[VersionList]:
        return VersionList

    def get_queryset(self, request: HttpRequest) -> Any:
        return annotate_versions(super().get_queryset(request))

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        return {"based_on": request.GET.get("based_on", "")}

    def save_model(self, request: HttpRequest, obj: PolicyVersion, form: Any, change: bool) -> None:
        made = create_version(form.proposal, by=make_actor(request), reason=read_reason(request))
        obj.pk, obj.number = made.pk, made.number

    def response_add(self, request: HttpRequest, obj: PolicyVersion, post_url_continue: str | None = None) -> Any:
        """Show one message of success: Django would add a second one."""
        text = _("Version %s is saved as a draft; it is not active yet.") % obj.number
        self.message_user(request, text, messages.SUCCESS)
        return redirect(build_version_address(obj, "change"))

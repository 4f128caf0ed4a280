"""The screen of policy versions: their settings, new versions, activation, roll-back. Managers change them."""

from collections.abc import Callable, Sequence
from typing import Any

from django.contrib import admin, messages
from django.db.models import OuterRef, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.policies.policy_forms import PolicyForm, make_input_name
from memory_platform.console.policies.policy_saving import (
    SEEN_STATE,
    PolicyActionForm,
    make_state_token,
    render_changes,
)
from memory_platform.console.policies.policy_trials import PolicyTrialsAdmin, render_replay_link, render_tryout_link
from memory_platform.console.policies.setting_labels import SECTION_LABELS, SETTING_LABELS, label_options
from memory_platform.console.shared.action_reasons import read_reason, refuse_action, require_reason
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    make_fieldset,
    make_folded_fieldset,
    render_line,
    render_value_line,
    render_word,
)
from memory_platform.console.shared.status_badges import StatusBadge, get_policy_badge
from memory_platform.console.shared.tenant_access import annotate_user_names, make_actor
from snapshots.policies.sections import SECTIONS
from tenants.models import PolicyVersion, Role, Tenant
from tenants.policies.policy_documents import Document, differences, effective_values
from tenants.services.policies import activate_version, active_number, create_version, version_by_number


def _make_changes_column(name: str, title: Any, base: Callable[[PolicyVersion], Document]) -> Any:
    """Return a page field with the differences between ``base(version)`` and the version."""
    return make_computed_column(name, lambda one: render_changes(differences(base(one), one.document, SECTIONS)), title)


changes_from_active = _make_changes_column(
    "against_active", _("against the active version"), lambda version: version_by_number(active_number()).document
)
changes_from_base = _make_changes_column(
    "against_base",
    _("against the version it is based on"),
    lambda version: version_by_number(version.based_on).document if version.based_on else {},
)
changes_from_defaults = _make_changes_column(
    "against_defaults", _("against the platform's own values"), lambda version: {}
)


@admin.display(description=_("in force under this version"))
def render_values_in_force(version: PolicyVersion) -> SafeString:
    sections = [
        {
            "label": SECTION_LABELS[section],
            "rows": [
                {"field": SETTING_LABELS[place], "name": place, "value": render_value_line(label_options(place, value))}
                for place, value in ((f"{section}.{field}", value) for field, value in values.items())
            ],
        }
        for section, values in effective_values(version.document, SECTIONS).items()
    ]
    return render_to_string("console/policies/policy_values.html", {"sections": sections})


author_column = make_column("who", render_word, _("created by"), order="who")


@admin.display(description=_("active"), boolean=True)
def is_active_version(version: PolicyVersion) -> bool:
    return bool(getattr(version, "active", None) == version.number)


@admin.display(description=_("roll back"))
def render_roll_back_link(version: PolicyVersion) -> str:
    if version.number >= getattr(version, "active", 0):
        return EMPTY_VALUE
    address = reverse("admin:tenants_policyversion_roll_back", args=[version.pk])
    return format_html(
        '<a class="button" href="{}">{}</a>', address, gettext("Roll back to version %s") % version.number
    )


@admin.register(PolicyVersion)
class PolicyScreen(PolicyTrialsAdmin):
    """Policy versions, newest first. A version never changes; one is active. All staff see them."""

    form = PolicyForm
    add_role = Role.MANAGER
    personal_data = False
    list_display = (
        "number",
        is_active_version,
        "based_on",
        make_column("reason", render_line, _("reason")),
        author_column,
        "created_at",
    )
    search_fields = ("number", "reason", "who")
    ordering = ("-number", "id")
    action_form = PolicyActionForm
    actions = ("activate",)
    page_fieldsets = (
        make_fieldset(_("Changes"), changes_from_active, changes_from_base, changes_from_defaults),
        make_folded_fieldset(_("Everything"), render_values_in_force),
    )
    form_fieldsets = (
        *(
            make_fieldset(
                SECTION_LABELS[section.name], *(make_input_name(section.name, field) for field in section.kinds)
            )
            for section in SECTIONS.values()
        ),
        make_fieldset(_("Why"), "against", "reason", "based_on"),
    )

    def title_of(self, obj: PolicyVersion) -> str:
        return str(_("version %s")) % obj.number

    def make_sentence(self, obj: PolicyVersion) -> str:
        sentence = gettext("Policy version %s") % obj.number
        return gettext("%(name)s: %(value)s") % {"name": sentence, "value": obj.reason} if obj.reason else sentence

    def get_badge(self, obj: PolicyVersion) -> StatusBadge:
        return get_policy_badge(is_active=is_active_version(obj))

    def list_facts(self, obj: PolicyVersion) -> Sequence[Any]:
        who = getattr(obj, "who", obj.author)
        return (
            gettext("by %s") % who if who else "",
            make_time_fact(_("created %s"), obj.created_at),
            gettext("based on version %s") % obj.based_on if obj.based_on else "",
        )

    def list_acts(self, request: HttpRequest, obj: PolicyVersion) -> Sequence[HeaderAct]:
        return [*self._list_manager_acts(request, obj), *super().list_acts(request, obj)]

    def _list_manager_acts(self, request: HttpRequest, obj: PolicyVersion) -> list[HeaderAct]:
        if not self.has_manager_permission(request):
            return []

        def make_act(label: str, page: str) -> HeaderAct:
            return HeaderAct(label, reverse(f"admin:tenants_policyversion_{page}", args=[obj.pk]))

        add = reverse("admin:tenants_policyversion_add")
        acts = [HeaderAct(gettext("New version from this one"), f"{add}?based_on={obj.number}", is_main=True)]
        if not is_active_version(obj):
            acts.append(make_act(gettext("Replay"), "replay"))
        if obj.number < getattr(obj, "active", 0):
            acts.append(make_act(gettext("Roll back to version %s") % obj.number, "roll_back"))
        return [*acts, make_act(gettext("Try its fields"), "fields")]

    def get_list_display(self, request: HttpRequest) -> Any:
        return (*self.list_display, *self._manager_links(request))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.form_fieldsets
        return self.page_fieldsets

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = self.get_fieldsets(request, obj) if obj else ()
        return [name for _title, options in shown for name in options["fields"]]

    def _manager_links(self, request: HttpRequest) -> tuple[Any, ...]:
        return (
            (render_roll_back_link, render_replay_link, render_tryout_link)
            if self.has_manager_permission(request)
            else ()
        )

    def get_queryset(self, request: HttpRequest) -> Any:
        tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
        named = annotate_user_names(super().get_queryset(request), "author")
        return named.annotate(active=tenant.values("policy_version")[:1])

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        return {"based_on": request.GET.get("based_on", "")}

    def save_model(self, request: HttpRequest, obj: PolicyVersion, form: Any, change: bool) -> None:
        made = create_version(form.proposal, by=make_actor(request), reason=read_reason(request))
        obj.pk, obj.number = made.pk, made.number

    def response_add(self, request: HttpRequest, obj: PolicyVersion, post_url_continue: str | None = None) -> Any:
        """Say once what was saved: Django would add a message of its own."""
        text = _("Version %s was saved as a draft. It is not active yet.") % obj.number
        self.message_user(request, text, messages.SUCCESS)
        return self.response_post_save_add(request, obj)

    @admin.action(description=_("Activate this version"), permissions=["manager"])
    @require_reason
    def activate(self, request: HttpRequest, queryset: QuerySet[PolicyVersion]) -> None:
        # Two rows suffice to see that more than one was chosen.
        chosen = list(queryset[:2])
        if len(chosen) != 1:
            refuse_action(self, request, _("Nothing was done: choose one version."))
            return
        if request.POST.get(SEEN_STATE) != make_state_token(locked=True):
            text = _("Nothing was done: somebody else has created or activated a version since you opened the page.")
            refuse_action(self, request, text)
            return
        activate_version(chosen[0].number, by=make_actor(request), reason=read_reason(request))
        self.message_user(request, _("Version %s is now active.") % chosen[0].number, messages.SUCCESS)

"""The screen of policy versions: their settings, new versions, activation, roll-back. Managers change them."""

from collections.abc import Callable
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

from memory_platform.console.policies.forms import PolicyForm, key
from memory_platform.console.policies.labels import FIELDS, SECTION_LABELS, name_options
from memory_platform.console.policies.replay import replay_link
from memory_platform.console.policies.steps import SEEN, SteeringActions, changes_shown, steering_seen
from memory_platform.console.policies.tryout import TriedAdmin, try_link
from memory_platform.console.shared.access import actor_of
from memory_platform.console.shared.display import EMPTY, column, computed, line, part, value_line
from memory_platform.console.shared.reasons import needs_reason, reason_of
from snapshots.policies.sections import SECTIONS
from tenants.models import PolicyVersion, Role, Tenant
from tenants.policies.sections import Document, differences, effective_values
from tenants.services.policies import activate_version, active_number, create_version, version_by_number


def _changes_column(name: str, title: Any, base: Callable[[PolicyVersion], Document]) -> Any:
    """Return a page field with the differences between ``base(version)`` and the version."""
    return computed(name, lambda one: changes_shown(differences(base(one), one.document, SECTIONS)), title)


against_active = _changes_column(
    "against_active", _("against the active version"), lambda version: version_by_number(active_number()).document
)
against_base = _changes_column(
    "against_base",
    _("against the version it is based on"),
    lambda version: version_by_number(version.based_on).document if version.based_on else {},
)
against_defaults = _changes_column("against_defaults", _("against the platform's own values"), lambda version: {})


@admin.display(description=_("in force under this version"))
def in_force(version: PolicyVersion) -> SafeString:
    sections = [
        {
            "label": SECTION_LABELS[section],
            "rows": [
                {"field": FIELDS[place], "name": place, "value": value_line(name_options(place, value))}
                for place, value in ((f"{section}.{field}", value) for field, value in values.items())
            ],
        }
        for section, values in effective_values(version.document, SECTIONS).items()
    ]
    return render_to_string("console/policy_values.html", {"sections": sections})


@admin.display(description=_("active"), boolean=True)
def is_active(version: PolicyVersion) -> bool:
    return bool(getattr(version, "active", None) == version.number)


@admin.display(description=_("roll back"))
def roll_back_link(version: PolicyVersion) -> str:
    if version.number >= getattr(version, "active", 0):
        return EMPTY
    address = reverse("admin:tenants_policyversion_roll_back", args=[version.pk])
    return format_html(
        '<a class="button" href="{}">{}</a>', address, gettext("Roll back to version %s") % version.number
    )


@admin.register(PolicyVersion)
class PolicyScreen(TriedAdmin):
    """Policy versions, newest first. A version never changes; one is active. All staff see them."""

    form = PolicyForm
    add_role = Role.MANAGER
    personal_data = False
    list_display = ("number", is_active, "based_on", column("reason", line, _("reason")), "author", "created_at")
    search_fields = ("number", "reason", "author")
    ordering = ("-number", "id")
    action_form = SteeringActions
    actions = ("activate",)
    shown = (
        part(None, "number", is_active, "based_on", column("reason", line, _("reason")), "author", "created_at"),
        part(_("Changes"), against_active, against_base, against_defaults),
        part(_("Everything"), in_force),
    )
    asked = (
        *(
            part(SECTION_LABELS[section.name], *(key(section.name, field) for field in section.kinds))
            for section in SECTIONS.values()
        ),
        part(_("Why"), "against", "reason", "based_on"),
    )

    def title_of(self, obj: PolicyVersion) -> str:
        return str(_("version %s")) % obj.number

    def get_list_display(self, request: HttpRequest) -> Any:
        return (*self.list_display, *self._steering_links(request))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.asked
        facts, *rest = self.shown
        return (facts, *(part(None, link) for link in self._steering_links(request)), *rest)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = self.get_fieldsets(request, obj) if obj else ()
        return [name for _title, options in shown for name in options["fields"]]

    def _steering_links(self, request: HttpRequest) -> tuple[Any, ...]:
        return (roll_back_link, replay_link, try_link) if self.has_manager_permission(request) else ()

    def get_queryset(self, request: HttpRequest) -> Any:
        tenant = Tenant.objects.filter(id=OuterRef("tenant_id"))
        return super().get_queryset(request).annotate(active=tenant.values("policy_version")[:1])

    def get_changeform_initial_data(self, request: HttpRequest) -> Any:
        return {"based_on": request.GET.get("based_on", "")}

    def save_model(self, request: HttpRequest, obj: PolicyVersion, form: Any, change: bool) -> None:
        made = create_version(form.proposal, by=actor_of(request), reason=reason_of(request))
        obj.pk, obj.number = made.pk, made.number
        told = _("Version %s was created. It has no effect until it is activated.")
        self.message_user(request, told % made.number, messages.SUCCESS)

    @admin.action(description=_("Activate this version"), permissions=["manager"])
    @needs_reason
    def activate(self, request: HttpRequest, queryset: QuerySet[PolicyVersion]) -> None:
        # Two rows suffice to see that more than one was chosen.
        chosen = list(queryset[:2])
        if len(chosen) != 1:
            self.message_user(request, _("Nothing was done: choose one version."), messages.ERROR)
            return
        if request.POST.get(SEEN) != steering_seen(locked=True):
            text = _("Nothing was done: somebody else has created or activated a version since you opened the page.")
            self.message_user(request, text, messages.ERROR)
            return
        activate_version(chosen[0].number, by=actor_of(request), reason=reason_of(request))
        self.message_user(request, _("Version %s is active now.") % chosen[0].number, messages.SUCCESS)

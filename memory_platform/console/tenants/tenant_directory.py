"""The directory of tenants: the operator sets them up, sees their numbers, and renames the current one."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory_platform.console.shared.action_reasons import ReasonField, join_lines, read_reason
from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.base_screens import OperatorAdmin
from memory_platform.console.shared.custom_pages import (
    is_operator,
    redirect_to_tenant_choice,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import make_time_fact
from memory_platform.console.shared.lists.change_lists import SafeChangeList
from memory_platform.console.shared.status_badges import BAD, StatusBadge, render_badge
from memory_platform.console.shared.tenant_access import (
    TENANT_SESSION_KEY,
    current_desk,
    find_desk,
    make_actor,
    mark_scopeless,
)
from memory_platform.console.shared.tenant_switch_guard import mark_tenantless_form
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_computed_column,
    parse_uuid,
    render_word,
)
from memory_platform.console.tenants.first_steps import list_first_steps
from memory_platform.console.tenants.invitation_screens import mail_links
from memory_platform.console.tenants.tenant_overview import load_backlogs, load_tenant_overview
from tenants.isolation import tenant_tx
from tenants.models import Invitation, Tenant
from tenants.services.audit import record_audit
from tenants.services.onboarding import TenantSetup, set_up_tenant
from tenants.services.tenants import change_tenant

MAX_INVITEE_CHARS = Invitation._meta.get_field("invitee").max_length


# Languages that a prompt's frame is written in, and their commonest variants.
LOCALES = {
    "en": gettext_lazy("English"),
    "en-GB": gettext_lazy("English (United Kingdom)"),
    "zh-CN": gettext_lazy("Chinese (simplified)"),
}


def make_locale_field(current: str = "") -> forms.ChoiceField:
    return forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=lambda: list_locales(current),
        help_text=gettext_lazy("Of the prompts, when neither the person nor the system prompt says another."),
    )


class CreateTenantForm(forms.ModelForm[Tenant]):
    """Slug, name and locale of a new tenant, and whom to invite as its manager; the slug never changes."""

    manager = forms.CharField(
        label=gettext_lazy("Manager"),
        max_length=MAX_INVITEE_CHARS,
        required=False,
        help_text=gettext_lazy(
            "A name or an e-mail address; it gets an invitation link. Empty: you invite somebody later."
        ),
    )
    locale = make_locale_field()
    reason = ReasonField(required=False)

    class Meta:
        model = Tenant
        fields = ("name", "slug", "locale")
        labels = {"slug": gettext_lazy("Short name")}
        help_texts = {
            "slug": gettext_lazy("For logs and commands: small letters, digits and hyphens. It never changes.")
        }

    def clean_manager(self) -> str:
        """Return the text in one printable line."""
        return join_lines(self.cleaned_data["manager"])


def list_locales(current: str = "") -> list[tuple[str, Any]]:
    """Return the languages of a tenant's prompts: none, those of the platform, and the one that it has."""
    known = [("", gettext_lazy("none: as the person or the system prompt says")), *LOCALES.items()]
    return known if current in dict(known) else [*known, (current, current)]


class ChangeTenantForm(forms.ModelForm[Tenant]):
    """A tenant's new name and locale, and a reason."""

    reason = ReasonField()

    class Meta:
        model = Tenant
        fields = ("name", "locale")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "locale" in self.fields:
            self.fields["locale"] = make_locale_field(self.instance.locale)


class TenantList(SafeChangeList):
    """The list of tenants, each with how much of its work waits and how much failed."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        backlogs = load_backlogs()
        for tenant in self.result_list:
            tenant.backlog = backlogs.get(tenant.pk, (0, 0))


def find_tenant(tenant_id: str) -> Tenant | None:
    row_id = parse_uuid(tenant_id)
    return Tenant.objects.filter(pk=row_id).first() if row_id else None


def load_tenant_numbers(tenant: Tenant) -> list[tuple[Any, Any]]:
    """Return the numbers of a tenant with their titles, in a scope of its own. No person and no name."""
    with tenant_tx(tenant.pk):
        overview = load_tenant_overview()
    traffic = overview.traffic
    return [
        (_("Members"), overview.member_count),
        (_("API keys"), overview.key_count),
        (_("Requests of the last seven days"), traffic["requests"] or 0),
        (_("Messages of the last seven days"), traffic["messages"] or 0),
        (_("Contexts of the last seven days"), traffic["contexts"] or 0),
        (_("Waiting work items"), overview.waiting),
        (_("Failed items"), overview.dead),
    ]


def render_failed_count(tenant: Any) -> Any:
    """Return how many items of a tenant failed, as a link to its page, which tells how to see them."""
    count = tenant.backlog[1]
    if not count:
        return "0"
    badge = render_badge(StatusBadge(_("%(count)s failed") % {"count": f"{count:,}"}, BAD))
    return format_html('<a href="{}">{}</a>', build_change_address(Tenant, tenant.pk), badge)


@admin.register(Tenant)
class TenantScreen(OperatorAdmin):
    """The directory, for the operator. A tenant can be changed only while working in it."""

    form = ChangeTenantForm
    change_form_template = "console/onboarding/tenant_page.html"
    add_title, change_button = gettext_lazy("New tenant"), gettext_lazy("Save the tenant")
    hides_short_search = True
    list_display = (
        "name",
        make_column("slug", render_word, gettext_lazy("short name"), order="slug"),
        make_computed_column(
            "waiting", lambda tenant: tenant.backlog[0], gettext_lazy("waiting work items"), is_number=True
        ),
        make_computed_column("failed", render_failed_count, gettext_lazy("failed items"), is_number=True),
        make_column("locale", lambda locale: locale or EMPTY_VALUE, gettext_lazy("language"), order="locale"),
        "policy_version",
        "created_at",
    )
    search_fields = ("slug", "name")
    ordering = ("name", "slug")
    readonly_fields = ("slug",)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[TenantList]:
        return TenantList

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = [name for name in self.get_fields(request, obj) if name != "slug"]
        return [(gettext_lazy("Settings"), {"fields": ["slug", *fields]})]

    def title_of(self, obj: Tenant) -> str:
        return obj.name

    def list_facts(self, obj: Tenant) -> Sequence[Any]:
        return (obj.slug, make_time_fact(_("created %s"), obj.created_at))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        desk = current_desk(request)
        return super().has_change_permission(request, obj) and (
            obj is None or (desk is not None and desk.tenant == obj)
        )

    @mark_tenantless_form
    @mark_scopeless
    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Create a tenant and switch to it. Runs without a scope: the new tenant is created within its own."""
        require_permission(self.has_add_permission, request)
        form = CreateTenantForm(request.POST or None)
        setup = _set_up_tenant(request, form) if form.is_valid() else None
        if setup is None:
            context: dict[str, Any] = {"form": form, "opts": self.opts}
            return render_console_page(request, "console/onboarding/new_tenant.html", _("New tenant"), **context)
        return _show_setup(request, setup)

    @mark_scopeless
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the tenant with its members, keys and traffic; of another tenant the numbers alone, and a button to
        switch to it. Opens a scope for each of the two tenants, one after the other."""
        require_permission(is_operator, request)
        desk = current_desk(request)
        if desk is None:
            return redirect_to_tenant_choice(request)
        other = None if str(desk.tenant.pk) == object_id else find_tenant(object_id)
        numbers = load_tenant_numbers(other) if other else []

        own: Any = super()

        def show_page() -> HttpResponse:
            shown: dict[str, Any] = (
                {"switch_to": object_id, "numbers": numbers} if other else {"overview": load_tenant_overview()}
            )
            shown |= extra_context or {}
            response: HttpResponse = own.change_view(request, object_id, form_url, shown)
            return response

        return respond_in_scope(desk, show_page)

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        change_tenant(obj, name=form.cleaned_data["name"], locale=form.cleaned_data["locale"])

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        record_audit(
            make_actor(request),
            "tenant.changed",
            object_kind="tenant",
            object_id=str(obj.pk),
            reason=read_reason(request),
        )


def _set_up_tenant(request: HttpRequest, form: CreateTenantForm) -> TenantSetup | None:
    """Return the new tenant. If its slug was taken meanwhile, put the error on the form and return None."""
    values = {name: form.cleaned_data[name] for name in ("slug", "name", "locale", "manager")}
    try:
        return set_up_tenant(**values, by=make_actor(request), reason=read_reason(request))
    except ValidationError as fault:
        form.add_error(None, fault.messages)
        return None


def _show_setup(request: HttpRequest, setup: TenantSetup) -> HttpResponse:
    """Switch to the new tenant; show its key, the manager's link and the first steps. No later page has the secrets."""
    request.session[TENANT_SESSION_KEY] = str(setup.tenant.id)
    desk = find_desk(request)
    if desk is None:  # the operator's rights have ended at this moment
        return redirect_to_tenant_choice(request)
    request.desk = desk  # type: ignore[attr-defined]  # read back by current_desk
    links = mail_links(request, setup.tenant.name, [setup.invitation] if setup.invitation else [])
    return respond_in_scope(
        desk,
        lambda: render_console_page(
            request,
            "console/onboarding/tenant_ready.html",
            _("%(name)s is ready") % {"name": setup.tenant.name},
            created=[setup.key],
            links=links,
            steps=list_first_steps(request, setup.key.token)[1:],  # the key is made
        ),
    )

"""API keys: created, rotated and revoked by managers. A secret is shown once and stored only as a hash."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, reverse
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.action_reasons import (
    ReasonedActionForm,
    is_reason_missing,
    read_reason,
    refuse_action,
    require_reason,
)
from memory_platform.console.shared.base_screens import CreateOnlyAdmin
from memory_platform.console.shared.custom_pages import (
    make_console_path,
    render_confirmation,
    render_console_page,
    require_permission,
)
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.list_filters import ConditionFilter
from memory_platform.console.shared.status_badges import StatusBadge, get_key_badge, render_badge
from memory_platform.console.shared.tenant_access import make_actor
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    build_change_address,
    make_column,
    make_fieldset,
    make_folded_fieldset,
    render_line,
    render_row_link,
)
from memory_platform.console.tenants.first_steps import FIRST_MESSAGE, find_base_address, render_first_call
from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id, stable_id
from memory_platform.kernel.product_ids import find_product_id_fault
from tenants.isolation import current_tenant_id
from tenants.models import ApiKey, Role, Scope
from tenants.services.keys import PREFIX, SUBJECT_SCOPES, CreatedKey, create_key, revoke_key, rotate_key

# Days after which a new key may end; 0: never.
LIFETIMES = (0, 30, 90, 365)
SCOPE_HELP = {
    Scope.MEMORY_READ: _("Contexts, recall, profiles, memories, exports."),
    Scope.MEMORY_WRITE: _("Messages, feedback, corrections, forgetting and erasing."),
    Scope.KNOWLEDGE_WRITE: _("Upload, change and delete documents."),
    Scope.ADMIN: _("Policies and experiments. A product that only talks to people does not need it."),
}


def list_scope_choices() -> list[tuple[str, Any]]:
    """Return the scopes, each with a line that describes it."""
    line = '{} <span class="help">{}</span>'
    return [(scope, format_html(line, label, SCOPE_HELP[Scope(scope)])) for scope, label in Scope.choices]


def list_lifetimes() -> list[tuple[int, str]]:
    return [(days, label_lifetime(days)) for days in LIFETIMES]


def label_lifetime(days: int) -> str:
    if not days:
        return gettext("never")
    last = utc_now() + timedelta(days=days)
    return gettext("after %(days)s days, on %(date)s") % {"days": days, "date": f"{last:%Y-%m-%d}"}


class ApiKeyForm(forms.ModelForm[ApiKey]):
    """Name, scopes and expiry of a new key. ``sheet`` identifies the form: sent twice, it makes one key."""

    scopes = forms.MultipleChoiceField(
        label=_("Scopes"),
        choices=list_scope_choices,
        widget=forms.CheckboxSelectMultiple,
        initial=["memory:read", "memory:write"],
    )
    expires = forms.TypedChoiceField(
        label=_("Expires"), coerce=int, choices=list_lifetimes, initial=0, required=False, empty_value="0"
    )
    sheet = forms.UUIDField(required=False, widget=forms.HiddenInput, initial=new_id)

    class Meta:
        model = ApiKey
        fields = ("name", "scopes", "bound_subject")
        help_texts = {
            "name": _("What uses the key, such as “car app, production”."),
            "bound_subject": _(
                "Your product's id of the only person whom this key may read and change. "
                "Empty: everybody of the tenant."
            ),
        }

    def clean_bound_subject(self) -> str:
        named: str = self.cleaned_data["bound_subject"]
        if named and find_product_id_fault(named):
            raise forms.ValidationError(_("No person can have this id: it holds “/” or a control character."))
        return named

    def clean(self) -> dict[str, Any]:
        """Refuse a form that has already made its key: its secret was shown then; and scopes too wide for a person."""
        given = super().clean() or {}
        if given.get("bound_subject") and not set(given.get("scopes", ())) <= SUBJECT_SCOPES:
            raise forms.ValidationError(_("A key for one person can read and write memory, and nothing else."))
        if ApiKey.objects.filter(id=make_key_id(given.get("sheet"))).exists():
            raise forms.ValidationError(ALREADY_CREATED_TEXT)
        return given


ALREADY_CREATED_TEXT = _(
    "This form has already created a key, and its secret was shown then. If the secret is lost, revoke that key."
)


def make_key_id(sheet: UUID | None) -> UUID:
    """Return the id of the key that a form makes: the same for the same form of one tenant."""
    return stable_id("api_key", current_tenant_id(), sheet) if sheet else new_id()


class KeyStatusFilter(ConditionFilter):
    """Filters keys by whether they work, were revoked, or have expired."""

    title = _("status")
    parameter_name = "status"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        expired = Q(expires_at__lte=utc_now())
        return {
            "active": (_("active"), Q(revoked_at__isnull=True) & ~expired),
            "revoked": (_("revoked"), Q(revoked_at__isnull=False)),
            "expired": (_("expired"), Q(revoked_at__isnull=True) & expired),
        }


@admin.display(description=_("status"))
def render_key_status(api_key: ApiKey) -> Any:
    return render_badge(get_key_badge(api_key))


def label_scopes(scopes: Sequence[str]) -> str:
    """Return the rights of a key in words."""
    words = dict(Scope.choices)
    return ", ".join(str(words.get(scope, scope)) for scope in scopes)


bound_column = make_column("bound_subject", lambda named: render_line(named or "-"), _("for one person"))
scopes_column = make_column("scopes", lambda scopes: render_line(label_scopes(scopes)), _("scopes"))


@admin.display(description=_("actions"))
def render_row_acts(api_key: ApiKey) -> Any:
    """Return links to the acts on a key; nothing for one that has ended."""
    links = (
        ("grave" if KEY_ACTS[verb].is_grave else "", build_act_address(verb, api_key), KEY_ACTS[verb].label)
        for verb in list_key_acts(api_key)
    )
    acts = format_html_join("", '<a class="{}" href="{}">{}</a>', links)
    return format_html('<span class="row-acts">{}</span>', acts) if acts else EMPTY_VALUE


@dataclass(frozen=True, slots=True)
class KeyAct:
    """An act on one key, and the text of its page before it is done."""

    label: Any
    title: Any
    what: Any
    is_grave: bool = False


ROTATE, REVOKE = "rotate", "revoke"
KEY_ACTS = {
    ROTATE: KeyAct(
        _("Rotate"),
        _("Rotate the key"),
        _("A new key with the same name and scopes is made and shown once. The old one works for 24 more hours."),
    ),
    REVOKE: KeyAct(
        _("Revoke"),
        _("Revoke the key"),
        _("The key ends at once: whatever still uses it gets 401 from its next request on."),
        is_grave=True,
    ),
}


def is_live(api_key: ApiKey) -> bool:
    return api_key.revoked_at is None and (api_key.expires_at is None or api_key.expires_at > utc_now())


def list_key_acts(api_key: ApiKey) -> list[str]:
    if not is_live(api_key):
        return []
    return [REVOKE] if api_key.rotated_to_id else [ROTATE, REVOKE]


def build_act_address(verb: str, api_key: ApiKey) -> str:
    return reverse(f"admin:tenants_apikey_{verb}", args=[api_key.pk])


key_prefix_column = make_column(
    "key_id", lambda key_id: format_html("<code>{}…</code>", f"{PREFIX}{key_id}"), _("key begins with"), order="key_id"
)
successor_column = make_column(
    "rotated_to", lambda key: render_row_link(key, f"{key.name} ({key.key_id})") if key else "-", _("rotated to")
)


@admin.register(ApiKey)
class ApiKeyScreen(CreateOnlyAdmin):
    """API keys: created by managers, shown once, rotated and revoked, never changed or deleted."""

    form = ApiKeyForm
    view_role = add_role = Role.MANAGER
    changes_are_recorded = True
    personal_data = False
    add_title, add_button = _("New API key"), _("Create key")
    empty_text = _("No key yet: without one, your product cannot call the platform.")
    hides_short_search = True
    list_display = (
        "name",
        key_prefix_column,
        scopes_column,
        bound_column,
        render_key_status,
        "created_at",
        "last_used_at",
        render_row_acts,
    )
    list_filter = (KeyStatusFilter,)
    list_select_related = ("rotated_to",)
    search_fields = ("key_id", "name", "bound_subject")
    ordering = ("-created_at", "-id")
    action_form = ReasonedActionForm
    actions = ("rotate", "revoke")
    page_fieldsets = (
        make_fieldset(None, key_prefix_column, scopes_column, bound_column, "expires_at"),
        make_folded_fieldset(_("Times"), "created_at", "revoked_at", "last_used_at", successor_column),
    )
    form_fieldsets = (make_fieldset(None, "name", "scopes", "bound_subject", "expires", "sheet"),)

    def title_of(self, obj: ApiKey) -> str:
        return f"{obj.name} ({obj.key_id})"

    def describe_row(self, obj: ApiKey) -> str:
        return gettext("API key %(name)s") % {"name": obj.name}

    def get_badge(self, obj: ApiKey) -> StatusBadge:
        return get_key_badge(obj)

    def list_facts(self, obj: ApiKey) -> Sequence[Any]:
        return (
            make_time_fact(_("created %s"), obj.created_at),
            make_time_fact(_("last used %s"), obj.last_used_at) or _("not used yet"),
        )

    def list_ids(self, obj: ApiKey) -> Sequence[tuple[Any, str]]:
        return [(_("Copy key id"), obj.key_id)]

    def list_acts(self, request: HttpRequest, obj: ApiKey) -> Sequence[HeaderAct]:
        acts = [
            HeaderAct(KEY_ACTS[verb].label, build_act_address(verb, obj), is_grave=KEY_ACTS[verb].is_grave)
            for verb in list_key_acts(obj)
        ]
        return [*acts, *super().list_acts(request, obj)]

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("<path:object_id>/rotate/", self.rotate_view, "tenants_apikey_rotate"),
            make_console_path("<path:object_id>/revoke/", self.revoke_view, "tenants_apikey_revoke"),
            *super().get_urls(),
        ]

    def rotate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_and_act(request, object_id, ROTATE)

    def revoke_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._ask_and_act(request, object_id, REVOKE)

    def _ask_and_act(self, request: HttpRequest, object_id: str, verb: str) -> HttpResponse:
        """Ask for a reason; then rotate or revoke the key."""
        require_permission(self.has_manager_permission, request)
        api_key, act = self.get_or_404(request, object_id), KEY_ACTS[verb]
        if request.method != "POST" or is_reason_missing(self, request):
            return render_confirmation(
                request,
                act.title,
                act.what,
                button=act.title,
                back=build_change_address(ApiKey, api_key.pk),
                is_grave=act.is_grave,
                is_final=True,
                subtitle=self.title_of(api_key),
                opts=self.opts,
            )
        run = self.rotate if verb == ROTATE else self.revoke
        return run(request, ApiKey.objects.filter(pk=api_key.pk)) or redirect("admin:tenants_apikey_changelist")

    def save_model(self, request: HttpRequest, obj: ApiKey, form: ApiKeyForm, change: bool) -> None:
        """Create the key, unless the same form is creating it at this moment."""
        days = int(form.cleaned_data["expires"])
        end = utc_now() + timedelta(days=days) if days else None
        given: dict[str, Any] = {"name": obj.name, "scopes": obj.scopes, "expires_at": end}
        given["bound_subject"] = obj.bound_subject
        made_as = make_key_id(form.cleaned_data["sheet"])
        try:
            with transaction.atomic():
                created = create_key(**given, by=make_actor(request), key_ref=made_as)
        except IntegrityError:
            obj.pk = made_as
            return
        obj.pk, obj.key_id = created.api_key.pk, created.api_key.key_id
        request.created = [created]  # type: ignore[attr-defined]  # read back by response_add

    def response_add(self, request: HttpRequest, obj: ApiKey, post_url_continue: str | None = None) -> HttpResponse:
        """Return the page with the secret: no cookie, session or later page ever holds it."""
        created: list[CreatedKey] = getattr(request, "created", [])
        if not created:
            self.message_user(request, ALREADY_CREATED_TEXT, messages.WARNING)
            return redirect("admin:tenants_apikey_changelist")
        return self._render_secrets(request, created)

    @admin.action(description=_("Rotate: create a successor; the old key ends in 24 hours"), permissions=["manager"])
    def rotate(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> HttpResponse | None:
        """Rotate the chosen live keys that have no successor yet: sent twice, a key gets one successor."""
        live = queryset.filter(revoked_at__isnull=True, rotated_to__isnull=True).order_by("id")
        keys = [key for key in live.select_for_update(of=("self",)) if is_live(key)]
        if not keys:
            refuse_action(self, request, _("Nothing was done: each chosen key has ended or already has a successor."))
            return None
        by, reason = make_actor(request), read_reason(request)
        created = [rotate_key(key, by=by, reason=reason) for key in keys]
        return self._render_secrets(request, created, replaced=keys)

    @admin.action(description=_("Revoke at once"), permissions=["manager"])
    @require_reason
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for api_key in queryset:
            revoke_key(api_key, by=make_actor(request), reason=read_reason(request))
        self.message_user(request, _("Revoked: these keys are no longer accepted."), messages.SUCCESS)

    def _render_secrets(
        self, request: HttpRequest, created: list[CreatedKey], replaced: Sequence[ApiKey] = ()
    ) -> HttpResponse:
        """Show the secrets once: of new keys with a first call, of successors with how long the ``replaced`` work."""
        base = find_base_address(request)
        calls = [
            {"name": one.api_key.name, "text": render_first_call(FIRST_MESSAGE, base, one.token)}
            for one in created
            if not replaced and Scope.MEMORY_WRITE in one.api_key.scopes and not one.api_key.bound_subject
        ]
        title = _("Copy the secret now")
        page = "console/access/new_key_once.html"
        shown = {"created": created, "calls": calls, "replaced": replaced, "prefix": PREFIX, "opts": self.opts}
        return render_console_page(request, page, title, **shown)

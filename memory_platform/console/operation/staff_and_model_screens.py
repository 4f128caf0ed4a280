"""Screens of the platform itself, and of the prompt prefixes that vendors cache: whose, how large, until when."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from admin_interface.admin import ThemeAdmin
from admin_interface.models import Theme
from allauth.mfa.models import Authenticator
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

from memory_platform.console.log_in.staff_forms import NewStaffForm, StaffForm, StaffPasswordForm
from memory_platform.console.operation.staff_log_in_page import show_staff_access
from memory_platform.console.shared.base_screens import (
    OperatorAdmin,
    SafeLookupAdmin,
    SubjectOwnedAdmin,
    subject_column,
)
from memory_platform.console.shared.custom_pages import make_console_path
from memory_platform.console.shared.headers.headed_pages import HeadedPages
from memory_platform.console.shared.headers.object_header import HeaderAct, make_time_fact
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.list_filters import ConditionFilter, SubjectFilter
from memory_platform.console.shared.status_badges import GOOD, WARNING, StatusBadge, render_badge
from memory_platform.console.shared.value_rendering import (
    EMPTY_VALUE,
    make_column,
    make_computed_column,
    make_fieldset,
    render_value_line,
    render_word,
    shorten_id,
)
from memory_platform.kernel.clock import utc_now
from memory_platform.providers.registry import prompt_keeper
from snapshots.models import EmbeddingSpace, KeptPrefix


class StandingFilter(ConditionFilter):
    """Filters log-ins by their rights on the platform."""

    title = gettext_lazy("status")
    parameter_name = "standing"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        return {
            "operator": (gettext_lazy("operators"), Q(is_superuser=True, is_active=True)),
            "active": (gettext_lazy("active"), Q(is_active=True)),
            "ended": (gettext_lazy("deactivated"), Q(is_active=False)),
        }


def describe_standing(user: User) -> StatusBadge:
    if not user.is_active:
        return StatusBadge(_("deactivated"))
    return StatusBadge(_("operator"), WARNING) if user.is_superuser else StatusBadge(_("active"), GOOD)


def render_standing(user: User) -> str:
    return render_badge(describe_standing(user))


def render_staff_second_factor(user: Any) -> str:
    """Return whether the annotated account has a second factor."""
    return render_badge(StatusBadge(_("on"), GOOD) if user.has_factor else StatusBadge(_("off")))


def link_staff_access(user: User) -> str:
    return format_html(
        '<a href="{}">{}</a>', reverse("admin:auth_user_access", args=[user.pk]), _("roles and sessions")
    )


# django-allauth's own screens show secrets and sessions of everybody; the page of a person's log-in stands for them.
LOG_IN_APPS = {"account", "mfa", "usersessions"}


class StaffScreen(HeadedPages, SafeLookupAdmin, UserAdmin[User]):
    """Staff accounts; their roles are per tenant. They are deactivated, not deleted: the audit trail refers to them."""

    for_operator = True
    form = StaffForm
    add_form, change_password_form = NewStaffForm, StaffPasswordForm
    add_form_template = None
    change_user_password_template = "console/operation/staff_password.html"  # noqa: S105 - a template
    ordering = ("username",)
    count_text = ngettext_lazy("%(count)d user", "%(count)d users", "count")
    add_title, add_button, change_button = (
        gettext_lazy("New account"),
        gettext_lazy("Create account"),
        gettext_lazy("Save the account"),
    )
    list_display = (
        "username",
        make_computed_column("person", lambda user: render_word(user.get_full_name()), gettext_lazy("name")),
        make_column("email", render_word, gettext_lazy("e-mail"), order="email"),
        make_computed_column("standing", render_standing, gettext_lazy("status")),
        make_computed_column("factor", render_staff_second_factor, gettext_lazy("second factor")),
        make_column("last_login", lambda at: render_time_ago(at) or _("never"), gettext_lazy("last log-in")),
        make_computed_column("roles", link_staff_access, gettext_lazy("roles")),
    )
    list_filter = (StandingFilter,)
    hides_short_search = True
    fieldsets = (
        (gettext_lazy("Person"), {"fields": ("username", "first_name", "last_name", "email")}),
        (gettext_lazy("Access"), {"fields": ("is_active", "is_superuser")}),
        (gettext_lazy("Times"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": ("username", "email", "password1", "password2"),
                "description": gettext_lazy(
                    "The account works in no tenant yet. To let somebody into one tenant, invite them there instead: "
                    "then they choose their own password."
                ),
            },
        ),
    )
    readonly_fields = ("last_login", "date_joined")

    def title_of(self, obj: User) -> str:
        return obj.get_username()

    def name_kind(self) -> str:
        return _("Account")

    def get_badge(self, obj: User) -> StatusBadge:
        return describe_standing(obj)

    def list_facts(self, obj: User) -> Sequence[Any]:
        return (obj.get_full_name(), obj.email, make_time_fact(_("last log-in %s"), obj.last_login))

    def list_acts(self, request: HttpRequest, obj: User) -> Sequence[HeaderAct]:
        return [
            HeaderAct(_("Roles, second factor and sessions"), reverse("admin:auth_user_access", args=[obj.pk])),
            HeaderAct(_("Set a password"), reverse("admin:auth_user_password_change", args=[obj.pk])),
            HeaderAct(_("History"), reverse("admin:auth_user_history", args=[obj.pk]), is_minor=True),
        ]

    def list_ids(self, obj: User) -> Sequence[tuple[Any, str]]:
        return ()

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": _("Users"), **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        user = self.get_or_404(request, unquote(object_id))
        shown = {"title": self.title_of(user), "header": self.build_header(request, user)}
        return super().change_view(request, object_id, form_url, {**shown, **(extra_context or {})})

    def get_queryset(self, request: HttpRequest) -> Any:
        factors = Authenticator.objects.filter(user=OuterRef("pk"), type=Authenticator.Type.TOTP)
        return super().get_queryset(request).annotate(has_factor=Exists(factors))

    def get_urls(self) -> list[URLPattern]:
        return [
            make_console_path("<path:object_id>/access/", self.access_view, "auth_user_access"),
            *super().get_urls(),
        ]

    def access_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the person's second factor and sessions; the operator may reset and end them."""
        user = self.get_object(request, unquote(object_id))
        if not self.has_change_permission(request, user):
            raise PermissionDenied
        if user is None:
            raise Http404
        return show_staff_access(self, request, user)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        obj.is_staff = True  # there is no other kind of log-in
        super().save_model(request, obj, form, change)


def render_space_state(space: EmbeddingSpace) -> str:
    """Return whether the model is in use: recall reads the vectors of those that are."""
    if space.is_listed is None:
        return render_badge(StatusBadge(_("not counted yet")))
    return render_badge(StatusBadge(_("in use"), GOOD) if space.is_listed else StatusBadge(_("no longer used")))


def render_space_progress(space: EmbeddingSpace) -> str:
    """Return how many of the texts that belong to the model have its vector."""
    if space.held is None:
        return _("not counted yet")
    if not space.missing:
        return _("complete: %(held)s") % {"held": f"{space.held:,}"}
    return _("%(held)s, %(missing)s missing") % {"held": f"{space.held:,}", "missing": f"{space.missing:,}"}


@admin.register(EmbeddingSpace)
class EmbeddingSpaceScreen(OperatorAdmin):
    """Embedding models and the progress of each, as last counted; the page itself counts nothing."""

    machine_written = True
    list_display = (
        make_column("name", lambda name: format_html("<bdi>{}</bdi>", name), gettext_lazy("name"), order="name"),
        make_computed_column("state", render_space_state, gettext_lazy("state")),
        "dimensions",
        make_column("languages", render_value_line, gettext_lazy("languages")),
        make_computed_column("progress", render_space_progress, gettext_lazy("vectors")),
        "counted_at",
    )
    empty_text = gettext_lazy("No model has made vectors yet.")
    ordering = ("name",)


class ThemeScreen(SafeLookupAdmin, ThemeAdmin):  # type: ignore[misc]  # the library carries no types
    """Colours and logo of the console. Which theme is active is chosen on its page: a box in a list has no label."""

    for_operator = True
    list_editable = ()
    save_on_top = False


def replace_default_screens() -> None:
    """Replace the libraries' screens. Groups are not used: roles are per tenant."""
    admin.site.unregister((User, Group, Theme))
    for model in list(admin.site._registry):
        if model._meta.app_label in LOG_IN_APPS:
            admin.site.unregister(model)
    admin.site.register(User, StaffScreen)
    admin.site.register(Theme, ThemeScreen)


def render_endpoint(identity: str) -> str:
    """Return the model of the configured endpoint; for any other endpoint the end of its keyed hash."""
    keeper = prompt_keeper()
    return render_word(keeper.model if keeper and keeper.identity == identity else shorten_id(identity))


@admin.display(description=gettext_lazy("state"))
def render_prefix_state(prefix: KeptPrefix) -> str:
    """Return whether the vendor keeps the prefix, is being asked to, or may keep one whose name never arrived."""
    now: datetime = utc_now()
    if prefix.claim is not None and prefix.claimed_until > now:
        return _("being created or extended")
    if prefix.name and prefix.expires_at > now:
        return _("stored")
    if prefix.unnamed_until > now:
        return _("possibly stored: the vendor did not answer")
    return _("ended")


endpoint_column = make_column("endpoint", render_endpoint, gettext_lazy("endpoint"))


@admin.register(KeptPrefix)
class KeptPrefixScreen(SubjectOwnedAdmin):
    """Cached prefixes, the longest-lived first. They are read-only: an erasure deletes them."""

    # The first column leads to the page of the row; the subject is a link of its own.
    list_display = (
        make_column("prefix_hash", lambda prefix: render_word(prefix[:12]), gettext_lazy("prefix hash")),
        subject_column,
        endpoint_column,
        "tokens",
        render_prefix_state,
        "expires_at",
    )
    list_filter = (SubjectFilter,)
    search_fields = ("subject__external_id", "prefix_hash", "name")
    search_help_text = gettext_lazy("Subject id, prefix hash or name")
    empty_text = gettext_lazy(
        "A vendor may keep the beginning of a long prompt, so that it costs less the next time. None is kept."
    )
    ordering = ("-expires_at", "-id")
    fieldsets = (
        make_fieldset(None, subject_column, endpoint_column, render_prefix_state, "tokens", "expires_at"),
        make_fieldset(
            gettext_lazy("At the vendor"),
            make_column("name", lambda name: render_word(name) if name else EMPTY_VALUE, gettext_lazy("name")),
            "prefix_hash",
            make_column("gone_by", lambda at: at, gettext_lazy("deleted at the latest by")),
        ),
        make_fieldset(gettext_lazy("More"), "id"),
    )

    def title_of(self, obj: Any) -> str:
        return str(obj.prefix_hash[:12])

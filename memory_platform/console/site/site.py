"""The console: Django's admin site, working inside exactly one tenant at a time."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from allauth.core import ratelimit
from django.contrib.admin import AdminSite
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from memory_platform.console.figures.dashboard import show_dashboard
from memory_platform.console.log_in.log_in_page import LogInPage
from memory_platform.console.log_in.log_in_urls import is_own_log_in_view, list_log_in_urls
from memory_platform.console.log_in.second_factor import lead_to_second_factor, must_set_up_second_factor
from memory_platform.console.operation.job_previews import show_job_preview, show_purge_forecast
from memory_platform.console.operation.model_endpoints import show_model_endpoints
from memory_platform.console.operation.operation_page import show_operation_page
from memory_platform.console.receipts.playground_person_choice import show_playground_people
from memory_platform.console.shared.after_commit_responses import respond_in_scope
from memory_platform.console.shared.custom_pages import (
    check_console_page,
    is_operator,
    redirect_to_tenant_choice,
    render_console_page,
)
from memory_platform.console.shared.refusals import read_named_row, record_refused_page, respond_or_refuse
from memory_platform.console.shared.support_session_guard import (
    find_active_support,
    needs_support_session,
    require_support_session,
    shows_personal_data,
)
from memory_platform.console.shared.tenant_access import (
    TENANT_SESSION_KEY,
    TenantDesk,
    current_desk,
    find_desk,
    load_tenant_roles,
)
from memory_platform.console.shared.tenant_switch_guard import (
    is_from_other_tenant,
    is_tenantless_form,
    render_form_refusal,
)
from memory_platform.console.site.menu import build_menu, count_waiting, find_app_page
from memory_platform.console.site.start_page import build_start_page
from memory_platform.console.site.theme import build_sheet_address, serve_theme_sheet
from memory_platform.console.tenants.first_steps import show_first_steps
from memory_platform.console.tenants.invitation_page import open_invitation, show_invitation
from memory_platform.console.tenants.tenant_choice import describe_tenant_choices
from tenants.isolation import tenant_tx

# Django's own views that belong to a log-in: open without a tenant, and no matter from which one they are sent.
LOGIN_VIEWS = {"logout", "password_change", "password_change_done", "i18n_javascript"}


def require_session_before(
    request: HttpRequest, desk: TenantDesk | None, view: Callable[..., Any]
) -> HttpResponse | None:
    """Return the redirect to the support form for a view that opens its own scopes; None when it may run."""
    if desk is None or not shows_personal_data(view):
        return None
    with tenant_tx(desk.tenant.id):
        return require_support_session(request, view)


def refuse_form_of_other_tenant(request: HttpRequest, desk: TenantDesk | None, object_id: str) -> HttpResponse:
    """Refuse a form of another tenant's page, which would write into this one, and record it here."""
    if desk is None:
        return render_form_refusal(request, desk)
    record_refused_page(request, desk, object_id, "console.form")
    return respond_in_scope(desk, lambda: render_form_refusal(request, desk))


def _count_waiting(request: HttpRequest, desk: TenantDesk | None) -> int | None:
    """Return how many proposals wait; None without a tenant, and for somebody whom a support session has to let in."""
    if desk is None or (needs_support_session(request) and find_active_support(request) is None):
        return None
    return count_waiting(desk.tenant.id)


class ConsoleSite(AdminSite):
    """The admin site of the platform. Every view runs and is rendered inside the current tenant's scope."""

    site_header = gettext_lazy("Memory platform")
    site_title = gettext_lazy("Memory platform")
    index_title = gettext_lazy("Console")
    enable_nav_sidebar = False  # the menu is ours
    shows_people = False  # the site's own views: start page, menu, log-in, choice of a tenant
    password_change_template = "console/log_in/password_change.html"  # noqa: S105 - a template
    password_change_done_template = "console/log_in/password_changed.html"  # noqa: S105 - a template
    site_url = None  # there is no other site to view

    def get_urls(self) -> list[URLPattern | URLResolver]:
        switch = require_http_methods(["GET", "POST"])(
            self._after_second_factor(super().admin_view(self.switch_tenant))
        )
        sheet = path("theme.css", serve_theme_sheet, name="theme")
        own = [
            path("dashboard/", self.admin_view(show_dashboard), name="dashboard"),
            path("operation/", self.admin_view(show_operation_page), name="operation"),
            path("forecast/", self.admin_view(show_purge_forecast), name="forecast"),
            path("models/", self.admin_view(show_model_endpoints), name="endpoints"),
            path("playground/", self.admin_view(show_playground_people), name="playground"),
            path("first-steps/<uuid:tenant_id>/", self.admin_view(show_first_steps), name="first_steps"),
            path("preview/<slug:job>/", self.admin_view(show_job_preview), name="preview"),
        ]
        invitation = path("invitation/", open_invitation, name="invitation")
        accept = path("invitation/accept/", show_invitation, name="invitation_accept")
        return [
            sheet,
            invitation,
            accept,
            path("switch/", switch, name="switch"),
            *own,
            *list_log_in_urls(),
            *super().get_urls(),
        ]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        if request.method == "GET" and self.has_permission(request):
            return redirect("admin:index")
        return LogInPage.as_view(extra_context=extra_context)(request)

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        request.desk = None  # type: ignore[attr-defined]  # else the page would show whoever comes next the tenants
        return super().logout(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        limited = ratelimit.consume_or_429(request, action="change_password")
        shown = {"title": gettext_lazy("Change the password"), **(extra_context or {})}
        return limited or super().password_change(request, shown)

    def password_change_done(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        return super().password_change_done(
            request, {"title": gettext_lazy("The password is changed"), **(extra_context or {})}
        )

    def _after_second_factor(self, view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        """Open a view only to people who have set up the second factor that the platform requires."""

        def run(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if self.has_permission(request) and must_set_up_second_factor(request):
                return lead_to_second_factor(request)
            return view(request, *args, **kwargs)

        return update_wrapper(run, view)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        inner: Callable[..., HttpResponse] = super().admin_view(view, cacheable)
        name = getattr(view, "__name__", "")
        is_open = is_own_log_in_view(view) or name in LOGIN_VIEWS

        def inside_the_tenant(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if not self.has_permission(request):
                return inner(request, *args, **kwargs)  # leads to the login page
            if not is_open and must_set_up_second_factor(request):
                return lead_to_second_factor(request)
            desk = find_desk(request)
            request.desk = desk  # type: ignore[attr-defined]  # read back by current_desk
            named = read_named_row(kwargs)
            if not (name in LOGIN_VIEWS or is_tenantless_form(view)) and is_from_other_tenant(request, desk):
                return refuse_form_of_other_tenant(request, desk, named)

            def show_page() -> HttpResponse:
                return inner(request, *args, **kwargs)

            if desk is None:
                # Someone without a tenant may still leave, choose one, or change their password.
                outside = name in LOGIN_VIEWS or getattr(view, "tenantless", False)
                return show_page() if outside else redirect_to_tenant_choice(request)
            if getattr(view, "tenantless", False):
                asked = require_session_before(request, desk, view)
                return asked or respond_or_refuse(request, desk, named, view, show_page)
            return respond_or_refuse(
                request,
                desk,
                named,
                view,
                lambda: respond_in_scope(desk, lambda: require_support_session(request, view) or show_page()),
            )

        return update_wrapper(inside_the_tenant, view)

    def switch_tenant(self, request: HttpRequest) -> HttpResponse:
        """Choose the current tenant. A tenant that was not granted is refused, and the refusal recorded there."""
        granted = load_tenant_roles(request)
        if request.method == "POST":
            return self._switch_to(request, request.POST.get("tenant", ""), {str(tenant) for tenant in granted})
        context: dict[str, Any] = {**describe_tenant_choices(request, granted), "next": request.GET.get("next", "")}
        return render_console_page(
            request, "console/site/switch_tenant.html", gettext_lazy("Choose a tenant"), **context
        )

    def _switch_to(self, request: HttpRequest, tenant_id: str, granted: set[str]) -> HttpResponse:
        if tenant_id not in granted:
            # Recorded where the person works, like any other id that is not theirs: else anybody could write into the
            # trail of a tenant that they only know by its id.
            desk = find_desk(request)
            if desk is not None:
                record_refused_page(request, desk, tenant_id, "tenant.switch")
            raise PermissionDenied
        request.session[TENANT_SESSION_KEY] = tenant_id
        return redirect(check_console_page(request.POST.get("next", "")))

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Show the start page. Django's own lists all models, which the menu does here."""
        return super().index(
            request, {"title": gettext_lazy("Home"), **build_start_page(request), **(extra_context or {})}
        )

    def app_index(self, request: HttpRequest, app_label: str, extra_context: Any = None) -> Any:
        """Lead from the address of Django's list of an app's models to the page that has taken its place."""
        page = find_app_page(app_label, request)
        if page is None:
            raise Http404
        return redirect(f"admin:{page}")

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """Refuse: no form here uses it, and such a read would leave no audit record."""
        raise PermissionDenied

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        shared = super().each_context(request)
        desk = current_desk(request)
        return {
            **shared,
            "theme_sheet": build_sheet_address(),
            "desk": desk,
            "support": find_active_support(request),
            "menu": build_menu(request, shared["available_apps"], _count_waiting(request, desk))
            if desk or is_operator(request)
            else None,
        }

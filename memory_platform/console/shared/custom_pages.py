"""Console pages that are not lists of rows: their permissions, and how they are rendered."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from memory_platform.console.shared.tenant_access import current_desk
from tenants.models import Role

PermissionCheck = Callable[[HttpRequest], bool]


def is_manager(request: HttpRequest) -> bool:
    desk = current_desk(request)
    return desk is not None and desk.has_role(Role.MANAGER)


def is_operator(request: HttpRequest) -> bool:
    return bool(getattr(request.user, "is_superuser", False))


def require_permission(may: PermissionCheck, request: HttpRequest) -> None:
    """Raise PermissionDenied unless ``may(request)``; the site records the refusal."""
    if not may(request):
        raise PermissionDenied(_("Only a platform operator may see this page.") if may is is_operator else "")


def check_console_page(address: str) -> str:
    """Return ``address`` if it is a page of the console, else the start page."""
    # Otherwise a link to the console could redirect to any other site.
    start = reverse("admin:index")
    ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None) and address.startswith(start)
    return address if ours else start


def redirect_to_tenant_choice(request: HttpRequest) -> HttpResponse:
    """Respond with the choice of a tenant, which leads on to the page that was asked for."""
    page, asked = reverse("admin:switch"), request.get_full_path()
    is_led_on = request.method == "GET" and asked != reverse("admin:index")
    return redirect(f"{page}?{urlencode({'next': asked})}" if is_led_on else page)


def render_console_page(
    request: HttpRequest, template: str, title: Any, *, status: int = 200, **context: Any
) -> TemplateResponse:
    """Return a page in the frame that all console pages share."""
    shared = admin.site.each_context(request)
    return TemplateResponse(request, template, {**shared, "title": title, **context}, status=status)


def render_confirmation(
    request: HttpRequest, title: Any, what: Any, *, button: Any, back: str, is_grave: bool = False, **context: Any
) -> TemplateResponse:
    """Return the page that asks for a reason before an act. Its form is sent to the same address. A grave act cannot be
    undone, nor one with ``is_final`` in the context: the page says so."""
    asked: dict[str, Any] = {"what": what, "button": button, "back": back, "is_grave": is_grave}
    return render_console_page(request, "console/shared/confirmation.html", title, **asked, **context)


def make_console_path(address: str, view: Callable[..., Any], name: str) -> URLPattern:
    """Return the URL of a page of a screen, beside those that Django's admin makes."""
    inside = admin.site.admin_view(view)
    return path(address, require_http_methods(["GET", "HEAD", "POST"])(inside), name=name)

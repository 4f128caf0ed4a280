"""Console pages that are not lists of rows: their permissions, their menu entries, and how they are rendered."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
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


@dataclass(frozen=True, slots=True)
class MenuPage:
    """One menu entry. ``key`` names it in the menu's sections, ``name`` is its URL name."""

    key: str
    name: str
    title: Any
    may_open: PermissionCheck


MENU_PAGES = (
    MenuPage("Dashboard", "dashboard", _("Quality and cost"), is_manager),
    MenuPage("Operation", "operation", _("Operation"), is_operator),
)


def list_menu_entries(request: HttpRequest) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the pages that the person may open, by key, in the shape of a model in Django's app list."""
    for page in MENU_PAGES:
        if page.may_open(request):
            entry = {"name": page.title, "object_name": page.key, "admin_url": reverse(f"admin:{page.name}")}
            yield page.key, {**entry, "add_url": None, "view_only": True, "perms": {}, "model": None}


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


def render_console_page(
    request: HttpRequest, template: str, title: Any, *, status: int = 200, **context: Any
) -> TemplateResponse:
    """Return a page in the frame that all console pages share."""
    shared = admin.site.each_context(request)
    return TemplateResponse(request, template, {**shared, "title": title, **context}, status=status)


def make_console_path(address: str, view: Callable[..., Any], name: str) -> URLPattern:
    """Return the URL of a page of a screen, beside those that Django's admin makes."""
    inside = admin.site.admin_view(view)
    return path(address, require_http_methods(["GET", "HEAD", "POST"])(inside), name=name)

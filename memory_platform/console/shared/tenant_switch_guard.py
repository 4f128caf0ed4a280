"""A form belongs to the tenant in which its page was shown. After a switch in another tab it is refused.

Our ``{% csrf_token %}`` replaces Django's in every template and adds the tenant's id. So no template has to name the
tenant, and a form that does not name one is refused as well. Scripts copy the value from any form of the page into the
header.
"""

from http import HTTPStatus
from typing import Any

from django import template
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from memory_platform.console.shared.custom_pages import check_console_page, render_console_page
from memory_platform.console.shared.tenant_access import TenantDesk, View, current_desk

TENANT_FIELD, TENANT_HEADER = "form_tenant", "X-Form-Tenant"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})

register = template.Library()


class FormTokensNode(CsrfTokenNode):
    """Renders Django's CSRF token and the tenant in which the page is shown."""

    def render(self, context: Context) -> SafeString:
        token = SafeString(super().render(context))  # Django marks it safe, except for an empty token
        # context["request"] would fail: the context of a tag with its own template has no such key.
        request = getattr(context, "request", None)
        desk = current_desk(request) if request else None
        if not token or desk is None:
            return token
        # Off, because Firefox restores the old value of a hidden field after a reload.
        hidden = '{}<input type="hidden" name="{}" value="{}" autocomplete="off">'
        return format_html(hidden, token, TENANT_FIELD, desk.tenant.id)


@register.tag
def csrf_token(parser: Parser, token: Token) -> FormTokensNode:
    """Replace Django's tag of this name in every template, those of libraries included."""
    return FormTokensNode()


def mark_tenantless_form(view: View) -> View:
    """Mark a console view whose form may be sent from any tenant, because it writes to no tenant."""
    view.of_no_tenant = True  # type: ignore[attr-defined]  # read back by is_tenantless_form
    return view


def is_tenantless_form(view: Any) -> bool:
    return getattr(view, "of_no_tenant", False) is True


def is_from_other_tenant(request: HttpRequest, desk: TenantDesk | None) -> bool:
    """Return whether a request changes something and does not come from a page of the current tenant."""
    return request.method not in SAFE_METHODS and (desk is None or read_named_tenants(request) != {str(desk.tenant.id)})


def read_named_tenants(request: HttpRequest) -> set[str]:
    """Return the tenant ids in the form and its header, as sent: exactly one in a valid request."""
    return set(filter(None, [*request.POST.getlist(TENANT_FIELD), request.headers.get(TENANT_HEADER)]))


def render_form_refusal(request: HttpRequest, desk: TenantDesk | None) -> HttpResponse:
    """Respond that nothing was saved and how to go on. Names no tenant that the person may not switch to."""
    if desk is None:
        messages.warning(request, _("Nothing was saved: you work in no tenant now. Choose one, then start again."))
        return redirect("admin:switch")
    named = read_named_tenants(request)
    return render_console_page(
        request,
        "console/shared/form_refused.html",
        _("Nothing was saved"),
        status=HTTPStatus.CONFLICT,
        meant=next((tenant for tenant in desk.choices if named == {str(tenant.id)}), None),
        is_named=bool(named),
        # The page of the form according to the browser, or the start page.
        page=check_console_page(request.headers.get("Referer", "").partition(request.get_host())[2]),
    )

"""The console's colours as a stylesheet of their own, so that no page needs inline style.

django-admin-interface writes its theme into every page; a strict content security policy forbids that.
"""

import re
from hashlib import sha256

from admin_interface.models import Theme
from admin_interface.templatetags.admin_interface_tags import get_admin_interface_theme
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

COLOUR_PATTERN = re.compile(r"#[0-9A-Fa-f]{3,8}")
# A sheet's address changes with what it says, so a browser may keep it.
MAX_AGE_S = 365 * 24 * 3600
# The library's variables that console.css and the library's own windows read, without their prefix, and the theme's
# fields that fill them.
COLOUR_FIELDS = {
    "title-color": "title_color",
    "header-background-color": "css_header_background_color",
    "header-text-color": "css_header_text_color",
    "header-link-color": "css_header_link_color",
    "generic-link-color": "css_generic_link_color",
    "generic-link-hover-color": "css_generic_link_hover_color",
    "save-button-background-color": "css_save_button_background_color",
    "save-button-background-hover-color": "css_save_button_background_hover_color",
    "save-button-text-color": "css_save_button_text_color",
    "delete-button-background-color": "css_delete_button_background_color",
    "delete-button-background-hover-color": "css_delete_button_background_hover_color",
    "delete-button-text-color": "css_delete_button_text_color",
    "related-modal-background-color": "related_modal_background_color",
}


def render_theme_sheet(theme: Theme) -> str:
    """Return the theme's variables as CSS; malformed colours are left out, so the library's defaults apply."""
    corners = "6px" if theme.css_module_rounded_corners else "0"
    modal = "6px" if theme.related_modal_rounded_corners else "0"
    values = {
        **{
            name: value
            for name, field in COLOUR_FIELDS.items()
            if COLOUR_PATTERN.fullmatch(value := str(getattr(theme, field)))
        },
        "related-modal-background-opacity": "0.3",
        "related-modal-border-radius": modal,
        "related-modal-close-button-display": "unset" if theme.related_modal_close_button_visible else "none",
        "module-border-radius": corners,
    }
    lines = "\n".join(f"  --admin-interface-{name}: {value};" for name, value in values.items())
    return f":root .admin-interface {{\n{lines}\n}}\n"


def build_sheet_address() -> str:
    said = render_theme_sheet(get_admin_interface_theme())
    return f"{reverse('admin:theme')}?v={sha256(said.encode()).hexdigest()[:12]}"


@require_safe
def serve_theme_sheet(request: HttpRequest) -> HttpResponse:
    """Serve the active theme's sheet without a log-in: the log-in page needs it."""
    answer = HttpResponse(render_theme_sheet(get_admin_interface_theme()), content_type="text/css; charset=utf-8")
    answer["Cache-Control"] = f"public, max-age={MAX_AGE_S}, immutable"
    return answer

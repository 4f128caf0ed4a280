"""The console's look. A row like any other of django-admin-interface: the operator may change it, or make another.

Another project that has these apps may not have the console; then there is nothing to do.
"""

from typing import Any

from django.apps import apps as installed
from django.db import migrations

LOOK = {
    "active": True,
    "title": "Memory platform",
    "title_color": "#F9FAFB",
    "logo_visible": False,
    "env_visible_in_header": False,
    "env_visible_in_favicon": False,
    "language_chooser_display": "name",
    "recent_actions_visible": False,
    "css_header_background_color": "#1E293B",
    "css_header_text_color": "#CBD5E1",
    "css_header_link_color": "#F1F5F9",
    "css_header_link_hover_color": "#FFFFFF",
    "css_module_background_color": "#475569",
    "css_module_background_selected_color": "#E0E7FF",
    "css_module_text_color": "#FFFFFF",
    "css_module_link_color": "#FFFFFF",
    "css_module_link_selected_color": "#FFFFFF",
    "css_module_link_hover_color": "#E2E8F0",
    "css_generic_link_color": "#1D4ED8",
    "css_generic_link_hover_color": "#1E40AF",
    "css_generic_link_active_color": "#2563EB",
    "css_save_button_background_color": "#1D4ED8",
    "css_save_button_background_hover_color": "#1E40AF",
    "form_submit_sticky": False,
    "form_pagination_sticky": False,
    "foldable_apps": False,
}


def make_theme(apps: Any, schema_editor: Any) -> None:
    themes = apps.get_model("admin_interface", "Theme").objects.using(schema_editor.connection.alias)
    themes.exclude(name="Memory platform").update(active=False)
    themes.get_or_create(name="Memory platform", defaults=LOOK)


class Migration(migrations.Migration):
    initial = True
    dependencies: list[tuple[str, str]] = []
    operations: list[Any] = []
    if installed.is_installed("admin_interface"):
        dependencies = [("admin_interface", "0032_alter_theme_defaults")]
        operations = [migrations.RunPython(make_theme, migrations.RunPython.noop)]

"""Hides the fields of a page that are empty or repeat its title."""

from collections.abc import Callable
from html import unescape
from typing import Any

from django.contrib.admin.helpers import AdminReadonlyField
from django.utils.html import strip_tags

from memory_platform.console.shared.value_rendering import EMPTY_VALUE, make_computed_column

# What the title of a memory's page is made of, if it is not too long for one.
TITLE_FIELDS = frozenset({"value", "text", "snapshot_text", "label", "address", "phone", "relation"})


def hide_empty_fields(context: dict[str, Any]) -> None:
    """Remove fields, groups of fields and tables below that hold nothing from the context of a read-only page."""
    page = context["adminform"]
    filled = [
        (title, {**options, "fields": _keep_filled(page, options["fields"], context["header"].title)})
        for title, options in page.fieldsets
    ]
    page.fieldsets = [(title, options) for title, options in filled if options["fields"]]
    page.readonly_fields = [name for _title, part in page.fieldsets for name in part["fields"]]
    context["inline_admin_formsets"] = [one for one in context["inline_admin_formsets"] if one.formset.forms]


def _keep_filled(page: Any, fields: Any, title: str) -> list[Any]:
    kept: list[Any] = []
    for field in fields:
        shown = AdminReadonlyField(page.form, field, is_first=True, model_admin=page.model_admin)
        text = shown.contents()
        if text not in ("", EMPTY_VALUE) and not _repeats_title(field, text, title):
            kept.append(_keep_text(field, text, shown.field["label"]) if callable(field) else field)
    return kept


def _repeats_title(field: Any, text: str, title: str) -> bool:
    name = field.__name__ if callable(field) else field
    return name in TITLE_FIELDS and " ".join(unescape(strip_tags(text)).split()) in title


def _keep_text(field: Callable[[Any], Any], text: str, label: Any) -> Any:
    """Return a field that shows a text that is rendered already: some cost queries."""
    return make_computed_column(field.__name__, lambda _row: text, label)

"""How stored values are rendered: one line in lists, in full on pages, always escaped.

Stored text may be hostile: ``format_html`` escapes it, and ``<bdi>`` isolates its writing direction.
"""

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db import models
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _

from profiles.provenance_and_verdict import describe_value
from profiles.services.quantities import is_measured

# Characters of a text shown in a list.
MAX_LINE_CHARS = 90
EMPTY_VALUE = "-"
SHORT_ID_CHARS = 8


def make_computed_column(
    name: str, show: Callable[[Any], Any], title: Any, *, order: str | None = None, is_number: bool = False
) -> Any:
    """Return a column or page field that renders the row with ``show`` and sorts by ``order``, if given.
    ``is_number``: lists align it as numbers."""

    @admin.display(description=title, ordering=order)
    def show_row(row: Any) -> Any:
        return show(row)

    show_row.__name__ = name
    show_row.is_number = is_number  # type: ignore[attr-defined]  # read by the list
    return show_row


def make_column(
    path: str, show: Callable[[Any], Any], title: Any, *, order: str | None = None, is_number: bool = False
) -> Any:
    """Return a column or page field that renders ``obj.<path>`` with ``show`` and sorts by ``order``, if given."""
    column = make_computed_column(
        path.replace(".", "_"), lambda row: show(attrgetter(path)(row)), title, order=order, is_number=is_number
    )
    column.value_path = path
    return column


def make_fieldset(title: Any, *fields: Any) -> Any:
    """Return one entry for ``fieldsets``. (Untyped: the library's stubs do not know functions as fields.)"""
    return (title, {"fields": fields})


def make_folded_fieldset(title: Any, *fields: Any) -> Any:
    """Return a fieldset that is closed at first: for fields that only experts look at."""
    return (title, {"fields": fields, "classes": ["collapse"]})


def render_line(text: str | None) -> str:
    """Return the beginning of a text as HTML, for lists."""
    return format_html('<bdi class="line">{}</bdi>', Truncator(text).chars(MAX_LINE_CHARS)) if text else EMPTY_VALUE


def render_word(text: str | None) -> str:
    """Return a short text as HTML, not truncated."""
    return format_html("<bdi>{}</bdi>", text) if text else EMPTY_VALUE


def render_named(name: Any, value: Any) -> SafeString:
    """Return "name: value" as HTML, with the colon of the language."""
    return format_html(_("%(name)s: %(value)s") % {"name": "{}", "value": "{}"}, name, value)


def render_text(text: str | None) -> str:
    """Return a text in full as HTML, with its line breaks, for pages."""
    return format_html('<div class="stored" dir="auto">{}</div>', text) if text else EMPTY_VALUE


def format_json_value(value: Any) -> str:
    """Return a JSON value as plain text: strings bare, "22 °C", lists with commas, other values as JSON."""
    if value is None or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if is_measured(value):
        return describe_value(value)
    if isinstance(value, list) and not is_nested_list(value):
        return ", ".join(format_json_value(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def is_nested_list(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, list | dict) for item in value)


def render_value_line(value: Any) -> str:
    return render_line(format_json_value(value))


def render_value(value: Any) -> str:
    """Return a JSON value as HTML for a page; nested values are laid out over several lines."""
    if value and not is_measured(value) and (isinstance(value, dict) or is_nested_list(value)):
        return format_html('<pre class="stored">{}</pre>', json.dumps(value, ensure_ascii=False, indent=2))
    return render_text(format_json_value(value))


def render_share_bar(number: float | None) -> str:
    """Return a number between 0 and 1 as HTML, with a small bar, which is green where the number is high."""
    if number is None:
        return EMPTY_VALUE
    shown = f"{number:.2f}"
    bar = format_html('<meter min="0" low="0.5" high="0.75" optimum="1" max="1" value="{}"></meter>', shown)
    return format_html('<span class="share">{}{}</span>', bar, shown)


def render_row_link(row: models.Model | None, text: str) -> str:
    return render_link(type(row), row.pk, text) if row is not None else EMPTY_VALUE


def render_link(model: type[models.Model], row_id: Any, text: str = "") -> str:
    """Return a link to the page of the row with this id. The default text is the short id."""
    if row_id is None:
        return EMPTY_VALUE
    return format_html(
        '<a href="{}"><bdi>{}</bdi></a>', build_change_address(model, row_id), text or shorten_id(row_id)
    )


def build_change_address(model: type[models.Model], row_id: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[row_id])


def build_list_address(model: type[models.Model], **filters: Any) -> str:
    address = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
    return f"{address}?{'&'.join(f'{name}={value}' for name, value in filters.items())}"


def render_list_link(model: type[models.Model], text: Any, **filters: Any) -> SafeString:
    return format_html('<a href="{}">{}</a>', build_list_address(model, **filters), text)


def shorten_id(row_id: Any) -> str:
    """Return the last characters of an id: ids made in the same second begin alike."""
    return str(row_id)[-SHORT_ID_CHARS:]


def parse_uuid(text: str) -> UUID | None:
    try:
        return UUID(text.strip())
    except ValueError:
        return None


def mark_span(text: str, start: int | None, end: int | None) -> str:
    """Return a text as HTML with the characters from ``start`` to ``end`` marked, if both are known."""
    if start is None or end is None:
        return text
    return format_html("{}<mark>{}</mark>{}", text[:start], text[start:end], text[end:])

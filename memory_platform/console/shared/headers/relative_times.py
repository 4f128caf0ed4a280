"""Times as people tell them: how long ago, with the exact time on hover."""

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.db.models import DateTimeField
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext as _

from memory_platform.console.shared.value_rendering import EMPTY_VALUE

SECONDS_PER_MINUTE = 60


def render_time_ago(at: datetime | None) -> str:
    """Return how long ago something was as HTML ("2 hours ago"), with the exact time (UTC) on hover; "" for None. A
    time to come is shown as it is."""
    if at is None:
        return ""
    now = timezone.now()
    if at > now:
        words = f"{at:%Y-%m-%d %H:%M:%S}"
    elif (now - at).total_seconds() < SECONDS_PER_MINUTE:
        words = _("just now")
    else:
        words = _("%(time)s ago") % {"time": timesince(at, now, depth=1)}
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} UTC">{}</time>',
        f"{at:%Y-%m-%dT%H:%M:%SZ}",
        f"{at:%Y-%m-%d %H:%M:%S}",
        words,
    )


def render_time_away(at: datetime | None) -> str:
    """Return how long ago something was or in how long it will be, as HTML like :func:`render_time_ago`."""
    if at is None or at <= timezone.now():
        return render_time_ago(at)
    return format_html(
        '<time class="nowrap" datetime="{}" title="{} UTC">{}</time>',
        f"{at:%Y-%m-%dT%H:%M:%SZ}",
        f"{at:%Y-%m-%d %H:%M:%S}",
        _("in %(time)s") % {"time": timeuntil(at, depth=1)},
    )


class RelativeTimes:
    """Lists tell each time of a row as how long ago it was."""

    opts: Any

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        times = {field.name for field in self.opts.fields if isinstance(field, DateTimeField)}
        named: Any = super().get_list_display(request)  # type: ignore[misc]  # a mixin of Django's screens
        return [self._make_time_column(name) if name in times else name for name in named]

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> Any:
        """Return the columns that lead to a row's page; one that is named may be a time."""
        columns = {getattr(column, "__name__", column): column for column in list_display}
        links: Any = super().get_list_display_links(request, list_display)  # type: ignore[misc]  # as above
        return links and [columns.get(link, link) if isinstance(link, str) else link for link in links]

    def _make_time_column(self, name: str) -> Callable[[Any], str]:
        value_of = attrgetter(name)

        @admin.display(description=self.opts.get_field(name).verbose_name, ordering=name)
        def show_time(row: Any) -> str:
            return render_time_away(value_of(row)) or EMPTY_VALUE

        show_time.__name__ = name
        return show_time


def format_duration(seconds: float) -> str:
    """Return a duration in its two largest units: "2 h 14 min", "3 d 1 h", "41 s"."""
    left = max(0, int(seconds))
    parts = []
    for length, unit in ((86_400, _("d")), (3_600, _("h")), (SECONDS_PER_MINUTE, _("min")), (1, _("s"))):
        count, left = divmod(left, length)
        parts.append((count, unit))
    first = next((place for place, (count, _unit) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count or len(parts) - first == 1)

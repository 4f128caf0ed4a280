"""Times as people tell them: how long ago, with the exact time on hover."""

from datetime import datetime

from django.utils import timezone
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

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

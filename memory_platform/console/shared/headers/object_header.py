"""The head of a page of one thing: a sentence as its title, its status, who and when, what one can do, its ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.html import format_html
from django.utils.text import Truncator
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from memory_platform.console.shared.status_badges import StatusBadge

# Characters of a sentence in a title; a note or a snapshot may be a page long, and its page shows all of it.
MAX_TITLE_CHARS = 120
SECONDS_PER_MINUTE = 60


@dataclass(frozen=True, slots=True)
class HeaderAct:
    """One link at the right of the title. ``is_main``: what most people come for, at most one of a page. ``is_grave``:
    it destroys something."""

    label: Any
    address: str
    is_main: bool = False
    is_grave: bool = False


@dataclass(frozen=True, slots=True)
class ObjectHeader:
    """``kind``: what the thing is, in a word. ``facts``: who and when, as text or HTML. ``ids``: what each id is, and
    the id; the page offers to copy them."""

    sentence: str
    kind: Any = ""
    badge: StatusBadge | None = None
    facts: Sequence[Any] = ()
    acts: Sequence[HeaderAct] = ()
    ids: Sequence[tuple[Any, str]] = ()

    @property
    def title(self) -> str:
        return Truncator(" ".join(self.sentence.split())).chars(MAX_TITLE_CHARS)


def render_ago(at: datetime | None) -> str:
    """Return how long ago something was as HTML ("2 hours ago"), with the exact time (UTC) on hover; "" for None."""
    if at is None:
        return ""
    now = timezone.now()
    if at > now:
        words = f"{at:%Y-%m-%d %H:%M}"
    elif (now - at).total_seconds() < SECONDS_PER_MINUTE:
        words = _("just now")
    else:
        words = _("%(time)s ago") % {"time": timesince(at, now, depth=1)}
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>', f"{at:%Y-%m-%dT%H:%M:%SZ}", f"{at:%Y-%m-%d %H:%M:%S}", words
    )


def make_time_fact(text: Any, at: datetime | None) -> str:
    """Return a fact about a time as HTML: ``text`` with how long ago in the place of ``%s``; "" without a time."""
    return format_html(str(text).replace("%s", "{}"), render_ago(at)) if at else ""

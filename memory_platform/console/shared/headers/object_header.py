"""The head of a page of one object: a sentence as its title, its status, who and when, the acts on it, its ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.text import Truncator

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.status_badges import StatusBadge

# Characters of a sentence in a title; a note or a snapshot may be a page long, and its page shows all of it.
MAX_TITLE_CHARS = 120


@dataclass(frozen=True, slots=True)
class HeaderAct:
    """One link at the right of the title. ``is_main``: the act that most people come for, at most one of a page.
    ``is_grave``: it destroys something. ``is_minor``: it stands below "More"."""

    label: Any
    address: str
    is_main: bool = False
    is_grave: bool = False
    is_minor: bool = False


@dataclass(frozen=True, slots=True)
class ObjectHeader:
    """``kind``: the kind of object, in a word. ``facts``: who and when, as text or HTML. ``ids``: the name of each id,
    and the id; the page offers to copy them."""

    sentence: str
    kind: Any = ""
    badge: StatusBadge | None = None
    facts: Sequence[Any] = ()
    acts: Sequence[HeaderAct] = ()
    ids: Sequence[tuple[Any, str]] = ()

    @property
    def first_acts(self) -> Sequence[HeaderAct]:
        return [act for act in self.acts if not act.is_minor]

    @property
    def more_acts(self) -> Sequence[HeaderAct]:
        return [act for act in self.acts if act.is_minor]

    @property
    def title(self) -> str:
        return Truncator(" ".join(self.sentence.split())).chars(MAX_TITLE_CHARS)


def make_time_fact(text: Any, at: datetime | None) -> str:
    """Return a fact about a time as HTML: ``text`` with how long ago in the place of ``%s``; "" without a time."""
    return format_html(str(text).replace("%s", "{}"), render_time_ago(at)) if at else ""

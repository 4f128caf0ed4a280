"""One section of a subject's page: a few rows, with a link to the full list."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.console.shared.config import SUBJECT_PAGE
from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import build_list_address
from memory_platform.console.transcript.message_links import render_turn_link
from profiles.models import Subject

PageRows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PageSection:
    """One section of the page. ``key`` names its template, ``address`` is that of the full list, which has more rows if
    ``more``."""

    key: str
    title: Any
    rows: PageRows
    address: str
    more: bool = False

    @property
    def is_folded(self) -> bool:
        """Return whether the section is closed at first: it repeats answers and notes."""
        return self.key in ("conversations", "replies", "snapshots")

    @property
    def template(self) -> str:
        return f"console/subjects/sections/{self.key}.html"


def build_newest_section(
    key: str, title: Any, rows: QuerySet[Any], render: Callable[[Any], dict[str, Any]], **filters: Any
) -> PageSection:
    """Return a section of the newest rows, linked to the list with these filters."""
    first, more = load_first_rows(rows.order_by("-created_at", "-id"), SUBJECT_PAGE.max_rows)
    return PageSection(key, title, list(map(render, first)), build_list_address(rows.model, **filters), more)


def load_first_rows(rows: QuerySet[Any], most: int) -> tuple[list[Any], bool]:
    """Return the first rows, and whether there are more."""
    found = list(rows[: most + 1])
    return found[:most], len(found) > most


def load_sources(subject: Subject, memories: Mapping[Any, Collection[UUID]]) -> dict[UUID, PageRows]:
    """Return the messages behind each memory, by the table of its links; the earliest first and only a few of each. One
    query."""
    parts = [
        model.objects.filter(subject=subject, memory_id__in=list(ids))
        .order_by("message__said_at", "message__seq")
        .values_list("memory_id", "message__conversation_id", "message_id", "message__said_at")[
            : SUBJECT_PAGE.max_sources
        ]
        for model, ids in memories.items()
        if ids
    ]
    links: Iterable[tuple[UUID, UUID, UUID, datetime]] = parts[0].union(*parts[1:], all=True) if parts else ()
    found: dict[UUID, PageRows] = defaultdict(list)
    for memory_id, conversation_id, message_id, said_at in links:
        if len(found[memory_id]) < SUBJECT_PAGE.max_sources_each:
            found[memory_id].append(
                {
                    "at": said_at,
                    "link": render_turn_link(conversation_id, message_id, render_time_ago(said_at)),
                }
            )
    return found


def render_time_unless_said(at: datetime, sources: PageRows) -> str:
    """Return how long ago something was; "" on a day that a source beside it names already."""
    return "" if any(one["at"].date() == at.date() for one in sources) else render_time_ago(at)

"""The person to whom the row of a page belongs: breadcrumbs lead back to them."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from memory_platform.console.shared.headers.memory_sentences import load_subject_name
from memory_platform.console.shared.value_rendering import build_change_address
from profiles.models import Subject


@dataclass(frozen=True, slots=True)
class ShownPerson:
    """The name of a person, and the address of their page."""

    name: str
    address: str


def note_shown_person(request: HttpRequest, row: Any) -> None:
    """Remember whom a page shows, or whose row. A row of nobody is ignored."""
    subject = row if isinstance(row, Subject) else getattr(row, "subject", None)
    if isinstance(subject, Subject):
        request.shown_subject = subject  # type: ignore[attr-defined]  # read back by load_shown_person


def load_shown_person(request: HttpRequest) -> ShownPerson | None:
    """Return the person whose row the page shows; None if it shows none. At most one query."""
    subject: Subject | None = getattr(request, "shown_subject", None)
    if subject is None:
        return None
    return ShownPerson(load_subject_name(subject), build_change_address(Subject, subject.pk))

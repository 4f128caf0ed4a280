"""Subjects: created on first sight, addressed by the product's own id."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.ids import new_id
from profiles.models import Subject
from profiles.selectors import find_subject, subject_by_external_id
from profiles.services.profile import FactChange, FactName, FactVerdict, patch_profile
from profiles.services.subject_lock import lock_subject
from profiles.services.subject_search_text import search_text_of


@dataclass(frozen=True, slots=True)
class SubjectPut:
    subject: Subject
    created: bool
    verdicts: tuple[FactVerdict, ...] = ()


def ensure_subject(external_id: str) -> Subject:
    return _get_or_create_subject(external_id)[0]


def put_subject(
    external_id: str,
    *,
    changes: Iterable[FactChange] = (),
    remove: Iterable[FactName] = (),
    metadata: dict[str, Any] | None = None,
) -> SubjectPut:
    subject, created = _get_or_create_subject(external_id)
    lock_subject(subject)
    verdicts = patch_profile(subject, changes, remove=remove)
    if metadata is not None:
        rows = Subject.objects.filter(id=subject.id).exclude(metadata=metadata)
        if rows.update(metadata=metadata, version=F("version") + 1, updated_at=utc_now()):
            subject.version += 1
        subject.metadata = metadata
    return SubjectPut(subject, created, tuple(verdicts))


def _get_or_create_subject(external_id: str) -> tuple[Subject, bool]:
    found = find_subject(external_id)
    if found is not None:
        return found, False
    made = Subject(id=new_id(), external_id=external_id, search_text=search_text_of(external_id, [], []))
    Subject.objects.bulk_create([made], ignore_conflicts=True)
    subject = subject_by_external_id(external_id)
    return subject, subject.id == made.id

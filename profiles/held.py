"""What is held of a subject at one moment of either clock, in few plain statements: for the path of every answer.

The rule is that of :func:`profiles.selectors.held`, which a test compares with this one. Composing these queries anew
for each answer cost recall 3 ms of 12.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memory_platform.postgres.prepared import fetch_prepared
from profiles.models import Tag
from tenants.isolation import current_tenant_id

SUBJECT = "SELECT id FROM subject WHERE tenant_id = %s AND external_id = %s"

_HELD = """
tenant_id = %(tenant)s AND subject_id = %(subject)s
AND recorded_at <= coalesce(%(known_at)s, 'infinity'::timestamptz)
AND (retired_at IS NULL OR retired_at > %(known_at)s::timestamptz)
AND valid_at <= coalesce(%(as_of)s, 'infinity'::timestamptz)
AND (invalid_at IS NULL OR invalid_at > %(as_of)s::timestamptz)
"""
BELIEFS = f"""
SELECT 'profile', coalesce(version_of_id, id), field, '', is_attribute, value, confidence, provenance, valid_at
FROM profile_fact WHERE %(facts)s AND {_HELD}
UNION ALL
SELECT 'preferences', coalesce(version_of_id, id), category, key, false, value, confidence, provenance, valid_at
FROM preference WHERE %(preferences)s AND {_HELD}
ORDER BY 1, 3, 4
"""  # noqa: S608  # made of constants of this module; values are parameters

_TAG_COLUMNS = [field.attname for field in Tag._meta.concrete_fields]
TAGS = f"SELECT {', '.join(_TAG_COLUMNS)} FROM tag WHERE tenant_id = %s AND subject_id = %s ORDER BY created_at, id"  # noqa: S608  # columns of the model


@dataclass(frozen=True, slots=True)
class HeldFact:
    """One field or free attribute of a profile. ``id`` is the one that the value keeps for life."""

    id: UUID
    field: str
    is_attribute: bool
    value: Any
    confidence: float
    provenance: str
    valid_at: datetime


@dataclass(frozen=True, slots=True)
class HeldPreference:
    """One preference. ``id`` is the one that the value keeps for life."""

    id: UUID
    category: str
    key: str
    value: Any
    confidence: float
    provenance: str
    valid_at: datetime


@dataclass(frozen=True, slots=True)
class HeldBeliefs:
    """Facts by field, preferences by category and key."""

    facts: tuple[HeldFact, ...] = ()
    preferences: tuple[HeldPreference, ...] = ()

    @property
    def profile(self) -> dict[str, Any]:
        """The profile as far as it is known: unknown fields are left out, ``attributes`` too when there are none."""
        fields = {fact.field: fact.value for fact in self.facts if not fact.is_attribute}
        attributes = {fact.field: fact.value for fact in self.facts if fact.is_attribute}
        return {**fields, "attributes": attributes} if attributes else fields

    @property
    def preference_values(self) -> dict[str, dict[str, Any]]:
        """``{category: {key: value}}``."""
        values: dict[str, dict[str, Any]] = {}
        for preference in self.preferences:
            values.setdefault(preference.category, {})[preference.key] = preference.value
        return values


def subject_id_of(external_id: str) -> UUID | None:
    """Return the id of the subject that the product calls ``external_id``, or None, in the open scope."""
    found = fetch_prepared(SUBJECT, [current_tenant_id(), external_id])
    return found[0][0] if found else None


def beliefs_held(
    subject_id: UUID,
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    facts: bool = True,
    preferences: bool = True,
) -> HeldBeliefs:
    """Return what was true at ``as_of`` as it was known at ``known_at``, in the open scope; None is now for both."""
    asked = {"tenant": current_tenant_id(), "subject": subject_id, "as_of": as_of, "known_at": known_at}
    rows = fetch_prepared(BELIEFS, {**asked, "facts": facts, "preferences": preferences})
    return HeldBeliefs(
        facts=tuple(
            HeldFact(row_id, field, is_attribute, value, *standing)
            for lane, row_id, field, _, is_attribute, value, *standing in rows
            if lane == "profile"
        ),
        preferences=tuple(
            HeldPreference(row_id, category, key, value, *standing)
            for lane, row_id, category, key, _, value, *standing in rows
            if lane == "preferences"
        ),
    )


def tags_held(subject_id: UUID) -> tuple[Tag, ...]:
    """Return the subject's tags, the oldest first, in the open scope."""
    rows = fetch_prepared(TAGS, [current_tenant_id(), subject_id])
    return tuple(Tag.from_db(connection.alias, _TAG_COLUMNS, row) for row in rows)

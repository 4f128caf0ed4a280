"""The time zone of a subject, as their profile names it."""

from contextlib import suppress
from datetime import UTC, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from profiles.models import ProfileFact


def zone_named(name: Any) -> tzinfo | None:
    """Return the time zone of this name; None where there is none."""
    with suppress(ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(str(name)) if name else None
    return None


def zone_of(subject_id: UUID) -> tzinfo:
    """Return the time zone that a subject's profile names, in the open scope; UTC where it names none that exists."""
    held = ProfileFact.objects.filter(
        subject_id=subject_id, field="timezone", is_attribute=False, retired_at__isnull=True, invalid_at__isnull=True
    )
    return zone_named(held.values_list("value", flat=True).first()) or UTC

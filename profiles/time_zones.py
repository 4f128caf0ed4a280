from contextlib import suppress
from datetime import UTC, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from profiles.models import ProfileFact


def load_zone(name: Any) -> tzinfo | None:
    with suppress(ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(str(name)) if name else None
    return None


def find_zone(subject_id: UUID) -> tzinfo:
    """Return the time zone of a subject's profile, in the open scope; UTC if it has no valid one."""
    held = ProfileFact.objects.filter(
        subject_id=subject_id, field="timezone", is_attribute=False, retired_at__isnull=True, invalid_at__isnull=True
    )
    return load_zone(held.values_list("value", flat=True).first()) or UTC

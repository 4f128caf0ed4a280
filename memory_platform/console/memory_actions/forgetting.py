"""Forgetting a belief for good, by one of its rows."""

from profiles.models import Erasure, Preference, ProfileFact, Tag
from snapshots.erasure.learned.beliefs import forget_fact, forget_preference, forget_tag
from tenants.services.audit import Actor


def forget_belief(row: Preference | ProfileFact | Tag, *, by: Actor, reason: str) -> Erasure:
    """Forget the belief of a row, in the open transaction. Raises NotFound if it is gone already."""
    if isinstance(row, Preference):
        return forget_preference(row.subject, row.category, row.key, by=by, reason=reason)
    if isinstance(row, ProfileFact):
        return forget_fact(row.subject, row.field, is_attribute=row.is_attribute, by=by, reason=reason)
    return forget_tag(row.subject, row, by=by, reason=reason)

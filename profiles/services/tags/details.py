"""The past of tag details: each is a belief of its own, on two clocks.

A tag's columns are the current values of its details. A detail that was said earlier than the current one enters its
past; an ended one can be restored.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef

from memory_platform.kernel.clock import utc_now
from profiles.models import CandidateKind, DetailName, Subject, Tag, TagDetail
from profiles.provenance_and_verdict import Provenance
from profiles.selectors import details_of
from profiles.services.belief_reversal import reinstate_belief, undo_unconfirmed_value, withdraw_belief
from profiles.services.beliefs import (
    BeliefPlace,
    change_belief,
    compute_recording_time,
    record_belief,
    retract_belief,
    save_earlier_version,
)
from profiles.services.list_values import change_list
from profiles.services.value_claims import Claim, have_same_value, is_weaker

# The columns of a tag that have a past.
DETAILS = tuple(DetailName.values)
# Columns that belong to one address and to no other.
PLACE_PARTS = ("poi_id", "lat", "lon")
_FIELD: Mapping[str, Any] = {field.attname: field for field in TagDetail._meta.concrete_fields}
_KEPT = [name for name in _FIELD if name not in {"tenant_id", "subject_id", "tag_id"}]
_EMPTY: Mapping[str, Any] = {DetailName.LAT: None, DetailName.LON: None, DetailName.ALIASES: []}


def empty_value(name: str) -> Any:
    return list(_EMPTY[name]) if name == DetailName.ALIASES else _EMPTY.get(name, "")


def is_empty_value(value: Any) -> bool:
    return value is None or value in ("", [])


def build_detail_place(tag: Tag, name: str) -> BeliefPlace[TagDetail]:
    columns = {"tag": tag, "detail": name}
    return BeliefPlace(TagDetail, tag.subject, columns, CandidateKind.TAG, tag.label)


def begin_details(tag: Tag, *, since: datetime, known_since: datetime | None = None) -> None:
    """Record a tag's columns as the first values of its details, true ``since``."""
    recorded = known_since or utc_now()
    at = min(since, recorded)
    TagDetail.objects.bulk_create(
        TagDetail(
            subject_id=tag.subject_id,
            tag=tag,
            detail=name,
            value=getattr(tag, name),
            confidence=tag.confidence,
            provenance=tag.provenance,
            valid_at=at,
            said_times=[at],
            recorded_at=recorded,
            last_validated_at=recorded,
        )
        for name in DETAILS
        if not is_empty_value(getattr(tag, name))
    )


def ensure_details(tag: Tag) -> None:
    """Record the first values of a tag that is older than the details' history: those since its creation."""
    if not details_of(tag).exists():
        begin_details(tag, since=tag.created_at, known_since=tag.created_at)


def ensure_details_of_tags(subject: Subject) -> None:
    """Record the first values of all of a subject's tags that are older than the details' history. One query if there
    are none."""
    held = TagDetail.objects.filter(tag_id=OuterRef("id"), subject_id=subject.id)
    for tag in Tag.objects.select_related("subject").filter(~Exists(held), subject_id=subject.id):
        ensure_details(tag)


def record_details(tag: Tag, changes: Mapping[str, Any], saying: Claim) -> dict[str, Any]:
    """Record values of details, in the open scope; return the resulting columns of the tag.

    ``saying`` says by whom and since when; its value is ignored. An empty value ends the current one. The caller holds
    the subject (``lock_subject``).
    """
    now = utc_now()
    for name, value in changes.items():
        place = build_detail_place(tag, name)
        if is_empty_value(value):
            retract_belief(place, at=saying.valid_at, now=now)
        else:
            record_belief(place, replace(saying, value=value), now=now)
    return load_current_columns(tag, changes)


def add_aliases(tag: Tag, aliases: Iterable[str], saying: Claim) -> dict[str, Any]:
    """Add names to those of a tag, also earlier ones; return the column."""
    change_list(build_detail_place(tag, DetailName.ALIASES), saying, add=list(aliases))
    return load_current_columns(tag, [DetailName.ALIASES])


def is_outranked_by_details(tag: Tag, news: Mapping[str, Any], saying: Claim) -> bool:
    """Return whether a stronger provenance holds another value of one of these details at the time of ``saying``."""
    at = saying.valid_at or utc_now()
    for name, value in news.items():
        holds = build_detail_place(tag, name).row_at(at)
        if holds is not None and is_weaker(saying, holds) and not have_same_value(holds.value, value):
            return True
    return False


def rate_details(tag: Tag, provenance: str, confidence: float) -> None:
    """Set provenance and confidence of a tag's current values; the earlier ones are kept in the history."""
    for row in details_of(tag).filter(retired_at__isnull=True, invalid_at__isnull=True):
        if (row.provenance, row.confidence) != (provenance, confidence):
            moment = compute_recording_time(row, None)
            save_earlier_version(row, moment)
            change_belief(row, moment, provenance=provenance, confidence=confidence)


def undo_details(tag: Tag, columns: Mapping[str, Any], saying: Claim) -> None:
    """Restore these values as if their replacements had never been recorded; the history keeps them."""
    for name, value in columns.items():
        place = build_detail_place(tag, name)
        if not _revert_value(place, value):
            record_details(tag, {name: value}, saying)


def _revert_value(place: BeliefPlace[TagDetail], value: Any) -> bool:
    """Return whether ``value`` is current again after the last change of a detail was reverted."""
    current, latest = place.current(), place.latest_row()
    if current is None:
        ended = latest is not None and have_same_value(latest.value, value)
        return is_empty_value(value) or (
            ended and latest is not None and reinstate_belief(place, latest.id) is not None
        )
    if is_empty_value(value):
        replaced = place.rows().filter(superseded_by_id=current.id)
        return not replaced.exists() and undo_unconfirmed_value(place, current.id)
    before = place.rows().filter(superseded_by_id=current.id).order_by("-valid_at").first()
    if before is None or not have_same_value(before.value, value):
        return False
    return withdraw_belief(place, current.id) is not None


def load_current_columns(tag: Tag, names: Iterable[str]) -> dict[str, Any]:
    wanted = list(names)
    rows = details_of(tag).filter(detail__in=wanted, retired_at__isnull=True, invalid_at__isnull=True).order_by()
    held = dict(rows.values_list("detail", "value"))
    return {name: held.get(name, empty_value(name)) for name in wanted}


def list_columns_to_restore(row: TagDetail) -> dict[str, Any]:
    """Return the columns that restoring an earlier value sets: an address restores its map position, too."""
    changes = {row.detail: row.value}
    if row.detail != DetailName.ADDRESS:
        return changes
    parts = {name: build_detail_place(row.tag, name).row_at(row.valid_at) for name in PLACE_PARTS}
    return changes | {name: empty_value(name) if held is None else held.value for name, held in parts.items()}


def dump_past(tag: Tag, names: Collection[str] = DETAILS) -> list[dict[str, Any]]:
    """Return all values that these details of a tag have had, for :func:`restore_past`."""
    rows = details_of(tag).filter(detail__in=names).order_by("recorded_at")
    return [{name: _to_json(getattr(row, name)) for name in _KEPT} for row in rows]


def restore_past(tag: Tag, past: Iterable[Mapping[str, Any]], names: Collection[str] = DETAILS) -> None:
    """Replace the past of these details of a tag by one from :func:`dump_past`."""
    details_of(tag).filter(detail__in=names).delete()
    rows = [
        TagDetail(subject_id=tag.subject_id, tag=tag, **{name: _from_json(name, one[name]) for name in _KEPT})
        for one in past
    ]
    known = {row.id for row in rows}
    links = {row.id: (row.superseded_by_id, row.version_of_id) for row in rows}
    for row in rows:
        row.superseded_by_id = row.version_of_id = None
    TagDetail.objects.bulk_create(rows)
    for row in rows:
        row.superseded_by_id, row.version_of_id = (one if one in known else None for one in links[row.id])
    TagDetail.objects.bulk_update(rows, ["superseded_by", "version_of"])


def _to_json(value: Any) -> Any:
    if isinstance(value, list):
        return [_to_json(one) for one in value]
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _from_json(name: str, value: Any) -> Any:
    column = _FIELD[name]
    if isinstance(value, list) and name != "value":
        return [column.base_field.to_python(one) for one in value]
    return value if name == "value" else column.to_python(value)


def make_detail_claim(
    provenance: str, confidence: float, valid_at: datetime | None = None, *, explicit: bool = False
) -> Claim:
    return Claim(None, Provenance(provenance), confidence, valid_at, explicit=explicit)

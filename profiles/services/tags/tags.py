"""Creates, changes, uses and deletes tags; their details keep a past."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, FieldFault
from memory_platform.kernel.ids import new_id
from memory_platform.kernel.text import to_comparable
from profiles.models import Candidate, CandidateKind, Subject, Tag, TagKind
from profiles.provenance_and_verdict import Provenance, Verdict
from profiles.selectors import tag_by_id, tags_of
from profiles.services.list_values import merge_entries
from profiles.services.subject_lock import lock_subject
from profiles.services.subject_search_text import refresh_search_text
from profiles.services.tags.details import (
    DETAILS,
    PLACE_PARTS,
    add_aliases,
    begin_details,
    empty_value,
    ensure_details,
    is_empty_value,
    is_outranked_by_details,
    make_detail_claim,
    rate_details,
    record_details,
    undo_details,
)
from profiles.services.value_claims import OLDER, WEAKER, Claim
from tenants.services.audit import Actor, record_audit

STANDING = frozenset({"provenance", "confidence"})
# Columns that a tag may lack; the others define it.
CLEARABLE = ("address", "poi_id", "lat", "lon", "phone", "relation", "aliases")


class LabelTaken(Conflict):
    """Another tag of the subject has this label. HTTP 409."""

    code = "label_taken"

    def __init__(self) -> None:
        super().__init__(
            "Another tag has this label.", faults=[FieldFault("label", "taken", "Another tag has this label.")]
        )


@dataclass(frozen=True, slots=True)
class TagDraft:
    """A tag to write. ``details`` are columns of :class:`Tag` (``kind``, ``address``...); None is no change.

    ``valid_at`` is when it became true: when it was said, by default now. ``id`` is that of a recreated tag.
    """

    label: str
    details: Mapping[str, Any] = field(default_factory=dict)
    provenance: Provenance = Provenance.CONFIRMED_BY_USER
    confidence: float = 1.0
    message_ref: UUID | None = None
    valid_at: datetime | None = None
    id: UUID | None = None

    def get_new_details(self) -> dict[str, Any]:
        return {name: value for name, value in self.details.items() if value is not None}


@dataclass(frozen=True, slots=True)
class TagOutcome:
    """The outcome of a write; ``created`` if it created the tag."""

    verdict: Verdict
    tag: Tag
    reason: str = ""
    created: bool = False


def upsert_tag(subject: Subject, draft: TagDraft) -> TagOutcome:
    """Create a tag, or update the one with the same label to a reader; aliases are united.

    Verdicts: stored (new), merged (details were added), superseded (a detail changed), unchanged (no news, or with
    reason ``older`` news that entered its past only), rejected (``weaker_than_current``: a weaker provenance said
    otherwise and became a candidate).
    """
    lock_subject(subject)
    known = find_tag_by_label(subject, draft.label)
    if known is None:
        return _make(subject, draft)
    ensure_details(known)
    news = draft.get_new_details()
    saying = make_detail_claim(draft.provenance, draft.confidence, draft.valid_at)
    if is_outranked_by_details(known, {name: value for name, value in news.items() if name != "aliases"}, saying):
        return _record_rejection(subject, draft, known)
    columns = _add_news(known, news, saying)
    changed = {name: value for name, value in columns.items() if getattr(known, name) != value}
    replaced = [name for name in changed if name != "aliases" and not is_empty_value(getattr(known, name))]
    changed |= (
        _choose_stronger_provenance(known, draft, replaced=bool(replaced))
        if not _differs_from_current(news, columns)
        else {}
    )
    if not changed:
        return TagOutcome(Verdict.UNCHANGED, known, OLDER if _differs_from_current(news, columns) else "")
    _write(subject, known, changed)
    return TagOutcome(Verdict.SUPERSEDED if replaced else Verdict.MERGED, known)


def patch_tag(
    subject: Subject,
    tag: Tag,
    changes: Mapping[str, Any],
    *,
    valid_at: datetime | None = None,
    by: Actor | None = None,
    reason: str = "",
) -> Tag:
    """Set columns of a tag that was read under the subject's lock; ``aliases`` are replaced as a whole.

    A detail's earlier value stays in its past. A value with a ``valid_at`` before the current one enters only that
    past. ``by`` (a staff member) leaves an audit record. Raises LabelTaken.
    """
    lock_subject(subject)
    label = changes.get("label")
    if label is not None:
        namesake = find_tag_by_label(subject, label)
        if namesake is not None and namesake.id != tag.id:
            raise LabelTaken
    changed = {name: value for name, value in changes.items() if getattr(tag, name) != value or valid_at is not None}
    if changed:
        ensure_details(tag)
        details = {name: value for name, value in changed.items() if name in DETAILS}
        known_by = Provenance(changes.get("provenance", Provenance.CONFIRMED_BY_USER))
        claim = make_detail_claim(known_by, changes.get("confidence", 1.0), valid_at, explicit=True)
        columns = record_details(tag, details, claim)
        _write(subject, tag, {**changed, **columns})
        if not STANDING.isdisjoint(changed):
            rate_details(tag, tag.provenance, tag.confidence)
        _audit(by, "tag.changed", subject, tag, reason)
    return tag


def restore_tag(subject: Subject, tag: Tag, columns: Mapping[str, Any]) -> Tag:
    ensure_details(tag)
    details = {name: value for name, value in columns.items() if name in DETAILS}
    undo_details(tag, details, make_detail_claim(tag.provenance, tag.confidence, explicit=True))
    _write(subject, tag, columns)
    return tag


def delete_tag(subject: Subject, tag: Tag, *, by: Actor | None = None, reason: str = "") -> None:
    """Delete a tag with its past. ``by`` (a staff member) leaves an audit record."""
    lock_subject(subject)
    tags_of(subject).filter(id=tag.id).delete()
    refresh_search_text(subject)
    _audit(by, "tag.deleted", subject, tag, reason)


def record_tag_use(subject: Subject, tag_id: UUID) -> Tag:
    lock_subject(subject)
    tags_of(subject).filter(id=tag_id).update(
        use_count=F("use_count") + 1, version=F("version") + 1, last_used_at=utc_now()
    )
    return tag_by_id(subject, tag_id)


def empty_columns(names: list[str]) -> dict[str, Any]:
    return {name: empty_value(name) for name in names}


def find_tag_by_label(subject: Subject, label: str) -> Tag | None:
    wanted = to_comparable(label)
    return next((tag for tag in tags_of(subject) if to_comparable(tag.label) == wanted), None)


def infer_tag_kind(details: Mapping[str, Any]) -> TagKind:
    """Return the kind of a tag without an explicit one: a contact has a phone or a relation and no place."""
    has_place = any(details.get(name) is not None for name in ("address", "poi_id", "lat"))
    is_contact = not has_place and bool(details.get("phone") or details.get("relation"))
    return TagKind.CONTACT if is_contact else TagKind.PLACE


def _make(subject: Subject, draft: TagDraft) -> TagOutcome:
    news = draft.get_new_details()
    tag = Tag.objects.create(
        id=draft.id or new_id(),
        subject=subject,
        label=draft.label,
        provenance=draft.provenance,
        confidence=draft.confidence,
        **{"kind": infer_tag_kind(news), **news, "aliases": merge_entries([], news.get("aliases", []))},
    )
    begin_details(tag, since=draft.valid_at or tag.created_at)
    refresh_search_text(subject)
    return TagOutcome(Verdict.STORED, tag, created=True)


def _add_news(tag: Tag, news: Mapping[str, Any], saying: Claim) -> dict[str, Any]:
    """Record news of a known tag; return the resulting columns.

    Its label gets the new time, too. A new address removes the map position of the old one.
    """
    aliases = news.get("aliases")
    details = {"label": tag.label, **{name: value for name, value in news.items() if name != "aliases"}}
    before = tag.address
    columns = record_details(tag, details, saying)
    if before and columns.get("address", before) != before:
        lost = {name: empty_value(name) for name in PLACE_PARTS if name not in news}
        columns |= record_details(tag, lost, saying)
    return columns | (add_aliases(tag, aliases, saying) if aliases else {})


def _differs_from_current(news: Mapping[str, Any], columns: Mapping[str, Any]) -> bool:
    return any(columns[name] != value for name, value in news.items() if name in columns and name != "aliases")


def _choose_stronger_provenance(tag: Tag, draft: TagDraft, *, replaced: bool) -> dict[str, Any]:
    """Return provenance and confidence of the draft if they are stronger, or if its detail replaced an old one."""
    strength = Provenance(tag.provenance).strength
    if draft.provenance.strength < strength:
        return {}
    stronger = draft.provenance.strength > strength or draft.confidence > tag.confidence
    if not (replaced or stronger):
        return {}
    drafted = {"provenance": draft.provenance, "confidence": draft.confidence}
    return {name: value for name, value in drafted.items() if getattr(tag, name) != value}


def _write(subject: Subject, tag: Tag, changed: Mapping[str, Any]) -> None:
    for name, value in changed.items():
        setattr(tag, name, value)
    tag.version += 1
    tag.save(update_fields=[*changed, "version", "updated_at"])
    refresh_search_text(subject)


def _record_rejection(subject: Subject, draft: TagDraft, tag: Tag) -> TagOutcome:
    Candidate.objects.get_or_create(
        subject_id=subject.id,
        kind=CandidateKind.TAG,
        target=draft.label,
        value=draft.get_new_details(),
        verdict=Verdict.REJECTED,
        reason=WEAKER,
        message_ref=draft.message_ref,
        defaults={"confidence": draft.confidence, "provenance": draft.provenance},
    )
    return TagOutcome(Verdict.REJECTED, tag, WEAKER)


def _audit(by: Actor | None, action: str, subject: Subject, tag: Tag, reason: str = "") -> None:
    if by is not None:
        record_audit(by, action, object_kind="tag", object_id=str(tag.id), subject_ref=subject.id, reason=reason)

"""Staff actions on one memory: confirm, correct, retire.

Each locks the memory as all writers do, checks that it has the version that the person saw, adds one audit record, and
stores the data to undo it (:class:`snapshots.models.MemoryAct`). All run in the open scope; :func:`build_correction`
only plans.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import F, QuerySet

from memory_platform.kernel.clock import utc_now
from memory_platform.kernel.errors import Conflict, NotFound
from profiles.audit import record_act
from profiles.config import BELIEFS
from profiles.models import Preference, ProfileFact, Subject, Tag
from profiles.provenance_and_verdict import Provenance
from profiles.services.beliefs import BeliefPlace, record_belief, retract_belief
from profiles.services.preferences import build_preference_place, retract_preference
from profiles.services.profile import FactChange, FactName, build_fact_place, patch_profile
from profiles.services.subject_lock import lock_subject
from profiles.services.tags.end_contact_preferences import end_values_of_contact
from profiles.services.tags.tags import delete_tag, patch_tag
from profiles.services.value_claims import ClaimOutcome, have_same_value, make_stated_claim
from snapshots.embedding.snapshot_drafts import MaskText
from snapshots.embedding.snapshot_history import NOTE, render_values
from snapshots.embedding.snapshot_store import lock_memory
from snapshots.lifecycle.edit_snapshot import Edit, TopicsOf, apply_edit, plan_edit
from snapshots.lifecycle.note_trace_hooks import lock_note_subject
from snapshots.lifecycle.product_snapshots import retire_snapshot
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.lifecycle.staff_actions.deleted_tag_copies import dump_tag
from snapshots.lifecycle.write_types import CONFIRMED_NOTE_COLUMNS, SnapshotAddress, VersionCheck
from snapshots.models import ActVerb, MemoryAct, MemoryLane, Snapshot, SnapshotKind
from tenants.services.audit import Actor

ActedMemory = Snapshot | Preference | ProfileFact | Tag
BeliefRow = Preference | ProfileFact
MemoryT = TypeVar("MemoryT", bound=ActedMemory)
LANE_BY_TABLE: Mapping[type[Any], MemoryLane] = {
    Snapshot: MemoryLane.SNAPSHOTS,
    Preference: MemoryLane.PREFERENCES,
    ProfileFact: MemoryLane.PROFILE,
    Tag: MemoryLane.TAGS,
}
CERTAINTY_COLUMNS = ("provenance", "confidence")
# Under this key an act keeps what ended with its note, and what the note's new words filled.
TRACES_KEY = "traces"
CONFIRMED_COLUMNS: Mapping[str, Any] = {"provenance": Provenance.CONFIRMED_BY_USER.value, "confidence": 1.0}
CORRECTED_COLUMNS: Mapping[str, Any] = {
    "provenance": Provenance.CORRECTED_BY_STAFF.value,
    "confidence": BELIEFS.ceiling(Provenance.CORRECTED_BY_STAFF),
}


class NoLongerHeld(Conflict):
    """The memory was replaced, retired or has expired meanwhile. HTTP 409."""

    code = "no_longer_held"


class KeyTaken(Conflict):
    """Another current preference of the subject has this key. HTTP 409."""

    code = "key_taken"


def accept_any_version(_id: UUID, _version: int) -> None:
    """Accept any version."""


@dataclass(frozen=True, slots=True)
class ActContext:
    """Who acts, and why. ``accept`` raises for a version that the person has not seen."""

    by: Actor
    reason: str
    accept: VersionCheck = accept_any_version


def confirm_memory(memory: MemoryT, doing: ActContext) -> MemoryT:
    """Mark a memory as confirmed by the user: full confidence, validated now. Raises NotFound, NoLongerHeld."""
    held = lock_memory_in_use(memory, doing.accept)
    before = {name: getattr(held, name) for name in CERTAINTY_COLUMNS}
    if not isinstance(held, Tag):
        before["last_validated_at"] = held.last_validated_at.isoformat()
    if isinstance(held, Snapshot):
        before |= _confirm_snapshot(held)
    elif isinstance(held, Tag):
        patch_tag(held.subject, held, CONFIRMED_COLUMNS)
    else:
        record_belief(find_belief_place(held), make_stated_claim(held.value))
    record_act_with_audit(held, ActVerb.CONFIRMED, doing, before=before)
    return held


def _confirm_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """Confirm a held snapshot; return the columns of its note that :data:`CONFIRMED_NOTE_COLUMNS` replaced."""
    settled = CONFIRMED_NOTE_COLUMNS if snapshot.kind == SnapshotKind.NOTE else {}
    columns = {**CONFIRMED_COLUMNS, "last_validated_at": utc_now()}
    plan = plan_edit(snapshot, Edit(columns, lambda text: (text, 0), accept_any_version, details=settled))
    apply_edit(plan, None)
    return {NOTE: render_values(plan.note_before)} if plan.note_before else {}


def correct_belief(row: BeliefRow, value: Any, doing: ActContext, **details: Any) -> BeliefRow:
    """Replace a current value, which becomes history; return the row that holds now.

    ``details`` are further columns, such as ``statement``. The same value again only confirms. Raises NotFound,
    NoLongerHeld.
    """
    held = lock_memory_in_use(row, doing.accept)
    before = {
        **{name: getattr(held, name) for name in CERTAINTY_COLUMNS},
        "last_validated_at": held.last_validated_at.isoformat(),
    }
    known_by = Provenance.CONFIRMED_BY_USER if have_same_value(held.value, value) else Provenance.CORRECTED_BY_STAFF
    claim = make_stated_claim(value, provenance=known_by, **details)
    made: Any
    if isinstance(held, ProfileFact):
        name = FactName(held.field, is_attribute=held.is_attribute)
        made = patch_profile(held.subject, [FactChange(name, claim)])[0].row
    else:
        outcome: ClaimOutcome[Any] = record_belief(find_belief_place(held), claim)
        made = outcome.row
    if made.id == held.id:
        record_act_with_audit(made, ActVerb.CONFIRMED, doing, before=before)
    else:
        record_act_with_audit(made, ActVerb.CORRECTED, doing, other=held.id)
    return made  # type: ignore[no-any-return]  # a row of the same table


def move_preference(
    row: Preference, category: str, key: str, value: Any, doing: ActContext, **details: Any
) -> Preference:
    """End a preference that stands under a wrong key, and store ``value`` under the right one; return the new row.

    ``details`` are further columns, such as ``statement``. Raises NotFound, NoLongerHeld, KeyTaken.
    """
    held = lock_memory_in_use(row, doing.accept)
    made = _record_new_preference(held.subject, category, key, value, details)
    retract_belief(find_belief_place(held))
    record_act_with_audit(made, ActVerb.CORRECTED, doing, other=held.id)
    return made


def add_preference(
    subject: Subject, category: str, key: str, value: Any, doing: ActContext, **details: Any
) -> Preference:
    """Store a preference that staff typed; return its row. Raises KeyTaken."""
    made = _record_new_preference(subject, category, key, value, details)
    record_act_with_audit(made, ActVerb.ADDED, doing)
    return made


def _record_new_preference(
    subject: Subject, category: str, key: str, value: Any, details: Mapping[str, Any]
) -> Preference:
    lock_subject(subject)
    place = build_preference_place(subject, category, key)
    if place.current() is not None:
        raise KeyTaken("Another current preference has this key. Correct that one.")
    claim = make_stated_claim(value, provenance=Provenance.CORRECTED_BY_STAFF, **details)
    made = record_belief(place, claim).row
    if made is None:  # a stated value is never the weaker one
        raise NoLongerHeld("The preference could not be stored.")
    return made


def correct_tag(tag: Tag, changes: Mapping[str, Any], doing: ActContext) -> Tag:
    """Set columns of a tag. Raises NotFound, LabelTaken."""
    held = lock_memory_in_use(tag, doing.accept)
    changed = {name: value for name, value in changes.items() if getattr(held, name) != value}
    if changed:
        changed |= CORRECTED_COLUMNS
        before = {name: getattr(held, name) for name in changed}
        patch_tag(held.subject, held, changed)
        record_act_with_audit(held, ActVerb.CORRECTED, doing, before={"columns": before, "became": changed})
    return held


def build_correction(text: str, doing: ActContext, mask: MaskText, topics_of: TopicsOf | None = None) -> Edit:
    """Return the edit that gives a snapshot another text, known from staff, and records the act. ``topics_of`` as in
    :class:`Edit`."""

    def record_correction(read: Snapshot, ended: Mapping[str, Any]) -> None:
        record_act_with_audit(read, ActVerb.CORRECTED, doing, before={"version": read.version, **pack_traces(ended)})

    return Edit({"text": text, **CORRECTED_COLUMNS}, mask, doing.accept, record_correction, topics_of=topics_of)


def pack_traces(ended: Mapping[str, Any]) -> dict[str, Any]:
    return {TRACES_KEY: dict(ended)} if ended else {}


def retire_memory(memory: ActedMemory, doing: ActContext, *, review: UUID | None = None) -> None:
    """Take a memory out of use; its history stays. A tag is deleted, and values under its name end; the act keeps it.

    ``review`` is the review that led to it. Raises NotFound, NoLongerHeld.
    """
    if isinstance(memory, Snapshot):
        lock_note_subject(memory)
    held = lock_memory_in_use(memory, doing.accept)
    audited = {"by": doing.by, "reason": doing.reason}
    before: dict[str, Any] = {"review": str(review)} if review else {}
    if isinstance(held, Tag):
        tag_copy = dump_tag(held)
        ended = end_values_of_contact(held.subject, held, **audited)  # type: ignore[arg-type]
        delete_tag(held.subject, held, **audited)  # type: ignore[arg-type]  # an actor and a text
        store_undo_record(held, ActVerb.RETIRED, before={**tag_copy, "ended": [str(one.id) for one in ended]})
        return
    if isinstance(held, Snapshot):
        address = SnapshotAddress(held.subject.external_id, held.id)
        retired = retire_snapshot(address, accept=accept_any_version, **audited)  # type: ignore[arg-type]
        before |= pack_traces(retired.ended)
    elif isinstance(held, Preference):
        retract_preference(held.subject, held.category, held.key, **audited)  # type: ignore[arg-type]
    else:
        patch_profile(held.subject, [], remove=[FactName(held.field, held.is_attribute)])
        record_act(doing.by, "profile.retracted", held, doing.reason)
    store_undo_record(held, ActVerb.RETIRED, before=before)


def lock_memory_in_use(memory: MemoryT, accept: VersionCheck) -> MemoryT:
    """Return the memory as it is now, locked until the transaction ends. Raises NotFound when it is gone, NoLongerHeld
    when it is no longer in use, and errors of ``accept``."""
    if isinstance(memory, Snapshot):
        lock_memory(memory.subject_id)
    else:
        lock_subject(memory.subject)
    rows: QuerySet[Any] = type(memory)._default_manager.select_related("subject")
    held: MemoryT | None = rows.filter(id=memory.id, subject_id=memory.subject_id).first()
    if held is None:
        raise NotFound("No memory with this id.")
    if not is_in_use(held):
        raise NoLongerHeld("The memory was replaced, retired or has expired.")
    accept(held.id, held.version)
    return held


def is_in_use(memory: ActedMemory) -> bool:
    """Return whether a memory is in use: not replaced, retired or expired."""
    if isinstance(memory, Tag):
        return not memory.was_retired
    if isinstance(memory, Snapshot):
        return Snapshot.objects.filter(
            build_current_snapshot_condition(), id=memory.id, subject_id=memory.subject_id
        ).exists()
    return memory.is_current


def find_belief_place(row: BeliefRow) -> BeliefPlace[Any]:
    if isinstance(row, Preference):
        return build_preference_place(row.subject, row.category, row.key)
    return build_fact_place(row.subject, FactName(row.field, is_attribute=row.is_attribute))


def record_act_with_audit(
    memory: ActedMemory,
    verb: ActVerb,
    doing: ActContext,
    *,
    other: UUID | None = None,
    before: Mapping[str, Any] | None = None,
) -> None:
    record_act(doing.by, f"memory.{verb.value}", memory, doing.reason)
    store_undo_record(memory, verb, other=other, before=before)


def store_undo_record(
    memory: ActedMemory, verb: ActVerb, *, other: UUID | None = None, before: Mapping[str, Any] | None = None
) -> None:
    MemoryAct.objects.create(
        subject_id=memory.subject_id,
        lane=LANE_BY_TABLE[type(memory)],
        memory_ref=memory.id,
        other_ref=other,
        verb=verb,
        before=dict(before or {}),
    )


def update_and_raise_version(memory: ActedMemory, **columns: Any) -> None:
    rows = type(memory)._default_manager.filter(id=memory.id, subject_id=memory.subject_id)
    rows.update(version=F("version") + 1, **columns)

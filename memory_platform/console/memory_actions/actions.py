"""The acts of staff on one memory: for each its labels, form, role, and function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from memory_platform.console.memory_actions.action_forms import (
    BringBackForm,
    CorrectBeliefForm,
    CorrectSnapshotForm,
    CorrectTagForm,
    MergeForm,
    RetireBeliefForm,
    RetireMentionsForm,
    StaffActionForm,
    VitalForm,
    load_earlier_values,
)
from memory_platform.console.shared.note_and_state_labels import find_note, is_note
from profiles.models import Preference, ProfileFact, Tag
from profiles.services.preferences import build_preference_place
from profiles.services.subject_lock import lock_subject
from snapshots.consolidation.consolidation_store import list_consolidations, undo_consolidation
from snapshots.embedding.embedding_spaces import active_embedders
from snapshots.erasure.learned.forget_whole_belief import forget_fact, forget_preference, forget_tag
from snapshots.erasure.memories import forget_memory
from snapshots.lifecycle.staff_actions.belief_origins import (
    find_mentions_of_corrected,
    find_origins,
    list_corrected_values,
    retire_mentions,
    retire_origins,
    retire_tag,
)
from snapshots.lifecycle.staff_actions.memory_actions import (
    ActContext,
    ActedMemory,
    build_correction,
    confirm_memory,
    correct_belief,
    correct_tag,
    find_belief_place,
    is_in_use,
    move_preference,
    retire_memory,
)
from snapshots.lifecycle.staff_actions.merge_memories import merge_memories
from snapshots.lifecycle.staff_actions.undo_act import (
    UndoImpossible,
    find_last_act,
    needs_embedding,
    undo_act,
    undo_correction,
)
from snapshots.lifecycle.staff_actions.value_mentions import list_replaced_columns, list_replaced_values, list_values
from snapshots.lifecycle.write_types import SnapshotAddress
from snapshots.models import Consolidation, MemoryAct, Snapshot
from snapshots.notes.edit import change_vital_class, edit_memory
from snapshots.notes.slot_links import names_value
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.handwritten_note_grade import suggest_vital_class
from snapshots.understanding.statements.topics import find_topics
from tenants.isolation import current_tenant_id
from tenants.models import Role

# What most people come to a memory's page for.
MAIN_VERB = "correct"
RETIRE_MENTIONS_VERB = "retire-mentions"
BELIEF_MODELS = (Preference, ProfileFact)
# Does the act to a memory with its form; returns the memory to show afterwards, None when it is gone.
ActionFunction = Callable[[Any, Any, ActContext], Any]


@dataclass(frozen=True, slots=True)
class StaffAction:
    """One act. ``label`` is on the button that leads to its form, ``button`` on that of the form; ``help`` is above the
    form, ``done`` the message afterwards."""

    verb: str
    label: Any
    button: Any
    help: Any
    done: Any
    run: ActionFunction
    role: Role = Role.SUPPORT
    needs_held_memory: bool = True
    is_grave: bool = False
    notes_only: bool = False
    needs_earlier_value: bool = False
    needs_mentions: bool = False

    def applies_to(self, memory: ActedMemory) -> bool:
        """Return whether the act applies to a memory of this kind and, if it needs one, with a past."""
        return (
            (not self.notes_only or is_note(memory))
            and (not self.needs_earlier_value or bool(load_earlier_values(memory)))
            and (not self.needs_mentions or _has_mentions(memory))
        )

    def find_form_class(self, memory: ActedMemory) -> type[StaffActionForm]:
        return _FORM_CLASSES.get((self.verb, type(memory)), StaffActionForm)


def run_correct(memory: Any, form: Any, doing: ActContext) -> Any:
    if isinstance(memory, Tag):
        return correct_tag_columns(memory, form, doing)
    made: Any
    if isinstance(memory, Preference):
        words = {"statement": form.cleaned_data["statement"]}
        category, key = form.chosen_place()
        if form.is_moved():
            made = move_preference(memory, category, key, form.read_value(), doing, **words)
        else:
            made = correct_belief(memory, form.cleaned_data["value"], doing, **words)
    else:
        made = correct_belief(memory, form.cleaned_data["value"], doing)
    retire_origins(memory, form.chosen_origins(), doing, holds=made)
    retire_mentions(made, form.chosen_origins(), doing, list_replaced_values(memory.value, made.value))
    return made


def correct_tag_columns(tag: Tag, form: Any, doing: ActContext) -> Tag:
    """Set the columns. Of the chosen memories, retire those that mention a replaced value."""
    replaced = list_replaced_columns(vars(tag), form.corrected_columns())
    made = correct_tag(tag, form.corrected_columns(), doing)
    chosen = form.chosen_origins()
    naming = {one.id for one in find_origins(tag) if any(names_value(one.text, value.old) for value in replaced)}
    retire_origins(tag, {one: version for one, version in chosen.items() if one in naming}, doing, holds=made)
    retire_mentions(made, chosen, doing, replaced)
    return made


def correct_snapshot(tenant_id: UUID, memory: Snapshot, form: Any, doing: ActContext) -> Snapshot:
    edit = build_correction(form.cleaned_data["text"], doing, mask_sensitive, find_topics)
    edit_memory(
        tenant_id, _make_snapshot_address(memory), edit, active_embedders(), by=doing.by, suggest=suggest_vital_class
    )
    return memory


def run_retire(memory: Any, form: Any, doing: ActContext) -> Any:
    """Retire a memory. With a belief or tag also the chosen memories that say its value, never in bulk."""
    chosen = form.chosen_origins() if isinstance(form, RetireBeliefForm) else {}
    if isinstance(memory, Tag):
        retire_tag(memory, chosen, doing)
    else:
        retire_memory(memory, doing)
        if isinstance(memory, BELIEF_MODELS):
            retire_origins(memory, chosen, doing, holds=memory)
    if chosen:
        retire_mentions(memory, chosen, doing, list_values(memory))
    return memory


def run_retire_mentions(memory: Any, form: Any, doing: ActContext) -> Any:
    lock_subject(memory.subject)  # the same form sent twice must not note what it retires in an act read before
    retire_mentions(memory, form.chosen_origins(), doing, list_corrected_values(memory))
    return memory


def forget_belief(memory: Any, form: Any, doing: ActContext) -> None:
    by: dict[str, Any] = {"by": doing.by, "reason": doing.reason}
    if isinstance(memory, Preference):
        forget_preference(memory.subject, memory.category, memory.key, **by)
    elif isinstance(memory, ProfileFact):
        forget_fact(memory.subject, memory.field, is_attribute=memory.is_attribute, **by)
    else:
        forget_tag(memory.subject, memory, **by)


def forget_snapshot(tenant_id: UUID, memory: Snapshot, form: Any, doing: ActContext) -> None:
    forget_memory(tenant_id, _make_snapshot_address(memory), active_embedders(), by=doing.by, reason=doing.reason)


def undo_last_action(memory: Any, form: Any, doing: ActContext) -> Any:
    """Undo the last act or the consolidation, and return the memory that holds again."""
    act = find_last_act(memory)
    if act is not None:
        back = undo_act(memory.subject, act.id, doing)
        return type(memory)._default_manager.filter(id=back).first()
    joined = find_undoable_consolidation(memory)
    if joined is None:
        raise UndoImpossible("nothing is left to take back")
    undo_consolidation(memory.subject, joined.id, by=doing.by, reason=doing.reason)
    return memory


def undo_snapshot_correction(tenant_id: UUID, memory: Snapshot, form: Any, doing: ActContext) -> Snapshot:
    undo_correction(tenant_id, form.act, doing, mask=mask_sensitive, embedders=active_embedders())
    return memory


def find_undoable_consolidation(memory: ActedMemory) -> Consolidation | None:
    """Return the consolidation that made this memory and can be undone, or None."""
    if not isinstance(memory, Snapshot) or not is_in_use(memory):
        return None
    return list_consolidations(memory.subject).filter(memory_ref=memory.id, undone_at__isnull=True).first()


def find_run_after_commit(
    act: StaffAction, memory: ActedMemory, form: StaffActionForm
) -> Callable[[ActContext], Any] | None:
    """Return the function for an act that runs outside the page's transaction; None if it runs inside."""
    if not isinstance(memory, Snapshot):
        return None
    tenant_id = current_tenant_id()
    if act.verb == "undo":
        form.act = find_last_act(memory)
        if form.act is None or not needs_embedding(form.act):
            return None
    run = {"correct": correct_snapshot, "forget": forget_snapshot, "undo": undo_snapshot_correction}.get(act.verb)
    return None if run is None else lambda doing: run(tenant_id, memory, form, doing)


def is_already_done(act: StaffAction, memory: Any, form: Any) -> bool:
    """Return whether the requested state holds already: the same form sent twice asks for nothing new. The memory is
    read again: ``memory`` may be older than the first of the two requests."""
    memory = type(memory)._default_manager.select_related("subject").filter(id=memory.id).first() or memory
    last: MemoryAct | None = find_last_act(memory)
    if act.verb in {"correct", "bring-back"}:
        return _has_requested_value(memory, form)
    if act.verb == "vital":
        note = find_note(memory)
        return note is not None and is_in_use(memory) and note.vital_class == form.cleaned_data["vital_class"]
    if last is None:
        return False
    return {
        "confirm": last.verb == "confirmed",
        "retire": last.verb == "retired" and not is_in_use(memory),
        "merge": last.verb == "merged" and str(last.other_ref) == form.data.get("other"),
    }.get(act.verb, False)


def find_current_row(memory: ActedMemory) -> Any:
    """Return the row that holds in this memory's place: itself as it is now, its successor, or None."""
    row = type(memory)._default_manager.select_related("subject").filter(id=memory.id).first()
    if row is None or is_in_use(row):
        return row
    return find_belief_place(row).current() if isinstance(row, Preference | ProfileFact) else None


def _has_mentions(memory: ActedMemory) -> bool:
    return not isinstance(memory, Snapshot) and bool(find_mentions_of_corrected(memory))


def _has_requested_value(memory: Any, form: Any) -> bool:
    if isinstance(memory, Tag):
        return all(getattr(memory, name) == value for name, value in form.corrected_columns().items())
    if isinstance(memory, Snapshot):
        return memory.text == mask_sensitive(form.cleaned_data["text"])[0]
    if isinstance(memory, Preference) and form.is_moved():
        there = build_preference_place(memory.subject, *form.chosen_place()).current()
        return there is not None and there.value == form.read_value()
    now = find_current_row(memory)
    return bool(now and now.value == form.cleaned_data["value"])


def _make_snapshot_address(memory: Snapshot) -> SnapshotAddress:
    return SnapshotAddress(memory.subject.external_id, memory.id)


STAFF_ACTIONS: Mapping[str, StaffAction] = {
    act.verb: act
    for act in (
        StaffAction(
            "confirm",
            _("Confirm"),
            _("Confirm it"),
            _("Confirm only if the user said so: the memory then counts as certain, and as validated today."),
            _("Confirmed."),
            lambda memory, _form, doing: confirm_memory(memory, doing),
        ),
        StaffAction(
            "correct",
            _("Correct"),
            _("Save the correction"),
            _("The wrong value ends now, and your value holds from now on. The history stays visible."),
            _("Corrected. It is believed from now on."),
            run_correct,
        ),
        StaffAction(
            "bring-back",
            _("Bring back"),
            _("Bring this value back"),
            _("The earlier value is valid again from now on, and the current value ends. The history stays visible."),
            _("Brought back. It is believed from now on."),
            lambda memory, form, doing: correct_tag(memory, form.corrected_columns(), doing),
            needs_earlier_value=True,
        ),
        StaffAction(
            "vital",
            _("Vital or not"),
            _("Save"),
            _("A vital note is in every context: a mistake about it can hurt somebody or break a law."),
            _("Saved."),
            lambda memory, form, doing: change_vital_class(
                memory, form.cleaned_data["vital_class"], doing, suggest_vital_class
            ),
            notes_only=True,
        ),
        StaffAction(
            "merge",
            _("Merge"),
            _("Merge into this one"),
            _("Two memories with the same meaning become one. This one stays as it is; the one that you choose ends."),
            _("Merged. This memory has the sources of both."),
            lambda memory, form, doing: merge_memories(memory, form.chosen_memory(), doing),
        ),
        StaffAction(
            "retire",
            _("Retire"),
            _("Retire this memory"),
            _("Recall no longer finds it; the history stays."),
            _("Retired. Recall no longer finds it."),
            run_retire,
        ),
        StaffAction(
            RETIRE_MENTIONS_VERB,
            _("Retire what still says the old value"),
            _("Retire the ticked ones"),
            _("These memories still say a value that was corrected. An undo of the correction brings them back."),
            _("Retired. Recall no longer finds them."),
            run_retire_mentions,
            needs_mentions=True,
        ),
        StaffAction(
            "forget",
            _("Forget"),
            _("Forget for good"),
            _("What goes and what stays is listed below. This cannot be undone."),
            _("Forgotten. The certificate is in the list of erasures."),
            forget_belief,
            role=Role.MANAGER,
            needs_held_memory=False,
            is_grave=True,
        ),
        StaffAction(
            "undo",
            _("Undo"),
            _("Undo the last action"),
            _("Undoes the last action: everything is as it was before."),
            _("Undone."),
            undo_last_action,
            needs_held_memory=False,
        ),
    )
}
_FORM_CLASSES: Mapping[tuple[str, type[Any]], type[StaffActionForm]] = {
    ("correct", Tag): CorrectTagForm,
    ("correct", Snapshot): CorrectSnapshotForm,
    ("bring-back", Tag): BringBackForm,
    ("vital", Snapshot): VitalForm,
    **{("correct", model): CorrectBeliefForm for model in BELIEF_MODELS},
    **{("retire", model): RetireBeliefForm for model in (*BELIEF_MODELS, Tag)},
    **{(RETIRE_MENTIONS_VERB, model): RetireMentionsForm for model in (*BELIEF_MODELS, Tag)},
    **{("merge", model): MergeForm for model in (*BELIEF_MODELS, Tag, Snapshot)},
}

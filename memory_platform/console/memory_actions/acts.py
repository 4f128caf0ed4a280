"""The acts of staff on one memory: for each its labels, form, role, and function."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _

from memory_platform.console.memory_actions.forms import (
    ActForm,
    BringBackForm,
    CorrectBeliefForm,
    CorrectSnapshotForm,
    CorrectTagForm,
    MergeForm,
    RetireBeliefForm,
    RetireTagForm,
    VitalForm,
    earlier_values,
)
from memory_platform.console.shared.note_words import is_note, note_behind
from profiles.models import Preference, ProfileFact, Tag
from snapshots.consolidation.join import consolidations_of, undo_consolidation
from snapshots.embedding.spaces import active_embedders
from snapshots.erasure.learned.beliefs import forget_fact, forget_preference, forget_tag
from snapshots.erasure.memories import forget_memory
from snapshots.lifecycle.staff_actions.actions import (
    Doing,
    Memory,
    confirm_memory,
    correct_belief,
    correct_tag,
    correction_of,
    is_held,
    place_of,
    retire_memory,
)
from snapshots.lifecycle.staff_actions.merging import merge_memories
from snapshots.lifecycle.staff_actions.origins import origins_of, retire_origins, retire_tag
from snapshots.lifecycle.staff_actions.undo import UndoImpossible, last_act, needs_words, undo_act, undo_correction
from snapshots.lifecycle.values import SnapshotAddress
from snapshots.models import Consolidation, MemoryAct, Snapshot
from snapshots.notes.edit import change_vital_class, edit_memory
from snapshots.notes.slots import names
from snapshots.sensitive.detector import mask_sensitive
from snapshots.understanding.grading.posted import suggest_vital_class
from snapshots.understanding.statements.topics import topics_of
from tenants.isolation import current_tenant_id
from tenants.models import Role

BELIEFS = (Preference, ProfileFact)
# Does the act to a memory with its form; returns the memory to show afterwards, None when it is gone.
Run = Callable[[Any, Any, Doing], Any]


@dataclass(frozen=True, slots=True)
class Act:
    """One act. ``label`` is on its button, ``help`` above its form, ``done`` is the message afterwards."""

    verb: str
    label: Any
    help: Any
    done: Any
    run: Run
    role: Role = Role.SUPPORT
    held_only: bool = True
    is_grave: bool = False
    of_notes: bool = False
    of_the_past: bool = False

    def is_for(self, memory: Memory) -> bool:
        """Return whether the act applies to a memory of this kind and, if it needs one, with a past."""
        return (not self.of_notes or is_note(memory)) and (not self.of_the_past or bool(earlier_values(memory)))

    def form_for(self, memory: Memory) -> type[ActForm]:
        return _FORMS.get((self.verb, type(memory)), ActForm)


def correct(memory: Any, form: Any, doing: Doing) -> Any:
    if isinstance(memory, Tag):
        return correct_columns(memory, form, doing)
    words = {"statement": form.cleaned_data["statement"]} if isinstance(memory, Preference) else {}
    made = correct_belief(memory, form.cleaned_data["value"], doing, **words)
    retire_origins(memory, form.origins(), doing, holds=made)
    return made


def correct_columns(tag: Tag, form: Any, doing: Doing) -> Tag:
    """Set the columns. Of the chosen memories, retire those that mention a replaced value."""
    replaced = [getattr(tag, name) for name, value in form.columns().items() if getattr(tag, name) != value]
    wrong = [str(value) for value in replaced if value]
    naming = {one.id for one in origins_of(tag) if any(names(one.text, value) for value in wrong)}
    made = correct_tag(tag, form.columns(), doing)
    seen = {one: version for one, version in form.origins().items() if one in naming}
    retire_origins(tag, seen, doing, holds=made)
    return made


def correct_outside(tenant_id: UUID, memory: Snapshot, form: Any, doing: Doing) -> Snapshot:
    edit = correction_of(form.cleaned_data["text"], doing, mask_sensitive, topics_of)
    edit_memory(tenant_id, _address(memory), edit, active_embedders(), by=doing.by, suggest=suggest_vital_class)
    return memory


def retire(memory: Any, form: Any, doing: Doing) -> Any:
    """Retire a memory. With a belief or tag also the chosen memories it was learned from, never in bulk."""
    if isinstance(memory, Tag):
        retire_tag(memory, form.origins() if form is not None else {}, doing)
        return None
    retire_memory(memory, doing)
    if form is not None and isinstance(memory, BELIEFS):
        retire_origins(memory, form.origins(), doing, holds=memory)
    return memory


def forget(memory: Any, form: Any, doing: Doing) -> None:
    by: dict[str, Any] = {"by": doing.by, "reason": doing.reason}
    if isinstance(memory, Preference):
        forget_preference(memory.subject, memory.category, memory.key, **by)
    elif isinstance(memory, ProfileFact):
        forget_fact(memory.subject, memory.field, is_attribute=memory.is_attribute, **by)
    else:
        forget_tag(memory.subject, memory, **by)


def forget_outside(tenant_id: UUID, memory: Snapshot, form: Any, doing: Doing) -> None:
    forget_memory(tenant_id, _address(memory), active_embedders(), by=doing.by, reason=doing.reason)


def undo(memory: Any, form: Any, doing: Doing) -> Any:
    """Undo the last act or the consolidation, and return the memory that holds again."""
    act = last_act(memory)
    if act is not None:
        back = undo_act(memory.subject, act.id, doing)
        return type(memory)._default_manager.filter(id=back).first()
    joined = consolidation_of(memory)
    if joined is None:
        raise UndoImpossible("nothing is left to take back")
    undo_consolidation(memory.subject, joined.id, by=doing.by, reason=doing.reason)
    return memory


def undo_outside(tenant_id: UUID, memory: Snapshot, form: Any, doing: Doing) -> Snapshot:
    undo_correction(tenant_id, form.act, doing, mask=mask_sensitive, embedders=active_embedders())
    return memory


def consolidation_of(memory: Memory) -> Consolidation | None:
    """Return the consolidation that made this memory and can be undone, or None."""
    if not isinstance(memory, Snapshot) or not is_held(memory):
        return None
    return consolidations_of(memory.subject).filter(memory_ref=memory.id, undone_at__isnull=True).first()


def outside_run(act: Act, memory: Memory, form: ActForm) -> Callable[[Doing], Any] | None:
    """Return the function for an act that runs outside the page's transaction; None if it runs inside."""
    if not isinstance(memory, Snapshot):
        return None
    tenant_id = current_tenant_id()
    if act.verb == "undo":
        form.act = last_act(memory)
        if form.act is None or not needs_words(form.act):
            return None
    run = {"correct": correct_outside, "forget": forget_outside, "undo": undo_outside}.get(act.verb)
    return None if run is None else lambda doing: run(tenant_id, memory, form, doing)


def is_already_so(act: Act, memory: Any, form: Any) -> bool:
    """Return whether the requested state holds already: the same form sent twice asks for nothing new.

    The memory is read again: ``memory`` may be older than the first of the two requests.
    """
    memory = type(memory)._default_manager.select_related("subject").filter(id=memory.id).first() or memory
    last: MemoryAct | None = last_act(memory)
    if act.verb in {"correct", "bring-back"}:
        return _says_so(memory, form)
    if act.verb == "vital":
        note = note_behind(memory)
        return note is not None and is_held(memory) and note.vital_class == form.cleaned_data["vital_class"]
    if last is None:
        return False
    return {
        "confirm": last.verb == "confirmed",
        "retire": last.verb == "retired" and not is_held(memory),
        "merge": last.verb == "merged" and str(last.other_ref) == form.data.get("other"),
    }.get(act.verb, False)


def holds_now(memory: Memory) -> Any:
    """Return the row that holds in this memory's place: itself as it is now, its successor, or None."""
    row = type(memory)._default_manager.select_related("subject").filter(id=memory.id).first()
    if row is None or is_held(row):
        return row
    return place_of(row).current() if isinstance(row, Preference | ProfileFact) else None


def _says_so(memory: Any, form: Any) -> bool:
    if isinstance(memory, Tag):
        return all(getattr(memory, name) == value for name, value in form.columns().items())
    if isinstance(memory, Snapshot):
        return memory.text == mask_sensitive(form.cleaned_data["text"])[0]
    now = holds_now(memory)
    return bool(now and now.value == form.cleaned_data["value"])


def _address(memory: Snapshot) -> SnapshotAddress:
    return SnapshotAddress(memory.subject.external_id, memory.id)


ACTS: Mapping[str, Act] = {
    act.verb: act
    for act in (
        Act(
            "confirm",
            _("Confirm"),
            _("The user said so. The memory counts as certain, and as validated today."),
            _("Confirmed."),
            lambda memory, _form, doing: confirm_memory(memory, doing),
        ),
        Act(
            "correct",
            _("Correct"),
            _("The wrong value ends now, and your value holds from now on. The history stays visible."),
            _("Corrected. The next answer uses it."),
            correct,
        ),
        Act(
            "bring-back",
            _("Bring back"),
            _("The earlier value holds again from now on, and the current value ends. The history stays visible."),
            _("Brought back. The next answer uses it."),
            lambda memory, form, doing: correct_tag(memory, form.columns(), doing),
            of_the_past=True,
        ),
        Act(
            "vital",
            _("Vital or not"),
            _("A vital note is in every context: a mistake about it can hurt somebody or break a law."),
            _("Saved. The next answer uses it."),
            lambda memory, form, doing: change_vital_class(
                memory, form.cleaned_data["vital_class"], doing, suggest_vital_class
            ),
            of_notes=True,
        ),
        Act(
            "merge",
            _("Merge"),
            _("Two memories with the same meaning become one. This one stays as it is; the one that you choose ends."),
            _("Merged. This memory has the sources of both."),
            lambda memory, form, doing: merge_memories(memory, form.other(), doing),
        ),
        Act(
            "retire",
            _("Retire"),
            _("Recall no longer finds it; the history stays."),
            _("Retired. Recall no longer finds it."),
            retire,
        ),
        Act(
            "forget",
            _("Forget"),
            _("Every value it ever had, and its words wherever they are stored, are erased. This cannot be undone."),
            _("Forgotten. The certificate is in the list of erasures."),
            forget,
            role=Role.MANAGER,
            held_only=False,
            is_grave=True,
        ),
        Act(
            "undo",
            _("Undo"),
            _("The last act is undone: everything is as it was before."),
            _("Undone."),
            undo,
            held_only=False,
        ),
    )
}
_FORMS: Mapping[tuple[str, type[Any]], type[ActForm]] = {
    ("correct", Tag): CorrectTagForm,
    ("correct", Snapshot): CorrectSnapshotForm,
    ("bring-back", Tag): BringBackForm,
    ("vital", Snapshot): VitalForm,
    **{("correct", model): CorrectBeliefForm for model in BELIEFS},
    ("retire", Tag): RetireTagForm,
    **{("retire", model): RetireBeliefForm for model in BELIEFS},
    **{("merge", model): MergeForm for model in (*BELIEFS, Tag, Snapshot)},
}

"""Forms on the proof of a correction: which memories still say the old value, to be retired with the correction."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from memory_platform.console.explanation.current_memories import CurrentMemory
from memory_platform.console.memory_actions.action_forms import RetireMentionsForm
from memory_platform.console.memory_actions.action_page import build_action_address
from memory_platform.console.memory_actions.actions import RETIRE_MENTIONS_VERB
from memory_platform.console.receipts.prompt_verdict import MAX_TOLD
from snapshots.lifecycle.staff_actions.memory_actions import is_in_use
from snapshots.models import ActVerb, MemoryAct, MemoryLane


@dataclass(frozen=True, slots=True)
class MentionsForm:
    """A form, and the address that it is sent to."""

    form: RetireMentionsForm
    address: str


def list_mentions_forms(acts: Iterable[MemoryAct], known: Mapping[str, CurrentMemory]) -> list[MentionsForm]:
    """Return a form for each of the corrections of these memories whose old value other memories still say."""
    corrected = {
        str(one)
        for act in acts
        if act.verb == ActVerb.CORRECTED and act.undone_at is None and act.lane != MemoryLane.SNAPSHOTS
        for one in (act.memory_ref, act.other_ref)
    }
    rows = {known[one].row.pk: known[one].row for one in sorted(corrected & known.keys())}
    forms = (_make_form(row) for row in rows.values() if is_in_use(row))
    return list(islice((one for one in forms if one is not None), MAX_TOLD))


def _make_form(row: Any) -> MentionsForm | None:
    form = RetireMentionsForm(row)
    form.auto_id = f"id_{row.pk}_%s"
    return MentionsForm(form, build_action_address(row, RETIRE_MENTIONS_VERB)) if "origins" in form.fields else None

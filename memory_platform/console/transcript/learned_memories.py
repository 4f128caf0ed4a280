"""Memories learned from the messages of a transcript: each in a sentence, its state, and where it was used."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from memory_platform.console.shared.code_labels import render_code
from memory_platform.console.shared.headers.belief_names import label_fact, label_preference
from memory_platform.console.shared.note_and_state_labels import CURRENT, classify_state, is_note, render_state_badge
from memory_platform.console.shared.value_rendering import build_change_address, build_list_address, format_json_value
from profiles.models import Preference, ProfileFact, Tag
from snapshots.models import (
    Note,
    PreferenceSource,
    ProfileFactSource,
    Receipt,
    ReceiptMemory,
    SnapshotKind,
    SnapshotSource,
    TagSource,
)

# Memories of one kind that are read for a page.
MAX_LINKS = 400
# Answers that used one memory are counted up to here: beyond, staff only care that it is often.
MAX_COUNTED_USES = 100
# Newest answers that are searched for memories without rows of their own.
MAX_WAITING_ANSWERS = 200
# Characters of a memory that tell it from the others.
MAX_TEXT_CHARS = 140
# Kinds that are made of a whole stretch of a conversation, not learned from one message.
STRETCH_KINDS = (SnapshotKind.CONVERSATION, SnapshotKind.SEGMENT)


@dataclass(frozen=True, slots=True)
class LearnedMemory:
    """One memory beside the message behind it. ``state``: a badge that says why it is no longer
    current, "" if it is."""

    kind: str
    text: str
    address: str
    state: str
    used: str
    used_address: str
    is_statement: bool = False

    def only_repeats(self, said: str) -> bool:
        """Return whether it repeats the message, and no answer used it: beside the message it adds nothing."""
        same = self.text == shorten_words(said)
        return self.is_statement and same and not self.used and not self.state


@dataclass(frozen=True, slots=True)
class MemoryKind:
    """How the memories of one link table are told."""

    source_model: Any
    describe: Callable[[Any], str]
    label: Callable[[Any], Any]


def describe_preference(one: Preference) -> str:
    return f"{_space_key(label_preference(one))}: {format_json_value(one.value)}"


def describe_fact(one: ProfileFact) -> str:
    return f"{_space_key(label_fact(one))}: {format_json_value(one.value)}"


def describe_tag(one: Tag) -> str:
    details = ", ".join(filter(None, (one.address, one.phone, one.relation)))
    return f"{one.label}: {details}" if details else one.label


# Statements come last: they repeat the message itself.
MEMORY_KINDS = (
    MemoryKind(PreferenceSource, describe_preference, lambda _one: render_code("preference")),
    MemoryKind(ProfileFactSource, describe_fact, lambda _one: render_code("profile")),
    MemoryKind(TagSource, describe_tag, lambda one: one.get_kind_display()),
    MemoryKind(SnapshotSource, lambda one: one.text, lambda one: one.get_kind_display()),
)


def load_learned_memories(subject_id: UUID, message_ids: Sequence[UUID]) -> dict[UUID, list[LearnedMemory]]:
    """Return the memories learned from each message, notes and beliefs first. One query for each kind of memory, and
    one for the newest answers."""
    found: dict[UUID, list[tuple[bool, LearnedMemory]]] = defaultdict(list)
    if not message_ids:
        return {}
    waiting = _load_answers_without_rows(subject_id)
    for kind in MEMORY_KINDS:
        for link in _find_links(kind.source_model, subject_id, message_ids):
            used_in = [*link.used_in, *waiting.get(str(link.memory_id), ())]
            told = _describe_memory(kind, link.memory, used_in)
            found[link.message_id].append((told.is_statement, told))
    return {
        message_id: [one for _last, one in sorted(each, key=lambda pair: pair[0])] for message_id, each in found.items()
    }


def _load_answers_without_rows(subject_id: UUID) -> dict[str, list[UUID]]:
    """Return the newest answers by the memories in their prompts, which have no rows of their own yet."""
    newest = Receipt.objects.filter(subject_id=subject_id, due__isnull=False).order_by("-created_at", "-id")
    found: dict[str, list[UUID]] = defaultdict(list)
    for receipt_id, due in newest.values_list("id", "due")[:MAX_WAITING_ANSWERS]:
        for memory_id, _lane, _position in due or ():
            found[memory_id].append(receipt_id)
    return found


def _find_links(source_model: Any, subject_id: UUID, message_ids: Sequence[UUID]) -> list[Any]:
    links = source_model.objects.filter(subject_id=subject_id, message_id__in=list(message_ids))
    if source_model is SnapshotSource:
        links = links.exclude(memory__kind__in=STRETCH_KINDS).defer("memory__content_hash")
    rows = ReceiptMemory.objects.filter(memory_ref=OuterRef("memory_id"), subject_id=subject_id).order_by()
    # One more than is counted tells that there are more.
    used = rows.values("receipt_id")[: MAX_COUNTED_USES + 1]
    found = links.select_related("memory").annotate(used_in=ArraySubquery(used))
    return list(found.order_by("id")[:MAX_LINKS])


def _describe_memory(kind: MemoryKind, memory: Any, used_in: Sequence[UUID]) -> LearnedMemory:
    only_one = len(used_in) == 1
    return LearnedMemory(
        str(kind.label(memory)),
        shorten_words(kind.describe(memory)),
        build_change_address(Note if is_note(memory) else type(memory), memory.pk),
        render_past_state(memory),
        describe_uses(len(used_in)),
        build_change_address(Receipt, used_in[0]) if only_one else build_list_address(Receipt, memory=memory.pk),
        getattr(memory, "kind", "") == SnapshotKind.STATEMENT,
    )


def shorten_words(text: str) -> str:
    return Truncator(" ".join(text.split())).chars(MAX_TEXT_CHARS)


def render_past_state(memory: Any) -> str:
    """Return a badge that says why a memory is no longer current; "" if it is."""
    state = classify_state(memory)
    return "" if state == CURRENT else render_state_badge(state)


def describe_uses(count: int) -> str:
    if count > MAX_COUNTED_USES:
        return str(_("in more than %(count)d answers") % {"count": MAX_COUNTED_USES})
    return ngettext("in %(count)d answer", "in %(count)d answers", count) % {"count": count} if count else ""


def _space_key(key: str) -> str:
    """Return a name from the API without its underscores."""
    return key.replace("_", " ")

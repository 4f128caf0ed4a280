"""The memories behind a receipt's candidates as they are today: text, page and source messages."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.headers.belief_names import label_fact, label_preference
from memory_platform.console.shared.note_and_state_labels import is_note
from memory_platform.console.shared.value_rendering import build_change_address, format_json_value, parse_uuid
from memory_platform.console.transcript.answers import ANSWER_PARAMETER
from memory_platform.console.transcript.message_links import build_turn_address
from profiles.models import Preference, ProfileFact, Tag
from snapshots.lifecycle.selectors import build_current_snapshot_condition
from snapshots.models import Note, PreferenceSource, ProfileFactSource, Snapshot, SnapshotSource, TagSource

# Source messages read for one page; as many are linked as fit into a line.
MAX_SOURCES = 1_000


@dataclass(frozen=True, slots=True)
class LaneSource:
    """How a lane's memories are stored, rendered in one line, and linked to their messages."""

    model: Any
    render: Callable[[Any], str]
    source_model: Any


def render_tag_line(tag: Tag) -> str:
    return ", ".join(filter(None, [tag.label, tag.address, tag.phone, tag.relation]))


def render_fact_line(fact: ProfileFact) -> str:
    return f"{label_fact(fact)}: {format_json_value(fact.value)}"


LANE_SOURCES = {
    "snapshots": LaneSource(Snapshot, lambda one: f"{one.name}: {one.text}" if one.name else one.text, SnapshotSource),
    "preferences": LaneSource(
        Preference, lambda one: f"{label_preference(one)}: {format_json_value(one.value)}", PreferenceSource
    ),
    "profile": LaneSource(ProfileFact, render_fact_line, ProfileFactSource),
    "tags": LaneSource(Tag, render_tag_line, TagSource),
    "notes": LaneSource(Snapshot, lambda one: one.text, SnapshotSource),
}


# What one does about a wrong memory in an answer: verb and label.
CARD_ACTS = (("correct", _("Correct")), ("retire", _("Retire")))


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message behind a memory: time, speaker, and place in its transcript."""

    said_at: Any
    role: str
    address: str


@dataclass(frozen=True, slots=True)
class CardAct:
    """A link to the form of one act on a memory."""

    verb: str
    label: Any
    address: str


@dataclass(frozen=True, slots=True)
class CurrentMemory:
    """A memory as it is today, and the acts that it allows; a memory that is no longer in use allows none. ``row``: as
    it is stored."""

    text: str
    address: str
    row: Any
    sources: tuple[SourceMessage, ...] = ()
    acts: tuple[CardAct, ...] = ()


def load_current_memories(
    subject_id: UUID,
    candidates: Iterable[Mapping[str, Any]],
    *,
    with_sources: bool = True,
    acts_from: UUID | None = None,
) -> dict[str, CurrentMemory]:
    """Return the candidates that still exist, by memory id. One to three queries per lane. ``acts_from``: the answer
    whose page offers acts on them; none without it."""
    wanted: dict[str, set[UUID]] = defaultdict(set)
    for candidate in candidates:
        memory_id = parse_uuid(candidate["memory_id"])
        if candidate["lane"] in LANE_SOURCES and memory_id:
            wanted[candidate["lane"]].add(memory_id)
    return {
        str(one): known
        for lane, ids in wanted.items()
        for one, known in _load_lane(
            LANE_SOURCES[lane], subject_id, ids, with_sources=with_sources, acts_from=acts_from
        )
    }


def _load_lane(
    lane: LaneSource, subject_id: UUID, ids: set[UUID], *, with_sources: bool, acts_from: UUID | None
) -> list[tuple[UUID, CurrentMemory]]:
    rows = list(lane.model.objects.filter(subject_id=subject_id, pk__in=ids).order_by())
    sources = _load_sources(lane, subject_id, ids) if with_sources else {}
    in_use = _find_rows_in_use(lane, rows) if acts_from else frozenset()
    return [
        (
            row.pk,
            CurrentMemory(
                lane.render(row),
                build_change_address(lane.model, row.pk),
                row,
                tuple(sources.get(row.pk, ())),
                _list_acts(row, acts_from) if row.pk in in_use else (),
            ),
        )
        for row in rows
    ]


def _find_rows_in_use(lane: LaneSource, rows: Iterable[Any]) -> frozenset[UUID]:
    """Return the rows on which staff may act: those that recall still finds."""
    if lane.model is Snapshot:
        ids = [row.pk for row in rows]
        return frozenset(
            Snapshot.objects.filter(build_current_snapshot_condition(), pk__in=ids).values_list("pk", flat=True)
        )
    return frozenset(row.pk for row in rows if isinstance(row, Tag) or (row.is_current and row.version_of_id is None))


def _list_acts(row: Any, receipt_id: UUID | None) -> tuple[CardAct, ...]:
    model = Note if is_note(row) else type(row)
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_act"
    return tuple(
        CardAct(verb, label, f"{reverse(name, args=[row.pk, verb])}?{ANSWER_PARAMETER}={receipt_id}")
        for verb, label in CARD_ACTS
    )


def _load_sources(lane: LaneSource, subject_id: UUID, ids: set[UUID]) -> dict[UUID, list[SourceMessage]]:
    links = lane.source_model.objects.filter(subject_id=subject_id, memory_id__in=ids).select_related("message")
    found: dict[UUID, list[SourceMessage]] = defaultdict(list)
    wanted = ("memory_id", "message__said_at", "message__role", "message__conversation_id")
    for link in links.only(*wanted).order_by("message__said_at")[:MAX_SOURCES]:
        message = link.message
        address = build_turn_address(message.conversation_id, message.pk)
        found[link.memory_id].append(SourceMessage(message.said_at, message.get_role_display(), address))
    return found

"""The two files that are views of memory: ``profile.md`` of beliefs, ``notes.md`` of notes.

A view is never written. A line that is added to one becomes a note, if the gate lets it. Nothing can be taken out,
since a model may err or be led: people have things forgotten by saying so, or by an order of the product.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from profiles.models import Subject
from profiles.prompt_lines import TagParts, render_preference, render_tag
from profiles.provenance_and_verdict import describe_value
from profiles.selectors import current_preferences, profile_facts, tags_of
from snapshots.context.receipt_record import load_component_versions
from snapshots.context.values import DecisionReason
from snapshots.memory_files.command_types import CommandRefused
from snapshots.memory_files.config import MEMORY_FILES
from snapshots.memory_files.paths import BULLETS, NOTES, PROFILE
from snapshots.notes.selectors import NoteFilter, list_notes
from snapshots.receipts.values import ReceiptCandidate, ReceiptDraft, RenderedPrompt
from snapshots.receipts.write import write_receipt
from snapshots.understanding.reading.planted_instruction_classifier import is_instruction

_ADDS_ONLY = "Lines that are added become notes, if they are no secrets and no instructions. Nothing can be taken out."
_HEADS = {
    PROFILE: f"# Profile\n\nWhat is believed about the person. This file is generated. {_ADDS_ONLY}\n",
    NOTES: f"# Notes\n\nWhat was noted about the person, newest first. This file is generated. {_ADDS_ONLY}\n",
}


class ShownLine(NamedTuple):
    """A memory as a line of a view."""

    lane: str
    kind: str
    memory_id: str
    text: str


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    path: str
    text: str
    lines: tuple[ShownLine, ...] = ()


def make_generated_file(path: str, subject: Subject | None) -> GeneratedFile:
    """Return a view as it is now, in the open scope. Of nobody it has no lines."""
    found: Iterable[ShownLine] = ()
    if subject is not None:
        found = _list_profile(subject) if path == PROFILE else _list_notes(subject)
    lines = tuple(one for one in found if not is_instruction(one.text))
    shown = "".join(f"- {' '.join(one.text.split())}\n" for one in lines)
    return GeneratedFile(path, f"{_HEADS[path]}\n{shown}" if shown else _HEADS[path], lines)


def record_shown_memories(subject_id: UUID, view: GeneratedFile, policy_version: str) -> None:
    """Record in a receipt which memories a model was shown, in the open scope."""
    candidates = [
        ReceiptCandidate(one.memory_id, one.lane, one.kind, 0.0, DecisionReason.KEPT, 0, context_position=place)
        for place, one in enumerate(view.lines, 1)
    ]
    write_receipt(
        ReceiptDraft(
            subject_id=subject_id,
            policy_version=policy_version,
            rendered=RenderedPrompt(f"view {view.path}", text=view.text),
            candidates=candidates,
            tokens={"total": 0, "budget": 0, "full_history": 0, "saved_ratio": 0.0, "counter": "estimate"},
            made_by=load_component_versions(),
        )
    )


def find_added_lines(before: str, after: str) -> list[str]:
    """Return the lines that an edit of a view adds, without bullets and headings. Raises CommandRefused for an edit
    that takes something out, adds nothing, or adds too much."""
    gone = Counter(_list_plain_lines(before)) - Counter(_list_plain_lines(after))
    if gone:
        raise CommandRefused(
            "This file shows what is remembered, and lines cannot be changed or taken out here. Add a line that says "
            "what is so now. To have something forgotten, the person says so in the conversation."
        )
    added = list((Counter(_list_plain_lines(after)) - Counter(_list_plain_lines(before))).elements())
    if not added:
        raise CommandRefused("Nothing was added. Add a line with one lasting thing about the person.")
    if len(added) > MEMORY_FILES.added_lines:
        raise CommandRefused(f"Too many lines. Add at most {MEMORY_FILES.added_lines} at once.")
    if any(len(one.encode()) > MEMORY_FILES.added_line_bytes for one in added):
        raise CommandRefused(f"A line is too long. At most {MEMORY_FILES.added_line_bytes} bytes are allowed.")
    return added


def _list_plain_lines(text: str) -> list[str]:
    told = (line.strip().lstrip(BULLETS).strip() for line in text.split("\n") if not line.startswith("#"))
    return [one for one in told if one]


def _list_profile(subject: Subject) -> Iterator[ShownLine]:
    for fact in profile_facts(subject).order_by("field"):
        yield ShownLine(
            "profile", "profile", fact.field, f"{fact.field.replace('_', ' ')}: {describe_value(fact.value)}"
        )
    for one in current_preferences(subject).order_by("category", "key"):
        yield ShownLine("preferences", "preference", str(one.id), render_preference(one.category, one.key, one.value))
    for tag in tags_of(subject).order_by("label"):
        parts = TagParts(tag.label, str(tag.kind), tag.address, tag.phone, tag.relation, tuple(tag.aliases))
        yield ShownLine("tags", "tag", str(tag.id), render_tag(parts))


def _list_notes(subject: Subject) -> Iterator[ShownLine]:
    rows = list_notes(subject, NoteFilter()).order_by("-position")
    for one in rows[: MEMORY_FILES.shown_notes]:
        yield ShownLine("snapshots", "note", str(one.id), one.text)

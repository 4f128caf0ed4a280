"""Changes of a prompt's memories since it was sent: another value holds today, or the memory is no longer in use."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from memory_platform.console.shared.note_and_state_labels import (
    CURRENT,
    RETIRED,
    STATE_LABELS,
    SUPERSEDED,
    classify_state,
)
from memory_platform.console.shared.value_rendering import format_json_value
from memory_platform.kernel.text import to_comparable
from profiles.models import Preference, ProfileFact, Tag, TagDetail
from profiles.prompt_lines import TagParts, render_tag
from snapshots.feedback.injected_texts import extract_sent_text
from snapshots.models import ActVerb, MemoryAct, Snapshot
from snapshots.receipts.values import RenderedPrompt

_CUT_MARKS = "\N{HORIZONTAL ELLIPSIS}."


@dataclass(frozen=True, slots=True)
class LaterChange:
    """``now``: today's value, "" if the memory is no longer in use; ``state``: then one of ``note_and_state_labels``.
    ``at``: since when, None if unknown; ``known``: how today's value came to be known."""

    now: str
    state: str = ""
    at: datetime | None = None
    known: str = ""

    @property
    def label(self) -> str:
        """The change in a few words: "now: 88 Mill Avenue, 22 Nov 2026, confirmed by user", "retired"."""
        told = _("now: %(value)s") % {"value": self.now} if self.now else str(STATE_LABELS[self.state])
        return " · ".join(filter(None, (told, f"{self.at:%Y-%m-%d}" if self.at else "", self.known)))

    @property
    def is_correction(self) -> bool:
        """Whether somebody changed or ended it; a plan may also have ended by itself."""
        return bool(self.now) or self.state in (RETIRED, SUPERSEDED)


def list_sent_texts(candidates: Iterable[Mapping[str, Any]], rendered: RenderedPrompt | None) -> dict[str, str]:
    """Return the words of each candidate in a prompt, without its signs, by memory id; "" where it has no place."""
    places = (
        {place[0]: extract_sent_text(rendered.text_at(place)).strip() for place in rendered.places} if rendered else {}
    )
    return {
        one["memory_id"]: places.get(one["context_position"], "")
        for one in candidates
        if one["context_position"] is not None
    }


def find_later_changes(
    subject_id: UUID, sent: Mapping[str, str], rows: Mapping[str, Any], since: datetime
) -> dict[str, LaterChange]:
    """Return the changes of the memories that a prompt held, by memory id. At most five queries.

    ``sent``: the prompt's words of each, without its signs; "" if that is no longer known. ``rows``: the memories that
    are still stored. ``since``: when the prompt was made.
    """
    rows = {memory_id: rows[memory_id] for memory_id in sent if memory_id in rows}
    heirs, retired = _load_current_beliefs(subject_id, rows.values()), _find_retired_beliefs(subject_id, rows.values())
    found = {
        memory_id: _find_change(row, RETIRED if row.pk in retired else classify_state(row), sent[memory_id], heirs)
        for memory_id, row in rows.items()
        if not _was_over(row, since)
    }
    changed = [rows[memory_id].pk for memory_id, one in found.items() if one and isinstance(rows[memory_id], Tag)]
    details = _load_newest_details(subject_id, changed)
    return {memory_id: _date_change(one, details.get(rows[memory_id].pk)) for memory_id, one in found.items() if one}


def split_label(sent: str) -> tuple[str, str]:
    """Return the label and the value of a line ("office: 400 Harbor Street"); an empty label if it has none."""
    label, colon, value = sent.partition(": ")
    return (label, value) if colon else ("", sent)


def _find_change(row: Any, state: str, sent: str, heirs: Mapping[tuple[Any, ...], Any]) -> LaterChange | None:
    if isinstance(row, Tag):
        today = render_tag_as_sent(row)
        is_same = not sent or to_comparable(today) == to_comparable(sent)
        return None if is_same else LaterChange(_name_difference(sent, today))
    if state == CURRENT:
        is_edited = isinstance(row, Snapshot) and not _says_the_same(sent, row.text)
        return LaterChange(row.text, known=row.get_provenance_display()) if is_edited else None
    heir = None if isinstance(row, Snapshot) else heirs.get(_find_belief_place(row))
    if heir is None:
        return LaterChange("", state, _find_end(row))
    if heir.value == row.value:
        return None
    return LaterChange(format_json_value(heir.value), at=heir.valid_at, known=heir.get_provenance_display())


def _was_over(row: Any, since: datetime) -> bool:
    """Return whether a memory had ended when the prompt was made, which then told it as past."""
    end = None if isinstance(row, Tag) else _find_end(row)
    return end is not None and end < since


def _find_end(row: Any) -> datetime | None:
    ends: list[datetime] = [
        at for at in (row.retired_at, row.invalid_at, getattr(row, "expires_at", None)) if at is not None
    ]
    return min(ends, default=None)


def _name_difference(before: str, now: str) -> str:
    """Return today's line; without its label if that is the same as before."""
    (label, _value), (label_now, value) = split_label(before), split_label(now)
    return value if label and label == label_now else now


def render_tag_as_sent(tag: Tag) -> str:
    return render_tag(TagParts(tag.label, tag.kind, tag.address, tag.phone, tag.relation, tag.aliases))


def _says_the_same(sent: str, text: str) -> bool:
    """Return whether a prompt said the words of a memory; it may have cut them, or named the person before them."""
    before, now = to_comparable(sent).rstrip(_CUT_MARKS), to_comparable(text).rstrip(_CUT_MARKS)
    return not before or before in now or now in before


def _find_belief_place(row: Any) -> tuple[Any, ...]:
    if isinstance(row, Preference):
        return Preference, row.category, row.key
    return ProfileFact, row.field, row.is_attribute


def _load_current_beliefs(subject_id: UUID, rows: Iterable[Any]) -> dict[tuple[Any, ...], Any]:
    """Return the values that hold in the places of those that ended. One query for each kind of belief that has any."""
    ended = [row for row in rows if isinstance(row, Preference | ProfileFact) and not row.is_current]
    return {_find_belief_place(one): one for one in _load_values_in_place(subject_id, ended)}


def _find_retired_beliefs(subject_id: UUID, rows: Iterable[Any]) -> frozenset[UUID]:
    """Return the beliefs that staff retired: in their table they have ended, as if the user had said so. At most one
    query."""
    ended = [row.pk for row in rows if isinstance(row, Preference | ProfileFact) and not row.is_current]
    if not ended:
        return frozenset()
    acts = MemoryAct.objects.filter(subject_id=subject_id, memory_ref__in=ended, verb=ActVerb.RETIRED, undone_at=None)
    return frozenset(acts.order_by().values_list("memory_ref", flat=True))


def _load_values_in_place(subject_id: UUID, ended: Iterable[Any]) -> Iterator[Any]:
    fields = {row.field for row in ended if isinstance(row, ProfileFact)}
    keys = {row.key for row in ended if isinstance(row, Preference)}
    current = {"subject_id": subject_id, "invalid_at": None, "retired_at": None, "version_of": None}
    if fields:
        yield from ProfileFact.objects.filter(**current, field__in=fields).order_by("valid_at", "id")
    if keys:
        yield from Preference.objects.filter(**current, key__in=keys).order_by("valid_at", "id")


def _load_newest_details(subject_id: UUID, tag_ids: Iterable[UUID]) -> dict[UUID, TagDetail]:
    """Return the detail of each tag that changed last. One query, none without tags."""
    ids = list(tag_ids)
    if not ids:
        return {}
    rows = TagDetail.objects.filter(subject_id=subject_id, tag_id__in=ids, invalid_at=None, retired_at=None)
    return {row.tag_id: row for row in rows.order_by("valid_at", "id")}


def _date_change(change: LaterChange, detail: TagDetail | None) -> LaterChange:
    if detail is None:
        return change
    return LaterChange(change.now, change.state, detail.valid_at, detail.get_provenance_display())

"""The texts that one receipt injected: as they were sent while the prompt is kept, else as they are now."""

import html
import re
from collections.abc import Iterable, Sequence
from uuid import UUID

from profiles.models import Preference, ProfileFact, Tag
from profiles.prompt_lines import TagParts, render_preference, render_tag
from profiles.provenance_and_verdict import describe_value
from snapshots.feedback.values import InjectedText
from snapshots.models import Receipt, ReceiptMemory, Snapshot
from snapshots.receipts.read import unpack_rendered_prompt

_ELEMENT = re.compile(r"<(?:user_memory|document) [^>]*>([^<]*)</(?:user_memory|document)>")
# A prompt renders a memory as an element of its own, or as a line with its date or its signs.
_LINE = re.compile(r"[-~?] (?:(?:assistant|summary|task): |(?:助手|摘要|任务)：)?(.*?)(?: \([^()]*\))?", re.DOTALL)


def load_injected_texts(receipt: Receipt, rows: Sequence[ReceiptMemory]) -> list[InjectedText]:
    """Return the text of each injected memory, in the order of ``rows`` (by position); "" where it is gone."""
    rendered = unpack_rendered_prompt(receipt)
    sent = {place[0]: extract_sent_text(rendered.text_at(place)) for place in rendered.places} if rendered else {}
    gone = [row for row in rows if row.context_position not in sent]  # the prompt was purged, or is of release 1
    held = load_current_texts(receipt.subject_id, gone)
    texts = (_drop_field_name(row.lane, sent.get(row.context_position)) for row in rows)
    return [
        InjectedText(row.memory_ref, row.lane, held.get(row.memory_ref, "") if text is None else text)
        for row, text in zip(rows, texts, strict=True)
    ]


def load_current_texts(subject_id: UUID, rows: Iterable[ReceiptMemory]) -> dict[UUID, str]:
    by_lane: dict[str, list[UUID]] = {}
    for row in rows:
        by_lane.setdefault(row.lane, []).append(row.memory_ref)
    found: dict[UUID, str] = {}
    for lane, ids in by_lane.items():
        found.update(_LOADER_BY_LANE[lane](subject_id, ids))
    return found


def _load_snapshot_texts(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    return dict(Snapshot.objects.filter(subject_id=subject_id, id__in=ids).order_by().values_list("id", "text"))


def _load_preference_texts(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Preference.objects.filter(subject_id=subject_id, id__in=ids)
    return {row.id: render_preference(row.category, row.key, row.value) for row in rows}


def _load_fact_texts(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    return {row.id: describe_value(row.value) for row in ProfileFact.objects.filter(subject_id=subject_id, id__in=ids)}


def _load_tag_texts(subject_id: UUID, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = Tag.objects.filter(subject_id=subject_id, id__in=ids)
    return {
        row.id: render_tag(TagParts(row.label, row.kind, row.address, row.phone, row.relation, row.aliases))
        for row in rows
    }


_LOADER_BY_LANE = {
    "snapshots": _load_snapshot_texts,
    "preferences": _load_preference_texts,
    "profile": _load_fact_texts,
    "tags": _load_tag_texts,
}


def _drop_field_name(lane: str, text: str | None) -> str | None:
    return text.partition(": ")[2] or text if text and lane == "profile" else text


def extract_sent_text(written: str) -> str:
    """Return a memory's own words as a prompt wrote them, without the prompt's signs and remarks."""
    found = _ELEMENT.fullmatch(written) or _LINE.fullmatch(written)
    return html.unescape(found[1] if found else written)

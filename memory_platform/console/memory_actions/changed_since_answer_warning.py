"""The warning of a form that was opened from an answer, if the memory has changed since that answer."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from memory_platform.console.shared.headers.relative_times import render_time_ago
from memory_platform.console.shared.value_rendering import parse_uuid
from memory_platform.console.transcript.answers import ANSWER_PARAMETER
from memory_platform.console.transcript.changes_since_prompt import find_later_changes, list_sent_texts, split_label
from snapshots.models import Receipt
from snapshots.receipts.candidate_packing import unpack_candidates
from snapshots.receipts.read import unpack_rendered_prompt


@dataclass(frozen=True, slots=True)
class AnswerBar:
    """``sent``: the words that the answer used. ``now``: the memory's words today; ``since`` as HTML, "" if unknown.
    ``again``: the address that asks the question again."""

    sent: str
    now: str
    since: str
    again: str


def build_answer_bar(request: HttpRequest, memory: Any) -> AnswerBar | None:
    """Return the bar for the answer that the address names; None if it held today's value. At most six queries."""
    named = parse_uuid(request.GET.get(ANSWER_PARAMETER, ""))
    receipt = Receipt.objects.filter(pk=named, subject_id=memory.subject_id).first() if named else None
    if receipt is None:
        return None
    memory_id = str(memory.pk)
    sent = list_sent_texts(unpack_candidates(receipt), unpack_rendered_prompt(receipt)).get(memory_id)
    if not sent:
        return None
    changes = find_later_changes(receipt.subject_id, {memory_id: sent}, {memory_id: memory}, receipt.created_at)
    change = changes.get(memory_id)
    if change is None or not change.now:
        return None
    again = reverse("admin:snapshots_receipt_again", args=[receipt.pk])
    return AnswerBar(split_label(sent)[1], change.now, render_time_ago(change.at), again)

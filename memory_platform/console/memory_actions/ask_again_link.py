"""The proof of an act: the question of an answer that used the memory, to be asked again."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memory_platform.console.shared.value_rendering import parse_uuid
from memory_platform.console.transcript.answers import ANSWER_PARAMETER
from snapshots.models import Receipt
from snapshots.receipts.read import list_receipts
from snapshots.scheduled_job_registry import load_purge_policy


def build_answer_parameter(request: HttpRequest) -> str:
    """Return the part of an address that names the answer from whose page an act was reached; "" if from another."""
    named = parse_uuid(request.GET.get(ANSWER_PARAMETER, ""))
    return f"?{ANSWER_PARAMETER}={named}" if named else ""


def render_ask_again_link(request: HttpRequest, subject_id: UUID, memory_ids: Iterable[UUID]) -> str:
    """Return a link that asks the question of the memories' last answer again, as HTML; "" if no answer used them.

    The question is that of the answer from whose page the act was reached, else of the newest one that used a memory.
    """
    chosen = parse_uuid(request.GET.get(ANSWER_PARAMETER, ""))
    own = Receipt.objects.filter(subject_id=subject_id)
    found = _load_newest_answer(own.filter(pk=chosen)) if chosen else None
    if found is None:
        newest = [_load_newest_answer(list_receipts(memory_id=one).filter(subject_id=subject_id)) for one in memory_ids]
        found = max((one for one in newest if one is not None), key=lambda one: one[1:], default=None)
    if found is None:
        return ""
    receipt_id, is_kept, _created_at = found
    if is_kept:
        address = reverse("admin:snapshots_receipt_again", args=[receipt_id])
        return format_html('<a href="{}">{}</a>', address, _("Ask the same question again"))
    days = load_purge_policy().receipt_texts // timedelta(days=1)
    text = ngettext(
        "The question of the answer that used it is gone after %(days)d day, so it cannot be asked again.",
        "The question of the answer that used it is gone after %(days)d days, so it cannot be asked again.",
        days,
    )
    return text % {"days": days}


def _load_newest_answer(receipts: Any) -> tuple[UUID, bool, object] | None:
    """Return id, whether the question is kept, and time of the newest answer, one with its question if there is one."""
    kept = ExpressionWrapper(Q(rendered__isnull=False), output_field=BooleanField())
    rows = receipts.annotate(is_kept=kept).order_by("-is_kept", "-created_at", "-id")
    return rows.values_list("pk", "is_kept", "created_at").first()  # type: ignore[no-any-return]

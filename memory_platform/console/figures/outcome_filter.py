"""The filter of answers by outcome: the answers behind each figure of the dashboard."""

from datetime import timedelta
from typing import Any

from django.db.models import BigIntegerField, Exists, OuterRef, Q, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.db.models.lookups import GreaterThan
from django.utils.translation import gettext_lazy as _

from memory_platform.console.shared.list_filters import ConditionFilter
from profiles.models import Preference, ProfileFact
from snapshots.feedback.values import Signal
from snapshots.models import ReceiptMemory, Snapshot
from snapshots.recall.config import DEFAULT_RECALL

BADLY_RECEIVED = (Signal.CORRECTED, Signal.NEGATIVE)

# Which of the filter's choices lists the answers that a figure of the dashboard counts against memory.
OUTCOMES_BY_FIGURE = {
    "precision": "bad",
    "utilisation": "unused",
    "correction": "corrected",
    "staleness": "stale",
    "degraded": "degraded",
    "saved": "larger",
}


class OutcomeFilter(ConditionFilter):
    title = _("outcome")
    parameter_name = "outcome"

    def build_choice_conditions(self) -> dict[str, tuple[Any, Q]]:
        memories = ReceiptMemory.objects.filter(receipt_id=OuterRef("id"), subject_id=OuterRef("subject_id"))
        counted = {name: Cast(KT(f"tokens__{name}"), BigIntegerField()) for name in ("total", "full_history")}
        return {
            "bad": (_("corrected or rejected"), Q(Exists(memories.filter(signal__in=BADLY_RECEIVED)))),
            "corrected": (_("corrected"), Q(Exists(memories.filter(signal=Signal.CORRECTED)))),
            "positive": (_("positive feedback"), Q(Exists(memories.filter(signal=Signal.POSITIVE)))),
            "unused": (
                _("a reply that used no memory"),
                Q(Exists(memories), ~Exists(memories.filter(utilised=True)), replied_at__isnull=False),
            ),
            "stale": (_("with a memory that is not validated"), Q(Exists(_list_stale(memories)))),
            "degraded": (_("degraded"), ~Q(degraded_reason="")),
            "larger": (_("larger than the full history"), Q(GreaterThan(counted["total"], counted["full_history"]))),
        }


def _list_stale(memories: QuerySet[ReceiptMemory]) -> QuerySet[ReceiptMemory]:
    """Return those not validated for as long as the indicators allow, before the answer."""
    before = OuterRef("receipt__created_at") - timedelta(days=DEFAULT_RECALL.ranking.validation_days[0])
    stale = Q()
    for model in (Snapshot, Preference, ProfileFact):
        stale |= Q(Exists(model.objects.filter(id=OuterRef("memory_ref"), last_validated_at__lt=before)))
    return memories.filter(stale)

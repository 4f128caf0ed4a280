"""Permanently erase data that orders to forget hid a day ago; certify each order."""

from functools import partial
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memory_platform.kernel.clock import utc_now
from profiles.models import ErasureScope
from profiles.services.erasure_certificates import add_counts, open_erasure, write_tombstones_to_certificate
from profiles.services.tombstones import load_tombstones
from snapshots.erasure.check_and_sign import sign_after_commit
from snapshots.erasure.subject_tables import drop_zeros
from snapshots.forgetting.config import FORGETTING, ForgettingConfig
from snapshots.forgetting.hidden_rows import decompress_rows
from snapshots.forgetting.hide_targets import BY_USER
from snapshots.job_preview import CarePreview
from snapshots.models import ForgetOrder, ForgetOrderState, Message, Snapshot
from tenants.isolation import tenant_tx
from tenants.services.job_runs import TenantTurn


def preview_erasing_hidden() -> CarePreview:
    due = _find_due_orders()
    return CarePreview({"orders": due.count()}, [str(one) for one in due.values_list("id", flat=True)[:10]])


def erase_due_orders(turn: TenantTurn, config: ForgettingConfig = FORGETTING) -> int:
    """Erase due orders of one tenant, each in a transaction of its own; return how many. Opens its own scopes."""
    with tenant_tx(turn.tenant_id):
        ids = list(_find_due_orders().order_by("erase_at").values_list("id", flat=True)[: config.erased_at_once])
    erased = 0
    for order_id in ids:
        if not turn.may_go_on():
            break
        with tenant_tx(turn.tenant_id):
            erased += _erase_order(order_id)
    return erased


def _find_due_orders() -> QuerySet[ForgetOrder]:
    waiting = ForgetOrder.objects.filter(state=ForgetOrderState.WITHHELD, erase_at__lte=utc_now())
    return waiting.order_by()


def _erase_order(order_id: UUID) -> int:
    order = (
        _find_due_orders()
        .select_related("subject")
        .select_for_update(of=("self",), skip_locked=True)
        .filter(id=order_id)
        .first()
    )
    if order is None or order.kept is None:
        return 0
    kept = decompress_rows(order.kept)
    erasure = open_erasure(
        ErasureScope.MEMORY,
        order.subject.external_id,
        name=order.id,
        target=order.id,
        by=BY_USER,
    )
    write_tombstones_to_certificate(
        erasure, load_tombstones(order.subject_id, texts=kept["texts"], messages=map(tuple, kept["names"]))
    )
    add_counts(erasure, order.erased)
    order.state, order.decided_at, order.kept, order.erasure_ref = (
        ForgetOrderState.ERASED,
        utc_now(),
        None,
        erasure.id,
    )
    order.items = [{"kind": one["kind"], "memory_id": one["memory_id"]} for one in order.items]
    order.save(update_fields=["state", "decided_at", "kept", "erasure_ref", "items"])
    whole = [one["id"] for one in kept["messages"]] if not kept["texts"] else []
    ids = [one["id"] for one in kept["snapshots"]["Snapshot"]] if not kept["texts"] else []
    sign_after_commit(erasure, partial(_count_left, order.subject_id, order.id, ids, whole))
    return 1


def _count_left(subject_id: UUID, order_id: UUID, snapshots: list[str], messages: list[str]) -> dict[str, Any]:
    left = {
        "forget_order": ForgetOrder.objects.filter(id=order_id, kept__isnull=False).count(),
        "snapshot": Snapshot.objects.filter(subject_id=subject_id, id__in=snapshots).count(),
        "message": Message.objects.filter(subject_id=subject_id, id__in=messages).exclude(content="").count(),
    }
    return {"rows_left": drop_zeros(left)}

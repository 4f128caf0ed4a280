"""From the deletion to the certificate: what was erased is looked for after the commit, then signed."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from profiles.models import Erasure, ErasureScope, ErasureState
from profiles.services.certificates import close_erasure, erasure_by_id
from snapshots.erasure.policy import ERASURE_POLICY, ErasurePolicy
from snapshots.models import Conversation, Snapshot
from tenants.isolation import current_tenant_id, tenant_tx

Look = Callable[[], Mapping[str, Any]]
"""Looks for what was erased, in an open scope of its own; returns what it found, by table."""


def sign_after_commit(erasure: Erasure, look: Look) -> None:
    """Have the erasure of the open transaction checked and signed once it has committed.

    A process that dies before leaves it to :func:`sign_left_behind`.
    """
    transaction.on_commit(partial(_sign, current_tenant_id(), erasure.id, look), robust=True)


def has_left_behind(policy: ErasurePolicy = ERASURE_POLICY) -> bool:
    """Return whether somebody died between an erasure and its signature, in the open scope."""
    return _left_behind(policy) is not None


def sign_left_behind(tenant_id: UUID, policy: ErasurePolicy = ERASURE_POLICY) -> int:
    """Check and sign what others left behind; return how many. Runs outside any ``tenant_tx``."""
    signed = 0
    while True:
        with tenant_tx(tenant_id):
            erasure = _left_behind(policy)
            if erasure is None:
                return signed
            close_erasure(erasure, {**_found_by_id(erasure), "late": True})
        signed += 1


def _sign(tenant_id: UUID, erasure_id: UUID, look: Look) -> None:
    with tenant_tx(tenant_id):
        close_erasure(erasure_by_id(erasure_id), look())


def _left_behind(policy: ErasurePolicy) -> Erasure | None:
    """Return the oldest one. Those of subjects are their jobs' to end."""
    waiting = Erasure.objects.exclude(state=ErasureState.DONE).exclude(scope=ErasureScope.SUBJECT)
    return waiting.filter(requested_at__lte=Now() - policy.left_behind).order_by("requested_at").first()


def _found_by_id(erasure: Erasure) -> dict[str, Any]:
    """Look for the row itself: of its words nothing is left to look for."""
    rows = Conversation if erasure.scope == ErasureScope.CONVERSATION else Snapshot
    left = rows.objects.filter(id=str(erasure.target)).count()
    return {"rows_left": {rows._meta.db_table: left} if left else {}}

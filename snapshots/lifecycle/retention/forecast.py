"""What the purge will remove on each of the next days: the purge's own queries, asked as of those days (row E6)."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import timedelta
from itertools import pairwise
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from snapshots.lifecycle.policy import PURGE_POLICY, PurgePolicy
from snapshots.lifecycle.retention.expired_rows import WHAT_LEAVES, counted
from snapshots.lifecycle.retention.purge import SNAPSHOTS
from snapshots.models import Snapshot


def forecast_purge(days: int, policy: PurgePolicy = PURGE_POLICY) -> Mapping[str, list[int]]:
    """Return, by kind, how many rows leave now and within each of the ``days`` after, if nothing changes until then.

    In the open scope; one statement a day. The first number is what a preview counts.
    """
    sums = [_leaving(policy, ahead) for ahead in range(days + 1)]
    return {
        kind: [
            sums[0][kind],
            *(max(0, later[kind] - sooner[kind]) for sooner, later in pairwise(sums)),
        ]
        for kind in sums[0]
    }


def _leaving(policy: PurgePolicy, ahead: int) -> dict[str, int]:
    """Return by kind how many of the rows held now have outlived their time so many days ahead."""
    asked = as_of(policy, timedelta(days=ahead))
    rows: dict[str, QuerySet[Any]] = {
        SNAPSHOTS: Snapshot.objects.filter(expires_at__lte=Now() + timedelta(days=ahead)),
        **{leaving.kind: leaving.rows(asked) for leaving in WHAT_LEAVES},
    }
    return counted(rows)


def as_of(policy: PurgePolicy, ahead: timedelta) -> PurgePolicy:
    """Return the policy under which today's rows leave that leave under ``policy`` later by ``ahead``."""
    ages: dict[str, Any] = {one.name: getattr(policy, one.name) for one in fields(policy)}
    sooner: dict[str, Any] = {name: age - ahead for name, age in ages.items() if isinstance(age, timedelta)}
    return replace(policy, **sooner)

"""How long a memory is kept, and how sure a posted one is. Rows: S3, P5."""

from datetime import UTC, datetime, timedelta

import pytest

from profiles.provenance_and_verdict import Provenance
from snapshots.config import choose_default_provenance, compute_expiry
from snapshots.models import SnapshotKind

RECORDED = datetime(2026, 5, 8, 9, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        ("conversation", 7),
        ("segment", 7),
        ("statement", 180),
        ("episode", 180),
        ("consolidated", None),
        ("manual", None),
        ("note", None),
    ],
)
def test_each_kind_is_kept_as_long_as_promised_from_its_recording(kind: str, days: int | None) -> None:
    assert compute_expiry(kind, RECORDED) == (None if days is None else RECORDED + timedelta(days=days))


def test_only_the_products_own_word_counts_as_confirmed() -> None:
    confirmed = {kind for kind in SnapshotKind if choose_default_provenance(kind) is Provenance.CONFIRMED_BY_USER}
    assert confirmed == {SnapshotKind.MANUAL, SnapshotKind.NOTE}

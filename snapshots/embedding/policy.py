"""Numbers of the embedding room."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed


@dataclass(frozen=True, slots=True)
class BackfillPolicy:
    """How many memories one call of the embedding service gets when missing vectors are added."""

    batch: int = assumed(100, owner="embedding", settle_by="time of one call of the slowest embedding service")


@dataclass(frozen=True, slots=True)
class DropPolicy:
    """How many vector rows leave in one transaction when a space is dropped."""

    batch: int = assumed(1_000, owner="embedding", settle_by="how long a batch holds its locks in production")


BACKFILL = BackfillPolicy()
DROP = DropPolicy()

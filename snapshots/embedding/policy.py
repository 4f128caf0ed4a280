"""Numbers of the embedding room."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed


@dataclass(frozen=True, slots=True)
class BackfillPolicy:
    """How many memories one call of the embedding service gets when missing vectors are added."""

    batch: int = assumed(100, owner="embedding", settle_by="time of one call of the slowest embedding service")


BACKFILL = BackfillPolicy()

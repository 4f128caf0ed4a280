"""The numbers of embedding and its upkeep."""

from dataclasses import dataclass

from memory_platform.kernel.number_sources import assumed


@dataclass(frozen=True, slots=True)
class BackfillConfig:
    """How many memories are embedded in one call when vectors are missing."""

    batch: int = assumed(100, owner="embedding", settle_by="time of one call of the slowest embedding service")


@dataclass(frozen=True, slots=True)
class WalkConfig:
    """How many memories one statement reads in a walk over a tenant."""

    page: int = assumed(5_000, owner="embedding", settle_by="time of a walk over a tenant of a million memories")


@dataclass(frozen=True, slots=True)
class DropConfig:
    """How many vectors leave in one transaction when a space is dropped."""

    batch: int = assumed(1_000, owner="embedding", settle_by="how long a batch holds its locks in production")


@dataclass(frozen=True, slots=True)
class SayingConfig:
    """How many words, or Chinese characters, of its own a text needs before it can repeat another. ``batch`` and
    ``a_run``: how many unread memories are read at once, and in one run."""

    least_words: int = assumed(3, owner="embedding", settle_by="what real users say twice, after other turns")
    least_characters: int = assumed(4, owner="embedding", settle_by="what real users say twice, after other turns")
    batch: int = assumed(1_000, owner="embedding", settle_by="how long a batch holds its locks in production")
    a_run: int = assumed(50_000, owner="embedding", settle_by="time of one run over the largest tenant")


BACKFILL = BackfillConfig()
DROP = DropConfig()
SAYING = SayingConfig()
WALK = WalkConfig()

"""Numbers of the embedding room."""

from dataclasses import dataclass

from memory_platform.kernel.policy import assumed


@dataclass(frozen=True, slots=True)
class BackfillPolicy:
    """How many memories one call of the embedding service gets when missing vectors are added."""

    batch: int = assumed(100, owner="embedding", settle_by="time of one call of the slowest embedding service")


@dataclass(frozen=True, slots=True)
class WalkPolicy:
    """How many memories are looked at in one statement by what looks at all of a tenant's."""

    page: int = assumed(5_000, owner="embedding", settle_by="time of a walk over a tenant of a million memories")


@dataclass(frozen=True, slots=True)
class DropPolicy:
    """How many vector rows leave in one transaction when a space is dropped."""

    batch: int = assumed(1_000, owner="embedding", settle_by="how long a batch holds its locks in production")


@dataclass(frozen=True, slots=True)
class SayingPolicy:
    """How much of its own a text has to say before it can repeat another: so many words, or characters of Chinese.

    ``batch`` and ``a_run``: how many memories from before there were sayings are read at once, and in one run.
    """

    least_words: int = assumed(3, owner="embedding", settle_by="what real users say twice, after other turns")
    least_characters: int = assumed(4, owner="embedding", settle_by="what real users say twice, after other turns")
    batch: int = assumed(1_000, owner="embedding", settle_by="how long a batch holds its locks in production")
    a_run: int = assumed(50_000, owner="embedding", settle_by="time of one run over the largest tenant")


BACKFILL = BackfillPolicy()
DROP = DropPolicy()
SAYING = SayingPolicy()
WALK = WalkPolicy()

"""Numbers of the embedding room."""

from dataclasses import dataclass
from datetime import timedelta

from memory_platform.kernel.policy import assumed, measured

_ENOUGH = (
    "locomo-dev, wordllama: floors of 20 samples differ by a standard deviation of 0.009 with 50 memories (1,786 "
    "pairs), 0.008 with 100, 0.005 with 200, 0.002 with 400"
)
_PERCENTILE = (
    "75 % of the questions lie below 0.134 (locomo-dev, wordllama) and 0.157 (madial-zh-dev, use-multilingual-v3) of "
    "other subjects' memories, and coverage is equal up to 0.181 and 0.25. Pairs of memories of different subjects, "
    "one undated: 50 % lie below 0.144 and 0.198, 40 % below 0.122 and 0.177, 75 % below 0.205 and 0.258; both dated, "
    "75 % below 0.248 and 0.340. 40 plain sentences of strangers, wordllama: questions 0.066, pairs 50 % 0.029, 75 % "
    "0.073"
)
_HARMLESS = (
    "coverage is equal up to a floor of 0.181 (locomo-dev, wordllama) and 0.25 (madial-zh-dev, use-multilingual-v3)"
)


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
class FloorPolicy:
    """How the similarity floor of an embedding space is learnt, and how long a process keeps what it read of it."""

    sample: int = measured(400, source=_ENOUGH)
    """Memories of each tenant."""
    subject_sample: int = assumed(10, owner="embedding", settle_by="floors of tenants with few subjects and many")
    """At most so many of one subject: nobody's own flood of messages is what memories are like."""
    tenant_pairs: int = assumed(200, owner="embedding", settle_by="floors of tenants with less than 50 memories")
    """A tenant with fewer does not speak."""
    least_pairs: int = measured(1_500, source=_ENOUGH)
    """Of all tenants that speak; with fewer the space has no floor."""
    percentile: float = measured(50.0, source=_PERCENTILE)
    highest_of_few: float = measured(0.25, source=_HARMLESS)
    """No floor that fewer than ``agreeing`` tenants teach is higher, whatever one of them stores."""
    agreeing: int = assumed(3, owner="embedding", settle_by="how many tenants share a space in production")
    """From here on the lower median is between the floors of two others, whatever one tenant stores."""
    highest: float = assumed(
        0.85, owner="embedding", settle_by="floors of models whose texts are all near to each other, as e5's"
    )
    """No floor is higher."""
    kept: timedelta = assumed(timedelta(minutes=10), owner="embedding", settle_by="how fast floors of new spaces move")
    tried_again: timedelta = assumed(timedelta(seconds=5), owner="embedding", settle_by="how long the database is away")
    """How long floors that could not be read are not asked for."""


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
FLOOR = FloorPolicy()
SAYING = SayingPolicy()
WALK = WalkPolicy()

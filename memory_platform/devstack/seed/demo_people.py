"""People of the demo world and their talks: fictional, in English and Chinese. The talks are in ``talks.toml``."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import time
from pathlib import Path

TALKS_FILE = Path(__file__).with_name("talks.toml")


@dataclass(frozen=True, slots=True)
class SeedTalk:
    """One conversation, ``day`` days ago; ``talks.toml`` explains the fields."""

    subject: str
    id: str
    day: int
    at: time
    lines: Sequence[str]
    answered: bool = True
    then: str = ""

    @property
    def answer_count(self) -> int:
        return len(self.lines) // 2 if self.answered else 0


@dataclass(frozen=True, slots=True)
class SeedStaff:
    """A staff member's tenant and role."""

    tenant: str
    role: str


# Staff by user name, each in one tenant; the operator belongs to none.
STAFF = {
    "sam": SeedStaff("acme", "support"),
    "mia": SeedStaff("acme", "manager"),
    "olga": SeedStaff("globex", "support"),
}


@dataclass(frozen=True, slots=True)
class SeedTenant:
    """One tenant of the demo world. ``subjects``: people by the product's own ids."""

    slug: str
    name: str
    subjects: tuple[str, ...]


WORLD = (
    SeedTenant("acme", "Acme Motors", ("ada", "lin-yue", "noah")),
    SeedTenant("globex", "Globex Health", ("gil",)),
)


def load_talks(tenant: SeedTenant) -> list[SeedTalk]:
    """Return the talks of a tenant's people, the oldest first."""
    rows = tomllib.loads(TALKS_FILE.read_text(encoding="utf-8"))["talks"]
    talks = [SeedTalk(**row) for row in rows if row["subject"] in tenant.subjects]
    return sorted(talks, key=lambda talk: (-talk.day, talk.at))

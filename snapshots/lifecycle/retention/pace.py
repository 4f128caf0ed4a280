"""How much leaves at once: as much as the last transaction shows to be gentle, and then a rest."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from snapshots.lifecycle.policy import PurgePolicy

STEADY = 2.0
"""A batch grows to this many times its size at the most, from one transaction to the next."""


@dataclass(slots=True)
class Pace:
    """The size of the next batch, in rows, so that its transaction takes about ``batch_s``."""

    policy: PurgePolicy
    rows: int = field(init=False)

    def __post_init__(self) -> None:
        self.rows = self.policy.batch

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Time one transaction that removes a batch, fit the next one, and rest."""
        began = time.monotonic()
        yield
        took = max(time.monotonic() - began, 1e-6)
        fitting = int(self.rows * min(self.policy.batch_s / took, STEADY))
        self.rows = min(max(fitting, 1), self.policy.batch_most)
        time.sleep(took * self.policy.rest)

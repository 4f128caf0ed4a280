"""The preview of a scheduled job."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import TypeVar

ItemT = TypeVar("ItemT")


@dataclass(frozen=True, slots=True)
class CarePreview:
    """The effect that a job would have now in one tenant: counts by kind, and some examples by id, without content.
    ``is_partial``: a part of a large tenant was looked at, so that the counts may be larger."""

    counts: Mapping[str, int]
    examples: Sequence[str] = field(default=())
    is_partial: bool = False


class TimedWalk(Iterator[ItemT]):
    """The first of many items, until the time of a preview is over: ``was_cut`` from then on."""

    def __init__(self, items: Iterable[ItemT], lasting: timedelta) -> None:
        self.was_cut = False
        self._items, self._until = iter(items), monotonic() + lasting.total_seconds()

    def __next__(self) -> ItemT:
        if monotonic() >= self._until:
            self.was_cut = True
            raise StopIteration
        return next(self._items)

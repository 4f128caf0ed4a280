"""The result of one correction or order to forget that is carried out as its message arrives."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True)
class FastLaneResult:
    """The result of one correction or order to forget.

    ``kind`` is the changed memory: a preference of ``category`` and ``key``, a profile field or a tag named by ``key``,
    or a note named by ``memory_id`` alone. All three are None, with a ``reason``, when no current belief was meant. A
    memory that an order hid carries the order's id; it may also be a statement.
    """

    verdict: str
    kind: str | None = None
    memory_id: UUID | None = None
    category: str | None = None
    key: str | None = None
    reason: str | None = None
    forget_order_id: UUID | None = None

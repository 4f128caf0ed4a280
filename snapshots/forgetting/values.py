"""What an order to forget concerns, and what became of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory_platform.kernel.errors import Conflict, NotFound
from profiles.models import Preference, ProfileFact, Tag

FORGOTTEN = "forgotten"
NOTHING_TO_FORGET = "nothing_to_forget"
ASKS_FOR_EVERYTHING = "asks_for_everything"
"""Only the product erases a whole person: DELETE of the subject."""

Span = tuple[int, int]
Belief = Preference | ProfileFact | Tag


class ForgetOrderUnknown(NotFound):
    """No such order of this subject. HTTP 404."""

    def __init__(self) -> None:
        super().__init__("No order to forget with this id.")


class ForgetOrderDecided(Conflict):
    """It was brought back or erased already. HTTP 409."""

    code = "forget_order_decided"


@dataclass(frozen=True, slots=True)
class Found:
    """What is to be forgotten. ``messages``: each with the characters to cut, none for all of them; ``notes``: each
    with what stays of it, "" for nothing."""

    messages: Mapping[UUID, Sequence[Span]] = field(default_factory=dict)
    notes: Mapping[UUID, str] = field(default_factory=dict)
    beliefs: Sequence[Belief] = ()

    def __bool__(self) -> bool:
        return bool(self.messages or self.notes or self.beliefs)

"""Messages that tell special categories of data: learned from, kept to their conversation, or not stored, as the tenant
says (policy ``notes.special_categories``)."""

from collections.abc import Sequence
from dataclasses import dataclass

from snapshots.intake.values import IncomingMessage
from snapshots.models import MessageRole
from snapshots.notes.section import KEEP, REFUSE, notes_policy_in_force
from snapshots.sensitive.special import special_categories


@dataclass(frozen=True, slots=True)
class Screened:
    """The places of messages that tell such things where the tenant wants none learned; ``refused``: nor stored."""

    places: frozenset[int] = frozenset()
    refused: bool = False


NOTHING_SPECIAL = Screened()


def screen(incoming: Sequence[IncomingMessage]) -> Screened:
    """Return which messages the tenant of the open scope does not want learned from, whoever says them. Its policy is
    asked only where a message tells such a thing."""
    told = [one.role != MessageRole.SYSTEM and bool(special_categories(one.text)) for one in incoming]
    if not any(told):
        return NOTHING_SPECIAL
    wanted = notes_policy_in_force().special_categories
    if wanted == KEEP:
        return NOTHING_SPECIAL
    return Screened(frozenset(place for place, is_told in enumerate(told) if is_told), wanted == REFUSE)
